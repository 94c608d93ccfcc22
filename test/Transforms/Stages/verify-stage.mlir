// Modules that hold what their stage promises pass unchanged.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/redistributed.mlir -o %t/plain.mlir
// RUN: shard-opt %t/redistributed.mlir -shardir-verify-stage | diff %t/plain.mlir -
// RUN: shard-opt %t/redistributed.mlir -shardir-verify-stage="stage=redistributed" | diff %t/plain.mlir -
// RUN: shard-opt %t/redistributed.mlir -shardir-verify-stage="stage=collective" | diff %t/plain.mlir -
// RUN: shard-opt %t/local.mlir -shardir-verify-stage="stage=local"
// What is local already passes for every earlier stage.
// RUN: shard-opt %t/local.mlir -shardir-verify-stage="stage=propagated"
// RUN: shard-opt %t/local.mlir -shardir-verify-stage="stage=scheduled"
// A program without meshes has one device; placements have nothing to say.
// RUN: shard-opt %t/no-mesh.mlir -shardir-verify-stage="stage=collective"

//--- redistributed.mlir
shardir.mesh @m <["x"=2]>
func.func private @declaration(tensor<8xf32>)
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %s: f32)
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, f32) {
  %0 = math.exp %x {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<8xf32>
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> : tensor<8xf32>
  %2 = math.exp %s : f32
  return %1, %2 : tensor<8xf32>, f32
}

//--- local.mlir
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
    %0 = math.exp %x : tensor<4xf32>
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> of tensor<8xf32> : tensor<4xf32> -> tensor<8xf32>
    return %1 : tensor<8xf32>
  }
}

//--- no-mesh.mlir
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
