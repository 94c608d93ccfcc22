// The annotated programs of the corpus parse and verify.
// REQUIRES: compiler, programs
// RUN: %python %shardir_src/utils/annotate.py nnx_mlp_train_sgd --mesh dp=2,tp=2 -o %t.mlir
// RUN: shard-opt %t.mlir | FileCheck %s
// CHECK: shardir.mesh @m
// CHECK: func.func public @main({{.*}}#shardir.placement<@m, [{"dp"}, {}]>
