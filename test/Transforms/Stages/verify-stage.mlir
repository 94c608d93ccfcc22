// Modules that hold what their stage promises pass unchanged.
//
// RUN: shard-opt %s -split-input-file -shardir-verify-stage="stage=collective" | FileCheck %s
// RUN: shard-opt %s -split-input-file -o %t.plain
// RUN: shard-opt %s -split-input-file -shardir-verify-stage | diff %t.plain -
// RUN: shard-opt %s -split-input-file -shardir-verify-stage="stage=redistributed" | diff %t.plain -
// RUN: shard-opt %s -split-input-file -shardir-verify-stage="stage=collective" | diff %t.plain -
// A local program passes the verifiers of all earlier stages.
// RUN: shard-opt %s -split-input-file -shardir-localize -shardir-verify-stage="stage=local" -o /dev/null
// RUN: shard-opt %s -split-input-file --shardir-to-scheduled -shardir-verify-stage="stage=scheduled" -shardir-verify-stage="stage=local" -o /dev/null
// RUN: shard-opt %s -split-input-file -shardir-localize -shardir-verify-stage="stage=propagated" -o /dev/null

// CHECK-LABEL: func.func @main
// CHECK:         collective.all_gather
shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %s: f32)
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, f32) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %2 = math.exp %s : f32
  return %1, %2 : tensor<8xf32>, f32
}

// -----

shardir.mesh @m <["x"=2]>
// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<8xf32>)

// -----

// A program without meshes has one device; placements have nothing to say.
// CHECK-LABEL: func.func @no_mesh
func.func @no_mesh(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
