/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_POINT_H_
#define UROM_POINT_H_

/*
 * Points of a process's life at which a test wants to have it. UROM_POINT in its environment names
 * one of them and two FIFOs, "NAME:PATH": at the first coming to that point the process writes a
 * line with its id to PATH, and waits until a byte can be read from PATH.go.
 */
#define UROM_POINT_VARIABLE "UROM_POINT"

void urom_point_reach(const char *name);

#endif /* UROM_POINT_H_ */
