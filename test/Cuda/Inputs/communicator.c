/*
 * A host of two processes without a launcher that have a communicator of NCCL,
 * numbered from the last process to the first: hands it over, runs the program
 * of the second argument on it twice, and checks that it is still the host's.
 * The first argument is the library that stands in for NCCL.
 */
#include "ShardIR/Runtime/ShardIR.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  char bytes[128];
} UniqueId;

/* ncclConfig_t as of 2.18. */
typedef struct {
  size_t size;
  unsigned magic, version;
  int blocking, clusterSize, minCtas, maxCtas;
  const char *netName;
  int splitShare;
} Config;

static void require(int ok, const char *what) {
  if (ok)
    return;
  printf("wrong: %s: %s\n", what, shardir_last_error());
  fflush(stdout);
  _exit(1);
}

static void settle(void *nccl, void *comm) {
  int (*ask)(void *, int *) =
      (int (*)(void *, int *))dlsym(nccl, "ncclCommGetAsyncError");
  int state = 7; /* ncclInProgress */
  while (state == 7)
    require(ask(comm, &state) == 0, "ask");
  require(state == 0, "the communicator's state");
}

int main(int argc, char **argv) {
  void *nccl = dlopen(argv[1], RTLD_NOW);
  UniqueId id;
  require(nccl != NULL, "the library");
  ((int (*)(UniqueId *))dlsym(nccl, "ncclGetUniqueId"))(&id);
  pid_t child = fork();
  int process = child ? 0 : 1, rank = 1 - process;
  (void)argc;

  void *comm = NULL;
  Config config = {sizeof(Config), 0xcafebeef, 21800, 0,      INT_MIN,
                   INT_MIN,        INT_MIN,    NULL,  INT_MIN};
  ((int (*)(void **, int, UniqueId, int, Config *))dlsym(
      nccl, "ncclCommInitRankConfig"))(&comm, 2, id, rank, &config);
  settle(nccl, comm);
  require(shardir_processes_from_nccl(comm, 0) == SHARDIR_INVALID_ARGUMENT,
          "no time");
  require(shardir_processes_from_nccl(comm, 20) == SHARDIR_OK, "hand over");

  shardir_program *program;
  require(shardir_program_load(argv[2], &program) == SHARDIR_OK, "load");
  shardir_run_options options = {"nccl", 20, 0, 1};
  int64_t whole[2] = {4, 3};
  for (int turn = 0; turn < 2; ++turn) {
    float a[12], all[12] = {0}, other[12] = {0};
    for (int i = 0; i < 12; ++i)
      a[i] = (float)(100 * turn + i);
    shardir_buffer argument = {a, whole, 2, SHARDIR_F32};
    shardir_buffer results[] = {{all, whole, 2, SHARDIR_F32},
                                {other, whole, 2, SHARDIR_F32}};
    require(shardir_run(program, NULL, &argument, 1, results, 2, &options) ==
                SHARDIR_OK,
            "run");
    /* Rank 0 has the results: process 1. */
    for (int i = 0; i < 12; ++i)
      require(all[i] == (rank ? 0 : a[i]) && other[i] == (rank ? 0 : a[i]),
              "an element");
  }
  settle(nccl, comm);
  require(shardir_processes_from_nccl(comm, 20) == SHARDIR_INVALID_ARGUMENT,
          "once more");
  if (!child)
    printf("again: %s\n", shardir_last_error());
  shardir_program_free(program);
  fflush(stdout);
  int status = 0;
  if (child)
    require(waitpid(child, &status, 0) == child && status == 0, "the child");
  return 0;
}
