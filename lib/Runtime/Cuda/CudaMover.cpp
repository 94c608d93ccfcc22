//===- CudaMover.cpp - Data of collectives, moved by a GPU ----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collectives of ranks that share a GPU. Everything is queued on the streams of
// the ranks, and the host waits for nothing on the GPU: members wait for each
// other's streams by events, recorded before a rendezvous and awaited after it.
// Requires and guarantees what DataMover.h says; bits are those of HostMover,
// as the kernels combine terms in the same order by the same operations.
//
//===----------------------------------------------------------------------===//

#include "Core/DataMover.h"
#include "Core/Group.h"
#include "Core/Job.h"
#include "CudaRank.h"

#include <deque>

namespace shardir {
namespace runtime {
namespace {

class CudaMover final : public DataMover {
public:
  CudaMover(Job &job, RankContext &rank) : job(job), rank(rank) {}

  void posting() override { gpu().record(gpu().marks().posted); }
  void posted(const Group &group, size_t place) override {
    forOthers(group, place, [&](CudaRank &other) {
      gpu().await(gpu().marksOf(other).posted);
    });
  }
  void moved() override { gpu().record(gpu().marks().done); }
  void finished(const Group &group, size_t place) override {
    // A member that has gone on may have recorded its event again: then this
    // stream waits for more than it needs, but for nothing that is not queued.
    forOthers(group, place,
              [&](CudaRank &other) { gpu().await(gpu().marksOf(other).done); });
  }

  bool pushes() const override { return false; }

  void copy(const CopyPlan &plan, const void *in, void *out, size_t size,
            size_t) override {
    if (in != out)
      gpu().copyDims(plan.dimensions(), size, in, out);
  }
  void copyToAll(const CopyPlan &plan, const void *in,
                 const std::vector<void *> &outs, size_t size) override {
    for (void *out : outs)
      copy(plan, in, out, size, 0);
  }
  void copyBytes(const std::vector<void *> &outs, const void *from,
                 size_t bytes, size_t) override {
    for (void *out : outs)
      gpu().copy(out, from, bytes);
  }
  void reduce(const Route &route, ElementType type, const CopyPlan &plan,
              std::vector<const void *> &terms, void *out) override {
    gpu().reduce(route.kind, type, plan.dimensions(), terms, {out});
  }
  void reduceRange(const Route &route, ElementType type,
                   const std::vector<const void *> &terms,
                   const std::vector<void *> &outs, size_t begin,
                   size_t end) override {
    auto at = int64_t(begin);
    gpu().reduce(route.kind, type, {{{{at, at, int64_t(end - begin)}}, 1, 1}},
                 terms, outs);
  }
  void fill(PartialKind kind, ElementType type, void *out,
            size_t count) override {
    gpu().fill(kind, type, out, count);
  }

private:
  CudaRank &gpu() { return *rank.gpu; }

  template <class F> void forOthers(const Group &group, size_t place, F &&f) {
    for (size_t i = 0; i < group.size(); ++i)
      if (i != place)
        f(*job.rank(size_t(group.ranks[i])).gpu);
  }

  Job &job;
  RankContext &rank;
};

/// Messages in memory of the GPU that no rank owns: the sender's stream fills a
/// block, the receiver's reads it, and the next one to use it waits for that.
class CudaMessages final : public MessageStore {
public:
  ~CudaMessages() override {
    if (!device)
      return;
    CudaScope scope(*device);
    for (std::unique_ptr<Block> &block : blocks)
      (void)device->api.MemFree(block->memory);
    blocks.clear();
  }

  bool direct() const override { return false; }

  void *keep(const void *data, size_t bytes) override {
    CudaRank &gpu = *threadState.rank->gpu;
    std::lock_guard<std::mutex> lock(mutex);
    device = &gpu.device;
    Block *block = nullptr;
    for (std::unique_ptr<Block> &b : blocks)
      if (b->free && b->size >= bytes && (!block || b->size < block->size))
        block = b.get();
    if (block) {
      gpu.await(block->event);
    } else {
      auto fresh = std::make_unique<Block>(gpu.device.api);
      if (fresh->event.api.MemAlloc(&fresh->memory, bytes) != cuda::Success)
        return nullptr;
      fresh->size = bytes;
      block = fresh.get();
      blocks.push_back(std::move(fresh));
    }
    block->free = false;
    gpu.copy(addressOf(*block), data, bytes);
    gpu.record(block->event);
    return block;
  }

  void deliver(void *kept, void *out, size_t bytes) override {
    auto *block = static_cast<Block *>(kept);
    if (out) {
      CudaRank &gpu = *threadState.rank->gpu;
      gpu.await(block->event);
      gpu.copy(out, addressOf(*block), bytes);
      gpu.record(block->event);
    }
    std::lock_guard<std::mutex> lock(mutex);
    block->free = true;
  }

private:
  struct Block {
    explicit Block(const cuda::Api &api) : event(api) {}
    cuda::DevicePtr memory = 0;
    size_t size = 0;
    bool free = true;
    CudaEvent event; ///< of whoever used it last
  };
  static void *addressOf(const Block &block) {
    return reinterpret_cast<void *>(uintptr_t(block.memory));
  }

  std::mutex mutex;
  CudaDevice *device = nullptr; ///< once there was a message
  std::deque<std::unique_ptr<Block>> blocks;
};

} // namespace

std::unique_ptr<DataMover> makeCudaMover(Job &job, RankContext &rank) {
  return std::make_unique<CudaMover>(job, rank);
}

std::unique_ptr<MessageStore> makeCudaMessages() {
  return std::make_unique<CudaMessages>();
}

} // namespace runtime
} // namespace shardir
