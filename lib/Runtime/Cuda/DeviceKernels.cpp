//===- DeviceKernels.cpp - Copies and reductions on a GPU -----------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's own kernels, compiled to PTX for sm_80 and later, and for the
// host, where the emulating driver runs them. Requires the structs of
// DeviceKernels.h, filled so that every unit lies in its buffers; guarantees
// that a unit is read whole before it is written, so that an output may be a
// term, and the bits that the processor's reductions give (X3).
//
//===----------------------------------------------------------------------===//

#include "DeviceKernels.h"
#include "Elements/ReduceOps.h"

using namespace shardir::runtime;

#if defined(__NVPTX__)

#define SHARDIR_KERNEL(NAME, ARGUMENTS)                                        \
  extern "C" __attribute__((device_kernel)) void NAME(ARGUMENTS arguments)
#define SHARDIR_THREAD                                                         \
  Grid {                                                                       \
    uint32_t(__nvvm_read_ptx_sreg_ctaid_x()) *                                 \
            uint32_t(__nvvm_read_ptx_sreg_ntid_x()) +                          \
        uint32_t(__nvvm_read_ptx_sreg_tid_x()),                                \
        uint32_t(__nvvm_read_ptx_sreg_nctaid_x()) *                            \
            uint32_t(__nvvm_read_ptx_sreg_ntid_x())                            \
  }
#define SHARDIR_GLOBAL __attribute__((address_space(1)))

#else

#include "ShardIR/Runtime/EmulatedGpu.h"

#define SHARDIR_KERNEL(NAME, ARGUMENTS)                                        \
  static void NAME##_body(const ARGUMENTS &arguments,                          \
                          shardir_emulated_thread *thread);                    \
  static void NAME(shardir_emulated_thread *thread, void **arguments) {        \
    NAME##_body(*static_cast<const ARGUMENTS *>(arguments[0]), thread);        \
  }                                                                            \
  static void NAME##_body(const ARGUMENTS &arguments,                          \
                          shardir_emulated_thread *thread)
#define SHARDIR_THREAD                                                         \
  Grid {                                                                       \
    uint32_t(thread->block[0] * thread->block_dim[0] + thread->thread[0]),     \
        uint32_t(thread->grid_dim[0] * thread->block_dim[0])                   \
  }
#define SHARDIR_GLOBAL

#endif

namespace {

/// Which units a thread works on: `first`, and every `step` from there.
struct Grid {
  uint32_t first, step;
};

template <class T> T load(const void *p, int64_t i) {
  return ((const SHARDIR_GLOBAL T *)p)[i];
}
template <class T> void store(void *p, int64_t i, T value) {
  ((SHARDIR_GLOBAL T *)p)[i] = value;
}

/// Calls f(source, destination) for every unit of this thread.
template <class F>
inline __attribute__((always_inline)) void forEachUnit(const Region &region,
                                                       Grid grid, F f) {
  for (uint64_t unit = grid.first; unit < region.total; unit += grid.step) {
    auto rest = uint32_t(unit);
    int64_t source = 0, destination = 0;
    for (uint32_t d = region.numDims; d-- > 0;) {
      const RegionDim &dim = region.dims[d];
      uint32_t i = d == 0 ? rest : rest % dim.length;
      rest = d == 0 ? 0 : rest / dim.length;
      uint32_t run = dim.firstRun;
      while (run < dim.lastRun && region.runs[run + 1].at <= i)
        ++run;
      const RegionRun &r = region.runs[run];
      int64_t inRun = i - r.at;
      source += r.source + inRun * dim.sourceStride;
      destination += r.destination + inRun * dim.destinationStride;
    }
    f(source, destination);
  }
}

/// The 16 bytes that one instruction loads or stores.
typedef uint64_t Wide16 __attribute__((vector_size(16)));
template <int Bytes> struct WordsOf;
template <> struct WordsOf<4> {
  using Type = uint32_t;
};
template <> struct WordsOf<8> {
  using Type = uint64_t;
};
template <> struct WordsOf<16> {
  using Type = Wide16;
};
template <int Bytes> using Words = typename WordsOf<Bytes>::Type;

template <class T>
inline __attribute__((always_inline)) void copyUnits(const CopyArguments &a,
                                                     Grid grid) {
  forEachUnit(a.region, grid, [&](int64_t source, int64_t destination) {
    store<T>(a.destination, destination, load<T>(a.source, source));
  });
}

inline __attribute__((always_inline)) const void *
termOf(const ReduceArguments &a, uint32_t t) {
  return a.table ? load<const char *>(a.table, t) + a.sourceOffset : a.terms[t];
}
inline __attribute__((always_inline)) void *outOf(const ReduceArguments &a,
                                                  uint32_t o) {
  return a.table ? load<char *>(a.table, int64_t(a.numTerms) + o) +
                       a.destinationOffset
                 : a.outs[o];
}

template <class Rep, class Op>
inline __attribute__((always_inline)) void reduceUnits(const ReduceArguments &a,
                                                       Grid grid) {
  using Storage = typename Rep::Storage;
  using Value = typename Rep::Value;
  if (!a.packed) {
    forEachUnit(a.region, grid, [&](int64_t source, int64_t destination) {
      Value sum = Rep::load(load<Storage>(termOf(a, 0), source));
      for (uint32_t t = 1; t < a.numTerms; ++t)
        sum = Op::apply(sum, Rep::load(load<Storage>(termOf(a, t), source)));
      for (uint32_t o = 0; o < a.numOuts; ++o)
        store<Storage>(outOf(a, o), destination, Rep::store(sum));
    });
    return;
  }
  constexpr int kPack = packedBytes(sizeof(Storage)) / sizeof(Storage);
  using Wide = Words<packedBytes(sizeof(Storage))>;
  union Pack {
    Wide wide;
    Storage elements[kPack];
  };
  forEachUnit(a.region, grid, [&](int64_t source, int64_t destination) {
    Pack pack;
    pack.wide = load<Wide>(termOf(a, 0), source);
    Value sums[kPack];
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      sums[i] = Rep::load(pack.elements[i]);
    for (uint32_t t = 1; t < a.numTerms; ++t) {
      pack.wide = load<Wide>(termOf(a, t), source);
#pragma unroll
      for (int i = 0; i < kPack; ++i)
        sums[i] = Op::apply(sums[i], Rep::load(pack.elements[i]));
    }
#pragma unroll
    for (int i = 0; i < kPack; ++i)
      pack.elements[i] = Rep::store(sums[i]);
    for (uint32_t o = 0; o < a.numOuts; ++o)
      store<Wide>(outOf(a, o), destination, pack.wide);
  });
}

template <class Rep>
inline __attribute__((always_inline)) void reduce(const ReduceArguments &a,
                                                  Grid grid) {
  withOperation<Rep>(shardir::PartialKind(a.kind), [&](auto operation) {
    reduceUnits<Rep, decltype(operation)>(a, grid);
  });
}

} // namespace

SHARDIR_KERNEL(shardir_copy, CopyArguments) {
  Grid grid = SHARDIR_THREAD;
  switch (arguments.unit) {
  case 1:
    return copyUnits<uint8_t>(arguments, grid);
  case 2:
    return copyUnits<uint16_t>(arguments, grid);
  case 4:
    return copyUnits<uint32_t>(arguments, grid);
  case 8:
    return copyUnits<uint64_t>(arguments, grid);
  case 16:
    return copyUnits<Wide16>(arguments, grid);
  }
}

SHARDIR_KERNEL(shardir_fill, FillArguments) {
  Grid grid = SHARDIR_THREAD;
  for (uint64_t i = grid.first; i < arguments.count; i += grid.step)
    store<uint64_t>(arguments.destination, int64_t(i), arguments.bits);
}

#define SHARDIR_REDUCE(TYPE, REP)                                              \
  SHARDIR_KERNEL(shardir_reduce_##TYPE, ReduceArguments) {                     \
    reduce<REP>(arguments, SHARDIR_THREAD);                                    \
  }
SHARDIR_REDUCE(i1, Bool)
SHARDIR_REDUCE(i8, Plain<int8_t>)
SHARDIR_REDUCE(i16, Plain<int16_t>)
SHARDIR_REDUCE(i32, Plain<int32_t>)
SHARDIR_REDUCE(i64, Plain<int64_t>)
SHARDIR_REDUCE(f16, Half)
SHARDIR_REDUCE(bf16, BFloat)
SHARDIR_REDUCE(f32, Plain<float>)
SHARDIR_REDUCE(f64, Plain<double>)
SHARDIR_REDUCE(f8E4M3FN, F8E4)
SHARDIR_REDUCE(f8E5M2, F8E5)

#if !defined(__NVPTX__)
#define SHARDIR_ENTRY(NAME) {#NAME, NAME, 0}
/// The image that the emulating driver loads in place of the PTX.
extern "C" __attribute__((visibility("default")))
const shardir_emulated_kernel shardir_emulated_runtime_kernels[] = {
    SHARDIR_ENTRY(shardir_copy),
    SHARDIR_ENTRY(shardir_fill),
    SHARDIR_ENTRY(shardir_reduce_i1),
    SHARDIR_ENTRY(shardir_reduce_i8),
    SHARDIR_ENTRY(shardir_reduce_i16),
    SHARDIR_ENTRY(shardir_reduce_i32),
    SHARDIR_ENTRY(shardir_reduce_i64),
    SHARDIR_ENTRY(shardir_reduce_f16),
    SHARDIR_ENTRY(shardir_reduce_bf16),
    SHARDIR_ENTRY(shardir_reduce_f32),
    SHARDIR_ENTRY(shardir_reduce_f64),
    SHARDIR_ENTRY(shardir_reduce_f8E4M3FN),
    SHARDIR_ENTRY(shardir_reduce_f8E5M2),
    {nullptr, nullptr, 0},
};
#endif
