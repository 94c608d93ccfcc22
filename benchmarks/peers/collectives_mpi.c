/*===- collectives_mpi.c - Times the collectives of an MPI ----------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
/*
 * usage: mpirun -n RANKS collectives_mpi KINDS BYTES BATCHES, the first two
 * separated by commas. Moves what benchmarks/collectives.cpp moves, by the
 * function of that name, and prints the same objects, one a line. A batch takes
 * as long as on the slowest rank. Requires an even number of ranks.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size;
static float *in, *out;

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Halves of what each rank holds go to two ranks. */
static void exchange(int count) {
  int sends[1024] = {0}, sendAt[1024] = {0}, recvs[1024] = {0},
      recvAt[1024] = {0};
  int half = count / 2;
  for (int h = 0; h < 2; ++h) {
    int to = 2 * (rank % (size / 2)) + h, from = h * size / 2 + rank / 2;
    sends[to] = half, sendAt[to] = h * half;
    recvs[from] = half, recvAt[from] = h * half;
  }
  MPI_Alltoallv(in, sends, sendAt, MPI_FLOAT, out, recvs, recvAt, MPI_FLOAT,
                MPI_COMM_WORLD);
}

static int call(const char *kind, int count) {
  MPI_Comm world = MPI_COMM_WORLD;
  int shard = count / size, mirror = size - 1 - rank, partner = rank ^ 1;
  if (!strcmp(kind, "all_reduce"))
    MPI_Allreduce(in, out, count, MPI_FLOAT, MPI_SUM, world);
  else if (!strcmp(kind, "all_gather"))
    MPI_Allgather(in, shard, MPI_FLOAT, out, shard, MPI_FLOAT, world);
  else if (!strcmp(kind, "reduce_scatter"))
    MPI_Reduce_scatter_block(in, out, shard, MPI_FLOAT, MPI_SUM, world);
  else if (!strcmp(kind, "all_to_all"))
    MPI_Alltoall(in, shard, MPI_FLOAT, out, shard, MPI_FLOAT, world);
  else if (!strcmp(kind, "permute"))
    MPI_Sendrecv(in, count, MPI_FLOAT, mirror, 0, out, count, MPI_FLOAT, mirror,
                 0, world, MPI_STATUS_IGNORE);
  else if (!strcmp(kind, "exchange"))
    exchange(count);
  else if (!strcmp(kind, "broadcast"))
    MPI_Bcast(rank ? out : in, count, MPI_FLOAT, 0, world);
  else if (!strcmp(kind, "gather"))
    MPI_Gather(in, shard, MPI_FLOAT, out, shard, MPI_FLOAT, 0, world);
  else if (!strcmp(kind, "scatter"))
    MPI_Scatter(in, shard, MPI_FLOAT, out, shard, MPI_FLOAT, 0, world);
  else if (!strcmp(kind, "send_recv"))
    for (int turn = 0; turn < 2; ++turn)
      if (rank % 2 == turn)
        MPI_Send(in, count, MPI_FLOAT, partner, 0, world);
      else
        MPI_Recv(out, count, MPI_FLOAT, partner, 0, world, MPI_STATUS_IGNORE);
  else
    return 0;
  return 1;
}

static void measure(const char *kind, long bytes, int batches) {
  int count = (int)(bytes / 4);
  double *times = malloc((size_t)batches * sizeof(double));
  long calls = (4 << 20) / bytes;
  calls = calls < 2 ? 2 : calls > 500 ? 500 : calls;
  for (int batch = -1; batch < batches; ++batch) {
    MPI_Barrier(MPI_COMM_WORLD);
    double start = MPI_Wtime(), time, slowest;
    for (long i = 0; i < calls; ++i)
      if (!call(kind, count)) {
        fprintf(stderr, "error: no collective '%s'\n", kind);
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
    time = MPI_Wtime() - start;
    MPI_Reduce(&time, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (batch >= 0)
      times[batch] =
          1e6 * slowest / (double)calls / (strcmp(kind, "send_recv") ? 1 : 2);
  }
  if (rank == 0) {
    qsort(times, (size_t)batches, sizeof(double), compare);
    printf("{\"collective\": \"%s\", \"ranks\": %d, \"bytes\": %ld, "
           "\"min_us\": %.3f, \"median_us\": %.3f}\n",
           kind, size, bytes, times[0], times[batches / 2]);
    fflush(stdout);
  }
  free(times);
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 4 || size % 2 || size > 1024) {
    fprintf(stderr, "usage: collectives_mpi KINDS BYTES BATCHES\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  char *kindRest, *kinds = argv[1];
  for (char *kind = strtok_r(kinds, ",", &kindRest); kind;
       kind = strtok_r(NULL, ",", &kindRest)) {
    char *sizes = strdup(argv[2]), *sizeRest;
    for (char *text = strtok_r(sizes, ",", &sizeRest); text;
         text = strtok_r(NULL, ",", &sizeRest)) {
      long bytes = atol(text);
      in = aligned_alloc(64, (size_t)bytes);
      out = aligned_alloc(64, (size_t)bytes);
      memset(in, 0, (size_t)bytes);
      memset(out, 0, (size_t)bytes);
      measure(kind, bytes, atoi(argv[3]));
      free(in);
      free(out);
    }
    free(sizes);
  }
  MPI_Finalize();
  return 0;
}
