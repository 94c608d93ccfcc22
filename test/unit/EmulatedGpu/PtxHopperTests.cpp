//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrix units, asynchronous copies and warp groups in PTX, against products
// that are written down here from the PTX ISA's figures of fragments
// (9.7.14.5.8, 9.7.15.5) and the canonical layouts of operands in shared
// memory. And the protocols around them: each step that is left out is found.
//
//===----------------------------------------------------------------------===//

#include "PtxTest.h"

#include "Hopper.h"

#include "gmock/gmock.h"

using namespace ptxtest;
using shardir::emulated::placeInShared;
using testing::HasSubstr;

extern "C" void shardir_emulated_counters_start(void);
extern "C" const char *shardir_emulated_counters(int asTable);

namespace {
uint16_t upperHalf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return uint16_t(bits >> 16);
}

/// Each thread has stored its four sums of 16 products, on top of `start`: two
/// neighbours in a row, and the two that lie eight rows below.
void expectProduct(const Trial &run, int threads, int start) {
  for (int t = 0; t < threads; ++t)
    for (int i = 0; i < 4; ++i) {
      int row = t / 32 * 16 + t % 32 / 4 + (i < 2 ? 0 : 8);
      int column = t % 4 * 2 + (i & 1);
      int sum = start;
      for (int k = 0; k < 16; ++k)
        sum += value(row, k) * value(column, k);
      float found;
      std::memcpy(
          &found,
          reinterpret_cast<const char *>(run.out.data()) + 16 * t + 4 * i, 4);
      EXPECT_EQ(found, float(sum)) << t << " " << i;
    }
}

//===----------------------------------------------------------------------===//
// mma.sync, ldmatrix
//===----------------------------------------------------------------------===//

TEST(PtxMatrices, ProductOfSixteenBits) {
  // A 16 x 16, B 16 x 8, as the figures of m16n8k16 hand out their elements.
  Trial run;
  std::vector<uint32_t> a(32 * 4), b(32 * 2);
  for (int lane = 0; lane < 32; ++lane) {
    int group = lane / 4, inGroup = lane % 4;
    for (int i = 0; i < 8; ++i) {
      int row = i < 2 || (i >= 4 && i < 6) ? group : group + 8;
      int column = inGroup * 2 + (i & 1) + (i < 4 ? 0 : 8);
      a[size_t(lane * 4 + i / 2)] |=
          uint32_t(upperHalf(float(value(row, column)))) << 16 * (i % 2);
    }
    for (int i = 0; i < 4; ++i) {
      int row = inGroup * 2 + (i & 1) + (i < 2 ? 0 : 8);
      b[size_t(lane * 2 + i / 2)] |=
          uint32_t(upperHalf(float(value(group, row)))) << 16 * (i % 2);
    }
  }
  run.a.resize(64);
  run.b.resize(32);
  run.out.resize(64);
  std::memcpy(run.a.data(), a.data(), 512);
  std::memcpy(run.b.data(), b.data(), 256);
  ASSERT_EQ(run("mad.wide.u32 %d29, %r30, 8, %d29;\n"
                "mad.wide.u32 %d30, %r30, 8, %d30;\n"
                "ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d29];\n"
                "ld.global.v2.b32 {%r5, %r6}, [%d28];\n"
                "mov.b32 %r10, 0f3F800000;\n"
                "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                "{%r11, %r12, %r13, %r14}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, "
                "{%r10, %r10, %r10, %r10};\n"
                "st.global.v4.b32 [%d30], {%r11, %r12, %r13, %r14};"),
            "");
  expectProduct(run, 32, 1);
}

TEST(PtxMatrices, LoadAndTranspose) {
  // Row r of the tile holds 16-bit numbers 100 r + c.
  for (bool transposed : {false, true}) {
    Trial run;
    ASSERT_EQ(run("mov.b32 %r1, dynamic;\nshl.b32 %r2, %r30, 1;\n"
                  "and.b32 %r3, %r30, 7;\nshr.u32 %r4, %r30, 3;\n"
                  // Two elements by each thread: rows 0 to 7 by 32 threads.
                  "mul.lo.s32 %r5, %r4, 100;\nadd.s32 %r5, %r5, %r3;\n"
                  "cvt.u16.u32 %h1, %r5;\nadd.s32 %r6, %r1, %r2;\n"
                  "st.shared.b16 [%r6], %h1;\nadd.s32 %r5, %r5, 400;\n"
                  "cvt.u16.u32 %h1, %r5;\nst.shared.b16 [%r6+64], %h1;\n"
                  "bar.sync 0;\nmad.lo.s32 %r7, %r3, 16, %r1;\n"
                  "ldmatrix.sync.aligned.m8n8.x1" +
                  std::string(transposed ? ".trans" : "") +
                  ".shared.b16 {%r8}, [%r7];\nst.global.b32 [%d30], %r8;"),
              "");
    for (uint64_t lane = 0; lane < 32; ++lane) {
      uint64_t row = lane / 4, column = lane % 4 * 2;
      uint64_t low = transposed ? 100 * column + row : 100 * row + column;
      uint64_t high = low + (transposed ? 100 : 1);
      EXPECT_EQ(run.out[lane], low | high << 16) << lane;
    }
  }
  Trial run;
  EXPECT_THAT(run("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, "
                  "[dynamic+8];"),
              HasSubstr("accesses 16 bytes as one"));
}

//===----------------------------------------------------------------------===//
// Where operands of wgmma lie
//===----------------------------------------------------------------------===//

/// Swizzle<bits, 4, 3> of byte addresses.
int64_t swizzle(int64_t address, int bits) {
  return address ^ ((address >> 7 & ((1 << bits) - 1)) << 4);
}

TEST(PtxWarpgroups, CanonicalLayouts) {
  // In units of T elements, 16 bytes: K-major is ((8, m), (T, 2)) with strides
  // ((W T, SBO), (1, T)), or ((T, SBO), (1, LBO)) without swizzling; MN-major
  // is ((T, W, m), (8, k)) with ((1, T, LBO), (W T, SBO)), where without
  // swizzling LBO and SBO change places. W is the swizzle's width in T.
  constexpr uint64_t lbo = 4096, sbo = 2048, start = 8192;
  for (int bits = 0; bits <= 3; ++bits) {
    uint64_t mode = bits == 0 ? 0 : uint64_t(4 - bits);
    uint64_t descriptor =
        start >> 4 | lbo >> 4 << 16 | sbo >> 4 << 32 | mode << 62;
    int64_t width = 1 << bits, t = 8; // of 16-bit elements
    for (int mn = 0; mn < 64; ++mn)
      for (int k = 0; k < 16; ++k) {
        int64_t kMajor = bits == 0 ? (mn % 8) * t * 2 + mn / 8 * int64_t(sbo) +
                                         k % t * 2 + k / t * int64_t(lbo)
                                   : (mn % 8) * width * t * 2 +
                                         mn / 8 * int64_t(sbo) + k % t * 2 +
                                         k / t * t * 2;
        if (bits != 0 && k / t >= width)
          continue; // a row of 32 bytes holds 16 elements
        EXPECT_EQ(placeInShared(descriptor, false, 16, mn, k),
                  swizzle(int64_t(start) + kMajor, bits))
            << bits << " " << mn << " " << k;
        int64_t row = width * t;
        int64_t far = int64_t(bits == 0 ? sbo : lbo),
                down = int64_t(bits == 0 ? lbo : sbo);
        int64_t mnMajor =
            mn % row * 2 + mn / row * far + k % 8 * row * 2 + k / 8 * down;
        EXPECT_EQ(placeInShared(descriptor, true, 16, mn, k),
                  swizzle(int64_t(start) + mnMajor, bits))
            << bits << " " << mn << " " << k;
      }
  }
}

/// D = A B with A 64 x 16 and B 16 x 8, bf16, both K-major with no swizzling:
/// A at dynamic, eight rows of 16 bytes after another (SBO 128, LBO 1024), B at
/// dynamic + 2048 (LBO 128). Threads write them, row by row.
std::string product(const std::string &fence, const std::string &order,
                    const std::string &wait) {
  std::string text =
      "mov.b64 %d1, dynamic;\nmov.b32 %r1, dynamic;\n"
      // thread t: row t % 64, half t / 64 of k
      "and.b32 %r2, %r30, 63;\nshr.u32 %r3, %r30, 6;\n"
      "mad.lo.s32 %r4, %r2, 16, %r1;\nmad.lo.s32 %r4, %r3, 1024, %r4;\n";
  for (int j = 0; j < 8; ++j)
    // value(i, k) = (3 i + 5 k) % 7 - 3, k = 8 half + j
    text += "mul.lo.s32 %r5, %r2, 3;\nmad.lo.s32 %r5, %r3, 40, %r5;\n"
            "add.s32 %r5, %r5, " +
            std::to_string(5 * j) +
            ";\nrem.u32 %r5, %r5, 7;\nsub.s32 %r5, %r5, 3;\n"
            "cvt.rn.f32.s32 %r6, %r5;\ncvt.rn.bf16.f32 %h1, %r6;\n"
            "st.shared.b16 [%r4+" +
            std::to_string(2 * j) +
            "], %h1;\nsetp.lt.u32 %p0, %r2, 8;\nmad.lo.s32 %r7, %r2, 16, %r1;\n"
            "mad.lo.s32 %r7, %r3, 128, %r7;\n@%p0 st.shared.b16 [%r7+" +
            std::to_string(2048 + 2 * j) + "], %h1;\n";
  text += fence + "bar.sync 0;\n";
  for (int i = 10; i < 14; ++i)
    text += "mov.b32 %r" + std::to_string(i) + ", 0f40000000;\n";
  text += order +
          "shr.u64 %d2, %d1, 4;\n"
          // LBO 1024, SBO 128; LBO 128, SBO 128
          "or.b64 %d3, %d2, 0x800400000;\nadd.s64 %d4, %d2, 128;\n"
          "or.b64 %d4, %d4, 0x800080000;\nsetp.ne.b32 %p1, 1, 0;\n"
          "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 "
          "{%r10, %r11, %r12, %r13}, %d3, %d4, %p1, 1, 1, 0, 0;\n"
          "wgmma.commit_group.sync.aligned;\n" +
          wait +
          "mad.wide.u32 %d30, %r30, 8, %d30;\n"
          "st.global.v4.b32 [%d30], {%r10, %r11, %r12, %r13};";
  return text;
}
const char *const kFence = "fence.proxy.async.shared::cta;\n";
const char *const kOrder = "wgmma.fence.sync.aligned;\n";
const char *const kWait = "wgmma.wait_group.sync.aligned 0;\n";

TEST(PtxWarpgroups, Product) {
  for (int64_t blocks : {1, 2}) {
    Trial run(128);
    run.blocks = blocks;
    run.out.resize(256);
    ASSERT_EQ(run(product(kFence, kOrder, kWait)), "");
    expectProduct(run, 128, 2);
  }
}

TEST(PtxWarpgroups, StepsLeftOut) {
  for (int64_t blocks : {1, 2}) {
    Trial run(128);
    run.blocks = blocks;
    run.out.resize(256);
    EXPECT_THAT(run(product("", kOrder, kWait)),
                HasSubstr("wrote with no fence.proxy.async behind it"));
    EXPECT_THAT(run(product(kFence, "", kWait)),
                HasSubstr("were written with no wgmma.fence behind it"));
    EXPECT_THAT(run(product(kFence, kOrder, "")),
                HasSubstr("uses a register of a wgmma that was not waited "
                          "for"));
    EXPECT_THAT(
        run(product(kFence, kOrder, "wgmma.wait_group.sync.aligned 1;\n")),
        HasSubstr("uses a register of a wgmma that was not waited "
                  "for"));
  }
}

TEST(PtxWarpgroups, RegistersAreHandedOver) {
  // 384 threads of 168 registers: 40 + 2 x 232 fit, 40 + 2 x 240 do not.
  auto text = [](int more) {
    return "setp.lt.u32 %p0, %r30, 128;\n@%p0 bra FEW;\n"
           "setmaxnreg.inc.sync.aligned.u32 " +
           std::to_string(more) +
           ";\nbra END;\nFEW: setmaxnreg.dec.sync.aligned.u32 40;\nEND:";
  };
  Trial run(384);
  EXPECT_EQ(run(text(232)), "");
  EXPECT_THAT(run(text(240)),
              HasSubstr("(setmaxnreg.inc.sync.aligned.u32 240;)"));
  EXPECT_THAT(run("setmaxnreg.dec.sync.aligned.u32 200;"),
              HasSubstr("lowers its registers to 200 where it has 168"));
}

//===----------------------------------------------------------------------===//
// mbarriers and boxes
//===----------------------------------------------------------------------===//

/// A matrix of 16-bit elements, 8 x 8 of it in a box.
struct Boxed {
  std::vector<uint16_t> data = std::vector<uint16_t>(32 * 16);
  std::vector<char> map = std::vector<char>(128);

  Boxed() {
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = uint16_t(i);
    shardir_emulated_tensor_map m = {};
    m.magic = SHARDIR_TENSOR_MAP;
    m.rank = 2;
    m.element_bytes = 2;
    m.address = reinterpret_cast<char *>(data.data());
    m.extents[0] = 32;
    m.extents[1] = 16;
    m.strides[0] = 64;
    m.box[0] = m.box[1] = 8;
    std::memcpy(map.data(), &m, sizeof(m));
  }
  Trial run(int64_t threads, int64_t blocks) {
    Trial run(threads);
    run.blocks = blocks;
    run.extra = map;
    auto begin = uint64_t(uintptr_t(data.data()));
    run.extraMemory = {{begin, begin + 2 * data.size()}};
    return run;
  }
};

/// Loads the box at (8, 4) to dynamic; each thread stores two elements of it.
std::string load(const std::string &fence, int bytes, const std::string &wait,
                 int parity = 0) {
  return "mov.b64 %d1, extra;\ncvta.param.u64 %d2, %d1;\n"
         "setp.ne.b32 %p0, %r30, 0;\n@%p0 bra READY;\n"
         "mov.b32 %r1, 1;\nmbarrier.init.shared.b64 [dynamic+1024], %r1;\n" +
         fence + "READY: bar.sync 0;\n@%p0 bra WAIT;\nmov.b32 %r2, " +
         std::to_string(bytes) +
         ";\nmbarrier.arrive.expect_tx.shared.b64 %d3, [dynamic+1024], %r2;\n"
         "mov.b32 %r3, 8;\nmov.b32 %r4, 4;\n"
         "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
         "complete_tx::bytes [dynamic], [%d2, {%r3, %r4}], [dynamic+1024];\n"
         "WAIT:\n" +
         (wait.empty()
              ? ""
              : "mov.b32 %r5, " + std::to_string(parity) + ";\n" + wait) +
         "mov.b32 %r6, dynamic;\nmad.lo.s32 %r6, %r30, 4, %r6;\n"
         "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%d30], %r7;";
}
const char *const kInitFence = "fence.mbarrier_init.release.cluster;\n";
const char *const kWaitBox =
    "AGAIN: mbarrier.try_wait.parity.shared.b64 %p1, [dynamic+1024], %r5;\n"
    "@!%p1 bra AGAIN;\n";

TEST(PtxTensors, Load) {
  for (int64_t blocks : {1, 2}) {
    Boxed boxed;
    Trial run = boxed.run(32, blocks);
    ASSERT_EQ(run(load(kInitFence, 128, kWaitBox)), "");
    for (uint64_t t = 0; t < 32; ++t) {
      uint64_t first = (4 + t / 4) * 32 + 8 + t % 4 * 2;
      EXPECT_EQ(run.out[t], first | (first + 1) << 16) << t;
    }
  }
}

TEST(PtxTensors, StepsLeftOut) {
  Boxed boxed;
  Trial run = boxed.run(32, 1);
  EXPECT_THAT(run(load("", 128, kWaitBox)),
              HasSubstr("an asynchronous copy's mbarrier reads byte"));
  EXPECT_THAT(run(load(kInitFence, 128, "")),
              HasSubstr("accesses shared memory that an asynchronous copy "
                        "writes, which nobody has waited for"));
  // Bytes that never come, or came unexpected.
  EXPECT_THAT(run(load(kInitFence, 256, kWaitBox)),
              HasSubstr("waits for ever: warp 0 at PTX line"));
  EXPECT_THAT(run(load(kInitFence, 64, kWaitBox)),
              HasSubstr("waits for ever: warp 0 at PTX line"));
  // The phase before the first counts as over.
  EXPECT_THAT(run(load(kInitFence, 128, kWaitBox, 1)),
              HasSubstr("which nobody has waited for"));
  EXPECT_THAT(run("mbarrier.arrive.shared.b64 %d1, [dynamic];"),
              HasSubstr("uses an mbarrier that was not initialised"));
  EXPECT_THAT(run("mov.b32 %r1, 1;\n"
                  "mbarrier.init.shared.b64 [dynamic], %r1;\n"
                  "mbarrier.init.shared.b64 [dynamic], %r1;"),
              HasSubstr("initialises an mbarrier that is one"));
  run.threads = 1;
  EXPECT_THAT(run("mov.b32 %r1, 1;\n"
                  "mbarrier.init.shared.b64 [dynamic], %r1;\n"
                  "ld.shared.b64 %d1, [dynamic];"),
              HasSubstr("accesses an mbarrier as memory"));
}

TEST(PtxTensors, AreOrderedByTheirMBarrier) {
  // All 64 threads wait, or the second warp relies on the first one's wait.
  Boxed boxed;
  for (int64_t blocks : {1, 2}) {
    Trial run = boxed.run(64, blocks);
    std::string whole = load(kInitFence, 128, kWaitBox);
    const std::string address = "mad.lo.s32 %r6, %r30, 4, %r6;";
    whole.replace(whole.find(address), address.size(),
                  "and.b32 %r8, %r30, 31;\nmad.lo.s32 %r6, %r8, 4, %r6;");
    EXPECT_EQ(run(whole), "");
    std::string part = whole;
    part.insert(part.find("AGAIN:"),
                "setp.ge.u32 %p2, %r30, 32;\n@%p2 bra.uni SEEN;\n");
    std::string ordered = part;
    part.insert(part.find("mov.b32 %r6"), "SEEN:\n");
    EXPECT_THAT(run(part), HasSubstr("nothing orders the two"));
    ordered.insert(ordered.find("mov.b32 %r6"), "SEEN: bar.sync 0;\n");
    EXPECT_EQ(run(ordered), "");
  }
}

TEST(PtxCounters, DistancesOfCopies) {
  // Its own copy: a commit and two additions come between copy and wait.
  Trial run;
  shardir_emulated_counters_start();
  ASSERT_EQ(run("mov.b32 %r1, dynamic;\nmad.lo.s32 %r1, %r30, 16, %r1;\n"
                "cp.async.ca.shared.global [%r1], [%d29], 8;\n"
                "cp.async.commit_group;\nadd.s32 %r2, %r30, 1;\n"
                "add.s32 %r2, %r2, 1;\ncp.async.wait_group 0;\n"
                "ld.shared.b64 %d1, [%r1];\nst.global.b64 [%d30], %d1;"),
            "");
  EXPECT_THAT(shardir_emulated_counters(0),
              HasSubstr("\"copy_waits\": 1, \"copy_distance\": 3, "
                        "\"least_copy_distance\": 3"));

  // Another warp copies once the one that waits has arrived at `empty`: three
  // additions come between that and the wait, whatever order warps run in.
  for (int64_t blocks : {1, 2}) {
    Boxed boxed;
    Trial run = boxed.run(64, blocks);
    shardir_emulated_counters_start();
    ASSERT_EQ(
        run("mov.b64 %d1, extra;\ncvta.param.u64 %d2, %d1;\n"
            "setp.ge.u32 %p0, %r30, 32;\nsetp.ne.b32 %p3, %r30, 0;\n"
            "@%p3 bra READY;\nmov.b32 %r1, 1;\n"
            "mbarrier.init.shared.b64 [dynamic+1024], %r1;\n"
            "mbarrier.init.shared.b64 [dynamic+1032], %r1;\n" +
            std::string(kInitFence) +
            "READY: bar.sync 0;\nmov.b32 %r5, 0;\n@%p0 bra COPY;\n"
            "add.s32 %r8, %r30, 1;\n@%p3 bra FREE;\n"
            "mbarrier.arrive.shared.b64 %d3, [dynamic+1032];\n"
            "FREE: add.s32 %r8, %r8, 1;\nadd.s32 %r8, %r8, 1;\n"
            "add.s32 %r8, %r8, 1;\n" +
            kWaitBox +
            "mov.b32 %r6, dynamic;\nmad.lo.s32 %r6, %r30, 4, %r6;\n"
            "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%d30], %r7;\n"
            "bra END;\nCOPY: setp.ne.b32 %p4, %r30, 32;\n@%p4 bra END;\n"
            "EMPTY: mbarrier.try_wait.parity.shared.b64 %p1, "
            "[dynamic+1032], %r5;\n@!%p1 bra EMPTY;\nmov.b32 %r2, 128;\n"
            "mbarrier.arrive.expect_tx.shared.b64 %d3, [dynamic+1024], %r2;\n"
            "mov.b32 %r3, 8;\nmov.b32 %r4, 4;\n"
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
            "complete_tx::bytes [dynamic], [%d2, {%r3, %r4}], "
            "[dynamic+1024];\nEND:"),
        "");
    EXPECT_THAT(shardir_emulated_counters(0),
                HasSubstr("\"copy_waits\": " + std::to_string(blocks) +
                          ", \"copy_distance\": " + std::to_string(3 * blocks) +
                          ", \"least_copy_distance\": 3"));
  }
}

TEST(PtxTensors, Store) {
  // Threads write 8 x 8 elements, one of them stores the box at (8, 4).
  auto text = [](const std::string &fence, const std::string &after) {
    return "mov.b64 %d1, extra;\ncvta.param.u64 %d2, %d1;\n"
           "mov.b32 %r6, dynamic;\nmad.lo.s32 %r6, %r30, 4, %r6;\n"
           "or.b32 %r7, %r30, 0x8000;\nst.shared.b32 [%r6], %r7;\n" +
           fence +
           "bar.sync 0;\nsetp.ne.b32 %p0, %r30, 0;\n@%p0 bra END;\n"
           "mov.b32 %r3, 8;\nmov.b32 %r4, 4;\n"
           "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
           "[%d2, {%r3, %r4}], [dynamic];\ncp.async.bulk.commit_group;\n" +
           after + "END:";
  };
  for (int64_t blocks : {1, 2}) {
    Boxed boxed;
    Trial run = boxed.run(32, blocks);
    ASSERT_EQ(run(text(kFence, "cp.async.bulk.wait_group.read 0;\n"
                               "st.shared.b32 [dynamic], %r3;\n")),
              "");
    EXPECT_EQ(boxed.data[4 * 32 + 8], 0x8000);
    EXPECT_EQ(boxed.data[11 * 32 + 14], 0x801f);
    EXPECT_EQ(boxed.data[11 * 32 + 16], 11 * 32 + 16);
    EXPECT_THAT(run(text(kFence, "")),
                HasSubstr("ends while a copy of a tensor reads its shared "
                          "memory"));
    EXPECT_THAT(run(text("", "")), HasSubstr("a copy of a tensor reads byte"));
    EXPECT_THAT(run(text(kFence, "st.shared.b32 [dynamic], %r3;\n")),
                HasSubstr("writes shared memory that an asynchronous copy "
                          "reads, which nobody has waited for"));
  }
}

TEST(PtxTensors, ClustersShareBoxes) {
  // Block 0 loads for both; each waits at its own mbarrier.
  Boxed boxed;
  Trial run = boxed.run(32, 2);
  run.cluster = 2;
  run.out.resize(64);
  ASSERT_EQ(
      run("mov.b64 %d1, extra;\ncvta.param.u64 %d2, %d1;\n"
          "mov.u32 %r9, %cluster_ctarank;\nmad.wide.u32 %d30, %r9, 256, %d30;\n"
          "setp.ne.b32 %p0, %r30, 0;\n@%p0 bra READY;\nmov.b32 %r1, 1;\n"
          "mbarrier.init.shared.b64 [dynamic+1024], %r1;\nmov.b32 %r2, 128;\n"
          "mbarrier.arrive.expect_tx.shared.b64 %d3, [dynamic+1024], %r2;\n"
          "fence.mbarrier_init.release.cluster;\n"
          "READY: barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
          "setp.ne.or.b32 %p2, %r9, 0, %p0;\n@%p2 bra WAIT;\n"
          "mov.b32 %r3, 8;\nmov.b32 %r4, 4;\nmov.b16 %h1, 3;\n"
          "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
          "complete_tx::bytes.multicast::cluster [dynamic], "
          "[%d2, {%r3, %r4}], [dynamic+1024], %h1;\nWAIT: mov.b32 %r5, 0;\n" +
          std::string(kWaitBox) +
          "mov.b32 %r6, dynamic;\nmad.lo.s32 %r6, %r30, 4, %r6;\n"
          "ld.shared.b32 %r7, [%r6];\nst.global.b32 [%d30], %r7;\n"
          "barrier.cluster.arrive;\nbarrier.cluster.wait;"),
      "");
  for (uint64_t t = 0; t < 64; ++t) {
    uint64_t first = (4 + t % 32 / 4) * 32 + 8 + t % 4 * 2;
    EXPECT_EQ(run.out[t], first | (first + 1) << 16) << t;
  }
}

} // namespace
