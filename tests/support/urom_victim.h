/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef UROM_VICTIM_H_
#define UROM_VICTIM_H_

/*
 * A host program that goes to a step of its life, tells "here" and waits for the word to go on,
 * which is the end of its standard input; then all must end well. Its arguments are
 *
 *     victim STEP [VARIABLE]    VARIABLE is for the environment of its worker
 *
 *     welcome    its service runs
 *     start      its worker runs
 *     mail       the daemon has answered its WORKER_START; it has not attached
 *     held       its worker has commands, which it does not answer
 *     answers    a full window of commands is being answered, the first answer has come
 *     detach     its worker is STOPPING
 *     stop       its worker is IDLE again
 */
#define UROM_VICTIM_ROLE "victim"

int urom_victim_main(int argc, char **argv);

#endif /* UROM_VICTIM_H_ */
