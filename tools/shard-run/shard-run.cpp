//===- shard-run.cpp - Compile, run and compare programs ------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// The command line tool. All of it is in the library ShardIRRunner, so that
// its parts can be tested; docs/Running.md describes every flag.
// Requires the shared runtime and nothing of LLVM; guarantees an exit status,
// never a signal, whatever it is given.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Runner/Session.h"

int main(int argc, char **argv) {
  return shardir::runner::shardRunMain(argc, argv);
}
