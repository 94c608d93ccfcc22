//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How PTX is read, how lanes part and meet, what threads exchange, and what the
// machine refuses: accesses out of place, values that were never written, waits
// that never end. Messages name the thread and the line.
//
//===----------------------------------------------------------------------===//

#include "PtxTest.h"

#include "gmock/gmock.h"

using namespace ptxtest;
using testing::HasSubstr;

namespace {
//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

TEST(PtxReading, WhatIsNotKnownIsAnError) {
  Trial run;
  EXPECT_THAT(run("sad.s32 %r0, %r1, %r2, %r3;"),
              HasSubstr("(sad.s32 %r0, %r1, %r2, %r3;): an instruction that "
                        "is not emulated"));
  EXPECT_THAT(run("add.sat.s32 %r0, %r1, %r2;"),
              HasSubstr("modifier .sat is not emulated here"));
  EXPECT_THAT(run("mov.b32 %r0, %d1;"),
              HasSubstr("register %d1 has 8 bytes, not 4"));
  EXPECT_THAT(run("mov.b32 %r0, %clock;"),
              HasSubstr("register '%clock' is neither declared nor emulated"));
  EXPECT_THAT(run("bra nowhere;"), HasSubstr("no label nowhere"));
  EXPECT_THAT(run("mov.b32 %r0, 12ab;"), HasSubstr("a number that is none"));
  EXPECT_THAT(run("fma.f32 %r0, %r1, %r2, %r3;"),
              HasSubstr("neither a rounding mode nor .approx"));
  EXPECT_THAT(run("cvt.f16.f32 %h0, %r1;"),
              HasSubstr("a conversion whose rounding mode is missing"));
  EXPECT_THAT(run("{ add.s32 %r0, %r0, 1;"),
              HasSubstr("a kernel that does not end"));
}

TEST(PtxReading, NamesBelongToTheirBraces) {
  Trial run;
  EXPECT_EQ(run("mov.b32 %r1, 0;\n"
                "{ .reg .b32 t; mov.b32 t, 5; bra DONE; mov.b32 t, 7;\n"
                "DONE: add.s32 %r1, %r1, t; }\n"
                "{ .reg .b32 t; mov.b32 t, 11; bra DONE; mov.b32 t, 13;\n"
                "DONE: add.s32 %r1, %r1, t; }\n"
                "/* no\n comment */ st.global.b32 [%d30], %r1; // ends"),
            "");
  EXPECT_EQ(run.out[3], 16u);
}

TEST(PtxReading, VariablesOfModules) {
  std::string error;
  auto module =
      ptx::load(".version 8.1\n.target sm_80\n.address_size 64\n"
                ".global .align 4 .b8 table[8] = {1, 2, 3, 4, 5};\n"
                ".visible .entry kernel(.param .u64 out) {\n.reg .b64 %d<4>;\n"
                ".reg .b32 %r<4>;\n.local .align 8 .b8 depot[16];\n"
                "ld.param.b64 %d0, [out];\nld.global.b32 %r0, [table+4];\n"
                "mov.u64 %d1, depot;\ncvta.local.u64 %d2, %d1;\n"
                "st.b32 [%d2+12], %r0;\nld.local.b32 %r1, [%d1+12];\n"
                "st.global.b32 [%d0], %r1;\nret;\n}\n",
                error);
  ASSERT_TRUE(module) << error;
  auto kernels = ptx::kernelsOf(module);
  uint32_t out = 0;
  auto pointer = uint64_t(uintptr_t(&out));
  void *arguments[] = {&pointer};
  ptx::Launch launch;
  launch.memory = {{pointer, pointer + 4}};
  launch.parameters = kernels[0]->parameters(arguments);
  EXPECT_EQ(kernels[0]->run(launch), "");
  EXPECT_EQ(out, 5u);
}

TEST(PtxReading, LaunchesAreChecked) {
  Trial run(64);
  run.directives = ".maxntid 32, 1, 1\n";
  EXPECT_EQ(run(""), "blocks of 64x1x1 threads; .maxntid says 32x1x1");
  run.directives = ".reqntid 128, 1, 1\n";
  EXPECT_EQ(run(""), "blocks of 64x1x1 threads; .reqntid says 128x1x1");
  run.directives = "";
  run.blocks = 3;
  run.cluster = 2;
  EXPECT_THAT(run(""), HasSubstr("that clusters of 2x1x1 do not divide"));
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

extern "C" void shardir_emulated_counters_start(void);
extern "C" const char *shardir_emulated_counters(int asTable);

// Lanes that are 128 bytes apart meet in one bank and in a sector each.
TEST(PtxCounters, ConflictsAndSectors) {
  shardir_emulated_counters_start();
  Trial run(32);
  EXPECT_EQ(run(".shared .align 4 .b8 counted[4096];\nmov.b32 %r1, counted;\n"
                "shl.b32 %r2, %r30, 7;\nadd.s32 %r1, %r1, %r2;\n"
                "st.shared.b32 [%r1], %r30;\nst.global.b32 [%d30], %r30;"),
            "");
  EXPECT_THAT(shardir_emulated_counters(/*asTable=*/0),
              HasSubstr("\"shared_wavefronts\": 32, \"bank_conflicts\": 31"));
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

TEST(PtxLanes, LoopsOfDifferentLengths) {
  // The sum of 0..tid, by a loop that each lane leaves at another time.
  Trial run(64);
  EXPECT_EQ(run("mov.b32 %r1, 0;\nmov.b32 %r2, 0;\n"
                "LOOP: add.s32 %r1, %r1, %r2;\nadd.s32 %r2, %r2, 1;\n"
                "setp.le.u32 %p0, %r2, %r30;\n@%p0 bra LOOP;\n"
                "and.b32 %r3, %r30, 1;\nsetp.eq.s32 %p1, %r3, 0;\n"
                "@%p1 bra EVEN;\nadd.s32 %r1, %r1, 1000;\nbra END;\n"
                "EVEN: add.s32 %r1, %r1, 2000;\nEND:\n"
                "shfl.sync.bfly.b32 %r4, %r1, 1, 31, 0xffffffff;\n"
                "st.global.v2.b32 [%d30], {%r1, %r4};"),
            "");
  for (uint64_t t = 0; t < 64; ++t) {
    auto value = [](uint64_t i) {
      return i * (i + 1) / 2 + (i % 2 ? 1000 : 2000);
    };
    EXPECT_EQ(run.out[t], value(t) | value(t ^ 1) << 32) << t;
  }
}

TEST(PtxLanes, BranchesByIndex) {
  Trial run;
  const std::string body = "LIST: .branchtargets A, B, A;\n"
                           "and.b32 %r1, %r30, 3;\nbrx.idx %r1, LIST;\n"
                           "A: mov.b32 %r2, 10;\nbra END;\n"
                           "B: mov.b32 %r2, 20;\n"
                           "END: add.s32 %r2, %r2, %r30;\n"
                           "st.global.b32 [%d30], %r2;";
  EXPECT_THAT(run(body), HasSubstr("thread 3 branches to label 3 of 3"));
  EXPECT_EQ(run("and.b32 %r30, %r30, 5;\n" + body), "");
  EXPECT_EQ(run.out[5], 25u);
  EXPECT_EQ(run.out[4], 14u);
  EXPECT_THAT(run("brx.idx %r30, NONE;"), HasSubstr("no list of labels NONE"));
}

TEST(PtxLanes, Shuffles) {
  // mode, b, c, and who lane 9 and lane 30 hear, in range or not.
  struct Case {
    const char *mode;
    int b, c, from9, in9, from30, in30;
  };
  for (const Case &c :
       {Case{"up", 2, 0, 7, 1, 28, 1}, Case{"up", 10, 0, 9, 0, 20, 1},
        Case{"down", 3, 31, 12, 1, 30, 0}, Case{"bfly", 16, 31, 25, 1, 14, 1},
        Case{"idx", 5, 31, 5, 1, 5, 1},
        // Segments of eight lanes.
        Case{"idx", 3, 0x181f, 11, 1, 27, 1},
        Case{"up", 2, 0x1800, 9, 0, 28, 1},
        Case{"down", 1, 0x181f, 10, 1, 31, 1},
        // Lanes above the clamp.
        Case{"bfly", 16, 15, 9, 0, 14, 1}}) {
    Trial run;
    EXPECT_EQ(run("shfl.sync." + std::string(c.mode) + ".b32 %r1|%p0, %r30, " +
                  std::to_string(c.b) + ", " + std::to_string(c.c) +
                  ", 0xffffffff;\nselp.b32 %r2, 1, 0, %p0;\n"
                  "st.global.v2.b32 [%d30], {%r1, %r2};"),
              "");
    EXPECT_EQ(run.out[9], uint64_t(c.from9) | uint64_t(c.in9) << 32) << c.mode;
    EXPECT_EQ(run.out[30], uint64_t(c.from30) | uint64_t(c.in30) << 32)
        << c.mode << c.b;
  }
}

TEST(PtxLanes, Votes) {
  Trial run;
  EXPECT_EQ(run("setp.lt.u32 %p0, %r30, 5;\n"
                "vote.sync.ballot.b32 %r1, %p0, 0xffffffff;\n"
                "vote.sync.any.pred %p1, !%p0, 0xffffffff;\n"
                "vote.sync.all.pred %p2, %p0, 0xffffffff;\n"
                "selp.b32 %r2, 1, 0, %p1;\nselp.b32 %r3, 2, %r2, %p2;\n"
                "st.global.v2.b32 [%d30], {%r1, %r3};"),
            "");
  EXPECT_EQ(run.out[20], 31u | uint64_t(1) << 32);
}

TEST(PtxLanes, HalvesOfWarpsMeet) {
  // Each half exchanges by itself; the halves never meet there.
  Trial run;
  EXPECT_EQ(run("setp.lt.u32 %p0, %r30, 16;\n@%p0 bra LOW;\n"
                "shfl.sync.idx.b32 %r1, %r30, 31, 31, 0xffff0000;\nbra END;\n"
                "LOW: shfl.sync.idx.b32 %r1, %r30, 3, 31, 0xffff;\n"
                "END: st.global.b32 [%d30], %r1;"),
            "");
  EXPECT_EQ(run.out[2], 3u);
  EXPECT_EQ(run.out[17], 31u);
}

TEST(PtxLanes, WhoDoesNotCome) {
  Trial run;
  EXPECT_THAT(run("setp.lt.u32 %p0, %r30, 16;\n@%p0 bra LOW;\n"
                  "shfl.sync.idx.b32 %r1, %r30, 31, 31, 0xffffffff;\nbra END;\n"
                  "LOW: shfl.sync.idx.b32 %r1, %r30, 3, 31, 0xffffffff;\nEND:"),
              HasSubstr("block (0, 0, 0) waits for ever: warp 0 at PTX line"));
  EXPECT_THAT(run("setp.lt.u32 %p0, %r30, 16;\n@%p0 exit;\n"
                  "shfl.sync.idx.b32 %r1, %r30, 31, 31, 0xffffffff;"),
              HasSubstr("thread 16 waits for lane 0, which has ended"));
  EXPECT_THAT(run("shfl.sync.idx.b32 %r1, %r30, 0, 31, 0x1;"),
              HasSubstr("thread 1 is not in the mask of lanes that it names"));
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

const char *const kTurn = "mov.b32 %r1, dynamic;\nshl.b32 %r2, %r30, 2;\n"
                          "add.s32 %r3, %r1, %r2;\n"
                          "st.shared.b32 [%r3], %r30;\n";

TEST(PtxBarriers, OfABlock) {
  for (int64_t blocks : {1, 2}) {
    Trial run(128);
    run.blocks = blocks;
    EXPECT_EQ(run(std::string(kTurn) +
                  "bar.sync 0;\nxor.b32 %r4, %r30, 96;\nshl.b32 %r4, %r4, 2;\n"
                  "add.s32 %r4, %r1, %r4;\nld.shared.b32 %r5, [%r4];\n"
                  "st.global.b32 [%d30], %r5;"),
              "");
    for (uint64_t t = 0; t < 128; ++t)
      EXPECT_EQ(run.out[t], t ^ 96);
  }
}

TEST(PtxBarriers, OrderAccesses) {
  const std::string read = "xor.b32 %r4, %r30, 96;\nshl.b32 %r4, %r4, 2;\n"
                           "add.s32 %r4, %r1, %r4;\n"
                           "ld.shared.b32 %r5, [%r4];\n";
  Trial run(128);
  // Whichever warp comes first.
  EXPECT_THAT(run(kTurn + read), HasSubstr("nothing orders the two"));
  // A thread overwrites too soon what another has read.
  EXPECT_THAT(
      run(kTurn + ("bar.sync 0;\n" + read) + "st.shared.b32 [%r3], %r5;"),
      HasSubstr("nothing orders the two"));
  EXPECT_EQ(run(kTurn + ("bar.sync 0;\n" + read) +
                "bar.sync 0;\nst.shared.b32 [%r3], %r5;"),
            "");
  // A barrier of two warps says nothing about the others.
  EXPECT_THAT(run(std::string(kTurn) +
                  "shr.u32 %r6, %r30, 6;\nadd.s32 %r6, %r6, 1;\n"
                  "bar.sync %r6, 64;\n" +
                  read),
              HasSubstr("nothing orders the two"));
  EXPECT_EQ(run(std::string(kTurn) +
                "shr.u32 %r6, %r30, 6;\nadd.s32 %r6, %r6, 1;\n"
                "bar.sync %r6, 64;\nxor.b32 %r4, %r30, 32;\n"
                "shl.b32 %r4, %r4, 2;\nadd.s32 %r4, %r1, %r4;\n"
                "ld.shared.b32 %r5, [%r4];"),
            "");
  // Neighbours of two bytes do not meet.
  EXPECT_EQ(run("mov.b32 %r1, dynamic;\nand.b32 %r2, %r30, 31;\n"
                "shr.u32 %r3, %r30, 5;\nmad.lo.s32 %r4, %r2, 8, %r1;\n"
                "mad.lo.s32 %r4, %r3, 2, %r4;\nmov.b16 %h1, 7;\n"
                "st.shared.b16 [%r4], %h1;\nld.shared.b16 %h2, [%r4];"),
            "");
}

TEST(PtxBarriers, OrderLanes) {
  const std::string read = "xor.b32 %r4, %r30, 1;\nshl.b32 %r4, %r4, 2;\n"
                           "add.s32 %r4, %r1, %r4;\n"
                           "ld.shared.b32 %r5, [%r4];\n";
  Trial run(32);
  EXPECT_THAT(run(kTurn + read),
              HasSubstr("thread 0 reads byte 1028 of shared memory, which warp "
                        "0 writes: nothing orders the two"));
  EXPECT_EQ(run(kTurn + ("bar.warp.sync 0xffffffff;\n" + read)), "");
  EXPECT_EQ(run(kTurn + ("bar.sync 0;\n" + read)), "");
  EXPECT_EQ(run(std::string(kTurn) + "ld.shared.b32 %r5, [%r3];"), "");
}

TEST(PtxBarriers, OfSomeWarps) {
  // Warps 0 and 1 wait for each other; warp 2 only arrives at a barrier that
  // warp 3 waits at.
  Trial run(128);
  EXPECT_EQ(run("setp.lt.u32 %p0, %r30, 64;\n@%p0 bra PAIR;\n"
                "setp.lt.u32 %p1, %r30, 96;\n@%p1 bra GIVE;\n"
                "bar.sync 2, 64;\nbra END;\nGIVE: bar.arrive 2, 64;\nbra END;\n"
                "PAIR: bar.sync 1, 64;\nEND: st.global.b32 [%d30], 1;"),
            "");
  EXPECT_EQ(run.out[127], 1u);
}

TEST(PtxBarriers, ThatNeverOpen) {
  Trial run(64);
  EXPECT_THAT(run("setp.lt.u32 %p0, %r30, 32;\n@%p0 bar.sync 1, 64;"),
              HasSubstr("waits for ever: warp 0 at PTX line"));
  EXPECT_THAT(run("setp.lt.u32 %p0, %r30, 32;\n@%p0 bra A;\nbar.sync 1, 64;\n"
                  "bra END;\nA: bar.sync 1, 96;\nEND:"),
              HasSubstr("for 64 threads, where others wait for 96"));
  EXPECT_THAT(run("bar.sync 1, 40;"), HasSubstr("no multiple of 32"));
  EXPECT_THAT(run("bar.sync 16;"), HasSubstr("names barrier 16; there are 16"));
  EXPECT_THAT(run("bar.arrive 3, 96;"),
              HasSubstr("ends with 64 threads that have arrived at a barrier "
                        "which waits for 96"));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST(PtxMemory, Vectors) {
  Trial run(2);
  run.a = {0x2222222211111111, 0x4444444433333333};
  run.threads = 1;
  EXPECT_EQ(run("ld.global.v4.b32 {%r1, %r2, %r3, %r4}, [%d29];\n"
                "st.shared.v4.b32 [dynamic+16], {%r4, %r3, %r2, %r1};\n"
                "ld.shared.v2.b64 {%d1, %d2}, [dynamic+16];\n"
                "st.global.v2.b64 [%d30], {%d1, %d2};"),
            "");
  EXPECT_EQ(run.out[0], 0x3333333344444444u);
  EXPECT_EQ(run.out[1], 0x1111111122222222u);
}

TEST(PtxMemory, SignsAndWidths) {
  Trial run(1);
  run.a[0] = 0x80fe;
  EXPECT_EQ(run("ld.global.s8 %r1, [%d29];\nld.global.b8 %h1, [%d29+1];\n"
                "ld.global.s16 %r2, [%d29];\ncvt.u32.u16 %r3, %h1;\n"
                "add.s32 %r1, %r1, %r3;\n"
                "st.global.v2.b32 [%d30], {%r1, %r2};"),
            "");
  EXPECT_EQ(uint32_t(run.out[0]), 126u);
  EXPECT_EQ(int32_t(run.out[0] >> 32), int16_t(0x80fe));
}

TEST(PtxMemory, OutOfPlace) {
  Trial run;
  EXPECT_THAT(run("ld.global.b64 %d1, [%d29+8];"),
              HasSubstr("thread 31 accesses 8 bytes outside of global memory"));
  EXPECT_THAT(run("st.global.b32 [%d29+2], %r30;"),
              HasSubstr("accesses 4 bytes as one, at an address 2 bytes behind "
                        "a multiple of them"));
  EXPECT_THAT(run("ld.global.v2.b64 {%d1, %d2}, [%d29];"),
              HasSubstr("accesses 16 bytes as one, at an address 8 bytes"));
  EXPECT_THAT(run("st.shared.b32 [dynamic+4096], %r30;"),
              HasSubstr("of shared memory, which has 4096 bytes"));
  EXPECT_THAT(run("mov.b32 %r1, 0;\nst.shared.b32 [%r1], %r30;"),
              HasSubstr("accesses 4 bytes at 0x0 of shared memory"));
  EXPECT_THAT(run("mov.b64 %d1, dynamic;\ncvta.shared.u64 %d1, %d1;\n"
                  "cvta.to.global.u64 %d1, %d1;"),
              HasSubstr("makes an address of a space of one that lies in "
                        "another"));
  EXPECT_THAT(run("mov.b64 %d1, dynamic;\ncvta.shared.u64 %d1, %d1;\n"
                  "ld.global.b32 %r1, [%d1];"),
              HasSubstr("outside of global memory"));
  EXPECT_THAT(run("st.param.b32 [out], %r30;"),
              HasSubstr("a store to what is only read"));
}

TEST(PtxMemory, ValuesThatNobodyWrote) {
  Trial run;
  EXPECT_THAT(run("add.s64 %d1, %d2, 8;\nld.global.b32 %r1, [%d1];"),
              HasSubstr("uses a value that was never written as an address"));
  EXPECT_THAT(run("setp.eq.s32 %p0, %r1, 0;\n@%p0 bra END;\nEND:"),
              HasSubstr("uses a value that was never written as a guard"));
  // It does no harm where it is not chosen, or only some lanes write it.
  EXPECT_EQ(run("setp.ge.u32 %p0, %r30, 0;\nselp.b64 %d1, %d29, %d9, %p0;\n"
                "ld.global.b32 %r1, [%d1];"),
            "");
  EXPECT_THAT(run("setp.lt.u32 %p0, %r30, 7;\n@%p0 mov.b64 %d1, %d29;\n"
                  "ld.global.b32 %r1, [%d1];"),
              HasSubstr("thread 7 uses a value that was never written"));
}

//===----------------------------------------------------------------------===//
// cp.async
//===----------------------------------------------------------------------===//

const char *const kCopy = "mov.b64 %d1, dynamic;\n"
                          "mad.wide.u32 %d1, %r30, 8, %d1;\n"
                          "cp.async.ca.shared.global [%d1], [%d29], 8, 4;\n"
                          "cp.async.commit_group;\n";
const char *const kRead = "ld.shared.b64 %d2, [%d1];\n"
                          "st.global.b64 [%d30], %d2;";

TEST(PtxCopies, AreWaitedFor) {
  for (int64_t blocks : {1, 2}) {
    Trial run;
    run.blocks = blocks; // late in the first, early in the second
    for (uint64_t t = 0; t < 32; ++t)
      run.a[t] = ~t;
    EXPECT_EQ(run(std::string(kCopy) + "cp.async.wait_group 0;\n" + kRead), "");
    for (uint64_t t = 0; t < 32; ++t)
      EXPECT_EQ(run.out[t], uint32_t(~t)); // half is zeros
    EXPECT_THAT(run(std::string(kCopy) + kRead),
                HasSubstr("accesses shared memory that an asynchronous copy "
                          "writes, which nobody has waited for"));
    EXPECT_THAT(run(std::string(kCopy) + "cp.async.wait_group 1;\n" + kRead),
                HasSubstr("which nobody has waited for"));
  }
}

TEST(PtxCopies, OfWhatIsNotThere) {
  Trial run(2);
  run.threads = 1;
  EXPECT_THAT(run("cp.async.cg.shared.global [dynamic], [%d29+4], 16;"),
              HasSubstr("copies from an address that is no multiple of 16"));
  EXPECT_THAT(run("cp.async.cg.shared.global [dynamic], [%d29], 8;"),
              HasSubstr("a copy of 8 bytes"));
  EXPECT_THAT(run("cp.async.ca.shared.global [dynamic], [%d29+256], 8;"),
              HasSubstr("outside of global memory"));
  EXPECT_THAT(run("mov.b32 %r1, 9;\n"
                  "cp.async.ca.shared.global [dynamic], [%d29], 8, %r1;"),
              HasSubstr("copies 9 bytes into 8"));
  // Nothing of it is read.
  EXPECT_EQ(run("cp.async.ca.shared.global [dynamic], [%d29+256], 8, 0;\n"
                "cp.async.wait_all;"),
            "");
}

} // namespace
