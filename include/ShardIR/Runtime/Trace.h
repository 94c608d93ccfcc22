/*===- Trace.h - What ran when on which rank ----------------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * For tools that run programs: a timeline of the last run, and a guard against
 * programs that crash. Requires a loaded program; tracing is off until it is
 * asked for, and then costs two reads of the clock per collective. Everything
 * that is returned belongs to the program and lives until its next run.
 */
#ifndef SHARDIR_RUNTIME_TRACE_H
#define SHARDIR_RUNTIME_TRACE_H

#include "ShardIR/Runtime/ShardIR.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where something ran. */
enum {
  SHARDIR_TRACE_HOST = 0,   /* in the rank's thread */
  SHARDIR_TRACE_STREAM = 1, /* on the GPU, in the order of the rank's work */
  SHARDIR_TRACE_COLLECTIVES = 2 /* on the GPU, beside that */
};

/* One stretch of time on one rank, in microseconds since the run started. Times
 * on a GPU are the GPU's own. Of kernels, the first 65536 on each rank. */
typedef struct shardir_trace_event {
  int32_t rank;
  int32_t collective; /* index into the metadata's table; -1: none */
  double start;       /* the rank reached it */
  double ready;       /* all members had reached it: data began to move */
  double end;
  int64_t bytes;  /* received by this rank */
  int32_t kernel; /* index into the table of kernels; -1: none, and where there
                     is no collective either, it is the entry */
  int32_t stream; /* SHARDIR_TRACE_… */
} shardir_trace_event;

/* Whether the next runs of `program` record events. */
void shardir_program_set_trace(shardir_program *program, int enable);
/* Whether the next runs of `program` are timed on the GPU's clock, if they are
 * on a GPU: `milliseconds` is then the time between two events on the stream.
 * The GPU first overwrites its cache, before each kernel too where the run is
 * traced. So operands come from memory, and what is timed is queued before the
 * GPU is at it: the time that the host takes for a launch is no part of it. */
void shardir_program_set_benchmark(shardir_program *program, int enable);
/* The events of the last traced run, ordered by rank, then by time. */
shardir_status shardir_last_trace(const shardir_program *program,
                                  const shardir_trace_event **events,
                                  size_t *n);

/* What collective `i` of the metadata is, such as
 * `all_reduce of f32 8x32 (mlp.mlir:9:8)`; NULL where there is none. */
const char *shardir_program_collective_text(const shardir_program *program,
                                            size_t i);

/* What kernel `i` of the metadata is, such as `main_kernel (mlp.mlir:7:8)`;
 * NULL where there is none. */
const char *shardir_program_kernel_text(const shardir_program *program,
                                        size_t i);

/* Turns SIGSEGV, SIGBUS, SIGFPE and SIGILL in a program's code into a failure
 * of the rank that raised them: SHARDIR_RANK_FAILED in place of a dead process.
 * Meant for tools that own their process; the handlers stay installed, and
 * signals from other code end the process as before. */
void shardir_catch_signals(void);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_RUNTIME_TRACE_H */
