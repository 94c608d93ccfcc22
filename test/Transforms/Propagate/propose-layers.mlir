// RUN: shard-opt %s -shardir-propose -o /dev/null 2>&1 | FileCheck %s
// RUN: shard-opt %s -shardir-propose 2> /dev/null | FileCheck %s --check-prefix=PLACED
// RUN: shard-opt %s -shardir-propose=file=- -o /dev/null 2> /dev/null | FileCheck %s --check-prefix=JSON

// Equal layers are decided once and named once, the first and the last with
// them. What is reported is of the whole program: an all-reduce of 8x512 in each
// of six layers.
// CHECK: remark: proposed for @main: columns of layers.*.up.weight and rows of layers.*.down.weight over "tp": {{.*}} 98304 bytes received
// CHECK: nothing split: {{.*}} 0 bytes received
// PLACED-COUNT-6: tensor<512x2048xf32> {shardir.name = "layers.{{[0-9]}}.up.weight", shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// JSON: "name": "layers.0.up.weight"
shardir.mesh @m <["tp"=2]>
func.func @main(%x: tensor<8x512xf32>,
    %u0: tensor<512x2048xf32> {shardir.name = "layers.0.up.weight"},
    %d0: tensor<2048x512xf32> {shardir.name = "layers.0.down.weight"},
    %u1: tensor<512x2048xf32> {shardir.name = "layers.1.up.weight"},
    %d1: tensor<2048x512xf32> {shardir.name = "layers.1.down.weight"},
    %u2: tensor<512x2048xf32> {shardir.name = "layers.2.up.weight"},
    %d2: tensor<2048x512xf32> {shardir.name = "layers.2.down.weight"},
    %u3: tensor<512x2048xf32> {shardir.name = "layers.3.up.weight"},
    %d3: tensor<2048x512xf32> {shardir.name = "layers.3.down.weight"},
    %u4: tensor<512x2048xf32> {shardir.name = "layers.4.up.weight"},
    %d4: tensor<2048x512xf32> {shardir.name = "layers.4.down.weight"},
    %u5: tensor<512x2048xf32> {shardir.name = "layers.5.up.weight"},
    %d5: tensor<2048x512xf32> {shardir.name = "layers.5.down.weight"}) -> tensor<8x512xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<8x2048xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %e2 = tensor.empty() : tensor<8x512xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %h0 = linalg.matmul ins(%x, %u0 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a0 = math.tanh %h0 : tensor<8x2048xf32>
  %y0 = linalg.matmul ins(%a0, %d0 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x0 = arith.addf %x, %y0 : tensor<8x512xf32>
  %h1 = linalg.matmul ins(%x0, %u1 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a1 = math.tanh %h1 : tensor<8x2048xf32>
  %y1 = linalg.matmul ins(%a1, %d1 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x1 = arith.addf %x0, %y1 : tensor<8x512xf32>
  %h2 = linalg.matmul ins(%x1, %u2 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a2 = math.tanh %h2 : tensor<8x2048xf32>
  %y2 = linalg.matmul ins(%a2, %d2 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x2 = arith.addf %x1, %y2 : tensor<8x512xf32>
  %h3 = linalg.matmul ins(%x2, %u3 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a3 = math.tanh %h3 : tensor<8x2048xf32>
  %y3 = linalg.matmul ins(%a3, %d3 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x3 = arith.addf %x2, %y3 : tensor<8x512xf32>
  %h4 = linalg.matmul ins(%x3, %u4 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a4 = math.tanh %h4 : tensor<8x2048xf32>
  %y4 = linalg.matmul ins(%a4, %d4 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x4 = arith.addf %x3, %y4 : tensor<8x512xf32>
  %h5 = linalg.matmul ins(%x4, %u5 : tensor<8x512xf32>, tensor<512x2048xf32>) outs(%z1 : tensor<8x2048xf32>) -> tensor<8x2048xf32>
  %a5 = math.tanh %h5 : tensor<8x2048xf32>
  %y5 = linalg.matmul ins(%a5, %d5 : tensor<8x2048xf32>, tensor<2048x512xf32>) outs(%z2 : tensor<8x512xf32>) -> tensor<8x512xf32>
  %x5 = arith.addf %x4, %y5 : tensor<8x512xf32>
  return %x5 : tensor<8x512xf32>
}
