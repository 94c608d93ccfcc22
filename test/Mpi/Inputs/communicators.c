/*
 * A host of four processes that hands over communicators of its own: pairs of
 * even and of odd processes, then of neighbours, both numbered from the last
 * process to the first, and last all four, which are too many. Each pair runs
 * the program of the first argument on shards of its own, with two ranks.
 */
#include "ShardIR/Runtime/ShardIR.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static void *mpi;

static void require(int ok, const char *what) {
  if (ok)
    return;
  printf("wrong: %s: %s\n", what, shardir_last_error());
  fflush(stdout);
  abort();
}

/* The members of `color`, from the last process to the first. */
static void *split(int color, int process) {
  void *comm = NULL;
  ((int (*)(void *, int, int, void **))dlsym(mpi, "MPI_Comm_split"))(
      dlsym(mpi, "ompi_mpi_comm_world"), color, -process, &comm);
  return comm;
}

/* The array of a pair: the number of the pair and of the element. */
static float element(int pair, int i) { return (float)(100 * pair + i); }

static void run(const shardir_program *program, int pair, int rank,
                const shardir_run_options *options) {
  int64_t whole[2] = {4, 3}, part[2] = {2, 3};
  _Alignas(64) float rows[6], all[12], other[6];
  for (int i = 0; i < 6; ++i)
    rows[i] = element(pair, 6 * rank + i);
  shardir_buffer argument = {rows, part, 2, SHARDIR_F32};
  shardir_buffer results[] = {{all, whole, 2, SHARDIR_F32},
                              {other, part, 2, SHARDIR_F32}};
  require(shardir_run_local(program, NULL, &argument, 1, results, 2, options) ==
              SHARDIR_OK,
          "run");
  for (int i = 0; i < 12; ++i)
    require(all[i] == element(pair, i), "an element of all");
  for (int i = 0; i < 6; ++i)
    require(other[i] == element(pair, 6 * (1 - rank) + i),
            "an element of the other rank");
}

int main(int argc, char **argv) {
  int provided, process;
  shardir_program *program;
  shardir_run_options options = {"mpi", 20, 0, 1};
  (void)argc;
  mpi = dlopen("libmpi.so.40", RTLD_NOW | RTLD_GLOBAL);
  require(shardir_processes_from_mpi(dlsym(mpi, "ompi_mpi_comm_world")) ==
              SHARDIR_INVALID_ARGUMENT,
          "before MPI is started");
  ((int (*)(int *, char ***, int, int *))dlsym(mpi, "MPI_Init_thread"))(
      NULL, NULL, 2, &provided);
  ((int (*)(void *, int *))dlsym(mpi, "MPI_Comm_rank"))(
      dlsym(mpi, "ompi_mpi_comm_world"), &process);
  require(shardir_program_load(argv[1], &program) == SHARDIR_OK, "load");
  int (*release)(void **) = (int (*)(void **))dlsym(mpi, "MPI_Comm_free");

  for (int neighbours = 0; neighbours < 2; ++neighbours) {
    int pair = neighbours ? process / 2 : process % 2;
    int rank = 1 - (neighbours ? process % 2 : process / 2);
    void *comm = split(pair, process);
    require(shardir_processes_from_mpi(comm) == SHARDIR_OK, "hand over");
    release(&comm);
    run(program, pair, rank, &options);
    run(program, pair, rank, &options);
  }

  require(shardir_processes_from_mpi(dlsym(mpi, "ompi_mpi_comm_null")) ==
              SHARDIR_INVALID_ARGUMENT,
          "no communicator");
  if (process == 0)
    printf("null: %s\n", shardir_last_error());
  void *comm = split(0, process);
  require(shardir_processes_from_mpi(comm) == SHARDIR_OK, "hand over");
  require(shardir_run(program, NULL, NULL, 0, NULL, 0, &options) ==
              SHARDIR_INVALID_ARGUMENT,
          "too few arguments");
  float a[12] = {0};
  int64_t whole[2] = {4, 3};
  shardir_buffer array = {a, whole, 2, SHARDIR_F32};
  shardir_buffer results[] = {array, array};
  require(shardir_run(program, NULL, &array, 1, results, 2, &options) ==
              SHARDIR_INVALID_ARGUMENT,
          "too many processes");
  if (process == 0)
    printf("four: %s\n", shardir_last_error());
  shardir_program_free(program);
  release(&comm); /* still the host's */
  ((int (*)(void))dlsym(mpi, "MPI_Finalize"))();
  return 0;
}
