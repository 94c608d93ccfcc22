/*
 * A program of RANKS ranks on a mesh of Y by two: each rank sends to the next
 * one of a ring of all, and sums along x. Requires the runtime's symbols from
 * whoever loads it.
 */
#include "ShardIR/Runtime/Abi.h"
#include "ShardIR/Runtime/EmulatedGpu.h"
#include <stddef.h>
#include <stdint.h>

#define TEXT(X) #X
#define NUMBER(X) TEXT(X)
#define PEER(KIND)                                                             \
  "{\"kind\": \"" KIND "\", \"mesh\": \"m\", \"axes\": [\"y\", \"x\"], "       \
  "\"element_type\": \"f32\", \"loc\": \"a.mlir:1:1\"}"

/* clang-format off: it takes the strings for code. */
const char shardir_program_metadata[] =
    "{\"abi\": 1, \"hash\": \"0\", \"ranks\": " NUMBER(
        RANKS) ", \"meshes\": [{\"name\": \"m\", \"axes\": ["
               "{\"name\": \"y\", \"size\": " NUMBER(
                   Y) "}, {\"name\": \"x\", \"size\": 2}], \"devices\": "
                      "[]}], "
                      "\"functions\": [{\"name\": \"ring\", \"symbol\": "
                      "\"entry_ring\", \"arguments\": [], \"results\": [], "
                      "\"static_collectives\": true}], \"collectives\": "
                      "[" PEER("send") ", " PEER(
                          "recv") ", "
                                  "{\"kind\": \"all_reduce\", \"mesh\": "
                                  "\"m\", \"from\": \"[{}], partial = sum "
                                  "[\\\"x\\\"]\", \"to\": \"[{}]\", "
                                  "\"shape\": [8], \"element_type\": "
                                  "\"f32\", \"loc\": \"a.mlir:2:2\"}], "
                                  "\"gpu\": {\"arch\": \"host\", "
                                  "\"modules\": [{\"symbol\": "
                                  "\"program_gpu\", \"format\": "
                                  "\"host\"}], \"kernels\": [], "
                                  "\"constants\": []}, "
                                  "\"report\": {}}";
/* clang-format on */

const shardir_emulated_kernel program_gpu[] = {{NULL, NULL, 0}};

void entry_ring(void **descriptors) {
  (void)descriptors;
  int64_t me = 2 * shardir_axis_index(0, 0) + shardir_axis_index(0, 1);
  char *in = shardir_gpu_alloc(64, 32), *out = shardir_gpu_alloc(64, 32);
  float sent[8], got[8];
  for (int i = 0; i < 8; ++i)
    sent[i] = (float)(10 * me + i);
  shardir_gpu_write(in, sent, 32);
  shardir_collective_peer(0, in, NULL, 8, (me + 1) % RANKS);
  shardir_collective_peer(1, NULL, out, 8, (me + RANKS - 1) % RANKS);
  shardir_collective(2, out, in, NULL);
  shardir_gpu_read(got, in, 32);
  /* What the two of a pair have got from the ranks before them. */
  int64_t first = (me & ~1) + RANKS - 1;
  for (int i = 0; i < 8; ++i)
    if (got[i] != (float)(10 * (first % RANKS + (me & ~1)) + 2 * i))
      shardir_fail("wrong sum");
  shardir_gpu_free(in);
  shardir_gpu_free(out);
}
