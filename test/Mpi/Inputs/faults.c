/*
 * Four ranks, one entry for each thing that may go wrong between processes. The
 * rank at fault is 2, but for the entries that end in _0, where it is 0.
 * Requires the runtime's symbols from whoever loads it.
 */
#include "ShardIR/Runtime/Abi.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define ENTRY(NAME)                                                            \
  "{\"name\": \"" #NAME "\", \"symbol\": \"entry_" #NAME                       \
  "\", \"arguments\": [], \"results\": []}"
#define REDUCE(LOC)                                                            \
  "{\"kind\": \"all_reduce\", \"mesh\": \"m\", \"from\": \"[{}], partial = "   \
  "sum [\\\"x\\\"]\", \"to\": \"[{}]\", \"shape\": [8], \"element_type\": "    \
  "\"f32\", \"loc\": \"" LOC "\"}"
#define PEER(KIND, LOC)                                                        \
  "{\"kind\": \"" KIND "\", \"mesh\": \"m\", \"axes\": [\"x\"], "              \
  "\"element_type\": \"f32\", \"loc\": \"" LOC "\"}"

const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"0\", \"ranks\": 4, \"meshes\": [{\"name\": "
    "\"m\", \"axes\": [{\"name\": \"x\", \"size\": 4}], \"devices\": []}], "
    "\"functions\": [" ENTRY(good) "," ENTRY(fails) "," ENTRY(fails_0) ","
    ENTRY(hangs) "," ENTRY(hangs_0) "," ENTRY(crashes) "," ENTRY(killed) ","
    ENTRY(killed_0) "," ENTRY(exits) "," ENTRY(stopped) "," ENTRY(stopped_0) ","
    ENTRY(differs) "," ENTRY(leaves) "," ENTRY(unreceived) "," ENTRY(unsent) ","
    ENTRY(circle)
    "], \"collectives\": [" REDUCE("a.mlir:1:1") "," REDUCE("a.mlir:2:2") ","
    PEER("send", "a.mlir:3:3") "," PEER("recv", "a.mlir:4:4")
    "], \"report\": {}}";

static float in[8], out[8];

#ifdef STOPS_WHEN_LOADED /* the process of this number */
__attribute__((constructor)) static void stop(void) {
  const char *number = getenv("OMPI_COMM_WORLD_RANK");
  if (number && atoi(number) == STOPS_WHEN_LOADED)
    raise(SIGSTOP);
}
#endif

static void reduce(int32_t id) { shardir_collective(id, in, out, NULL); }
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
FAULT(hangs_0, 0, forever())
FAULT(crashes, 2, *(volatile int *)8 = 1)
FAULT(killed, 2, raise(SIGKILL))
FAULT(killed_0, 0, raise(SIGKILL))
FAULT(exits, 2, _exit(0))
FAULT(stopped, 2, raise(SIGSTOP))
FAULT(stopped_0, 0, raise(SIGSTOP))
FAULT(differs, 2, reduce(0))
FAULT(leaves, 2, return )

/* Rank 0 sends what rank 2 does not receive. */
void entry_unreceived(void **descriptors) {
  (void)descriptors;
  if (me() == 0)
    shardir_collective_peer(2, in, NULL, 8, 2);
}

/* Rank 2 receives what rank 0 does not send. */
void entry_unsent(void **descriptors) {
  (void)descriptors;
  if (me() == 2)
    shardir_collective_peer(3, NULL, out, 8, 0);
}

/* Each receives from the next one before it sends. */
void entry_circle(void **descriptors) {
  (void)descriptors;
  shardir_collective_peer(3, NULL, out, 8, (me() + 1) % 4);
  shardir_collective_peer(2, in, NULL, 8, (me() + 3) % 4);
}
