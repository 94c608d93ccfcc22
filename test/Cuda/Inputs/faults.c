/*
 * The faults of Inputs/Faults.h on four ranks with a GPU each, between
 * processes that no MPI has started. Requires the runtime's symbols from
 * whoever loads it.
 */
#define OPEN 2
#include "../../Inputs/Faults.h"
#include "ShardIR/Runtime/EmulatedGpu.h"
#include <stddef.h>

const char shardir_program_metadata[] = METADATA_HEAD
    "\"functions\": [" FAULT_ENTRIES
    "], \"collectives\": [" REDUCE("a.mlir:1:1") "," REDUCE(
        "a.mlir:2:2") "," REDUCE_OPEN("a.mlir:5:5") "], \"gpu\": {\"arch\": "
                                                    "\"host\", \"modules\": "
                                                    "[{\"symbol\": "
                                                    "\"program_gpu\", "
                                                    "\"format\": \"host\"}], "
                                                    "\"kernels\": [], "
                                                    "\"constants\": "
                                                    "[]}, \"report\": {}}";

const shardir_emulated_kernel program_gpu[] = {{NULL, NULL, 0}};

#ifdef DIES_WHEN_LOADED /* the process of this number */
WHEN_LOADED("RANK", DIES_WHEN_LOADED, SIGKILL)
#endif

static void allocate(uint64_t bytes) { shardir_gpu_alloc(64, bytes); }
static void reduce(int32_t id, const int64_t *extent) {
  char *in = shardir_gpu_alloc(64, 32), *out = shardir_gpu_alloc(64, 32);
  shardir_collective(id, in, out, extent);
  shardir_gpu_free(in);
  shardir_gpu_free(out);
}
