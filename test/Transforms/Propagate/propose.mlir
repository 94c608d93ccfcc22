// Placements for arguments that have none: the known ones are found, and what
// was compared is said.
//
// RUN: shard-opt %s -shardir-propose -split-input-file 2> %t.log | FileCheck %s
// RUN: FileCheck %s --check-prefix=SAYS < %t.log
// RUN: shard-opt %s -shardir-propose -split-input-file -o %t.1 2> %t.again
// RUN: shard-opt %s -shardir-propose -split-input-file -o %t.2 2> /dev/null
// RUN: cmp %t.1 %t.2
// RUN: cmp %t.log %t.again

// Few rows, large weights: Megatron's columns, then rows.
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME:    tensor<8x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<512x2048xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    tensor<2048x512xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
// CHECK-SAME:    -> (tensor<8x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
// SAYS: remark: proposed for @mlp: columns of argument 1 and rows of argument 2 over "tp": {{.*}} s, 16384 bytes received, {{[0-9]+}} bytes held at the peak
// SAYS: note: compared by time: {{[0-9]+}} placements in {{[0-9]+}} attempts
// SAYS: note: rows of argument 0 over "tp": {{.*}} s, 0 bytes received
// SAYS: note: nothing split: {{.*}} s, 0 bytes received
shardir.mesh @m <["tp"=2]>
func.func @mlp(%x: tensor<8x512xf32>, %w1: tensor<512x2048xf32>, %w2: tensor<2048x512xf32>) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x2048xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<8x512xf32>, tensor<512x2048xf32>)
      outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a = linalg.tanh ins(%h : tensor<8x2048xf32>) outs(%e1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %e2 = tensor.empty() : tensor<8x512xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<8x2048xf32>, tensor<2048x512xf32>)
      outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  return %y : tensor<8x512xf32>
}

// -----

// Many rows: the batch is split, and nothing moves.
// CHECK-LABEL: func.func @batch_heavy(
// CHECK-SAME:    tensor<4096x256xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK-SAME:    tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<512x256xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
// CHECK-SAME:    -> (tensor<4096x256xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
// SAYS: remark: proposed for @batch_heavy: rows of argument 0 over "dp": {{.*}} s, 0 bytes received
// SAYS: note: columns of argument 1 and rows of argument 2 over "dp": {{.*}} s, {{[0-9]+}} bytes received
shardir.mesh @m <["dp"=4]>
func.func @batch_heavy(%x: tensor<4096x256xf32>, %w1: tensor<256x512xf32>, %w2: tensor<512x256xf32>) -> tensor<4096x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<4096x512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<4096x256xf32>, tensor<256x512xf32>)
      outs(%z1 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  %a = linalg.tanh ins(%h : tensor<4096x512xf32>) outs(%e1 : tensor<4096x512xf32>) -> tensor<4096x512xf32>
  %e2 = tensor.empty() : tensor<4096x256xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<4096x512xf32>, tensor<512x256xf32>)
      outs(%z2 : tensor<4096x256xf32>) -> tensor<4096x256xf32>
  return %y : tensor<4096x256xf32>
}

// -----

// One placement is given: it stays, as it is written, and what is found suits it.
// CHECK-LABEL: func.func @given(
// CHECK-SAME:    tensor<1024x1024xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}]>}
// CHECK-SAME:    tensor<1024x4096xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    tensor<4096x1024xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
// CHECK-SAME:    -> (tensor<1024x1024xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
shardir.mesh @m <["dp"=2, "tp"=2]>
func.func @given(%x: tensor<1024x1024xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}]>}, %w1: tensor<1024x4096xf32>, %w2: tensor<4096x1024xf32>) -> tensor<1024x1024xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1024x4096xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<1024x1024xf32>, tensor<1024x4096xf32>)
      outs(%z1 : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %a = linalg.tanh ins(%h : tensor<1024x4096xf32>) outs(%e1 : tensor<1024x4096xf32>) -> tensor<1024x4096xf32>
  %e2 = tensor.empty() : tensor<1024x1024xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<1024x4096xf32>, tensor<4096x1024xf32>)
      outs(%z2 : tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %y : tensor<1024x1024xf32>
}

// -----

// Nothing pays where sending anything takes longer than the whole program.
// CHECK-LABEL: func.func @tiny(
// CHECK-SAME:    tensor<1x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<8x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
// SAYS: remark: proposed for @tiny: nothing split
shardir.mesh @m <["tp"=4]>
func.func @tiny(%x: tensor<1x6xf32>, %w1: tensor<6x8xf32>, %w2: tensor<8x6xf32>) -> tensor<1x6xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<1x8xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<1x8xf32>) -> tensor<1x8xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<1x6xf32>, tensor<6x8xf32>)
      outs(%z1 : tensor<1x8xf32>) -> tensor<1x8xf32>
  %a = linalg.tanh ins(%h : tensor<1x8xf32>) outs(%e1 : tensor<1x8xf32>) -> tensor<1x8xf32>
  %e2 = tensor.empty() : tensor<1x6xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<1x8xf32>, tensor<8x6xf32>)
      outs(%z2 : tensor<1x6xf32>) -> tensor<1x6xf32>
  return %y : tensor<1x6xf32>
}

// -----

// A called function counts where it is called, and is not annotated itself.
// CHECK-LABEL: func.func private @double(
// CHECK-NOT:     shardir.placement
// CHECK-LABEL: func.func @calls(
// CHECK-SAME:    tensor<4096x64xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK:         call @double
shardir.mesh @m <["dp"=2]>
func.func private @double(%x: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = arith.addf %x, %x : tensor<4096x64xf32>
  return %0 : tensor<4096x64xf32>
}
func.func @calls(%x: tensor<4096x64xf32>, %s: f32) -> tensor<4096x64xf32> {
  %0 = call @double(%x) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %1 = call @double(%0) : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %1 : tensor<4096x64xf32>
}

// -----

// A constraint holds in all that is compared: with columns over "tp" inside,
// columns and rows of the weights, where it would be rows of the input without it.
// CHECK-LABEL: func.func @constrained(
// CHECK-SAME:    tensor<768x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<64x384xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    tensor<384x64xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}
// CHECK:         shardir.constrain
// CHECK-LABEL: func.func @not_constrained(
// CHECK-SAME:    tensor<768x64xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}
// CHECK-SAME:    tensor<64x384xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
// CHECK-SAME:    tensor<384x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}
shardir.mesh @m <["tp"=2]>
func.func @constrained(%x: tensor<768x64xf32>, %w1: tensor<64x384xf32>, %w2: tensor<384x64xf32>) -> tensor<768x64xf32> {
  %z1 = arith.constant dense<0.0> : tensor<768x384xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<768x64xf32>, tensor<64x384xf32>) outs(%z1 : tensor<768x384xf32>) -> tensor<768x384xf32>
  %c = shardir.constrain %h to #shardir.placement<@m, [{}, {"tp"}]> : tensor<768x384xf32>
  %a = math.tanh %c : tensor<768x384xf32>
  %z2 = arith.constant dense<0.0> : tensor<768x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<768x384xf32>, tensor<384x64xf32>) outs(%z2 : tensor<768x64xf32>) -> tensor<768x64xf32>
  return %y : tensor<768x64xf32>
}
func.func @not_constrained(%x: tensor<768x64xf32>, %w1: tensor<64x384xf32>, %w2: tensor<384x64xf32>) -> tensor<768x64xf32> {
  %z1 = arith.constant dense<0.0> : tensor<768x384xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<768x64xf32>, tensor<64x384xf32>) outs(%z1 : tensor<768x384xf32>) -> tensor<768x384xf32>
  %a = math.tanh %h : tensor<768x384xf32>
  %z2 = arith.constant dense<0.0> : tensor<768x64xf32>
  %y = linalg.matmul ins(%a, %w2 : tensor<768x384xf32>, tensor<384x64xf32>) outs(%z2 : tensor<768x64xf32>) -> tensor<768x64xf32>
  return %y : tensor<768x64xf32>
}

// -----

// A constraint names the mesh that is meant, of two, and an axis that nothing
// else has; a constraint of all dims leaves nothing to say.
// CHECK-LABEL: func.func @on_a_mesh(
// CHECK-SAME:    tensor<4096x64xf32> {shardir.placement = #shardir.placement<@n, [{"y"}, {}]>}
shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=4]>
func.func @on_a_mesh(%x: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = math.exp %x : tensor<4096x64xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@n, [{"y"}, {}]> : tensor<4096x64xf32>
  return %1 : tensor<4096x64xf32>
}
