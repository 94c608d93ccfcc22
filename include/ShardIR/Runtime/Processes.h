/*===- Processes.h - The processes of one job ---------------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * For tools whose ranks are processes (the devices "mpi" and "nccl"): what they
 * tell each other between runs. Requires that all processes call the same
 * functions in the same order, and none during a run; processes are numbered
 * from 0. While one process reads, compiles or writes, the others wait for it
 * as long as it lives; a process that dies takes the job with it.
 */
#ifndef SHARDIR_RUNTIME_PROCESSES_H
#define SHARDIR_RUNTIME_PROCESSES_H

#include "ShardIR/Runtime/ShardIR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* This process' number as the launcher has said it, before anything is started;
 * -1 where there is no launcher. */
int64_t shardir_processes_launched_as(void);

/* For the device "mpi": loads and starts MPI, or joins the host's. For "nccl"
 * the same, unless torchrun or srun has started the processes: then they
 * connect to each other, all of them within `seconds`. A process that no
 * launcher has started is alone: number 0 of 1. */
shardir_status shardir_processes_start(const char *device, double seconds,
                                       int64_t *number, int64_t *count);

/* From now on a thread of each process says now and then that it is there. Who
 * waits for a process that has not said so for `seconds` fails with
 * RANK_FAILED; without this it waits for ever. */
shardir_status shardir_processes_watch(double seconds);

/* Whether the program has one rank for each process. */
shardir_status shardir_processes_match(const shardir_program *program);

/* `worst` becomes the largest `status` of all processes, `who` the first that
 * has it and `text` its message, alive until the next call on this thread. */
shardir_status shardir_processes_agree(int status, const char *message,
                                       int *worst, int64_t *who,
                                       const char **text);

/* Process 0's `bytes` to all others. Gives up after `seconds`, if they are not
 * 0, with RANK_FAILED. */
shardir_status shardir_processes_broadcast(void *data, size_t bytes,
                                           double seconds);

/* Every process' `bytes` to process 0, where buffers[r] takes sizes[r] of them
 * from process r; elsewhere both are ignored. Process 0's own are not copied.
 */
shardir_status shardir_processes_gather(const void *data, size_t bytes,
                                        void *const *buffers,
                                        const size_t *sizes);

/* Whether the start or the last run failed without process 0 having said how:
 * this one then has the message to itself. */
int shardir_processes_unheard(void);

/* Whether each process sees when another one ends: then those that are left say
 * so, and no launcher need end them. */
int shardir_processes_see_deaths(void);

/* Leaves the other processes, and finalizes MPI if it was started here; it
 * cannot be started again. Also done when the process ends by exit(). */
void shardir_processes_finish(void);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_RUNTIME_PROCESSES_H */
