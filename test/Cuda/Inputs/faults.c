/*
 * The faults of Inputs/Faults.h on four ranks with a GPU each, between
 * processes that no MPI has started. Requires the runtime's symbols from
 * whoever loads it.
 */
#define OPEN 2
#define BIG 3
#define LATE_TIMES 10
#include "../../Inputs/Faults.h"
#include "ShardIR/Runtime/EmulatedGpu.h"
#include <stddef.h>
#include <time.h>

/* clang-format off: it takes the strings for code. */
const char shardir_program_metadata[] = METADATA_HEAD
    "\"functions\": [" FAULT_ENTRIES
    "," ENTRY(ahead) "," ENTRY(hangs_later) "," ENTRY(killed_later) "," ENTRY(changes_later) "], \"collectives\": [" REDUCE(
        "a.mlir:1:1") "," REDUCE("a.mlir:2:2") "," REDUCE_OPEN("a.mlir:5:5") "," REDUCE_BIG("a.mlir:6:6") "], \"gpu\": {\"arch\": \"host\", "
                                                                                                          "\"modules\": [{\"symbol\": \"program_gpu\", \"format\": \"host\"}], "
                                                                                                          "\"kernels\": [], \"constants\": []}, \"report\": {}}";
/* clang-format on */

const shardir_emulated_kernel program_gpu[] = {{NULL, NULL, 0}};

#ifdef DIES_WHEN_LOADED /* the process of this number */
WHEN_LOADED("RANK", DIES_WHEN_LOADED, SIGKILL)
#endif

static void allocate(uint64_t bytes) { shardir_gpu_alloc(64, bytes); }
static void reduce(int32_t id, const int64_t *extent) {
  uint64_t bytes = id == BIG ? 4 * BIG_ELEMENTS : 32;
  char *in = shardir_gpu_alloc(64, bytes), *out = shardir_gpu_alloc(64, bytes);
  shardir_collective(id, in, out, extent);
  shardir_gpu_free(in);
  shardir_gpu_free(out);
}
static char *from, *moved;
static void begin(void) {
  from = shardir_gpu_alloc(64, 4 * BIG_ELEMENTS);
  moved = shardir_gpu_alloc(64, 4 * BIG_ELEMENTS);
  shardir_collective_start(BIG, from, moved, NULL);
}
static void end(void) {
  shardir_collective_wait(moved);
  shardir_gpu_free(from);
  shardir_gpu_free(moved);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Rank 2 is a second late for a collective: the others' hosts go on. */
void entry_ahead(void **descriptors) {
  (void)descriptors;
  reduce(0, NULL);
  if (me() == 2)
    usleep(1000000);
  double begin = seconds();
  reduce(1, NULL);
  reduce(0, NULL);
  if (seconds() - begin > 0.5)
    shardir_fail("the host waited for rank 2");
}

/* On rank 2, in the fourth run of the entry: the second that launches a graph.
 */
static int runs;
FAULT(hangs_later, 2, if (++runs == 4) forever())
FAULT(killed_later, 2, if (++runs == 4) raise(SIGKILL))
FAULT(
    changes_later, 2, if (++runs == 4) {
      char *p = shardir_gpu_alloc(64, 32);
      shardir_gpu_write(p, "8 bytes", 8);
      shardir_gpu_free(p);
    })
