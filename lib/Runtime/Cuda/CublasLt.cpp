//===- CublasLt.cpp - Products by cuBLASLt --------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what CublasLt.h says. The library's matrices are
// column-major, ours row-major: it computes the transpose of c, from the
// transpose of b and that of a, whose columns are our rows. Numbers of
// attributes are those of cublasLt.h.
//
//===----------------------------------------------------------------------===//

#include "CublasLt.h"

#include "Core/SharedLibrary.h"
#include "ShardIR/Runtime/Abi.h"

#include <algorithm>

namespace shardir {
namespace runtime {

namespace {
using Status = int;

enum : int {
  Compute32F = 68,
  Compute32FFastTf32 = 77,
  Real32F = 0,
  Real16F = 2,
  Real16BF = 14,
};
enum DescriptionAttribute : int {
  TransposeA = 3,
  TransposeB = 4,
  Epilogue = 7,
  BiasPointer = 8,
};
enum LayoutAttribute : int { BatchCount = 5, BatchStride = 6 };
enum PreferenceAttribute : int { MaxWorkspace = 1, MinAlignmentA = 5 };
enum : unsigned { EpilogueDefault = 1, EpilogueRelu = 2, EpilogueBias = 4 };

/// cublasLtMatmulHeuristicResult_t.
struct Heuristic {
  uint64_t algorithm[8];
  size_t workspace;
  Status state;
  float waves;
  int reserved[4];
};

struct Api {
  Status (*Create)(void **) = nullptr;
  Status (*Destroy)(void *) = nullptr;
  Status (*MatmulDescCreate)(void **, int, int) = nullptr;
  Status (*MatmulDescDestroy)(void *) = nullptr;
  Status (*MatmulDescSetAttribute)(void *, int, const void *, size_t) = nullptr;
  Status (*MatrixLayoutCreate)(void **, int, uint64_t, uint64_t,
                               int64_t) = nullptr;
  Status (*MatrixLayoutDestroy)(void *) = nullptr;
  Status (*MatrixLayoutSetAttribute)(void *, int, const void *,
                                     size_t) = nullptr;
  Status (*MatmulPreferenceCreate)(void **) = nullptr;
  Status (*MatmulPreferenceDestroy)(void *) = nullptr;
  Status (*MatmulPreferenceSetAttribute)(void *, int, const void *,
                                         size_t) = nullptr;
  Status (*MatmulAlgoGetHeuristic)(void *, void *, void *, void *, void *,
                                   void *, void *, int, Heuristic *,
                                   int *) = nullptr;
  Status (*Matmul)(void *, void *, const void *, const void *, void *,
                   const void *, void *, const void *, const void *, void *,
                   void *, void *, const void *, void *, size_t,
                   cuda::Stream) = nullptr;
  const char *(*GetStatusString)(Status) = nullptr;

  static const Api &get() {
    std::string error;
    if (const Api *api = loadOnce<Api>(&Api::load, error))
      return *api;
    throw cuda::Failure(error + "; or compile without library=cublaslt");
  }
  bool load(std::string &error);
  void check(Status status, const char *call,
             const LibraryMatmul &product) const {
    if (status)
      throw cuda::Failure("cannot compute " + product.describe() + ": " + call +
                          " says " + GetStatusString(status));
  }
};

bool Api::load(std::string &error) {
  constexpr const char *variable = "SHARDIR_CUBLASLT_LIBRARY";
  SharedLibrary library =
      openLibrary(variable, "libcublasLt.so.13", "cuBLASLt", error);
  if (!library.handle)
    library = openLibrary(variable, "libcublasLt.so.12", "cuBLASLt", error);
  if (!library.handle)
    return false;
  library.find(Create, "cublasLtCreate");
  library.find(Destroy, "cublasLtDestroy");
  library.find(MatmulDescCreate, "cublasLtMatmulDescCreate");
  library.find(MatmulDescDestroy, "cublasLtMatmulDescDestroy");
  library.find(MatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute");
  library.find(MatrixLayoutCreate, "cublasLtMatrixLayoutCreate");
  library.find(MatrixLayoutDestroy, "cublasLtMatrixLayoutDestroy");
  library.find(MatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute");
  library.find(MatmulPreferenceCreate, "cublasLtMatmulPreferenceCreate");
  library.find(MatmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy");
  library.find(MatmulPreferenceSetAttribute,
               "cublasLtMatmulPreferenceSetAttribute");
  library.find(MatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic");
  library.find(Matmul, "cublasLtMatmul");
  library.find(GetStatusString, "cublasLtGetStatusString");
  return library.isComplete("cuBLASLt", error);
}

int dataTypeOf(ElementType type) {
  return type == SHARDIR_BF16  ? Real16BF
         : type == SHARDIR_F16 ? Real16F
                               : Real32F;
}

/// The power of two at whose multiple `p` lies, at most 256.
int64_t alignmentOf(const void *p) {
  auto bits = reinterpret_cast<uintptr_t>(p) | 256;
  return int64_t(bits & (~bits + 1));
}

unsigned epilogueOf(const LibraryMatmul &product) {
  unsigned wanted = (product.flags & SHARDIR_GPU_RELU ? EpilogueRelu : 0u) |
                    (product.bias ? EpilogueBias : 0u);
  return wanted ? wanted : unsigned(EpilogueDefault);
}
} // namespace

std::string LibraryMatmul::describe() const {
  std::string text = "a product of " + std::to_string(m) + "x" +
                     std::to_string(k) + " by " + std::to_string(k) + "x" +
                     std::to_string(n) + " " + elementTypeName(operandType);
  return batch == 1 ? text : text + ", " + std::to_string(batch) + " times,";
}

/// The description of a product for the library, and its chosen algorithm.
struct CublasLt::Plan {
  void *description = nullptr, *preference = nullptr;
  void *a = nullptr, *b = nullptr, *c = nullptr;
  Heuristic choice = {};
  ~Plan() {
    const Api &api = Api::get();
    for (void *layout : {a, b, c})
      if (layout)
        (void)api.MatrixLayoutDestroy(layout);
    if (preference)
      (void)api.MatmulPreferenceDestroy(preference);
    if (description)
      (void)api.MatmulDescDestroy(description);
  }
};

CublasLt::CublasLt() {
  const Api &api = Api::get();
  if (Status status = api.Create(&handle))
    throw cuda::Failure(std::string("cannot start cuBLASLt: it says ") +
                        api.GetStatusString(status));
}

CublasLt::~CublasLt() {
  plans.clear();
  (void)Api::get().Destroy(handle);
}

CublasLt::Key CublasLt::keyOf(const LibraryMatmul &product) {
  Key key = {product.m, product.n, product.k, product.batch};
  std::copy_n(product.rows, 3, key.begin() + 4);
  std::copy_n(product.products, 3, key.begin() + 7);
  key[10] = product.operandType;
  key[11] = product.resultType;
  key[12] = product.flags;
  key[13] = alignmentOf(product.a);
  key[14] = alignmentOf(product.b);
  key[15] = alignmentOf(product.c);
  key[16] = product.bias ? alignmentOf(product.bias) : 0;
  return key;
}

std::unique_ptr<CublasLt::Plan>
CublasLt::makePlan(const LibraryMatmul &product) const {
  const Api &api = Api::get();
  auto plan = std::make_unique<Plan>();
  auto check = [&](Status status, const char *call) {
    api.check(status, call, product);
  };
  bool tf32 = product.flags & SHARDIR_GPU_TF32;
  check(api.MatmulDescCreate(&plan->description,
                             tf32 ? Compute32FFastTf32 : Compute32F, Real32F),
        "cublasLtMatmulDescCreate");
  auto set = [&](int attribute, const auto &value) {
    check(api.MatmulDescSetAttribute(plan->description, attribute, &value,
                                     sizeof(value)),
          "cublasLtMatmulDescSetAttribute");
  };
  // Its A is our b, its B our a.
  bool bAlongK = product.flags & SHARDIR_GPU_B_ALONG_K,
       aAlongM = product.flags & SHARDIR_GPU_A_ALONG_M;
  set(TransposeA, int32_t(bAlongK));
  set(TransposeB, int32_t(aAlongM));
  set(Epilogue, uint32_t(epilogueOf(product)));
  if (product.bias)
    set(BiasPointer, product.bias);

  auto layout = [&](void *&made, ElementType type, int64_t along, int64_t rows,
                    int which) {
    // A matrix of one row may have any stride.
    int64_t stride = std::max(product.rows[which], std::max<int64_t>(along, 1));
    check(api.MatrixLayoutCreate(&made, dataTypeOf(type), uint64_t(along),
                                 uint64_t(rows), stride),
          "cublasLtMatrixLayoutCreate");
    auto count = int32_t(product.batch);
    int64_t next = product.products[which];
    check(api.MatrixLayoutSetAttribute(made, BatchCount, &count, sizeof(count)),
          "cublasLtMatrixLayoutSetAttribute");
    check(api.MatrixLayoutSetAttribute(made, BatchStride, &next, sizeof(next)),
          "cublasLtMatrixLayoutSetAttribute");
  };
  layout(plan->a, product.operandType, aAlongM ? product.m : product.k,
         aAlongM ? product.k : product.m, 0);
  layout(plan->b, product.operandType, bAlongK ? product.k : product.n,
         bAlongK ? product.n : product.k, 1);
  layout(plan->c, product.resultType, product.n, product.m, 2);

  check(api.MatmulPreferenceCreate(&plan->preference),
        "cublasLtMatmulPreferenceCreate");
  auto prefer = [&](int attribute, const auto &value) {
    check(api.MatmulPreferenceSetAttribute(plan->preference, attribute, &value,
                                           sizeof(value)),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  prefer(MaxWorkspace, kWorkspace);
  // Of its A, B, C and D.
  const void *pointers[] = {product.b, product.a, product.c, product.c};
  for (int i = 0; i < 4; ++i)
    prefer(MinAlignmentA + i, uint32_t(alignmentOf(pointers[i])));
  int found = 0;
  check(api.MatmulAlgoGetHeuristic(handle, plan->description, plan->b, plan->a,
                                   plan->c, plan->c, plan->preference, 1,
                                   &plan->choice, &found),
        "cublasLtMatmulAlgoGetHeuristic");
  if (found == 0)
    throw cuda::Failure("cuBLASLt has no kernel for " + product.describe() +
                        "; compile without library=cublaslt");
  return plan;
}

void CublasLt::run(const LibraryMatmul &product, void *workspace,
                   cuda::Stream stream) {
  const Api &api = Api::get();
  std::unique_ptr<Plan> &plan = plans[keyOf(product)];
  if (!plan)
    plan = makePlan(product);
  if (product.bias)
    api.check(api.MatmulDescSetAttribute(plan->description, BiasPointer,
                                         &product.bias, sizeof(product.bias)),
              "cublasLtMatmulDescSetAttribute", product);
  float alpha = 1, beta = product.flags & SHARDIR_GPU_ACCUMULATE ? 1 : 0;
  api.check(api.Matmul(handle, plan->description, &alpha, product.b, plan->b,
                       product.a, plan->a, &beta, product.c, plan->c, product.c,
                       plan->c, plan->choice.algorithm, workspace, kWorkspace,
                       stream),
            "cublasLtMatmul", product);
}

} // namespace runtime
} // namespace shardir
