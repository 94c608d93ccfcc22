/*
 * Two ranks with two rows each of a 4x3 array. @main: the first result is the
 * whole array on both, the second one each rank's rows on the other. With GPU
 * defined, for the emulated GPU.
 */
#include "ShardIR/Runtime/Abi.h"
#include <stddef.h>

#define TENSOR(mesh, placement)                                                \
  "{\"shape\": [4, 3], \"element_type\": \"f32\", \"mesh\": \"" mesh           \
  "\", \"placement\": \"" placement "\"}"
#define ROWS "[{\\\"x\\\"}, {}]"
#define MOVES                                                                  \
  "\"shape\": [4, 3], \"element_type\": \"f32\", \"loc\": \"a:1:1\"}"

#ifdef GPU
#include "ShardIR/Runtime/EmulatedGpu.h"
#define GPU_PART                                                               \
  "\"gpu\": {\"arch\": \"host\", \"modules\": [{\"symbol\": \"program_gpu\", " \
  "\"format\": \"host\"}], \"kernels\": [], \"constants\": []}, "
const shardir_emulated_kernel program_gpu[] = {{NULL, NULL, 0}};
#else
#define GPU_PART
#endif

const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"0\", \"ranks\": 2, \"meshes\": ["
    "{\"name\": \"m\", \"axes\": [{\"name\": \"x\", \"size\": 2}], "
    "\"devices\": [0, 1]}, "
    "{\"name\": \"n\", \"axes\": [{\"name\": \"x\", \"size\": 2}], "
    "\"devices\": [1, 0]}], "
    "\"functions\": [{\"name\": \"main\", \"symbol\": \"entry_main\", "
    "\"static_collectives\": true, \"arguments\": [" TENSOR(
        "m", ROWS) "], "
                   "\"results\": [" TENSOR("m", "[{}, {}]") ", " TENSOR(
                       "n", ROWS) "]}], "
                                  "\"collectives\": ["
                                  "{\"kind\": \"all_gather\", \"mesh\": \"m\", "
                                  "\"from\": \"" ROWS
                                  "\", \"to\": \"[{}, {}]\", " MOVES ", "
                                  "{\"kind\": \"exchange\", \"mesh\": \"m\", "
                                  "\"to_mesh\": \"n\", "
                                  "\"from\": \"" ROWS "\", \"to\": \"" ROWS
                                  "\", " MOVES "], " GPU_PART "\"report\": {}}";

typedef struct {
  void *allocated, *aligned;
} Memref;

void entry_main(void **descriptors) {
  Memref *a = descriptors[0], *all = descriptors[1], *other = descriptors[2];
  shardir_collective(0, a->aligned, all->aligned, NULL);
  shardir_collective(1, a->aligned, other->aligned, NULL);
}
