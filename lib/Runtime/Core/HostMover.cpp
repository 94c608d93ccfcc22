//===- HostMover.cpp - Data of collectives, moved by processors -----------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what DataMover.h says. Much data is stored past the
// caches, which saves reading what is overwritten.
//
//===----------------------------------------------------------------------===//

#include "DataMover.h"

#include "Arena.h"
#include "Elements/Stream.h"

namespace shardir {
namespace runtime {

DataMover::~DataMover() = default;
MessageStore::~MessageStore() = default;

namespace {

class HostMover final : public DataMover {
public:
  bool pushes() const override { return true; }

  void copy(const CopyPlan &plan, const void *in, void *out, size_t size,
            size_t bytes) override {
    if (in != out)
      plan.copy(in, out, size, bytes >= kStreamBytes);
  }

  void copyToAll(const CopyPlan &plan, const void *in,
                 const std::vector<void *> &outs, size_t size) override {
    std::vector<void *> &places = this->outs;
    plan.forEachSpan([&](int64_t s, int64_t d, int64_t n) {
      places.clear();
      for (void *out : outs)
        places.push_back(static_cast<char *>(out) + size_t(d) * size);
      runtime::copyToAll(places.data(), places.size(),
                         static_cast<const char *>(in) + size_t(s) * size,
                         size_t(n) * size, size_t(n) * size >= kLongSpan);
    });
  }

  void copyBytes(const std::vector<void *> &outs, const void *from,
                 size_t bytes, size_t whole) override {
    runtime::copyToAll(const_cast<void *const *>(outs.data()), outs.size(),
                       from, bytes, whole >= kStreamBytes);
  }

  void reduce(const Route &route, ElementType type, const CopyPlan &plan,
              std::vector<const void *> &terms, void *out) override {
    size_t size = elementSize(type);
    ins.resize(terms.size());
    plan.forEachSpan([&](int64_t s, int64_t d, int64_t n) {
      for (size_t i = 0; i < ins.size(); ++i)
        ins[i] = static_cast<const char *>(terms[i]) + size_t(s) * size;
      void *to = static_cast<char *>(out) + size_t(d) * size;
      route.reduce(&to, 1, ins.data(), ins.size(), 0, size_t(n));
    });
  }

  void reduceRange(const Route &route, ElementType,
                   const std::vector<const void *> &terms,
                   const std::vector<void *> &outs, size_t begin,
                   size_t end) override {
    route.reduce(const_cast<void *const *>(outs.data()), outs.size(),
                 terms.data(), terms.size(), begin, end);
  }

  void fill(PartialKind kind, ElementType type, void *out,
            size_t count) override {
    fillIdentity(kind, type, out, count);
  }

private:
  std::vector<const void *> ins; ///< reused, as below
  std::vector<void *> outs;
};

class HostMessages final : public MessageStore {
public:
  bool direct() const override { return true; }

  void *keep(const void *data, size_t bytes) override {
    void *kept = arena.allocate(bytes);
    if (kept)
      copyMessage(kept, data, bytes);
    return kept;
  }

  void deliver(void *kept, void *out, size_t bytes) override {
    if (out)
      copyMessage(out, kept, bytes);
    Arena::release(kept);
  }

private:
  static void copyMessage(void *to, const void *from, size_t n) {
    runtime::copyToAll(&to, 1, from, n, n >= kStreamBytes);
  }
  Arena arena;
};

} // namespace

std::unique_ptr<DataMover> makeHostMover() {
  return std::make_unique<HostMover>();
}

std::unique_ptr<MessageStore> makeHostMessages() {
  return std::make_unique<HostMessages>();
}

} // namespace runtime
} // namespace shardir
