/*
 * The faults of Inputs/Faults.h on four ranks, and those of messages from rank
 * to rank. Requires the runtime's symbols from whoever loads it.
 */
#define OPEN 4
#define BIG 5
#define LATE_TIMES 100
#include "../../Inputs/Faults.h"

#define PEER(KIND, LOC)                                                        \
  "{\"kind\": \"" KIND "\", \"mesh\": \"m\", \"axes\": [\"x\"], "              \
  "\"element_type\": \"f32\", \"loc\": \"" LOC "\"}"

/* clang-format off: it takes the strings for code. */
const char shardir_program_metadata[] = METADATA_HEAD
    "\"functions\": [" FAULT_ENTRIES
    "," ENTRY(hangs_0) "," ENTRY(crashes) "," ENTRY(unreceived) "," ENTRY(unsent) "," ENTRY(circle) "], \"collectives\": [" REDUCE(
        "a.mlir:1:1") "," REDUCE("a.mlir:2:2") "," PEER("send",
                                                        "a.mlir:3:3") "," PEER("recv",
                                                                               "a.mlir:4:4") "," REDUCE_OPEN("a.mlir:5:5") "," REDUCE_BIG("a.mlir:6:6") "], \"report\": {}}";
/* clang-format on */

static float in[BIG_ELEMENTS], out[BIG_ELEMENTS], moved[BIG_ELEMENTS];

#ifdef STOPS_WHEN_LOADED /* the process of this number */
WHEN_LOADED("OMPI_COMM_WORLD_RANK", STOPS_WHEN_LOADED, SIGSTOP)
#endif

static void reduce(int32_t id, const int64_t *extent) {
  shardir_collective(id, in, out, extent);
}
static void begin(void) { shardir_collective_start(BIG, in, moved, NULL); }
static void end(void) { shardir_collective_wait(moved); }
static void allocate(uint64_t bytes) { _mlir_memref_to_llvm_alloc(bytes); }

FAULT(hangs_0, 0, forever())
FAULT(crashes, 2, *(volatile int *)8 = 1)

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
