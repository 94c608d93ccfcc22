//===- Cudnn.cpp - Attention by cuDNN -------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Cudnn.h says. The library's backend takes a
// graph of operations, here one, proposes engines for it, and makes a plan of
// the first one that runs here. Numbers of descriptors and attributes are those
// of cudnn_graph.h.
//
//===----------------------------------------------------------------------===//

#include "Cudnn.h"

#include "Core/SharedLibrary.h"

#include <algorithm>
#include <vector>

namespace shardir {
namespace runtime {

namespace {
using Status = int;
constexpr size_t kLeastVersion = 91301;

enum Descriptor : int {
  EngineConfig = 3,
  EngineHeuristic = 4,
  ExecutionPlan = 5,
  OperationGraph = 15,
  VariantPack = 16,
  Tensor = 17,
  AttentionForward = 41,
};
enum AttributeType : int {
  OfHandle = 0,
  OfDataType = 1,
  OfBool = 2,
  OfInt64 = 3,
  OfPointer = 6,
  OfHeuristicMode = 8,
  OfDescriptor = 15,
};
enum Attribute : int {
  HeuristicMode = 200,
  HeuristicGraph = 201,
  HeuristicResults = 202,
  PlanHandle = 400,
  PlanConfig = 401,
  PlanWorkspace = 402,
  GraphHandle = 800,
  GraphOperations = 801,
  TensorAlignment = 900,
  TensorType = 901,
  TensorDims = 902,
  TensorStrides = 903,
  TensorId = 906,
  TensorByValue = 908,
  PackIds = 1000,
  PackPointers = 1001,
  PackWorkspace = 1003,
  AttentionQuery = 2800, // and key, value and result behind it
  AttentionScale = 2805,
};
enum : int { Float = 0, Half = 2, BFloat16 = 9 };
enum : int { FallbackMode = 2, FastMode = 3 };
/// The tensors of query, key, value and result are 1 to 4.
constexpr int64_t kScaleId = 5;
/// Of all data, in bytes: the compiler proved it.
constexpr int64_t kDataAlignment = 16;

struct CudnnApi {
  size_t (*GetVersion)() = nullptr;
  Status (*Create)(void **) = nullptr;
  Status (*Destroy)(void *) = nullptr;
  Status (*SetStream)(void *, cuda::Stream) = nullptr;
  const char *(*GetErrorString)(Status) = nullptr;
  void (*GetLastErrorString)(char *, size_t) = nullptr;
  Status (*CreateDescriptor)(int, void **) = nullptr;
  Status (*DestroyDescriptor)(void *) = nullptr;
  Status (*SetAttribute)(void *, int, int, int64_t, const void *) = nullptr;
  Status (*GetAttribute)(void *, int, int, int64_t, int64_t *,
                         void *) = nullptr;
  Status (*Finalize)(void *) = nullptr;
  Status (*Execute)(void *, void *, void *) = nullptr;

  static const CudnnApi &get() {
    std::string error;
    if (const CudnnApi *api = loadOnce<CudnnApi>(&CudnnApi::load, error))
      return *api;
    throw cuda::Failure(error + "; or compile without library=cudnn");
  }
  bool load(std::string &error);
  /// The library's text for a call that failed.
  std::string text(Status status) const {
    char details[256] = "";
    GetLastErrorString(details, sizeof(details));
    std::string text = GetErrorString(status);
    return *details ? text + " (" + details + ")" : text;
  }
  void check(Status status, const char *call,
             const LibraryAttention &attention) const {
    if (status)
      throw cuda::Failure("cannot compute " + attention.describe() + ": " +
                          call + " says " + text(status) +
                          "; compile without library=cudnn");
  }
};

bool CudnnApi::load(std::string &error) {
  SharedLibrary library =
      openLibrary("SHARDIR_CUDNN_LIBRARY", "libcudnn.so.9", "cuDNN", error);
  if (!library.handle)
    return false;
  library.find(GetVersion, "cudnnGetVersion");
  library.find(Create, "cudnnCreate");
  library.find(Destroy, "cudnnDestroy");
  library.find(SetStream, "cudnnSetStream");
  library.find(GetErrorString, "cudnnGetErrorString");
  library.find(GetLastErrorString, "cudnnGetLastErrorString");
  library.find(CreateDescriptor, "cudnnBackendCreateDescriptor");
  library.find(DestroyDescriptor, "cudnnBackendDestroyDescriptor");
  library.find(SetAttribute, "cudnnBackendSetAttribute");
  library.find(GetAttribute, "cudnnBackendGetAttribute");
  library.find(Finalize, "cudnnBackendFinalize");
  library.find(Execute, "cudnnBackendExecute");
  if (!library.isComplete("cuDNN 9", error))
    return false;
  size_t version = GetVersion();
  if (version >= kLeastVersion)
    return true;
  error = "'" + library.name + "' is cuDNN " + std::to_string(version / 10000) +
          "." + std::to_string(version / 100 % 100) + "." +
          std::to_string(version % 100) + "; 9.13.1 or later is needed";
  return false;
}

/// Descriptors that live together, for one attention.
class Descriptors {
public:
  explicit Descriptors(const LibraryAttention &attention)
      : attention(attention) {}
  ~Descriptors() {
    // Those that name others first.
    for (auto it = made.rbegin(); it != made.rend(); ++it)
      (void)api.DestroyDescriptor(*it);
  }
  Descriptors(const Descriptors &) = delete;

  void *create(Descriptor kind) {
    void *descriptor = nullptr;
    check(api.CreateDescriptor(kind, &descriptor),
          "cudnnBackendCreateDescriptor");
    made.push_back(descriptor);
    return descriptor;
  }
  template <class T>
  void set(void *of, Attribute attribute, AttributeType type,
           const std::vector<T> &values) {
    check(api.SetAttribute(of, attribute, type, int64_t(values.size()),
                           values.data()),
          "cudnnBackendSetAttribute");
  }
  void finalize(void *descriptor) {
    check(api.Finalize(descriptor), "cudnnBackendFinalize");
  }
  void check(Status status, const char *call) const {
    api.check(status, call, attention);
  }

  void *tensor(int64_t id, int type, const std::vector<int64_t> &dims,
               const std::vector<int64_t> &strides, bool byValue);
  void *graph(void *handle);
  /// Engines for `graph`, the most promising first.
  std::vector<void *> engines(void *graph);
  /// The plan of the first of these that runs here; null for none.
  void *plan(void *handle, const std::vector<void *> &engines);

private:
  const CudnnApi &api = CudnnApi::get();
  const LibraryAttention &attention;
  std::vector<void *> made;
};

void *Descriptors::tensor(int64_t id, int type,
                          const std::vector<int64_t> &dims,
                          const std::vector<int64_t> &strides, bool byValue) {
  void *tensor = create(Tensor);
  set(tensor, TensorType, OfDataType, std::vector<int>{type});
  set(tensor, TensorDims, OfInt64, dims);
  set(tensor, TensorStrides, OfInt64, strides);
  set(tensor, TensorId, OfInt64, std::vector<int64_t>{id});
  set(tensor, TensorAlignment, OfInt64, std::vector<int64_t>{kDataAlignment});
  // One byte, as C has bool.
  set(tensor, TensorByValue, OfBool, std::vector<char>{byValue});
  finalize(tensor);
  return tensor;
}

void *Descriptors::graph(void *handle) {
  const LibraryAttention &a = attention;
  const int64_t dims[4][4] = {{a.batch, a.queryHeads, a.rows, a.k},
                              {a.batch, a.keyHeads, a.columns, a.k},
                              {a.batch, a.keyHeads, a.columns, a.v},
                              {a.batch, a.queryHeads, a.rows, a.v}};
  std::vector<void *> tensors;
  for (int i = 0; i < 4; ++i) {
    std::vector<int64_t> strides(a.strides[i], a.strides[i] + 3);
    strides.push_back(1);
    // A dim of 1 that has no stride gets one as if it was outermost.
    int64_t all = dims[i][3];
    for (int j = 0; j < 3; ++j)
      all = std::max(all, dims[i][j] * strides[j]);
    std::replace(strides.begin(), strides.end(), int64_t(0), all);
    tensors.push_back(tensor(i + 1, a.type == SHARDIR_F16 ? Half : BFloat16,
                             {dims[i], dims[i] + 4}, strides, false));
  }
  void *scale = tensor(kScaleId, Float, {1, 1, 1, 1}, {1, 1, 1, 1}, true);
  void *operation = create(AttentionForward);
  for (int i = 0; i < 4; ++i)
    set(operation, Attribute(AttentionQuery + i), OfDescriptor,
        std::vector<void *>{tensors[i]});
  set(operation, AttentionScale, OfDescriptor, std::vector<void *>{scale});
  finalize(operation);
  void *graph = create(OperationGraph);
  set(graph, GraphHandle, OfHandle, std::vector<void *>{handle});
  set(graph, GraphOperations, OfDescriptor, std::vector<void *>{operation});
  finalize(graph);
  return graph;
}

std::vector<void *> Descriptors::engines(void *graph) {
  constexpr int64_t most = 8;
  std::vector<void *> found;
  for (int mode : {FastMode, FallbackMode}) {
    void *heuristic = create(EngineHeuristic);
    set(heuristic, HeuristicGraph, OfDescriptor, std::vector<void *>{graph});
    set(heuristic, HeuristicMode, OfHeuristicMode, std::vector<int>{mode});
    // It fails where it knows no engine.
    if (api.Finalize(heuristic))
      continue;
    std::vector<void *> configs;
    for (int64_t i = 0; i < most; ++i)
      configs.push_back(create(EngineConfig));
    int64_t count = 0;
    if (api.GetAttribute(heuristic, HeuristicResults, OfDescriptor, most,
                         &count, configs.data()))
      continue;
    configs.resize(size_t(std::clamp<int64_t>(count, 0, most)));
    found.insert(found.end(), configs.begin(), configs.end());
  }
  return found;
}

void *Descriptors::plan(void *handle, const std::vector<void *> &engines) {
  for (void *engine : engines) {
    void *plan = create(ExecutionPlan);
    set(plan, PlanHandle, OfHandle, std::vector<void *>{handle});
    set(plan, PlanConfig, OfDescriptor, std::vector<void *>{engine});
    // It fails where the engine does not run here.
    if (!api.Finalize(plan))
      return plan;
  }
  return nullptr;
}
} // namespace

std::string LibraryAttention::describe() const {
  auto shape = [this](int64_t heads, int64_t positions, int64_t elements) {
    return std::to_string(batch) + "x" + std::to_string(heads) + "x" +
           std::to_string(positions) + "x" + std::to_string(elements);
  };
  return "attention of " + shape(queryHeads, rows, k) + " queries, " +
         shape(keyHeads, columns, k) + " keys and " +
         shape(keyHeads, columns, v) + " values of " + elementTypeName(type);
}

/// The library's plan for an attention, whatever its data.
struct Cudnn::Plan {
  LibraryAttention attention;
  Descriptors descriptors;
  void *plan = nullptr;
  int64_t workspace = 0;

  explicit Plan(const LibraryAttention &of)
      : attention(of), descriptors(attention) {}
};

Cudnn::Cudnn() {
  const CudnnApi &api = CudnnApi::get();
  if (Status status = api.Create(&handle))
    throw cuda::Failure("cannot start cuDNN: it says " + api.text(status));
}

Cudnn::~Cudnn() {
  plans.clear();
  (void)CudnnApi::get().Destroy(handle);
}

Cudnn::Key Cudnn::keyOf(const LibraryAttention &a) {
  Key key = {a.batch,   a.queryHeads, a.keyHeads, a.rows,
             a.columns, a.k,          a.v,        a.type};
  std::copy_n(a.strides[0], 12, key.begin() + 8);
  return key;
}

Cudnn::Plan &Cudnn::planOf(const LibraryAttention &attention) {
  std::unique_ptr<Plan> &kept = plans[keyOf(attention)];
  if (kept)
    return *kept;
  auto made = std::make_unique<Plan>(attention);
  Descriptors &descriptors = made->descriptors;
  std::vector<void *> engines = descriptors.engines(descriptors.graph(handle));
  made->plan = descriptors.plan(handle, engines);
  if (!made->plan)
    throw cuda::Failure("cuDNN has no kernel for " + attention.describe() +
                        "; compile without library=cudnn");
  int64_t count = 0;
  descriptors.check(CudnnApi::get().GetAttribute(made->plan, PlanWorkspace,
                                                 OfInt64, 1, &count,
                                                 &made->workspace),
                    "cudnnBackendGetAttribute");
  kept = std::move(made);
  return *kept;
}

size_t Cudnn::workspaceOf(const LibraryAttention &attention) {
  return size_t(planOf(attention).workspace);
}

void Cudnn::run(const LibraryAttention &attention, void *workspace,
                cuda::Stream stream) {
  const CudnnApi &api = CudnnApi::get();
  Plan &plan = planOf(attention);
  Descriptors descriptors(attention);
  void *pack = descriptors.create(VariantPack);
  std::vector<const void *> pointers(attention.data, attention.data + 4);
  pointers.push_back(&attention.scale);
  descriptors.set(pack, PackIds, OfInt64,
                  std::vector<int64_t>{1, 2, 3, 4, kScaleId});
  descriptors.set(pack, PackPointers, OfPointer, pointers);
  descriptors.set(pack, PackWorkspace, OfPointer,
                  std::vector<void *>{workspace});
  descriptors.finalize(pack);
  api.check(api.SetStream(handle, stream), "cudnnSetStream", attention);
  api.check(api.Execute(handle, plan.plan, pack), "cudnnBackendExecute",
            attention);
}

} // namespace runtime
} // namespace shardir
