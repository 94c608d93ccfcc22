/*===- EmulatedGpu.h - Kernels that run on the CPU ----------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * What a program compiled with arch=host and the emulating driver agree on. Its
 * kernels are host functions that run one thread each; whatever threads do
 * together goes through the functions below. A module image is the address of
 * the program's table of kernels, ended by an entry whose name is null.
 *
 * The words thread, block, grid, warp and lane are those of the CUDA C++
 * programming guide; a warp is 32 threads of neighbouring linear indices.
 */
#ifndef SHARDIR_RUNTIME_EMULATEDGPU_H
#define SHARDIR_RUNTIME_EMULATEDGPU_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One thread of a running block, handed to the kernel. Entries of arrays are in
 * the order x, y, z. */
typedef struct shardir_emulated_thread {
  int64_t thread[3];
  int64_t block[3];
  int64_t block_dim[3];
  int64_t grid_dim[3];
  /* The block's shared memory, 1024-byte aligned: the kernel's static bytes,
   * then, at the next multiple of 1024, the launch's dynamic bytes. */
  char *shared;
  /* Waits until all threads of the block that have not ended are here. */
  void (*barrier)(struct shardir_emulated_thread *self);
  /* Every lane of the warp posts `bytes` at `in`; `all` gets 32 times `bytes`,
   * by lane, zeros for lanes that the block lacks. All lanes of the warp that
   * have not ended must call it. */
  void (*gather)(struct shardir_emulated_thread *self, const void *in,
                 void *all, int64_t bytes);
} shardir_emulated_thread;

/* `arguments` are cuLaunchKernel's kernelParams: the address of each
 * parameter's value. */
typedef void (*shardir_emulated_kernel_fn)(shardir_emulated_thread *thread,
                                           void **arguments);

typedef struct shardir_emulated_kernel {
  const char *name;
  shardir_emulated_kernel_fn function;
  int64_t shared_bytes; /* static; a multiple of 1024 */
} shardir_emulated_kernel;

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_RUNTIME_EMULATEDGPU_H */
