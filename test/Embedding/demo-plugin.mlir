// Ops of another compiler go through all stages: one whose rule is C++ and that
// has a form on buffers, one whose rule is an attribute and that is lowered on
// tensors. Shards of 3 and 2 rows; the maximum of a row is of two devices'.
//
// REQUIRES: compiler
// DEFINE: %{plugin} = --load-dialect-plugin=%demo_plugin --load-pass-plugin=%demo_plugin
// DEFINE: %{program} = %shardir_src/examples/embedding/plugin/program.mlir
// RUN: shard-opt %{plugin} %{program} --shardir-to-propagated | FileCheck %s --check-prefix=PROPAGATED
// PROPAGATED: %arg1: tensor<5xf32> {{.*}}[{"dp"}]
// PROPAGATED: "demo.row_scale"{{.*}}[{"dp"}, {"tp"}]
// PROPAGATED: "demo.row_max"{{.*}}partial = max ["tp"]
// RUN: shard-opt %{plugin} %{program} --shardir-to-redistributed | FileCheck %s --check-prefix=REDISTRIBUTED
// REDISTRIBUTED: "demo.row_max"
// REDISTRIBUTED: shardir.redistribute
// RUN: shard-opt %{plugin} %{program} --shardir-to-collective="strict" | FileCheck %s --check-prefix=COLLECTIVE
// COLLECTIVE: "demo.row_max"
// COLLECTIVE: collective.all_reduce
// RUN: shard-opt %{plugin} %{program} --shardir-to-local | FileCheck %s --check-prefix=LOCAL
// A rule is about global tensors.
// LOCAL-NOT: shardir.rule
// LOCAL: "demo.row_scale"({{.*}}) : (tensor<?x3xf32>, tensor<?xf32>) -> tensor<?x3xf32>
// LOCAL: "demo.row_max"({{.*}}) : (tensor<?x3xf32>) -> tensor<?xf32>
// RUN: shard-opt %{plugin} %{program} --shardir-to-bufferized="after-local=demo-to-linalg" | FileCheck %s --check-prefix=BUFFERIZED
// BUFFERIZED: "demo.row_scale"(%{{.+}}, %{{.+}}, %{{.+}}) : (memref<?x3xf32>, memref<?xf32>, memref<?x3xf32>) -> ()

// From one stage to the next by passes of one's own is the same.
// RUN: shard-opt %{plugin} %{program} --pass-pipeline='builtin.module(shardir-to-local,demo-to-linalg,shardir-to-bufferized,demo-lower,shardir-to-cpu)' | FileCheck %s --check-prefix=CPU
// RUN: shard-opt %{plugin} %{program} --shardir-to-cpu="after-local=demo-to-linalg after-bufferized={demo-lower,canonicalize}" | FileCheck %s --check-prefix=CPU
// CPU-NOT: demo.
// CPU: llvm.func @shardir_entry_main

// And run, against the unsharded program.
// DEFINE: %{options} = --options="after-local=demo-to-linalg after-bufferized=demo-lower"
// RUN: shard-run %{program} %{plugin} %{options} --verify
// RUN: shard-run - %{plugin} %{options} --input=5x6xf32=2 --input=5xf32=1,2,3,4,5 --output=- < %{program} | FileCheck %s --check-prefix=SCALED
// SCALED: 5xf32=2 4 6 8 10
// RUN: shard-compile %{program} %{plugin} %{options} -o %t.so
// RUN: shard-run %t.so --input=5x6xf32=2 --input=5xf32=1 --output=- | FileCheck %s --check-prefix=ONES
// ONES: 5xf32=2 2 2 2 2

// shard-validate runs what a function says the op computes.
// RUN: shard-validate %{plugin} %S/Inputs/demo-validate.mlir

// A plugin in the current folder needs no path.
// RUN: rm -rf %t.here && mkdir %t.here && cp %demo_plugin %t.here/libdemo.so
// RUN: cd %t.here && shard-opt --load-dialect-plugin=libdemo.so --load-pass-plugin=libdemo.so %{program} --shardir-to-propagated -o /dev/null
// RUN: cd %t.here && shard-run --load-dialect-plugin=libdemo.so --load-pass-plugin=libdemo.so %{program} %{options} --verify
