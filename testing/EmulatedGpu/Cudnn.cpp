//===- Cudnn.cpp - cuDNN on the emulated GPU ------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of libcudnn that the runtime uses, for tests: $SHARDIR_CUDNN_LIBRARY
// names the same library as $SHARDIR_CUDA_LIBRARY. What is computed follows
// from the descriptors alone: a plan leads to its engine, graph, operation and
// tensors, and a variant pack has the data of these. Guarantees that
// descriptors which are not finished, lack something or do not fit each other,
// and tensors that reach outside of the GPU's memory, are errors, and that
// calls are recorded. Rows of more than 256 elements have no engine. Sums are
// f64.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Elements/SmallFloat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>

using namespace shardir::emulated;

namespace {
enum : int {
  kOk = 0,
  kNotStarted = 1001,
  kBadParameter = 2000,
  kUnsupported = 3000,
  kFailed = 5000,
};
enum Kind : int {
  kEngine = 3,
  kHeuristic = 4,
  kPlan = 5,
  kGraph = 15,
  kPack = 16,
  kTensor = 17,
  kAttention = 41,
};
enum : int { kFloat = 0, kHalf = 2, kBFloat16 = 9 };
constexpr size_t kWorkspace = 256;
constexpr int64_t kLongestRow = 256;

/// Of an attribute: whose it is, the code and the bytes of its values, and how
/// many there may be.
struct Rule {
  int kind, type;
  size_t bytes;
  int64_t most;
  bool isOptional = false;
};
const std::map<int, Rule> &rules() {
  static const std::map<int, Rule> all = {
      {200, {kHeuristic, 8, sizeof(int), 1}},
      {201, {kHeuristic, 15, sizeof(void *), 1}},
      {400, {kPlan, 0, sizeof(void *), 1}},
      {401, {kPlan, 15, sizeof(void *), 1}},
      {800, {kGraph, 0, sizeof(void *), 1}},
      {801, {kGraph, 15, sizeof(void *), 1}},
      {900, {kTensor, 3, 8, 1}},
      {901, {kTensor, 1, sizeof(int), 1}},
      {902, {kTensor, 3, 8, 4}},
      {903, {kTensor, 3, 8, 4}},
      {906, {kTensor, 3, 8, 1}},
      {908, {kTensor, 2, 1, 1, true}},
      {1000, {kPack, 3, 8, 8}},
      {1001, {kPack, 6, sizeof(void *), 8}},
      {1003, {kPack, 6, sizeof(void *), 1}},
      {2800, {kAttention, 15, sizeof(void *), 1}},
      {2801, {kAttention, 15, sizeof(void *), 1}},
      {2802, {kAttention, 15, sizeof(void *), 1}},
      {2803, {kAttention, 15, sizeof(void *), 1}},
      {2805, {kAttention, 15, sizeof(void *), 1, true}},
  };
  return all;
}

struct Descriptor {
  int kind = 0;
  bool finished = false;
  std::map<int, std::vector<char>> attributes;

  bool has(int attribute) const { return attributes.count(attribute); }
  template <class T> std::vector<T> all(int attribute) const {
    const std::vector<char> &bytes = attributes.at(attribute);
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class T> T get(int attribute) const {
    return all<T>(attribute).at(0);
  }
  const Descriptor &part(int attribute) const {
    return *get<Descriptor *>(attribute);
  }
};

struct Tensor {
  explicit Tensor(const Descriptor &d)
      : id(d.get<int64_t>(906)), alignment(d.get<int64_t>(900)),
        type(d.get<int>(901)), dims(d.all<int64_t>(902)),
        strides(d.all<int64_t>(903)), byValue(d.has(908) && d.get<char>(908)) {}

  int64_t bytes() const { return type == kFloat ? 4 : 2; }
  /// From the first element to behind the last one, in bytes.
  size_t extent() const {
    int64_t last = 0;
    for (size_t i = 0; i < dims.size(); ++i)
      last += (dims[i] - 1) * strides[i];
    return size_t((last + 1) * bytes());
  }
  int64_t at(int64_t b, int64_t h, int64_t position) const {
    return b * strides[0] + h * strides[1] + position * strides[2];
  }

  int64_t id, alignment;
  int type;
  std::vector<int64_t> dims, strides;
  bool byValue;
};

/// Query, key, value and result, and their data.
struct Attention {
  explicit Attention(const Descriptor &operation) {
    for (int i = 0; i < 4; ++i)
      tensors.emplace_back(operation.part(2800 + i));
  }

  std::vector<Tensor> tensors;
  void *data[4] = {};
  double scale = 1;

  double load(int which, int64_t at) const {
    using namespace shardir::runtime;
    uint16_t bits = static_cast<const uint16_t *>(data[which])[at];
    return tensors[0].type == kHalf ? f16ToFloat(bits) : bf16ToFloat(bits);
  }
  uint16_t rounded(double value) const {
    using namespace shardir::runtime;
    return tensors[0].type == kHalf ? floatToF16(float(value))
                                    : floatToBf16(float(value));
  }

  void runRow(int64_t b, int64_t h, int64_t m) const {
    using namespace shardir::runtime;
    const Tensor &q = tensors[0], &k = tensors[1], &v = tensors[2],
                 &o = tensors[3];
    int64_t head = h / (q.dims[1] / k.dims[1]), positions = k.dims[2];
    std::vector<double> p(static_cast<size_t>(positions));
    double most = -HUGE_VAL, sum = 0;
    for (int64_t n = 0; n < positions; ++n) {
      double score = 0;
      for (int64_t e = 0; e < q.dims[3]; ++e)
        score += load(0, q.at(b, h, m) + e) * load(1, k.at(b, head, n) + e);
      p[size_t(n)] = score * scale;
      most = std::max(most, p[size_t(n)]);
    }
    for (double &value : p) {
      value = std::exp(value - most);
      sum += value;
      uint16_t bits = rounded(value);
      value = q.type == kHalf ? f16ToFloat(bits) : bf16ToFloat(bits);
    }
    for (int64_t e = 0; e < v.dims[3]; ++e) {
      double acc = 0;
      for (int64_t n = 0; n < positions; ++n)
        acc += p[size_t(n)] * load(2, v.at(b, head, n) + e);
      static_cast<uint16_t *>(data[3])[o.at(b, h, m) + e] = rounded(acc / sum);
    }
  }
  void run() const {
    Memory::Access access;
    const Tensor &q = tensors[0];
    for (int64_t b = 0; b < q.dims[0]; ++b)
      for (int64_t h = 0; h < q.dims[1]; ++h)
        for (int64_t m = 0; m < q.dims[2]; ++m)
          runRow(b, h, m);
  }
};

std::string faultOfTensor(const Descriptor &descriptor) {
  Tensor tensor(descriptor);
  if (tensor.dims.size() != 4 || tensor.strides.size() != 4)
    return "a tensor without four dims";
  for (size_t i = 0; i < 4; ++i)
    if (tensor.dims[i] < 1 || tensor.strides[i] < 1)
      return "a dim or a stride that is not above 0";
  return "";
}

std::string faultOfAttention(const Descriptor &operation) {
  for (int i = 0; i < 4; ++i)
    if (operation.part(2800 + i).kind != kTensor)
      return "an operand that is no tensor";
  Attention attention(operation);
  const std::vector<Tensor> &t = attention.tensors;
  int64_t batch = t[0].dims[0], heads = t[0].dims[1], rows = t[0].dims[2],
          k = t[0].dims[3], keyHeads = t[1].dims[1], columns = t[1].dims[2],
          v = t[2].dims[3];
  const std::vector<int64_t> wanted[] = {{batch, heads, rows, k},
                                         {batch, keyHeads, columns, k},
                                         {batch, keyHeads, columns, v},
                                         {batch, heads, rows, v}};
  for (size_t i = 0; i < 4; ++i) {
    if (t[i].dims != wanted[i] || heads % keyHeads != 0)
      return "tensors of other sizes";
    if (t[i].type != t[0].type || t[i].type == kFloat || t[i].byValue)
      return "types that do not go together";
    if (t[i].strides[3] != 1 || t[i].dims[3] % 8 != 0 ||
        std::any_of(t[i].strides.begin(), t[i].strides.begin() + 3,
                    [&](int64_t stride) { return stride % 8 != 0; }))
      return "rows that are no multiples of 16 bytes";
  }
  if (!operation.has(2805))
    return "";
  Tensor scale(operation.part(2805));
  if (scale.type != kFloat || !scale.byValue ||
      scale.dims != std::vector<int64_t>(4, 1))
    return "a scale that is no f32 by value";
  return "";
}

/// Why the descriptor cannot be finished; empty where it can be.
std::string faultOf(const Descriptor &descriptor) {
  for (const auto &[attribute, rule] : rules())
    if (rule.kind == descriptor.kind && !rule.isOptional &&
        !descriptor.has(attribute))
      return "attribute " + std::to_string(attribute) + " is missing";
  for (const auto &[attribute, bytes] : descriptor.attributes)
    if (rules().at(attribute).type == 15 &&
        !descriptor.part(attribute).finished)
      return "a part that is not finished";
  switch (descriptor.kind) {
  case kTensor:
    return faultOfTensor(descriptor);
  case kAttention:
    return faultOfAttention(descriptor);
  case kGraph:
    return descriptor.part(801).kind == kAttention ? "" : "a graph of no op";
  case kHeuristic:
    return descriptor.part(201).kind == kGraph ? "" : "engines for no graph";
  case kPlan:
    return descriptor.part(401).kind == kEngine ? "" : "a plan of no engine";
  case kPack:
    return descriptor.all<int64_t>(1000).size() ==
                   descriptor.all<void *>(1001).size()
               ? ""
               : "other tensors than data";
  }
  return "a descriptor that is not to be finished";
}

int fail(Call &call, int status, const std::string &why) {
  call.fail(status, why);
  return status;
}
} // namespace

/// A fault gives another version.
SHARDIR_EXPORT size_t cudnnGetVersion() {
  Call call("cudnnGetVersion");
  return call.ok() ? 91301 : size_t(call.result());
}
SHARDIR_EXPORT int cudnnCreate(void **handle) {
  Call call("cudnnCreate");
  if (!call.ok())
    return kNotStarted;
  *handle = new Stream *(nullptr);
  return kOk;
}
SHARDIR_EXPORT int cudnnDestroy(Stream **handle) {
  delete handle;
  return kOk;
}
SHARDIR_EXPORT int cudnnSetStream(Stream **handle, Stream *stream) {
  *handle = stream;
  return kOk;
}
SHARDIR_EXPORT const char *cudnnGetErrorString(int status) {
  switch (status) {
  case kOk:
    return "CUDNN_STATUS_SUCCESS";
  case kNotStarted:
    return "CUDNN_STATUS_NOT_INITIALIZED";
  case kUnsupported:
    return "CUDNN_STATUS_NOT_SUPPORTED";
  case kFailed:
    return "CUDNN_STATUS_EXECUTION_FAILED";
  default:
    return "CUDNN_STATUS_BAD_PARAM";
  }
}
SHARDIR_EXPORT void cudnnGetLastErrorString(char *text, size_t bytes) {
  std::strncpy(text, lastDetail().c_str(), bytes - 1);
  text[bytes - 1] = 0;
}

SHARDIR_EXPORT int cudnnBackendCreateDescriptor(int kind, Descriptor **made) {
  *made = new Descriptor;
  (*made)->kind = kind;
  return kOk;
}
SHARDIR_EXPORT int cudnnBackendDestroyDescriptor(Descriptor *descriptor) {
  delete descriptor;
  return kOk;
}
SHARDIR_EXPORT int cudnnBackendSetAttribute(Descriptor *descriptor,
                                            int attribute, int type,
                                            int64_t count, const void *values) {
  Call call("cudnnBackendSetAttribute");
  if (!call.ok())
    return kBadParameter;
  auto rule = rules().find(attribute);
  if (rule == rules().end() || rule->second.kind != descriptor->kind)
    return fail(call, kUnsupported, "no such attribute");
  if (descriptor->finished || type != rule->second.type || count < 1 ||
      count > rule->second.most)
    return fail(call, kBadParameter, "an attribute of another form");
  const char *bytes = static_cast<const char *>(values);
  descriptor->attributes[attribute].assign(
      bytes, bytes + size_t(count) * rule->second.bytes);
  return kOk;
}
SHARDIR_EXPORT int cudnnBackendFinalize(Descriptor *descriptor) {
  Call call("cudnnBackendFinalize");
  if (!call.ok())
    return kUnsupported;
  if (std::string fault = faultOf(*descriptor); !fault.empty())
    return fail(call, kBadParameter, fault);
  descriptor->finished = true;
  return kOk;
}

SHARDIR_EXPORT int cudnnBackendGetAttribute(Descriptor *descriptor,
                                            int attribute, int type,
                                            int64_t most, int64_t *count,
                                            void *values) {
  Call call("cudnnBackendGetAttribute");
  *count = 0;
  if (!call.ok())
    return kUnsupported;
  if (!descriptor->finished || most < 1)
    return fail(call, kBadParameter, "a descriptor that is not finished");
  if (attribute == 402 && type == 3 && descriptor->kind == kPlan) {
    *count = 1;
    *static_cast<int64_t *>(values) = kWorkspace;
    return kOk;
  }
  if (attribute != 202 || type != 15 || descriptor->kind != kHeuristic)
    return fail(call, kUnsupported, "no such attribute");
  const Descriptor &graph = descriptor->part(201);
  Attention attention(graph.part(801));
  if (attention.tensors[0].dims[3] > kLongestRow ||
      attention.tensors[2].dims[3] > kLongestRow)
    return kOk;
  Descriptor *engine = *static_cast<Descriptor **>(values);
  if (engine->kind != kEngine)
    return fail(call, kBadParameter, "a place for no engine");
  // An engine is its graph.
  engine->attributes = graph.attributes;
  engine->finished = true;
  *count = 1;
  return kOk;
}

SHARDIR_EXPORT int cudnnBackendExecute(Stream **handle, const Descriptor *plan,
                                       const Descriptor *pack) {
  Call call("cudnnBackendExecute");
  if (plan->kind != kPlan || !plan->finished || pack->kind != kPack ||
      !pack->finished)
    return fail(call, kBadParameter, "a plan or data that are not finished");
  auto place = [](const void *p) { return Pointer(uintptr_t(p)); };
  const Descriptor &operation = plan->part(401).part(801);
  Attention attention(operation);
  std::vector<int64_t> ids = pack->all<int64_t>(1000);
  std::vector<void *> data = pack->all<void *>(1001);
  auto dataOf = [&](int64_t id) -> void * {
    auto found = std::find(ids.begin(), ids.end(), id);
    return found == ids.end() ? nullptr : data[size_t(found - ids.begin())];
  };
  const char *names[] = {"query", "key", "value", "result"};
  for (size_t i = 0; i < 4; ++i) {
    const Tensor &tensor = attention.tensors[i];
    std::string shape;
    for (int64_t dim : tensor.dims)
      shape += (shape.empty() ? "" : "x") + std::to_string(dim);
    call.with(names[i], shape);
    attention.data[i] = dataOf(tensor.id);
    if (place(attention.data[i]) % uint64_t(tensor.alignment) != 0)
      call.fail(kInvalidValue, "data that are not aligned as was said");
    (void)call.inMemory(place(attention.data[i]), tensor.extent(), names[i]);
  }
  if (operation.has(2805)) {
    const void *scale = dataOf(Tensor(operation.part(2805)).id);
    attention.scale = scale ? *static_cast<const float *>(scale) : NAN;
  }
  call.with("stream", text(*handle));
  if (!call.inMemory(place(pack->get<void *>(1003)), kWorkspace,
                     "the workspace") ||
      !call.isNotCaptured(*handle))
    return kFailed;
  Queue::get().add(*handle, [attention] { attention.run(); });
  return kOk;
}
