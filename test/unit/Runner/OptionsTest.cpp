//===- OptionsTest.cpp - The command line: what is read and what is refused
//-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Each flag once in both spellings, then each way to get one wrong, with its
// message. Requires nothing: no file is opened.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include "ShardIR/Hash/Sha256.h"
#include "ShardIR/Runner/Options.h"

using namespace shardir;
using namespace shardir::runner;

namespace {

std::string errorOf(const std::vector<std::string> &arguments) {
  return usageError([&] { parseOptions(arguments); });
}

TEST(Options, EveryFlag) {
  for (bool joined : {true, false}) {
    std::vector<std::string> arguments = {"p.mlir"};
    auto add = [&](const std::string &flag, const std::string &value) {
      if (joined) {
        arguments.push_back(flag + "=" + value);
      } else {
        arguments.push_back(flag);
        arguments.push_back(value);
      }
    };
    add("--function", "f");
    add("--input", "@a.npy");
    add("--input", "2x3xbf16=[1 2 3][4 5 6]");
    add("--input", "local:@c.{rank}.npy");
    add("--input", "2xf32=@d.raw");
    add("--output", "-");
    add("--output", "@y.npz:n:1");
    add("--output", "local:@y.{rank}.safetensors:{rank}");
    add("--expected_output", "@e.npy");
    add("--tolerance", "1e-3");
    add("--device", "mpi");
    add("--mesh", "dp=2,m.tp=4");
    add("--options", "cost=bytes strict");
    add("--report", "r.json");
    add("--load-dialect-plugin", "d.so");
    add("--load-pass-plugin", "d.so");
    add("--trace", "t.json");
    add("--seed", "18446744073709551615");
    add("--timeout", "2.5");
    arguments.push_back("--verify");
    arguments.push_back("--benchmark=7");
    Options o = parseOptions(arguments);
    EXPECT_EQ(o.program, "p.mlir");
    EXPECT_EQ(o.function, "f");
    ASSERT_EQ(o.inputs.size(), 4u);
    EXPECT_EQ(o.inputs[0].kind, ArrayArgument::File);
    EXPECT_EQ(o.inputs[0].file.path, "a.npy");
    EXPECT_EQ(o.inputs[1].kind, ArrayArgument::Text);
    EXPECT_EQ(o.inputs[1].text.shape, (Shape{2, 3}));
    EXPECT_EQ(o.inputs[1].text.type, SHARDIR_BF16);
    EXPECT_EQ(o.inputs[2].kind, ArrayArgument::Local);
    EXPECT_EQ(o.inputs[2].fileOfRank(12).path, "c.12.npy");
    EXPECT_EQ(o.inputs[3].kind, ArrayArgument::Raw);
    EXPECT_EQ(o.inputs[3].file.path, "d.raw");
    ASSERT_EQ(o.outputs.size(), 3u);
    EXPECT_EQ(o.outputs[0].kind, ArrayArgument::Stdout);
    EXPECT_EQ(o.outputs[1].file.path, "y.npz");
    EXPECT_EQ(o.outputs[1].file.member, "n:1");
    EXPECT_EQ(o.outputs[2].fileOfRank(3).spelling(), "y.3.safetensors:3");
    EXPECT_EQ(o.expected.size(), 1u);
    EXPECT_EQ(o.tolerance, 1e-3);
    EXPECT_EQ(o.device, "mpi");
    EXPECT_EQ(o.plugins, (std::vector<std::string>{"--load-dialect-plugin=d.so",
                                                   "--load-pass-plugin=d.so"}));
    ASSERT_EQ(o.axes.size(), 2u);
    EXPECT_EQ(o.axes[0].axis, "dp");
    EXPECT_EQ(o.axes[0].size, 2);
    EXPECT_EQ(o.axes[1].mesh, "m");
    EXPECT_EQ(o.axes[1].axis, "tp");
    EXPECT_EQ(o.pipelineOptions, "cost=bytes strict");
    EXPECT_EQ(o.report, "r.json");
    EXPECT_EQ(o.trace, "t.json");
    EXPECT_EQ(o.seed, UINT64_MAX);
    EXPECT_EQ(o.timeout, 2.5);
    EXPECT_TRUE(o.verify);
    EXPECT_EQ(o.benchmark, 7);
  }
}

TEST(Options, Defaults) {
  Options o = parseOptions({"p.so", "--benchmark"});
  EXPECT_EQ(o.benchmark, 10);
  EXPECT_EQ(o.device, "threads");
  EXPECT_EQ(o.seed, 0u);
  EXPECT_FALSE(o.function || o.tolerance || o.verify || o.compileOnly);
  EXPECT_EQ(
      parseOptions({"--compile-only", "-o", "p.so", "p.mlir"}).compiledFile,
      "p.so");
  EXPECT_EQ(parseOptions({"--", "--odd.mlir"}).program, "--odd.mlir");
  EXPECT_EQ(parseOptions({"p.mlir", "--options="}).pipelineOptions, "");
  EXPECT_TRUE(parseOptions({"--help"}).help);
  EXPECT_TRUE(parseOptions({"--version"}).version);
}

TEST(Options, Errors) {
  const std::pair<std::vector<std::string>, const char *> cases[] = {
      {{}, "no program is given"},
      {{""}, "the name of the program is empty"},
      {{"a.mlir", "b.mlir"},
       "one program is expected, found 'a.mlir' and 'b.mlir'"},
      {{"p", "--frobnicate=1"}, "unknown flag '--frobnicate'"},
      {{"p", "-x"}, "unknown flag '-x'; --help lists the flags"},
      {{"p", "--option=strict"},
       "unknown flag '--option'; did you mean '--options'?"},
      {{"p", "--function"}, "flag '--function' needs a value"},
      {{"p", "--function="}, "flag '--function' needs a value"},
      {{"p", "--output", "--verify"}, "flag '--output' needs a value"},
      {{"p", "--verify=yes"}, "flag '--verify' takes no value"},
      {{"p", "--verify", "--verify"}, "flag '--verify' is given twice"},
      {{"p", "--seed=1", "--seed", "2"}, "flag '--seed' is given twice"},
      {{"p", "--timeout=abc"}, "--timeout=abc: expected a positive number"},
      {{"p", "--timeout=0"}, "expected a positive number of seconds"},
      {{"p", "--timeout=-1"}, "expected a positive number of seconds"},
      {{"p", "--timeout=nan"}, "expected a positive number of seconds"},
      {{"p", "--timeout=inf"}, "expected a positive number of seconds"},
      {{"p", "--timeout=1s"}, "expected a positive number of seconds"},
      {{"p", "--seed=-1"}, "--seed=-1: expected an integer"},
      {{"p", "--seed=1.5"}, "--seed=1.5: expected an integer"},
      {{"p", "--benchmark=0"},
       "--benchmark=0: expected a positive number of runs"},
      {{"p", "--benchmark=x"}, "--benchmark=x: expected"},
      {{"p", "--benchmark="}, "flag '--benchmark' needs a value"},
      {{"p", "--tolerance=-1"}, "--tolerance=-1: expected a number"},
      {{"p", "--tolerance=nan"}, "--tolerance=nan: expected a number"},
      {{"p", "--mesh=dp"}, "--mesh=dp: cannot read 'dp'"},
      {{"p", "--mesh=dp=0"}, "cannot read 'dp=0'"},
      {{"p", "--mesh=dp=-2"}, "cannot read 'dp=-2'"},
      {{"p", "--mesh=dp=2x"}, "cannot read 'dp=2x'"},
      {{"p", "--mesh=dp=99999999999999999999"}, "cannot read 'dp=9999"},
      {{"p", "--mesh=dp=2,"}, "cannot read ''"},
      {{"p", "--mesh==2"}, "cannot read '=2'"},
      {{"p", "--mesh=.dp=2"}, "cannot read '.dp=2'"},
      {{"p", "--mesh=dp=2,dp=4"}, "axis 'dp' is given twice"},
      {{"p", "--input=x.npy"}, "--input=x.npy: cannot read the type 'x.npy'"},
      {{"p", "--input=@x.txt"}, "'x.txt' is of no known format"},
      {{"p", "--input=local:@x.npy"}, "write {rank} in its name"},
      {{"p", "--input=4x?xf32=1"}, "cannot read the type '4x?xf32'"},
      {{"p", "--output=2xf32=1"}, "expected @FILE, local:@FILE or -"},
      {{"p", "--output=@y.npz"}, "say the array's name: @y.npz:NAME"},
      {{"p", "--output=@y.npy", "--output=@y.npy"}, "is given twice"},
      {{"p", "--expected_output=local:@x.{rank}.npy"}, "are global arrays"},
      {{"p", "--compile-only"}, "--compile-only needs -o FILE"},
      {{"p", "-o", "p.so"},
       "-o names the file that --compile-only or --measure-machine writes"},
      {{"p", "--compile-only", "-o", "p.so", "--input=@x.npy"}, "runs nothing"},
  };
  for (const auto &[arguments, message] : cases)
    EXPECT_CONTAINS(errorOf(arguments), message);
}

TEST(Sha256, KnownAnswers) {
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca49599"
                        "1b7852b855");
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb41"
                           "0ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

// RFC 4231, 4.3 and 4.7.
TEST(Sha256, KnownAnswersWithAKey) {
  EXPECT_EQ(hmacSha256("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(
      hmacSha256(std::string(131, '\xaa'),
                 "Test Using Larger Than Block-Size Key - Hash Key First"),
      "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

} // namespace
