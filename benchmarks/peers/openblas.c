/*===- openblas.c - Times sgemm of OpenBLAS -------------------------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * usage: openblas M K N RUNS. Prints the milliseconds of each run, one a line,
 * after one run that is not counted. Row-major, alpha 1, beta 0, as a fresh
 * result needs it.
 */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double milliseconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static float *randomArray(long count) {
  float *data = aligned_alloc(64, (count * sizeof(float) + 63) / 64 * 64);
  for (long i = 0; data && i < count; ++i)
    data[i] = (float)rand() / RAND_MAX - 0.5f;
  return data;
}

int main(int argc, char **argv) {
  if (argc != 5)
    return 2;
  long m = atol(argv[1]), k = atol(argv[2]), n = atol(argv[3]);
  long runs = atol(argv[4]);
  float *a = randomArray(m * k), *b = randomArray(k * n);
  float *c = randomArray(m * n);
  if (!a || !b || !c)
    return 1;
  for (long run = 0; run <= runs; ++run) {
    double start = milliseconds();
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, a, k,
                b, n, 0.0f, c, n);
    if (run)
      printf("%.6f\n", milliseconds() - start);
  }
  return 0;
}
