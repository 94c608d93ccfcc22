/*===- Descriptors.h - Memrefs as programs in C see them ------------------===*\
|* Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.       *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
\*===----------------------------------------------------------------------===*/
#ifndef SHARDIR_TEST_UNIT_RUNTIME_DESCRIPTORS_H
#define SHARDIR_TEST_UNIT_RUNTIME_DESCRIPTORS_H

#include <stdint.h>

typedef struct {
  float *allocated, *aligned;
  int64_t offset, sizes[2], strides[2];
} Matrix;

typedef struct {
  int64_t rank;
  void *descriptor;
} Unranked;

#endif
