//===- CublasLt.cpp - cuBLASLt on the emulated GPU ------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of libcublasLt that the runtime uses, for tests:
// $SHARDIR_CUBLASLT_LIBRARY names the same library as $SHARDIR_CUDA_LIBRARY.
// Matrices are column-major, as there. Requires 16- and 32-bit floats;
// guarantees that layouts which do not fit each other, or reach outside of the
// GPU's memory, are errors, and that calls are recorded. Sums are f64.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Elements/SmallFloat.h"

#include <algorithm>
#include <cstring>

using namespace shardir::emulated;

namespace {
enum : int {
  kOk = 0,
  kNotStarted = 1,
  kInvalid = 7,
  kUnsupported = 15,
};
enum : int { kReal32F = 0, kReal16F = 2, kReal16BF = 14 };

struct Description {
  int compute = 0, scale = 0;
  int transposeA = 0, transposeB = 0;
  unsigned epilogue = 1;
  const void *bias = nullptr;
};
struct Layout {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t stride = 0;
  int count = 1;
  int64_t next = 0;

  int64_t bytes() const { return type == kReal32F ? 4 : 2; }
  /// From the first element to behind the last one.
  int64_t extent() const {
    if (rows == 0 || columns == 0 || count == 0)
      return 0;
    return bytes() *
           (next * (count - 1) + stride * int64_t(columns - 1) + int64_t(rows));
  }
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t alignments[4] = {256, 256, 256, 256};
};
struct Heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  int state;
  float waves;
  int reserved[4];
};

double load(const Layout &layout, const void *data, int64_t at) {
  using namespace shardir::runtime;
  if (layout.type == kReal32F)
    return static_cast<const float *>(data)[at];
  uint16_t bits = static_cast<const uint16_t *>(data)[at];
  return layout.type == kReal16F ? f16ToFloat(bits) : bf16ToFloat(bits);
}

void store(const Layout &layout, void *data, int64_t at, double value) {
  using namespace shardir::runtime;
  if (layout.type == kReal32F)
    static_cast<float *>(data)[at] = float(value);
  else
    static_cast<uint16_t *>(data)[at] = layout.type == kReal16F
                                            ? floatToF16(float(value))
                                            : floatToBf16(float(value));
}

template <class T> int copyOut(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return kInvalid;
  std::memcpy(&field, value, bytes);
  return kOk;
}

/// Why the product is none; empty where it is.
std::string faultOf(const Description &d, const Layout &a, const Layout &b,
                    const Layout &c) {
  uint64_t m = d.transposeA ? a.columns : a.rows,
           k = d.transposeA ? a.rows : a.columns,
           otherK = d.transposeB ? b.columns : b.rows,
           n = d.transposeB ? b.rows : b.columns;
  if (m != c.rows || n != c.columns || k != otherK)
    return "matrices of other sizes";
  for (const Layout *layout : {&a, &b, &c})
    if (layout->stride < int64_t(layout->rows) || layout->count != c.count)
      return "a layout that is none";
  if (a.type != b.type || (c.type != a.type && c.type != kReal32F))
    return "types that do not go together";
  return "";
}

struct Product {
  Description d;
  Layout a, b, c;
  const void *dataA, *dataB;
  void *dataC;
  float alpha, beta;

  void run() const {
    Memory::Access access;
    int64_t k = int64_t(d.transposeA ? a.rows : a.columns);
    bool relu = d.epilogue & 2, biased = d.epilogue & 4;
    for (int64_t z = 0; z < c.count; ++z)
      for (int64_t j = 0; j < int64_t(c.columns); ++j)
        for (int64_t i = 0; i < int64_t(c.rows); ++i) {
          double sum = 0;
          for (int64_t l = 0; l < k; ++l)
            sum += load(a, dataA,
                        z * a.next + (d.transposeA ? l + i * a.stride
                                                   : i + l * a.stride)) *
                   load(b, dataB,
                        z * b.next + (d.transposeB ? j + l * b.stride
                                                   : l + j * b.stride));
          int64_t at = z * c.next + i + j * c.stride;
          sum *= alpha;
          if (beta != 0)
            sum += beta * load(c, dataC, at);
          if (biased)
            sum += load(c, d.bias, i);
          store(c, dataC, at, relu ? std::max(sum, 0.0) : sum);
        }
  }
};
} // namespace

SHARDIR_EXPORT int cublasLtCreate(void **handle) {
  Call call("cublasLtCreate");
  if (!call.ok())
    return kNotStarted;
  *handle = new char;
  return kOk;
}
SHARDIR_EXPORT int cublasLtDestroy(void *handle) {
  delete static_cast<char *>(handle);
  return kOk;
}
SHARDIR_EXPORT const char *cublasLtGetStatusString(int status) {
  switch (status) {
  case kOk:
    return "CUBLAS_STATUS_SUCCESS";
  case kNotStarted:
    return "CUBLAS_STATUS_NOT_INITIALIZED";
  case kUnsupported:
    return "CUBLAS_STATUS_NOT_SUPPORTED";
  default:
    return "CUBLAS_STATUS_INVALID_VALUE";
  }
}

SHARDIR_EXPORT int cublasLtMatmulDescCreate(Description **made, int compute,
                                            int scale) {
  *made = new Description;
  (*made)->compute = compute;
  (*made)->scale = scale;
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatmulDescDestroy(Description *description) {
  delete description;
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatmulDescSetAttribute(Description *description,
                                                  int attribute,
                                                  const void *value,
                                                  size_t bytes) {
  switch (attribute) {
  case 3:
    return copyOut(description->transposeA, value, bytes);
  case 4:
    return copyOut(description->transposeB, value, bytes);
  case 7:
    return copyOut(description->epilogue, value, bytes);
  case 8:
    return copyOut(description->bias, value, bytes);
  }
  return kUnsupported;
}

SHARDIR_EXPORT int cublasLtMatrixLayoutCreate(Layout **made, int type,
                                              uint64_t rows, uint64_t columns,
                                              int64_t stride) {
  if (type != kReal32F && type != kReal16F && type != kReal16BF)
    return kUnsupported;
  *made = new Layout{type, rows, columns, stride};
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatrixLayoutDestroy(Layout *layout) {
  delete layout;
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatrixLayoutSetAttribute(Layout *layout,
                                                    int attribute,
                                                    const void *value,
                                                    size_t bytes) {
  switch (attribute) {
  case 5:
    return copyOut(layout->count, value, bytes);
  case 6:
    return copyOut(layout->next, value, bytes);
  }
  return kUnsupported;
}

SHARDIR_EXPORT int cublasLtMatmulPreferenceCreate(Preference **made) {
  *made = new Preference;
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatmulPreferenceDestroy(Preference *preference) {
  delete preference;
  return kOk;
}
SHARDIR_EXPORT int cublasLtMatmulPreferenceSetAttribute(Preference *preference,
                                                        int attribute,
                                                        const void *value,
                                                        size_t bytes) {
  if (attribute == 1)
    return copyOut(preference->workspace, value, bytes);
  if (attribute >= 5 && attribute < 9)
    return copyOut(preference->alignments[attribute - 5], value, bytes);
  return kUnsupported;
}

SHARDIR_EXPORT int
cublasLtMatmulAlgoGetHeuristic(void *, const Description *d, const Layout *a,
                               const Layout *b, const Layout *c, const Layout *,
                               const Preference *, int, Heuristic *found,
                               int *count) {
  Call call("cublasLtMatmulAlgoGetHeuristic");
  *count = 0;
  if (!call.ok())
    return kOk;
  if (std::string fault = faultOf(*d, *a, *b, *c); !fault.empty()) {
    call.fail(kInvalidValue, fault);
    return kInvalid;
  }
  *found = {};
  *count = 1;
  return kOk;
}

SHARDIR_EXPORT int
cublasLtMatmul(void *, const Description *d, const float *alpha, const void *a,
               const Layout *layoutA, const void *b, const Layout *layoutB,
               const float *beta, const void *c, const Layout *, void *result,
               const Layout *layoutC, const void *, void *workspace,
               size_t workspaceBytes, Stream *stream) {
  auto place = [](const void *p) { return Pointer(uintptr_t(p)); };
  Call call("cublasLtMatmul");
  call.with("m", layoutC->rows).with("n", layoutC->columns);
  call.with("count", uint64_t(layoutC->count)).with("epilogue", d->epilogue);
  call.with("stream", text(stream));
  std::string fault = faultOf(*d, *layoutA, *layoutB, *layoutC);
  if (!fault.empty() || c != result)
    call.fail(kInvalidValue, fault.empty() ? "a C that is not D" : fault);
  if (!call.isStream(stream) ||
      !call.inMemory(place(a), size_t(layoutA->extent()), "A") ||
      !call.inMemory(place(b), size_t(layoutB->extent()), "B") ||
      !call.inMemory(place(result), size_t(layoutC->extent()), "C") ||
      !call.inMemory(place(workspace), workspaceBytes, "the workspace") ||
      (d->epilogue & 4 &&
       !call.inMemory(place(d->bias), layoutC->rows * size_t(layoutC->bytes()),
                      "the bias")) ||
      !call.isNotCaptured(stream))
    return kInvalid;
  Product product = {*d, *layoutA, *layoutB, *layoutC, a,
                     b,  result,   *alpha,   *beta};
  Queue::get().add(stream, [product] { product.run(); });
  return kOk;
}
