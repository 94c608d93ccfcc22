/*===- Abi.h - What compiled programs call ------------------------*- C -*-===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * The functions that a compiled program leaves undefined and finds in
 * libShardIRRuntime, and the symbols that it defines in turn. They act on the
 * rank that the calling thread runs as; worker threads that a rank starts
 * through shardir_parallel_for may call none of them but the allocator.
 *
 * A compiled program defines
 *   const char shardir_program_metadata[];   NUL-terminated JSON, see
 *                                            docs/RuntimeInternals.md
 *   void <symbol>(void **descriptors);       one per entry: pointers to memref
 *                                            descriptors {T *allocated,
 *                                            T *aligned, i64 offset,
 *                                            i64 sizes[r], i64 strides[r]},
 *                                            arguments first, then results,
 *                                            all row-major and contiguous.
 */
#ifndef SHARDIR_RUNTIME_ABI_H
#define SHARDIR_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised when a function here or the metadata changes incompatibly. A program
 * that calls a function which is new here is refused by older runtimes, by
 * name; programs that do not are none the worse, so that is no reason. */
#define SHARDIR_ABI_VERSION 1

/* The coordinate of the calling rank along axis `axis` of mesh `mesh`, both
 * indices into the metadata's tables; 0 where the mesh lacks this rank, which
 * then runs the program on zeros. */
int64_t shardir_axis_index(int32_t mesh, int32_t axis);

/* The extent of dim `dim` of the whole tensor that argument `argument` of the
 * running entry is a shard of: what no shard tells where the metadata's shape
 * has -1. The same on all ranks. */
int64_t shardir_extent(int32_t argument, int32_t dim);

/* Runs collective `id` of the metadata's table: `in` is this rank's operand
 * shard, `out` its result shard, both contiguous. `dims` holds the whole
 * tensor's unknown extents in order, NULL where there are none. Does not return
 * if the job fails. `in` and `out` may be equal only for all_reduce. */
void shardir_collective(int32_t id, const void *in, void *out,
                        const int64_t *dims);

/* The same, but the result need not be there, nor the operand free, before
 * shardir_collective_wait is called with the same `out`: what is launched and
 * copied in between goes on beside it. Must not touch either buffer. */
void shardir_collective_start(int32_t id, const void *in, void *out,
                              const int64_t *dims);
void shardir_collective_wait(const void *out);

/* Runs collectives `first` to `first + count - 1` as one transfer: `buffers`
 * has `in` and `out` of each. They are of the same groups and have no unknown
 * extents, and none writes what another one reads or writes. Between a start
 * and the wait with any `out` of them, none may be touched. */
typedef struct {
  const void *in;
  void *out;
} shardir_buffers;
void shardir_collective_bucket(int32_t first, int32_t count,
                               const shardir_buffers *buffers);
void shardir_collective_bucket_start(int32_t first, int32_t count,
                                     const shardir_buffers *buffers);

/* Runs rooted or point-to-point collective `id`; `peer` is the root or the
 * partner's coordinate along the collective's axes, major first, flattened.
 * `count` is the number of elements of the smaller side. */
void shardir_collective_peer(int32_t id, const void *in, void *out,
                             int64_t count, int64_t peer);

/* Runs gather or scatter `id`: the whole, on the root, is `extent` rows of
 * `inner` elements, of which each member has a block as rule P3 of
 * docs/Semantics.md cuts them over the collective's axes. `count` is the number
 * of elements of this rank's block. */
void shardir_collective_blocks(int32_t id, const void *in, void *out,
                               int64_t count, int64_t extent, int64_t inner,
                               int64_t root);

/* Memory of the host for what the rank's device does not keep; not counted for
 * peak_bytes_per_device. For a GPU it is pinned. */
void *shardir_host_alloc(uint64_t size);
void shardir_host_free(void *p);

/* Copies `bytes` between the rank's memory and such memory; `to_host` is 1 or
 * 0. What is started goes on beside other work until shardir_collective_wait is
 * called with the same `to`; meanwhile neither side may be touched. */
void shardir_host_copy(void *to, const void *from, uint64_t bytes,
                       int32_t to_host);
void shardir_host_copy_start(void *to, const void *from, uint64_t bytes,
                             int32_t to_host);

/* Ends the job on all ranks: `message` is shown with this rank's number. */
void shardir_fail(const char *message);

/* Calls body(i, context) for every i in [0, n), on as many threads as this rank
 * may use, and returns when all are done. */
void shardir_parallel_for(int64_t n, void (*body)(int64_t, void *),
                          void *context);

/* 64-byte aligned memory of the rank, counted for peak_bytes_per_device.
 * The names are those of MLIR's finalize-memref-to-llvm{use-generic-functions}.
 */
void *_mlir_memref_to_llvm_alloc(uint64_t size);
void *_mlir_memref_to_llvm_aligned_alloc(uint64_t alignment, uint64_t size);
void _mlir_memref_to_llvm_free(void *p);

/* MLIR's strided copy between unranked memref descriptors. */
void memrefCopy(int64_t elementSize, void *source, void *destination);

/*
 * What programs for a GPU call besides; their memrefs, those of entries and
 * collectives included, are memory of the rank's device. Work is ordered by the
 * rank's stream. `kernel` and `id` are indices into the metadata's tables
 * `gpu.kernels` and `gpu.constants`.
 */

/* Launches `kernel` on grid (gx, gy, gz) of blocks (bx, by, bz) with
 * `shared_bytes` of dynamic shared memory; nothing where an extent of the grid
 * is 0. `arguments` points to the values of the kernel's parameters, as
 * cuLaunchKernel's kernelParams; they are read before it returns. */
void shardir_gpu_launch(int32_t kernel, int64_t gx, int64_t gy, int64_t gz,
                        int64_t bx, int64_t by, int64_t bz,
                        int64_t shared_bytes, void **arguments);

/* Fills the 128 bytes at `map`, host memory at a multiple of 64, with the
 * tensor map (cuTensorMapEncodeTiled) of `rank` dims, 1 to 5, innermost first:
 * `dims` holds extent, stride and box of each, all in elements of
 * `element_bytes`: 1, 2, 4 or 8; or -4 for f32, which TMA adds to by such a map
 * alone. The innermost stride is 1; `data` and the
 * other strides are multiples of 16 bytes; a box's rows are swizzled over
 * `swizzle_bytes` (0, 32, 64 or 128). Of a tensor without elements nothing may
 * be moved by the map. Kernels take it by value: its parameter's entry in
 * `arguments` is `map`. */
void shardir_gpu_tensor_map(void *map, const void *data, int32_t element_bytes,
                            int32_t swizzle_bytes, int32_t rank,
                            const int64_t *dims);

/* Queues a call of cublasLtMatmul: c[m,n] = sum over k of a[m,k] * b[k,n].
 * `numbers` are m, n, k and how many products there are, then the strides of
 * rows of a, b and c, then those from one product to the next, in elements.
 * Operands have `operand_type`, c and `bias` (n elements that are added to each
 * row; null for none) `result_type`, both shardir_element_type. */
#define SHARDIR_GPU_A_ALONG_M 1  /* a's rows run along m, not k */
#define SHARDIR_GPU_B_ALONG_K 2  /* b's rows run along k, not n */
#define SHARDIR_GPU_ACCUMULATE 4 /* what c held is added */
#define SHARDIR_GPU_RELU 8       /* max(0, .) of what is stored */
#define SHARDIR_GPU_TF32 16      /* f32 operands may be read as tf32 */
void shardir_gpu_library_matmul(const int64_t *numbers, int32_t operand_type,
                                int32_t result_type, int32_t flags,
                                const void *a, const void *b, void *c,
                                const void *bias);

/* Queues attention by cuDNN, of elements of `element_type`, a
 * shardir_element_type of 16 bits: result[b,h,m] = softmax over n of
 * (scale * query[b,h,m] . key[b,g,n]), times value[b,g,n], with
 * g = h / (query heads / key heads). `numbers` are the batch, query heads, key
 * heads, positions m and n, elements of a row of query and key, and of value
 * and result; then the strides of batch, heads and positions, in elements, of
 * query, key, value and result. Rows are contiguous; n is at least 1. */
void shardir_gpu_library_attention(const int64_t *numbers, int32_t element_type,
                                   float scale, const void *query,
                                   const void *key, const void *value,
                                   void *result);

/* Bytes at a multiple of which shards in device memory begin. */
#define SHARDIR_GPU_ALIGNMENT 64

/* The multiprocessors of the rank's device, at least 1; fewer while a
 * collective that was started has not been waited for. */
int64_t shardir_gpu_multiprocessors(void);

/* Device memory, stream ordered, counted for peak_bytes_per_device. */
void *shardir_gpu_alloc(uint64_t alignment, uint64_t size);
void shardir_gpu_free(void *p);

/* memrefCopy between descriptors of device memory, stream ordered. */
void shardir_gpu_copy(int64_t element_size, void *source, void *destination);

/* Copies from and to host memory; both wait until the copy is done. */
void shardir_gpu_read(void *host, const void *device, uint64_t bytes);
void shardir_gpu_write(void *device, const void *host, uint64_t bytes);

/* The device address of constant `id`, whose bytes are uploaded once for each
 * device and program. Globals that keep their value from call to call are
 * constants too: those that the metadata marks `per_rank` are each rank's own,
 * and of others ranks may write to different parts. */
const void *shardir_gpu_constant(int32_t id);

#ifdef __cplusplus
}
#endif

#endif /* SHARDIR_RUNTIME_ABI_H */
