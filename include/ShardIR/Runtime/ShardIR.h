/*===- ShardIR.h - Load and run compiled programs -----------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * The C interface to compiled programs: load one, ask its signature and
 * placements, run it on buffers that the caller owns, free it. Every function
 * that can fail returns a shardir_status; the message of the last failure on
 * this thread is shardir_last_error().
 */
#ifndef SHARDIR_RUNTIME_SHARDIR_H
#define SHARDIR_RUNTIME_SHARDIR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum shardir_status {
  SHARDIR_OK = 0,
  SHARDIR_INVALID_ARGUMENT = 2, /* wrong use, wrong shape, unreadable file */
  SHARDIR_BAD_PROGRAM = 3,      /* not a program, or of another ABI version */
  SHARDIR_RANK_FAILED = 4       /* a rank failed or a deadline passed */
} shardir_status;

typedef enum shardir_element_type {
  SHARDIR_I1,
  SHARDIR_I8,
  SHARDIR_I16,
  SHARDIR_I32,
  SHARDIR_I64,
  SHARDIR_INDEX,
  SHARDIR_F16,
  SHARDIR_BF16,
  SHARDIR_F32,
  SHARDIR_F64,
  SHARDIR_F8E4M3FN,
  SHARDIR_F8E5M2
} shardir_element_type;

typedef struct shardir_program shardir_program;

/* One argument or result of an entry: the whole tensor. */
typedef struct shardir_tensor_info {
  shardir_element_type element_type;
  size_t rank;
  const int64_t *shape;  /* -1 for an extent known only when run */
  const char *placement; /* `#shardir.placement<@m, [...]>`, or "" */
} shardir_tensor_info;

typedef struct shardir_buffer {
  void *data;           /* row-major, contiguous */
  const int64_t *shape; /* `rank` extents */
  size_t rank;
  shardir_element_type element_type;
} shardir_buffer;

/* The version of this header, as major * 10000 + minor * 100 + patch. */
#define SHARDIR_VERSION 100

/* The version of the library that is loaded, as SHARDIR_VERSION was in it. */
int shardir_version(void);

const char *shardir_last_error(void);

/* Bytes of one element; i1 takes one byte. */
size_t shardir_element_size(shardir_element_type type);

shardir_status shardir_program_load(const char *path,
                                    shardir_program **program);
void shardir_program_free(shardir_program *program);

/* From now on a run of a program for GPUs begins behind what the caller has
 * queued on `stream` when it calls or starts the run: a CUstream (cudaStream_t)
 * of the GPU's primary context, or NULL for none. */
shardir_status shardir_set_stream(shardir_program *program, void *stream);

int64_t shardir_program_num_ranks(const shardir_program *program);
size_t shardir_program_num_functions(const shardir_program *program);
const char *shardir_program_function_name(const shardir_program *program,
                                          size_t function);
/* The metadata as JSON, alive as long as the program. */
const char *shardir_program_metadata_json(const shardir_program *program);

/* `function` may be NULL where there is one public function. */
shardir_status shardir_function_num_arguments(const shardir_program *program,
                                              const char *function, size_t *n);
shardir_status shardir_function_num_results(const shardir_program *program,
                                            const char *function, size_t *n);
shardir_status shardir_function_argument(const shardir_program *program,
                                         const char *function, size_t i,
                                         shardir_tensor_info *info);
shardir_status shardir_function_result(const shardir_program *program,
                                       const char *function, size_t i,
                                       shardir_tensor_info *info);
/* The shape of rank `rank`'s shard of argument or result i, with -1 where the
 * extent is known only when run; `shape` has room for the tensor's rank. */
shardir_status shardir_argument_local_shape(const shardir_program *program,
                                            const char *function, size_t i,
                                            int64_t rank, int64_t *shape);
shardir_status shardir_result_local_shape(const shardir_program *program,
                                          const char *function, size_t i,
                                          int64_t rank, int64_t *shape);

/* The same for a whole tensor of shape `whole`, where the program leaves
 * extents open. */
shardir_status shardir_argument_shard_shape(const shardir_program *program,
                                            const char *function, size_t i,
                                            const int64_t *whole, int64_t rank,
                                            int64_t *shape);
shardir_status shardir_result_shard_shape(const shardir_program *program,
                                          const char *function, size_t i,
                                          const int64_t *whole, int64_t rank,
                                          int64_t *shape);
/* The shape of the whole tensor of which shards[r] is rank r's shard of
 * argument i. Fails where there is no such tensor. */
shardir_status shardir_argument_global_shape(const shardir_program *program,
                                             const char *function, size_t i,
                                             const shardir_buffer *shards,
                                             int64_t *whole);

typedef struct shardir_run_options {
  const char *device;   /* NULL: "threads"; "mpi", "cuda-local" and "nccl": see
                           below */
  double timeout;       /* seconds without progress; 0: 60 */
  int unsharded;        /* run the one-device version, if compiled in */
  int threads_per_rank; /* 0: share the cores evenly among the ranks */
  const char *reductions; /* NULL or "engine": by the transport's own
                             collectives where it has them, with the same bits
                             in every run on one configuration; "ordered": with
                             the bits of "threads" on every device */
  const char *check; /* NULL or "load": processes compare program, function,
                        options and extents when a run starts, and each
                        collective only where the sequence of collectives
                        depends on data; "every": each collective */
} shardir_run_options;

/* With the device "mpi" each process of an MPI job is the rank of its number;
 * there are as many as the program has ranks. All of them call the functions
 * below, with equal programs, functions and options. MPI is loaded when it is
 * first asked for (Open MPI alone) and started unless the host has started it;
 * the host then needs MPI_THREAD_SERIALIZED, leaves MPI alone during a run
 * unless it has MPI_THREAD_MULTIPLE, and finalizes MPI itself. The same status
 * and message come back in all processes. `unsharded` runs in the calling
 * process alone. */

/* From now on the processes are those of `comm`, an MPI_Comm of the host's (an
 * intracommunicator), all of whom call this, and the rank of each is its rank
 * there: for runs on "mpi", and on "nccl". Called again, after a run that has
 * failed too, with another communicator, such as one of fewer processes, that
 * one counts. It is duplicated at once: the host uses and frees its own as it
 * likes. Other processes take no part, and may run programs over another
 * communicator. Refused during a run, and where ShardIR has started MPI or
 * connected the processes itself. */
shardir_status shardir_processes_from_mpi(void *comm);

/* The same for "nccl" with an ncclComm_t, without a launcher and before the
 * first run over processes: each process' GPU is the communicator's, and rank 0
 * tells the others through it where it listens, at $SHARDIR_ROOT_HOST or its
 * first address that others reach; all connect within `seconds`. The host has
 * no call under way on the communicator then, and uses it as it likes after:
 * ShardIR has one of its own, split from it. */
shardir_status shardir_processes_from_nccl(void *comm, double seconds);

/* Programs compiled for GPUs run on the devices "cuda-local", whose ranks are
 * threads that share GPU 0, and "nccl", whose ranks are processes as with
 * "mpi", each with a GPU of its own; other programs on "threads" and "mpi".
 * shardir_run takes and gives arrays of the host. shardir_run_local takes and
 * gives shards in memory of the GPU, allocated in its primary context, as
 * CUDA's runtime library does, that begin at multiples of 64 bytes; what the
 * caller has queued on them must be done, or be on the stream of
 * shardir_set_stream; results are there when it returns. */

/* What option `arch` of the compiler makes programs for this process' GPU:
 * "sm_90a"; "compute_80" for one that it has no code of its own for; "host" for
 * an emulated one. NULL where there is none, with
 * shardir_last_error(). */
const char *shardir_gpu_architecture(void);

/* From now on the shards that shardir_run_local takes and gives are in memory
 * of the host, at any multiple of an element's size, with GPUs too, where each
 * rank copies its own there and back. */
void shardir_set_host_shards(shardir_program *program, int yes);

/* Runs the function on whole arrays: arguments are distributed by placement,
 * results collected into the caller's buffers. With "mpi", every process gives
 * the whole arguments and takes its shards; whole results are written in
 * process 0 alone, those of others have a shape and need no data. */
shardir_status shardir_run(const shardir_program *program, const char *function,
                           const shardir_buffer *arguments,
                           size_t num_arguments, shardir_buffer *results,
                           size_t num_results,
                           const shardir_run_options *options);

/* Runs the function on shards: arguments[r * num_arguments + i] is rank r's
 * shard of argument i, results likewise. No copies are made. A result whose
 * metadata has "in_place" is written into the argument of that number: the
 * caller donates that argument, whose old elements are gone after the run, and
 * gives its data as the result's on each rank, or the call is refused. No other
 * result overlaps an argument. With "mpi", each process
 * gives its own shards alone: arguments[i], results[i]. Extents that the
 * program leaves open are those that the shards of all ranks add up to. */
shardir_status shardir_run_local(const shardir_program *program,
                                 const char *function,
                                 const shardir_buffer *arguments,
                                 size_t num_arguments, shardir_buffer *results,
                                 size_t num_results,
                                 const shardir_run_options *options);

/* The same beside the host, which goes on at once: a run that is started, and
 * waited for once. Shapes and options are copied; program and data stay until
 * shardir_run_wait has returned, which gives the status and the message of the
 * run, those of a wrong call too, and frees it. Any number may be under way, of
 * one program or several; those over processes take turns in the order of their
 * starts, which is the same in all processes. */
typedef struct shardir_pending shardir_pending;
shardir_status shardir_run_start(const shardir_program *program,
                                 const char *function,
                                 const shardir_buffer *arguments,
                                 size_t num_arguments, shardir_buffer *results,
                                 size_t num_results,
                                 const shardir_run_options *options,
                                 shardir_pending **pending);
shardir_status
shardir_run_local_start(const shardir_program *program, const char *function,
                        const shardir_buffer *arguments, size_t num_arguments,
                        shardir_buffer *results, size_t num_results,
                        const shardir_run_options *options,
                        shardir_pending **pending);
/* Whether shardir_run_wait returns at once. */
int shardir_run_ended(const shardir_pending *pending);
/* Fails the run, in all processes of it, unless it has ended; it is waited for
 * as ever. */
void shardir_run_abort(shardir_pending *pending);
shardir_status shardir_run_wait(shardir_pending *pending);

/* Between whole arrays and shards, as shardir_run does it: shards[r] is rank
 * r's shard, of the local shape of argument or result i. A partial argument
 * is on the first device of each group; a partial result is reduced.
 * Shards without data are left out where arguments are distributed. */
shardir_status shardir_distribute_argument(const shardir_program *program,
                                           const char *function, size_t i,
                                           const shardir_buffer *whole,
                                           shardir_buffer *shards);
shardir_status shardir_collect_argument(const shardir_program *program,
                                        const char *function, size_t i,
                                        const shardir_buffer *shards,
                                        shardir_buffer *whole);
shardir_status shardir_collect_result(const shardir_program *program,
                                      const char *function, size_t i,
                                      const shardir_buffer *shards,
                                      shardir_buffer *whole);

/* Between one rank's shard and a whole array that is somewhere else, such as in
 * a file, of shape `whole`: nothing but the shard is in memory. `move` is
 * called for runs of `count` elements that are at `first` in the whole array,
 * row-major, and at `data` in the shard, in increasing order; other than 0 ends
 * the call with SHARDIR_INVALID_ARGUMENT. */
typedef int (*shardir_move_fn)(void *context, void *data, int64_t first,
                               int64_t count);
/* Fills a shard of argument i; what a partial argument does not take from the
 * array, or a rank without a device, is filled without `read`. */
shardir_status shardir_read_argument(const shardir_program *program,
                                     const char *function, size_t i,
                                     const int64_t *whole, int64_t rank,
                                     shardir_buffer *shard,
                                     shardir_move_fn read, void *context);
/* Hands out those elements of a shard of result i that no rank before this one
 * hands out. Fails for a partial result, whose elements no rank has. */
shardir_status shardir_write_result(const shardir_program *program,
                                    const char *function, size_t i,
                                    const int64_t *whole, int64_t rank,
                                    const shardir_buffer *shard,
                                    shardir_move_fn write, void *context);

/* What the last run on this program counted, the largest over ranks. */
typedef struct shardir_measurement {
  int64_t bytes_per_device;      /* received by collectives */
  int64_t peak_bytes_per_device; /* arguments, results and temporaries */
  double milliseconds;           /* of the slowest rank, without distribution */
} shardir_measurement;
shardir_status shardir_last_measurement(const shardir_program *program,
                                        shardir_measurement *m);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_RUNTIME_SHARDIR_H */
