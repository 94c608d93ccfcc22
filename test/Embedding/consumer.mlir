// The installed example: a project of its own finds the installed tree, registers ShardIR next
// to all of MLIR's dialects, and runs a pipeline, and a pass of its own with
// ShardIR's patterns, on a program that holds an op of its own.
//
// REQUIRES: compiler
// UNSUPPORTED: asan
// RUN: rm -rf %t && %cmake --install %shardir_build --prefix %t/install > %t.log
// RUN: %cmake -S %t/install/share/ShardIR/examples/embedding/compiler -B %t/build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_PREFIX_PATH=%t/install -DCMAKE_C_COMPILER=%clang -DCMAKE_CXX_COMPILER=%clangxx >> %t.log
// RUN: %cmake --build %t/build >> %t.log
// RUN: %t/build/consumer %t/install/share/ShardIR/examples/embedding/compiler/program.mlir 2>&1 | FileCheck %s
// RUN: %t/build/consumer-c | FileCheck %s --check-prefix=GROUPS
// GROUPS:      {{^}}0 1
// GROUPS-NEXT: {{^}}2 3

// The example of a plugin, built outside of this tree as well, in the installed tools.
// RUN: %cmake -S %t/install/share/ShardIR/examples/embedding/plugin -B %t/plugin -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS_RELEASE=-O0 -DCMAKE_PREFIX_PATH=%t/install -DCMAKE_C_COMPILER=%clang -DCMAKE_CXX_COMPILER=%clangxx >> %t.log
// RUN: %cmake --build %t/plugin >> %t.log
// RUN: %t/install/bin/shard-run %t/install/share/ShardIR/examples/embedding/plugin/program.mlir --load-dialect-plugin=%t/plugin/libdemo.so --load-pass-plugin=%t/plugin/libdemo.so --options="after-local=demo-to-linalg after-bufferized=demo-lower" --verify
// RUN: rm -rf %t

// CHECK: row_scale has 2 factors
// Two sums that must be replicated are one.
// CHECK: redistributions left: 1
// CHECK: // collective
// CHECK: shardir.mesh @m <["tp"=2]>

// The scale's rows follow from the consumer's own rule, and so does the partial
// sum over rows.
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[S:[^:]*]]: tensor<8xf32> {{{.*}}shardir.placement = #shardir.placement<@m, [{"tp"}]>}
// CHECK:       %[[Y:.+]] = "consumer.row_scale"(%{{.+}}, %[[S]]) {{.*}}shardir.placements = [#shardir.placement<@m, [{"tp"}, {}]>]
// CHECK:       collective.all_reduce
// CHECK-NOT:   collective.all_reduce
// CHECK-NOT:   collective.all_gather
// CHECK: // local
// CHECK:       "consumer.row_scale"(%{{.+}}) : (tensor<4x16xf32>, tensor<4xf32>) -> tensor<4x16xf32>
