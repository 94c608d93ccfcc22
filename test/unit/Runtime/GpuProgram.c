/*===- GpuProgram.c - A compiled program for GPUs, written by hand --------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * What the compiler would emit for arch=host, in C: metadata with a table of
 * kernels, kernels that run one thread each, and entries whose descriptors hold
 * addresses of the GPU's memory. Two ranks along one axis. Requires the
 * runtime's symbols from whoever loads it; each entry does one thing that
 * GpuTests.cpp checks.
 */
#include "Descriptors.h"
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/EmulatedGpu.h"

#include <stddef.h>

/* clang-format off */
#define FUNCTION(NAME, ARGS, RESULTS)                                          \
  "{\"name\": \"" NAME "\", \"symbol\": \"entry_" NAME "\", \"arguments\": ["  \
  ARGS "], \"results\": [" RESULTS "]}"
#define TENSOR(SHAPE, PLACEMENT)                                               \
  "{\"shape\": " SHAPE ", \"element_type\": \"f32\", \"mesh\": \"m\", "        \
  "\"placement\": \"" PLACEMENT "\"}"
#define COLLECTIVE(KIND, SHAPE, FROM, TO, LOC)                                 \
  "{\"kind\": \"" KIND "\", \"mesh\": \"m\", \"from\": \"" FROM "\", "         \
  "\"to\": \"" TO "\", \"shape\": " SHAPE ", \"element_type\": \"f32\", "      \
  "\"loc\": \"" LOC "\"}"
#define KERNEL(NAME, LOC, SHARED)                                              \
  "{\"module\": 0, \"name\": \"" NAME "\", \"loc\": \"" LOC "\", "             \
  "\"cluster\": [1, 1, 1], \"max_shared_bytes\": " SHARED "}"
#define ROWS "[{\\\"x\\\"}, {}]"
#define WHOLE "[{}, {}]"
#define PARTIAL "[{}, {}], partial = sum [\\\"x\\\"]"
/* clang-format on */

#ifndef ARCH
#define ARCH "host"
#define FORMAT "host"
#endif

/* clang-format off: it takes the strings for code. */
const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"c0ffee\", \"ranks\": 2,"
    "\"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", "
    "\"size\": 2}],"
    "              \"devices\": []}],"
    "\"functions\": ["
    "{\"name\": \"gather\", \"symbol\": \"entry_gather\","
    " \"unsharded_symbol\": \"unsharded_gather\", \"arguments\": "
    "[" TENSOR("[5, -1]", ROWS) "], \"results\": [" TENSOR(
        "[5, -1]", WHOLE) "]}," FUNCTION("total", TENSOR("[4, 3]", WHOLE),
                                         TENSOR(
                                             "[4, 3]",
                                             WHOLE)) "," FUNCTION("columns",
                                                                  TENSOR(
                                                                      "[4, 6]",
                                                                      ROWS),
                                                                  TENSOR(
                                                                      "[6, 4]",
                                                                      ROWS)) "," FUNCTION("transpo"
                                                                                          "se",
                                                                                          TENSOR("[4, 6]", WHOLE), TENSOR("[6, 4]", WHOLE)) "," FUNCTION("branch", TENSOR("[1, 1]", WHOLE), TENSOR("[1, 1]", WHOLE)) "," FUNCTION("constant", "", TENSOR("[2, 4]", ROWS)) "," FUNCTION("beside",
                                                                                                                                                                                                                                                                                       TENSOR(
                                                                                                                                                                                                                                                                                           "[4, 3]",
                                                                                                                                                                                                                                                                                           WHOLE),
                                                                                                                                                                                                                                                                                       TENSOR("[4, 3]", WHOLE) "," TENSOR("[4, 3]", WHOLE)) "," FUNCTION("counter",
                                                                                                                                                                                                                                                                                                                                                         "",
                                                                                                                                                                                                                                                                                                                                                         TENSOR(
                                                                                                                                                                                                                                                                                                                                                             "[2, 4]",
                                                                                                                                                                                                                                                                                                                                                             ROWS)) "," FUNCTION("clusters",
                                                                                                                                                                                                                                                                                                                                                                                 TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                     "[4, 3]",
                                                                                                                                                                                                                                                                                                                                                                                     WHOLE),
                                                                                                                                                                                                                                                                                                                                                                                 TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                     "[4, 3]",
                                                                                                                                                                                                                                                                                                                                                                                     WHOLE)) "," FUNCTION("odd_clusters",
                                                                                                                                                                                                                                                                                                                                                                                                          "", "") "," FUNCTION("reuse",
                                                                                                                                                                                                                                                                                                                                                                                                                               TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                                                                   "[1, 64]",
                                                                                                                                                                                                                                                                                                                                                                                                                                   WHOLE),
                                                                                                                                                                                                                                                                                                                                                                                                                               TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                                                                   "[1, 64]", WHOLE)) "," FUNCTION("offload", TENSOR("[4, 3]", WHOLE),
                                                                                                                                                                                                                                                                                                                                                                                                                                                                   TENSOR("[4, 3]", WHOLE)) "," FUNCTION("steady",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         TENSOR("[4, 3]",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                WHOLE),
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         TENSOR("[4, 3]", WHOLE)) "," FUNCTION("changing", TENSOR("[4, 3]", WHOLE), TENSOR("[4, 3]", WHOLE)) "," FUNCTION("shift",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          TENSOR("[4, 3]", ROWS),
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "[4, 3]", ROWS)) "," FUNCTION("outside", "", "") "," FUNCTION("freed",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                            "", "") "," FUNCTION("host_touch",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 TENSOR(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     "[1, 1]",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                     WHOLE),
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                 "") "," FUNCTION("stuck", "", "") "," FUNCTION("unknown_kernel", "", "") "," FUNCTION("large_grid", "", "") "," FUNCTION("shared", "", "") "," FUNCTION("map",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                         "") "," FUNCTION("map_of_nothing", "", "") "," FUNCTION("map_stride", "", "") "," FUNCTION("map_box",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "") "," FUNCTION("map_outside", "", "") "," FUNCTION("map_swizzle", "", "") "," FUNCTION("large",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                             "") "," FUNCTION("wrong_free",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                              "") "," FUNCTION("leak",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "") "],"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                   "\"collectives\": [" COLLECTIVE(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "all_gather",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       "[5, -1]",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                       ROWS, WHOLE, "gather.mlir:1:2") "," COLLECTIVE("all_reduce",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      "[4, 3]",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      PARTIAL,
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                      WHOLE, "reduce.mlir:3:4") "," COLLECTIVE("all_to_all",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "[4, 6]", ROWS, "[{}, {\\\"x\\\"}]", "all.mlir:5:6") ","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "{\"kind\": \"send\", \"mesh\": \"m\", \"axes\": [\"x\"], "
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"element_type\": \"f32\", \"loc\": \"send.mlir:1:1\"},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "{\"kind\": \"recv\", \"mesh\": \"m\", \"axes\": [\"x\"], "
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"element_type\": \"f32\", \"loc\": \"send.mlir:2:1\"}"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "],"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"gpu\": {\"arch\": \"" ARCH
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"modules\": [{\"symbol\": \"program_gpu\", \"format\": \"" FORMAT
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"}],"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"kernels\": [{\"module\": 0, \"name\": \"twice\", \"loc\": \"twice.mlir:7:8\", "
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                    "\"cluster\": [1, 1, 1], \"parameters\": [8, 8, 8], \"max_shared_bytes\": 0}," KERNEL(
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                        "far", "far.mlir:9:1", "0") "," KERNEL("half_barrier",
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                               "half.mlir:2:2", "0") "," KERNEL("use_shared", "shared.mlir:3:3", "65536") ","
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "{\"module\": 0, \"name\": \"twice\", \"loc\": \"twice.mlir:9:9\", "
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "\"cluster\": [2, 1, 1], \"max_shared_bytes\": 0}],"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "\"constants\": [{\"symbol\": \"program_constant\", \"bytes\": 16},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "{\"symbol\": \"program_counter\", \"bytes\": 16, \"per_rank\": true}]},"
                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                                          "\"report\": {\"version\": 1}}";
/* clang-format on */

/* y[i] = 2 x[i] for i < n. */
static void twice(shardir_emulated_thread *t, void **arguments) {
  const float *x = *(const float **)arguments[0];
  float *y = *(float **)arguments[1];
  int64_t n = *(int64_t *)arguments[2];
  int64_t i = t->block[0] * t->block_dim[0] + t->thread[0];
  if (i < n)
    y[i] = 2 * x[i];
}

/* Reads behind its buffer. */
static void far(shardir_emulated_thread *t, void **arguments) {
  volatile float *x = *(volatile float **)arguments[0];
  x[0] = x[(1 << 20) + t->thread[0]];
}

static void half_barrier(shardir_emulated_thread *t, void **arguments) {
  float all[32];
  float own = 1;
  if (t->thread[0] == 0)
    t->barrier(t);
  else
    t->gather(t, &own, all, sizeof(own));
}

static void use_shared(shardir_emulated_thread *t, void **arguments) {
  t->shared[t->thread[0]] = 1;
}

#ifndef IMAGE
const shardir_emulated_kernel program_gpu[] = {
    {"twice", twice, 0},
    {"far", far, 0},
    {"half_barrier", half_barrier, 0},
    {"use_shared", use_shared, 0},
    {NULL, NULL, 0}};
#else
const char program_gpu[] = IMAGE;
#endif

const float program_constant[4] = {3, 1, 4, 1};
float program_counter[4] = {1, 2, 3, 4};

static void launch_twice(const float *x, float *y, int64_t n) {
  void *arguments[] = {&x, &y, &n};
  shardir_gpu_launch(0, (n + 7) / 8, 1, 1, 8, 1, 1, 0, arguments);
}

/* Doubles its shard and gathers it. */
void entry_gather(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  int64_t n = a->sizes[0] * a->sizes[1], dims[1];
  float *y = shardir_gpu_alloc(64, (uint64_t)n * sizeof(float));
  dims[0] = a->sizes[1];
  launch_twice(a->aligned, y, n);
  shardir_collective(0, y, r->aligned, dims);
  shardir_gpu_free(y);
}

void unsharded_gather(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  for (int64_t i = 0; i < a->sizes[0] * a->sizes[1]; ++i)
    r->aligned[i] = 2 * a->aligned[i];
}

/* Twice the argument, from each of both ranks. */
void entry_total(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  launch_twice(a->aligned, r->aligned, 12);
  shardir_collective(1, r->aligned, r->aligned, NULL);
}

/* 64 a by launches that are the same in every run, then the sum of the ranks'
 * by some more. */
void entry_steady(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  float *y = shardir_gpu_alloc(64, 12 * sizeof(float));
  launch_twice(a->aligned, y, 12);
  for (int i = 0; i < 4; ++i)
    launch_twice(y, y, 12);
  launch_twice(y, r->aligned, 12);
  shardir_collective(1, r->aligned, r->aligned, NULL);
  for (int i = 0; i < 5; ++i)
    launch_twice(r->aligned, r->aligned, 12);
  shardir_gpu_free(y);
}

/* Other launches in the middle and behind in every run. */
void entry_changing(void **descriptors) {
  static _Atomic int calls;
  Matrix *a = descriptors[0], *r = descriptors[1];
  int call = calls++;
  float *y = shardir_gpu_alloc(64, 12 * sizeof(float));
  launch_twice(a->aligned, y, 12);
  for (int i = 0; i < 6; ++i)
    launch_twice(y, y, 12 - (i == 3 ? call % 3 : 0));
  for (int i = 0; i < call % 4; ++i)
    launch_twice(a->aligned, r->aligned, 12);
  launch_twice(a->aligned, r->aligned, 12);
  shardir_gpu_free(y);
}

/* Sums 2 a over the ranks while it computes another 2 a, and doubles the sum.
 */
void entry_beside(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1], *other = descriptors[2];
  float *y = shardir_gpu_alloc(64, 12 * sizeof(float));
  float *sum = shardir_gpu_alloc(64, 12 * sizeof(float));
  launch_twice(a->aligned, y, 12);
  shardir_collective_start(1, y, sum, NULL);
  launch_twice(a->aligned, other->aligned, 12);
  shardir_collective_wait(sum);
  launch_twice(sum, r->aligned, 12);
  shardir_gpu_free(y);
  shardir_gpu_free(sum);
}

/* 4 a of 2 a that is on the host meanwhile: copies beside launches, which write
 * something else, then in line. */
void entry_offload(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  const uint64_t bytes = 12 * sizeof(float);
  float *y = shardir_gpu_alloc(64, bytes), *z, *host, *again;
  host = shardir_host_alloc(bytes);
  again = shardir_host_alloc(bytes);
  launch_twice(a->aligned, y, 12);
  shardir_host_copy_start(host, y, bytes, 1);
  launch_twice(a->aligned, r->aligned, 12);
  shardir_collective_wait(host);
  shardir_gpu_free(y);
  z = shardir_gpu_alloc(64, bytes);
  shardir_host_copy_start(z, host, bytes, 0);
  launch_twice(r->aligned, r->aligned, 12);
  shardir_collective_wait(z);
  shardir_host_free(host);
  launch_twice(z, r->aligned, 12);
  shardir_host_copy(again, r->aligned, bytes, 1);
  launch_twice(r->aligned, r->aligned, 12);
  shardir_host_copy(r->aligned, again, bytes, 0);
  shardir_host_copy(r->aligned, again, 0, 0);
  shardir_host_free(again);
  shardir_gpu_free(z);
}

/* The shard's columns of all rows, transposed. */
void entry_columns(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  float *y = shardir_gpu_alloc(64, 12 * sizeof(float));
  Matrix view = {y, y, 0, {3, 4}, {1, 3}};
  Unranked from = {2, &view}, to = {2, r};
  shardir_collective(2, a->aligned, y, NULL);
  shardir_gpu_copy(sizeof(float), &from, &to);
  shardir_gpu_free(y);
}

void entry_transpose(void **descriptors) {
  Matrix view = *(Matrix *)descriptors[0];
  Unranked from = {2, &view}, to = {2, descriptors[1]};
  view.sizes[0] = 6, view.sizes[1] = 4;
  view.strides[0] = 1, view.strides[1] = 6;
  shardir_gpu_copy(sizeof(float), &from, &to);
}

/* Both ranks first send twice their rows, then receive the other's. */
void entry_shift(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  float *y = shardir_gpu_alloc(64, 6 * sizeof(float));
  int64_t other = 1 - shardir_axis_index(0, 0);
  launch_twice(a->aligned, y, 6);
  shardir_collective_peer(3, y, NULL, 6, other);
  shardir_gpu_free(y);
  shardir_collective_peer(4, NULL, r->aligned, 6, other);
}

/* Reads a scalar to decide on the host: twice what is positive, else 7. */
void entry_branch(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  float x, seven = 7;
  shardir_gpu_read(&x, a->aligned, sizeof(x));
  if (x > 0)
    launch_twice(a->aligned, r->aligned, 1);
  else
    shardir_gpu_write(r->aligned, &seven, sizeof(seven));
}

void entry_constant(void **descriptors) {
  launch_twice(shardir_gpu_constant(0), ((Matrix *)descriptors[0])->aligned, 4);
}

/* Doubles what it keeps from call to call. */
void entry_counter(void **descriptors) {
  float *kept = (float *)shardir_gpu_constant(1);
  launch_twice(kept, kept, 4);
  launch_twice(kept, ((Matrix *)descriptors[0])->aligned, 4);
}

/* Kernel 4 is launched in clusters of two blocks. */
void entry_clusters(void **descriptors) {
  float *x = ((Matrix *)descriptors[0])->aligned;
  float *y = ((Matrix *)descriptors[1])->aligned;
  int64_t n = 12;
  void *arguments[] = {&x, &y, &n};
  shardir_gpu_launch(4, 2, 1, 1, 8, 1, 1, 0, arguments);
}

void entry_odd_clusters(void **descriptors) {
  float *x = shardir_gpu_alloc(64, 128);
  int64_t n = 24;
  void *arguments[] = {&x, &x, &n};
  (void)descriptors;
  shardir_gpu_launch(4, 3, 1, 1, 8, 1, 1, 0, arguments);
}

/* Each buffer is freed while what reads it is still queued. */
void entry_reuse(void **descriptors) {
  Matrix *a = descriptors[0], *r = descriptors[1];
  float *x = shardir_gpu_alloc(64, 64 * sizeof(float));
  launch_twice(a->aligned, x, 64);
  for (int i = 0; i < 9; ++i) {
    float *y = shardir_gpu_alloc(64, 64 * sizeof(float));
    launch_twice(x, y, 64);
    shardir_gpu_free(x);
    x = y;
  }
  launch_twice(x, r->aligned, 64);
  shardir_gpu_free(x);
}

static void launch_far(float *x) {
  void *arguments[] = {&x};
  shardir_gpu_launch(1, 1, 1, 1, 1, 1, 1, 0, arguments);
}

void entry_outside(void **descriptors) {
  launch_far(shardir_gpu_alloc(64, 256));
}

void entry_freed(void **descriptors) {
  float *x = shardir_gpu_alloc(64, 256), y;
  shardir_gpu_read(&y, x + 64, sizeof(y)); /* behind it */
}

void entry_host_touch(void **descriptors) {
  volatile float *x = ((Matrix *)descriptors[0])->aligned;
  x[0] = 1;
}

void entry_stuck(void **descriptors) {
  void *arguments[] = {NULL};
  launch_twice(NULL, NULL, 0); /* no blocks: nothing */
  shardir_gpu_launch(2, 1, 1, 1, 32, 1, 1, 0, arguments);
}

void entry_unknown_kernel(void **descriptors) {
  shardir_gpu_launch(9, 1, 1, 1, 1, 1, 1, 0, NULL);
}

void entry_large_grid(void **descriptors) {
  shardir_gpu_launch(0, 1, (int64_t)1 << 40, 1, 1, 1, 1, 0, NULL);
}

void entry_shared(void **descriptors) {
  void *arguments[] = {NULL};
  shardir_gpu_launch(3, 2, 1, 1, 64, 1, 1, 65536, arguments);
  shardir_gpu_launch(3, 2, 1, 1, 64, 1, 1, 65537, arguments);
}

static void describe(int64_t stride, int64_t box, int32_t swizzle) {
  _Alignas(64) char map[128];
  int64_t dims[] = {40, 1, box, 0, 0, 8};
  float *x = shardir_gpu_alloc(64, 64 * 40 * 4);
  dims[3] = 64, dims[4] = stride;
  shardir_gpu_tensor_map(map, x, 4, swizzle, 2, dims);
  shardir_gpu_free(x);
}

void entry_map(void **descriptors) { describe(40, 32, 128); }
void entry_map_of_nothing(void **descriptors) {
  _Alignas(64) char map[128];
  int64_t dims[] = {0, 1, 16};
  shardir_gpu_tensor_map(map, NULL, 4, 0, 1, dims);
}
void entry_map_stride(void **descriptors) { describe(42, 32, 128); }
void entry_map_box(void **descriptors) { describe(40, 33, 0); }
void entry_map_outside(void **descriptors) { describe(400, 32, 128); }
void entry_map_swizzle(void **descriptors) { describe(40, 32, 12); }

void entry_large(void **descriptors) {
  shardir_gpu_alloc(64, (uint64_t)1 << 40);
}

void entry_wrong_free(void **descriptors) {
  int local;
  shardir_gpu_free(&local);
}

void entry_leak(void **descriptors) {
  shardir_gpu_alloc(64, 1000);
  shardir_host_alloc(1000);
  if (shardir_axis_index(0, 0) == 0)
    shardir_fail("leaving a block behind");
}
