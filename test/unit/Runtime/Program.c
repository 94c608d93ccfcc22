/*===- Program.c - A compiled program, written by hand
---------------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * What the compiler would emit, in C: metadata and entries that take memref
 * descriptors. Two ranks along one axis. Requires the runtime's symbols from
 * whoever loads it; each entry does one thing that ApiTests.cpp checks, among
 * them everything that a program can do wrong.
 */
#include "Descriptors.h"
#include "ShardIR/Runtime/Abi.h"

#include <stddef.h>

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[1], strides[1];
} Vector;
typedef struct {
  float *allocated, *aligned;
  int64_t offset;
} Scalar;

#define FUNCTION(NAME, ARGS, RESULTS)                                          \
  "{\"name\": \"" NAME "\", \"symbol\": \"entry_" NAME                         \
  "\", \"arguments\": [" ARGS "], \"results\": [" RESULTS "]}"
#define TENSOR(SHAPE, PLACEMENT)                                               \
  "{\"shape\": " SHAPE ", \"element_type\": \"f32\", \"mesh\": \"m\", "        \
  "\"placement\": \"" PLACEMENT "\"}"
#define IN_PLACE(SHAPE, PLACEMENT, ARGUMENT)                                   \
  "{\"shape\": " SHAPE ", \"element_type\": \"f32\", \"mesh\": \"m\", "        \
  "\"placement\": \"" PLACEMENT "\", \"in_place\": " ARGUMENT "}"
#define COLLECTIVE(KIND, SHAPE, FROM, TO, LOC)                                 \
  "{\"kind\": \"" KIND "\", \"mesh\": \"m\", \"from\": \"" FROM "\", "         \
  "\"to\": \"" TO "\", \"shape\": " SHAPE ", \"element_type\": \"f32\", "      \
  "\"loc\": \"" LOC "\"}"
#define ROWS "[{\\\"x\\\"}, {}]"
#define WHOLE "[{}, {}]"
#define PARTIAL1 "[{}], partial = sum [\\\"x\\\"]"

#define HALVES "[{\\\"x\\\"}]"

/* clang-format off: it takes the strings for code. */
const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"c0ffee\", \"ranks\": 2,"
    "\"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", "
    "\"size\": 2}], \"devices\": []}],"
    "\"functions\": ["
    "{\"name\": \"gather\", \"symbol\": \"entry_gather\", "
    "\"unsharded_symbol\": \"unsharded_gather\","
    " \"arguments\": [" TENSOR(
        "[5, -1]",
        ROWS) "], \"results\": "
              "[" TENSOR("[5, -1]", WHOLE) "]}," FUNCTION(
                  "total", TENSOR("[4]", PARTIAL1),
                  TENSOR(
                      "[4]", PARTIAL1)) "," FUNCTION("rank", "", TENSOR("[2]", HALVES)) "," FUNCTION("parallel", "", TENSOR("[2]", HALVES)) "," FUNCTION("offload", TENSOR("[4]", PARTIAL1), TENSOR("[4]", PARTIAL1)) "," FUNCTION("transpose", TENSOR("[4, 6]", WHOLE), TENSOR("[6, 4]", WHOLE)) "," FUNCTION("fail",
                                                                                                                                                                                                                                                                                                               "",
                                                                                                                                                                                                                                                                                                               "") "," FUNCTION("mismatch", "", "") "," FUNCTION("early",
                                                                                                                                                                                                                                                                                                                                                                 "",
                                                                                                                                                                                                                                                                                                                                                                 "") "," FUNCTION("hang", "", "") "," FUNCTION("divide",
                                                                                                                                                                                                                                                                                                                                                                                                               "",
                                                                                                                                                                                                                                                                                                                                                                                                               "") "," FUNCTION("overflow",
                                                                                                                                                                                                                                                                                                                                                                                                                                "",
                                                                                                                                                                                                                                                                                                                                                                                                                                "") "," FUNCTION("parallel_fail",
                                                                                                                                                                                                                                                                                                                                                                                                                                                 "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                 "") "," FUNCTION("leak", "", "") "," FUNCTION("update", TENSOR("[5]", HALVES) "," TENSOR("[5]", HALVES), TENSOR("[]", "[]") "," IN_PLACE("[5]", HALVES, "0")) "],"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "\"collectives\": [" COLLECTIVE(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "all_gather",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "[5, -1]", ROWS, WHOLE, "gather.mlir:1:2") "," COLLECTIVE("all_reduce", "[4]", PARTIAL1, "[{}]", "reduce.mlir:3:4") "], \"report\": {\"version\": 1}}";
/* clang-format on */

/* Doubles its shard and gathers it. */
void entry_gather(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  int64_t n = a->sizes[0] * a->sizes[1], dims[1];
  float *twice = _mlir_memref_to_llvm_alloc((uint64_t)n * sizeof(float));
  dims[0] = a->sizes[1];
  for (int64_t i = 0; i < n; ++i)
    twice[i] = 2 * a->aligned[i];
  shardir_collective(0, twice, r->aligned, dims);
  _mlir_memref_to_llvm_free(twice);
}

void unsharded_gather(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  for (int64_t i = 0; i < a->sizes[0] * a->sizes[1]; ++i) {
    a->aligned[i] *= 2; /* in place: the caller's array must not change */
    r->aligned[i] = a->aligned[i];
  }
}

/* Each rank's term is what it was given plus its number plus one. */
void entry_total(void **descriptors) {
  Vector *a = descriptors[0], *r = descriptors[1];
  for (int i = 0; i < 4; ++i)
    r->aligned[i] = a->aligned[i] + (float)shardir_axis_index(0, 0) + 1;
}

/* What it was given, by way of the host's memory. */
void entry_offload(void **descriptors) {
  Vector *a = descriptors[0], *r = descriptors[1];
  const uint64_t bytes = 4 * sizeof(float);
  float *host = shardir_host_alloc(1 << 20), *empty = shardir_host_alloc(0);
  shardir_host_copy_start(host, a->aligned, bytes, 1);
  shardir_collective_wait(host);
  shardir_host_copy(r->aligned, host, bytes, 0);
  shardir_host_free(host);
  shardir_host_free(empty);
  shardir_host_free(0);
}

void entry_rank(void **descriptors) {
  Vector *r = descriptors[0];
  r->aligned[0] =
      (float)(10 * shardir_axis_index(0, 0) + 100 * shardir_axis_index(7, 0));
}

/* Adds argument 1 to argument 0, whose memory result 1 has; result 0 is the
 * number of elements that it found in that memory. */
void entry_update(void **descriptors) {
  Vector *a = descriptors[0], *b = descriptors[1], *r = descriptors[3];
  Scalar *count = descriptors[2];
  *count->aligned = r->aligned == a->aligned ? (float)a->sizes[0] : -1;
  for (int64_t i = 0; i < a->sizes[0]; ++i)
    r->aligned[i] = a->aligned[i] + b->aligned[i];
}

static void square(int64_t i, void *context) {
  ((float *)context)[i] = (float)(i * i);
}

/* The sum of i * i for i < 100, computed by several threads. */
void entry_parallel(void **descriptors) {
  Vector *r = descriptors[0];
  float *values = _mlir_memref_to_llvm_aligned_alloc(256, 100 * sizeof(float));
  shardir_parallel_for(100, square, values);
  r->aligned[0] = (uintptr_t)values % 256 == 0 ? 0 : 1;
  for (int i = 0; i < 100; ++i)
    r->aligned[0] += values[i];
  _mlir_memref_to_llvm_free(values);
}

void entry_transpose(void **descriptors) {
  Matrix *r = descriptors[1];
  Matrix view = *(Matrix *)descriptors[0];
  Unranked from = {2, &view}, to = {2, r};
  view.sizes[0] = 6, view.sizes[1] = 4;
  view.strides[0] = 1, view.strides[1] = 6;
  memrefCopy(sizeof(float), &from, &to);
}

static void reduce(void) {
  float in[4] = {1, 2, 3, 4};
  shardir_collective(1, in, in, NULL);
}

void entry_fail(void **descriptors) {
  reduce();
  if (shardir_axis_index(0, 0) == 1)
    shardir_fail("index 9 is out of bounds for dim 0 of size 4");
  reduce();
}

void entry_mismatch(void **descriptors) {
  float in[20] = {0}, out[20];
  int64_t dims[1] = {4};
  if (shardir_axis_index(0, 0) == 1)
    reduce();
  else
    shardir_collective(0, in, out, dims);
}

void entry_early(void **descriptors) {
  if (shardir_axis_index(0, 0) == 1)
    reduce();
}

/* Set by the test when it has seen enough. */
int stop_hanging;
int still_hanging;

void entry_hang(void **descriptors) {
  if (shardir_axis_index(0, 0) == 1) {
    __atomic_store_n(&still_hanging, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stop_hanging, __ATOMIC_ACQUIRE))
      ;
    __atomic_store_n(&still_hanging, 0, __ATOMIC_RELEASE);
  }
  reduce();
}

volatile int zero, seven = 7;

void entry_divide(void **descriptors) {
  if (shardir_axis_index(0, 0) == 1)
    zero = seven / zero;
  reduce();
}

static int deep(int n) {
  volatile char frame[4096];
  frame[0] = (char)n;
  return n < 0 ? 0 : deep(n + 1) + frame[0];
}

void entry_overflow(void **descriptors) {
  if (shardir_axis_index(0, 0) == 0)
    zero = deep(1) == 12345;
  reduce();
}

static void failing(int64_t i, void *context) {
  if (i == 37)
    shardir_fail("iteration 37 cannot go on");
}

void entry_parallel_fail(void **descriptors) {
  int local = 0;
  shardir_parallel_for(100, failing, &local);
  reduce();
}

/* Fails with memory in use. */
void entry_leak(void **descriptors) {
  _mlir_memref_to_llvm_alloc(1 << 20);
  shardir_host_alloc(1 << 20);
  if (shardir_axis_index(0, 0) == 0)
    shardir_fail("leaving a block behind");
  reduce();
}
