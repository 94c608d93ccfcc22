/*
 * A compiled program made by hand whose entry copies its argument's shard to
 * its result: what whole arrays and files per rank show is the distribution
 * alone.
 *
 *   SHAPE      of the whole f32 array, as JSON       DEVICES  of the mesh
 *   PLACEMENT  of argument and result, over axes x=2 and y=2
 *   EXTENTS    where the result's unknown extents come from
 */
#include "ShardIR/Runtime/Abi.h"

#ifndef DEVICES
#define DEVICES "[]"
#endif
#ifndef EXTENTS
#define EXTENTS "[]"
#endif

typedef struct {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t dims[];
} Memref;

#define TENSOR                                                                 \
  "{\"shape\": " SHAPE ", \"element_type\": \"f32\", \"mesh\": \"m\","         \
  " \"placement\": \"" PLACEMENT "\""

const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"0\", \"ranks\": 4,"
    " \"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", \"size\": 2},"
    " {\"name\": \"y\", \"size\": 2}], \"devices\": " DEVICES "}],"
    " \"functions\": [{\"name\": \"main\", \"symbol\": \"entry_main\","
    " \"arguments\": [" TENSOR "}],"
    " \"results\": [" TENSOR ", \"extents\": " EXTENTS "}]}],"
    " \"collectives\": [], \"report\": {}}";

void entry_main(void **descriptors) {
  Memref *from = descriptors[0], *to = descriptors[1];
  int64_t count = from->dims[0] * from->dims[1];
  for (int64_t i = 0; i < count; ++i)
    ((float *)to->aligned)[i] = ((float *)from->aligned)[i];
}
