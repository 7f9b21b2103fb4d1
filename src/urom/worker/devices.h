/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROMW_DEVICES_H_
#define UROMW_DEVICES_H_

/*
 * Where the channel may be reached: UCX listens on every device that it is not told to leave alone,
 * and a worker is for those who reach the daemon.
 */

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#define UROMW_MAX_DEVICES 1024 /* bytes of a list */

/*
 * The network interface that has an address, and the ports of RDMA devices on that interface, as
 * UCX names them: "eth0,mlx5_0:1". devices: of UROMW_MAX_DEVICES bytes. False: none has it.
 */
bool uromw_devices_find(const struct sockaddr *ip, char *devices);

#endif /* UROMW_DEVICES_H_ */
