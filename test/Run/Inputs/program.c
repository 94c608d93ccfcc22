/*
 * Compiled programs made by hand, so that shard-run can be tested without the
 * compiler. By default @main adds %b to every row of %a, whose four rows lie on
 * two ranks; the macros below make it wrong in the ways that tests ask for.
 *
 *   META   replaces the metadata          WRONG     one element is wrong on
 * rank 1 BODY   runs in the entry, first       NO_ENTRY  leaves the entry out
 */
#include "ShardIR/Runtime/Abi.h"
#include <stddef.h>

typedef struct {
  void *allocated;
  void *aligned;
  int64_t offset;
  int64_t dims[]; /* sizes, then strides */
} Memref;

#define TENSOR(shape, type, placement)                                         \
  "{\"shape\": " shape ", \"element_type\": \"" type                           \
  "\", \"mesh\": \"m\", \"placement\": \"" placement "\"}"

#ifndef META
#ifndef ABI
#define ABI "1"
#endif
#ifdef NO_UNSHARDED
#define UNSHARDED
#else
#define UNSHARDED ", \"unsharded_symbol\": \"unsharded_main\""
#endif
#define META                                                                   \
  "{\"abi\": " ABI ", \"hash\": \"0\", \"ranks\": 2,"                          \
  " \"meshes\": [{\"name\": \"m\", \"axes\": [{\"name\": \"x\", \"size\": "    \
  "2}],"                                                                       \
  " \"devices\": []}],"                                                        \
  " \"functions\": [{\"name\": \"main\", \"symbol\": \"entry_main\"" UNSHARDED \
  ", \"arguments\": [" TENSOR(                                                 \
      "[4, 3]", "f32",                                                         \
      "[{\\\"x\\\"}, {}]") ", " TENSOR("[3]", "f32",                           \
                                       "[{}]") "],"                            \
                                               " \"results\": [" TENSOR(       \
                                                   "[4, 3]", "f32",            \
                                                   "[{\\\"x\\\"}, {}]") "]}]," \
                                                                        " \"c" \
                                                                        "olle" \
                                                                        "ctiv" \
                                                                        "es\"" \
                                                                        ": "   \
                                                                        "[],"  \
                                                                        " \"r" \
                                                                        "epor" \
                                                                        "t\":" \
                                                                        " {"   \
                                                                        "\"ve" \
                                                                        "rsio" \
                                                                        "n\":" \
                                                                        " 1, " \
                                                                        "\"by" \
                                                                        "tes_" \
                                                                        "per_" \
                                                                        "devi" \
                                                                        "ce\"" \
                                                                        ": "   \
                                                                        "0}}"
#endif

const char shardir_program_metadata[] = META;

static void add(void **descriptors) {
  Memref *a = descriptors[0], *b = descriptors[1], *c = descriptors[2];
  const float *x = a->aligned, *y = b->aligned;
  float *z = c->aligned;
  for (int64_t i = 0; i < a->dims[0]; ++i)
    for (int64_t j = 0; j < a->dims[1]; ++j)
      z[i * a->dims[1] + j] = x[i * a->dims[1] + j] + y[j];
}

#ifndef NO_ENTRY
void entry_main(void **descriptors) {
#ifdef BODY
  BODY;
#endif
  add(descriptors);
#ifdef WRONG
  if (shardir_axis_index(0, 0) == 1)
    ((float *)((Memref *)descriptors[2])->aligned)[4] += 0.5f;
#endif
}
#endif

void unsharded_main(void **descriptors) { add(descriptors); }
