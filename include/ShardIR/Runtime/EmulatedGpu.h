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
  /* PTX' mma.sync of shape m x n x k, A in rows, B in columns: `a`, `b`, `c`
   * and `d` hold this lane's fragments, element after element. Accumulators are
   * f32, s32 for s8 and u8, f64 for f64. Shapes: m16n8k8 and m16n8k16 for f16
   * and bf16, m16n8k4 and m16n8k8 for tf32, m16n8k16 and m16n8k32 for s8 and
   * u8, m8n8k4 for f64. */
  void (*mma)(struct shardir_emulated_thread *self, int32_t m, int32_t n,
              int32_t k, int32_t type, const void *a, const void *b,
              const void *c, void *d);
  /* PTX' cp.async: `to` gets `copied` bytes of `from` and zeros up to `bytes`,
   * no sooner than a wait for the group that the copy is committed to. Waits
   * are for all but the `pending` groups committed last. */
  void (*copy_async)(struct shardir_emulated_thread *self, void *to,
                     const void *from, int64_t bytes, int64_t copied);
  void (*commit_copies)(struct shardir_emulated_thread *self);
  void (*wait_copies)(struct shardir_emulated_thread *self, int64_t pending);
  /* PTX' barrier `id` for `threads` threads; waits for them unless `wait` is
   * 0 (barrier.arrive). */
  void (*named_barrier)(struct shardir_emulated_thread *self, int32_t id,
                        int64_t threads, int32_t wait);
  /* PTX' mbarrier, eight bytes of shared memory. `arrive` first expects so many
   * bytes more; `wait` returns once the phase of parity `parity` has ended. */
  void (*mbarrier_init)(struct shardir_emulated_thread *self, void *barrier,
                        int32_t count);
  void (*mbarrier_arrive)(struct shardir_emulated_thread *self, void *barrier,
                          int64_t bytes);
  void (*mbarrier_wait)(struct shardir_emulated_thread *self, void *barrier,
                        int32_t parity);
  /* PTX' cp.async.bulk.tensor: the box of the tensor map `map` that begins at
   * `coordinates`, innermost first. Loads tell `barrier` their bytes; stores
   * belong to groups, as copies do. */
  void (*tensor_load)(struct shardir_emulated_thread *self, void *shared,
                      const void *map, const int32_t *coordinates,
                      void *barrier);
  void (*tensor_store)(struct shardir_emulated_thread *self, const void *map,
                       const int32_t *coordinates, const void *shared);
  void (*commit_stores)(struct shardir_emulated_thread *self);
  void (*wait_stores)(struct shardir_emulated_thread *self, int64_t pending);
  /* PTX' wgmma.mma_async, m64nNk16 (k8 for tf32, k32 for bytes): d += a b, or
   * d = a b where `scale_d` is 0. `a` and `b` are matrix descriptors;
   * `a_registers`, where not null, is A's fragment instead. An operand that is
   * not transposed is contiguous along k. */
  void (*wgmma)(struct shardir_emulated_thread *self, int32_t n, int32_t type,
                uint64_t a, const void *a_registers, uint64_t b,
                int32_t a_transposed, int32_t b_transposed, int32_t scale_d,
                float *d);
  /* A vector of `bytes` is loaded from or stored to `address`, which is no
   * multiple of them: an error on a GPU. Does not return. */
  void (*misaligned)(struct shardir_emulated_thread *self, const void *address,
                     int64_t bytes);
} shardir_emulated_thread;

/* How the emulating driver fills the 128 bytes of a CUtensorMap. */
typedef struct shardir_emulated_tensor_map {
  uint32_t magic; /* SHARDIR_TENSOR_MAP */
  uint8_t rank;
  uint8_t element_bytes;
  uint8_t swizzle_bytes; /* 0, 32, 64 or 128 */
  uint8_t is_f32;        /* and no integer of 32 bits */
  char *address;
  uint64_t extents[5]; /* elements, innermost first */
  uint64_t strides[4]; /* bytes, of dims 1 and up */
  uint16_t box[5];     /* elements */
} shardir_emulated_tensor_map;

#define SHARDIR_TENSOR_MAP 0x70616d74u

/* Element types of `mma`. */
enum {
  SHARDIR_MMA_F16,
  SHARDIR_MMA_BF16,
  SHARDIR_MMA_TF32,
  SHARDIR_MMA_S8,
  SHARDIR_MMA_U8,
  SHARDIR_MMA_F64,
  SHARDIR_MMA_E4M3, /* of `wgmma` alone, as is E5M2 */
  SHARDIR_MMA_E5M2
};

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
