/*
 * A program of four ranks: @fixed takes nothing, @open and @second an array of
 * any length, which all ranks hold. All sum over the ranks once. Requires the
 * runtime's symbols from whoever loads it.
 */
#include "ShardIR/Runtime/Abi.h"
#include <stddef.h>
#include <stdint.h>

#ifdef STATIC_COLLECTIVES
#define SEQUENCE ", \"static_collectives\": true"
#else
#define SEQUENCE ""
#endif
#define ENTRY(NAME, ARGUMENTS)                                                 \
  "{\"name\": \"" NAME "\", \"symbol\": \"entry\", \"arguments\": "            \
  "[" ARGUMENTS "], \"results\": []" SEQUENCE "}"
#define ANY                                                                    \
  "{\"shape\": [-1], \"element_type\": \"f32\", \"mesh\": \"m\", "             \
  "\"placement\": \"[{}]\"}"

const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"" HASH "\", \"ranks\": 4, \"meshes\": "
    "[{\"name\": \"m\", \"axes\": [{\"name\": \"x\", \"size\": 4}], "
    "\"devices\": []}], \"functions\": [" ENTRY("fixed", "") ", " ENTRY(
        "open", ANY) ", " ENTRY("second",
                                ANY) "], \"collectives\": "
                                     "[{\"kind\": \"all_reduce\", \"mesh\": "
                                     "\"m\", \"from\": \"[{}], partial = "
                                     "sum [\\\"x\\\"]\", \"to\": \"[{}]\", "
                                     "\"shape\": [8], \"element_type\": "
                                     "\"f32\", \"loc\": \"a.mlir:1:1\"}], "
                                     "\"report\": {}}";

void entry(void **descriptors) {
  (void)descriptors;
  float in[8] = {0}, out[8];
  shardir_collective(0, in, out, NULL);
}
