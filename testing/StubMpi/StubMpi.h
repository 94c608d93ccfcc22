/*===- StubMpi.h - An MPI whose peers answer at once --------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * A libmpi for SHARDIR_MPI_LIBRARY: the calling process is rank
 * $OMPI_COMM_WORLD_RANK, which must not be 0, of $SHARDIR_STUB_MPI_SIZE. Peers
 * send back what was sent to them, else zeros; a collective gives every member
 * this rank's own data, and a reduction this rank's term. So host time, memory
 * and calls of one rank of thousands are seen on one core; results are not.
 *
 * Among watchdogs, rank 0 is above this rank: it asks $SHARDIR_STUB_MPI_ROUNDS
 * times (0 unless given), as soon as it has been answered, and the ranks below
 * answer at once.
 */
#ifndef SHARDIR_TESTING_STUBMPI_STUBMPI_H
#define SHARDIR_TESTING_STUBMPI_STUBMPI_H

#ifdef __cplusplus
extern "C" {
#endif

/* How often this process has called MPI_<name> of sends, receives and
 * collectives; of `rounds`, how many rank 0 has had complete answers to; of
 * `bytes of answers`, what was sent up; 0 for other names. */
long shardir_stub_mpi_calls(const char *name);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_TESTING_STUBMPI_STUBMPI_H */
