// An error inside a plugin's pass is an error of mlir-opt, and no crash.
//
// REQUIRES: compiler
// UNSUPPORTED: asan
// RUN: not mlir-opt %s --load-dialect-plugin=%shardir_plugin --load-pass-plugin=%shardir_plugin \
// RUN:   --pass-pipeline='builtin.module(shardir-specialize-mesh{mesh="pp=2"})' 2>&1 | FileCheck %s
// CHECK: error:{{.*}}pp
shardir.mesh @m <["dp"=?]>
