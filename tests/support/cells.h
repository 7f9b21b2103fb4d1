/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef CELLS_H_
#define CELLS_H_

/*
 * Tests that wait more than they work, each in a process of its own and several at a time: the test
 * program itself, started anew with "cell NAME". Those that take longest come first in the list, so
 * that the others fill their time. What a process prints is seen when its test has failed.
 */

#include "test.h"

#define CELLS_MAX  64
#define CELLS_ROLE "cell" /* the first argument of a process for one test */

/* main() of such a program; with a name as its argument it runs that test here. */
int cells_main(int argc, char **argv, const struct CMUnitTest *cells, size_t num_cells);

#endif /* CELLS_H_ */
