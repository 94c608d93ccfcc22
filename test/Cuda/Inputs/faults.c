/*
 * Four ranks with a GPU each, one entry for each thing that may go wrong
 * between processes that no MPI has started. The rank at fault is 2, but for the
 * entries that end in _0, where it is 0. Requires the runtime's symbols from
 * whoever loads it.
 */
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/EmulatedGpu.h"
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef HASH
#define HASH "0"
#endif
#define ENTRY(NAME)                                                            \
  "{\"name\": \"" #NAME "\", \"symbol\": \"entry_" #NAME                       \
  "\", \"arguments\": [], \"results\": []}"
#define REDUCE(LOC)                                                            \
  "{\"kind\": \"all_reduce\", \"mesh\": \"m\", \"from\": \"[{}], partial = "   \
  "sum [\\\"x\\\"]\", \"to\": \"[{}]\", \"shape\": [8], \"element_type\": "    \
  "\"f32\", \"loc\": \"" LOC "\"}"

const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"" HASH "\", \"ranks\": 4, \"meshes\": [{\"name\":"
    " \"m\", \"axes\": [{\"name\": \"x\", \"size\": 4}], \"devices\": []}], "
    "\"functions\": [" ENTRY(good) "," ENTRY(fails) "," ENTRY(fails_0) ","
    ENTRY(hangs) "," ENTRY(killed) "," ENTRY(killed_0) "," ENTRY(exits) ","
    ENTRY(stopped) "," ENTRY(stopped_0) "," ENTRY(differs) "," ENTRY(leaves)
    "], \"collectives\": [" REDUCE("a.mlir:1:1") "," REDUCE("a.mlir:2:2")
    "], \"gpu\": {\"arch\": \"host\", \"modules\": [{\"symbol\": "
    "\"program_gpu\", \"format\": \"host\"}], \"kernels\": [], \"constants\": "
    "[]}, \"report\": {}}";

const shardir_emulated_kernel program_gpu[] = {{NULL, NULL, 0}};

#ifdef DIES_WHEN_LOADED /* the process of this number */
__attribute__((constructor)) static void die(void) {
  const char *number = getenv("RANK");
  if (number && atoi(number) == DIES_WHEN_LOADED)
    raise(SIGKILL);
}
#endif

static void reduce(int32_t id) {
  char *in = shardir_gpu_alloc(64, 32), *out = shardir_gpu_alloc(64, 32);
  shardir_collective(id, in, out, NULL);
  shardir_gpu_free(in);
  shardir_gpu_free(out);
}
static int64_t me(void) { return shardir_axis_index(0, 0); }
static void forever(void) {
  for (volatile int go = 1; go;)
    ;
}

/* One reduction that goes well, the fault on rank WHO, and another reduction. */
#define FAULT(NAME, WHO, ...)                                                  \
  void entry_##NAME(void **descriptors) {                                      \
    (void)descriptors;                                                         \
    reduce(0);                                                                 \
    if (me() == WHO) {                                                         \
      __VA_ARGS__;                                                             \
    }                                                                          \
    reduce(1);                                                                 \
  }

FAULT(good, -1, )
FAULT(fails, 2, shardir_fail("no such row"))
FAULT(fails_0, 0, shardir_fail("no such row"))
FAULT(hangs, 2, forever())
FAULT(killed, 2, raise(SIGKILL))
FAULT(killed_0, 0, raise(SIGKILL))
FAULT(exits, 2, _exit(0))
FAULT(stopped, 2, raise(SIGSTOP))
FAULT(stopped_0, 0, raise(SIGSTOP))
FAULT(differs, 2, reduce(0))
FAULT(leaves, 2, return )
