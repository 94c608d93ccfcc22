/*
 * A host that owns MPI: starts it with the thread level of its first argument,
 * runs the program of its second argument on two processes, on whole arrays and
 * on shards, and ends MPI itself. Requires Open MPI's library by its name
 * alone.
 */
#include "ShardIR/Runtime/Processes.h"
#include "ShardIR/Runtime/ShardIR.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mpi;

static int call(const char *name) {
  int flag = -1;
  ((int (*)(int *))dlsym(mpi, name))(&flag);
  return flag;
}

static void require(int ok, const char *what) {
  if (ok)
    return;
  printf("wrong: %s: %s\n", what, shardir_last_error());
  exit(1);
}

int main(int argc, char **argv) {
  int level = atoi(argv[1]), provided, rank;
  shardir_program *program;
  shardir_run_options options = {"mpi", 20, 0, 1};
  int64_t whole[2] = {4, 3}, row[1] = {3}, part[2] = {2, 3};
  float a[12], b[3] = {10, 20, 30}, c[12], x[6], z[6];
  (void)argc;
  mpi = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  ((int (*)(int *, char ***, int, int *))dlsym(mpi, "MPI_Init_thread"))(
      NULL, NULL, level, &provided);
  ((int (*)(void *, int *))dlsym(mpi, "MPI_Comm_rank"))(
      dlsym(mpi, "ompi_mpi_comm_world"), &rank);
  require(shardir_program_load(argv[2], &program) == SHARDIR_OK, "load");

  for (int i = 0; i < 12; ++i)
    a[i] = (float)i;
  shardir_buffer arguments[] = {{a, whole, 2, SHARDIR_F32},
                                {b, row, 1, SHARDIR_F32}};
  shardir_buffer result = {rank ? NULL : c, whole, 2, SHARDIR_F32};
  shardir_status status =
      shardir_run(program, NULL, arguments, 2, &result, 1, &options);
  if (level < 2) { /* MPI_THREAD_SERIALIZED */
    require(status == SHARDIR_INVALID_ARGUMENT, "too low a level");
    if (rank == 0)
      printf("%s\n", shardir_last_error());
  } else {
    require(status == SHARDIR_OK, "run");
    for (int i = 0; i < 12 && rank == 0; ++i)
      require(c[i] == a[i] + b[i % 3], "element");
    memcpy(x, a + 6 * rank, sizeof x);
    shardir_buffer shards[] = {{x, part, 2, SHARDIR_F32},
                               {b, row, 1, SHARDIR_F32}};
    shardir_buffer shard = {z, part, 2, SHARDIR_F32};
    require(shardir_run_local(program, NULL, shards, 2, &shard, 1, &options) ==
                SHARDIR_OK,
            "run_local");
    for (int i = 0; i < 6; ++i)
      require(z[i] == a[6 * rank + i] + b[i % 3], "element of a shard");
    shardir_measurement m;
    require(shardir_last_measurement(program, &m) == SHARDIR_OK, "measurement");
    if (rank == 0)
      printf("peak %d\n", (int)m.peak_bytes_per_device);
  }
  shardir_program_free(program);
  shardir_processes_finish();
  require(call("MPI_Finalized") == 0, "MPI was the host's to end");
  ((int (*)(void))dlsym(mpi, "MPI_Finalize"))();
  return 0;
}
