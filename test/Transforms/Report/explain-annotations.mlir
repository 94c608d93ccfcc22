// RUN: shard-opt %s --allow-unregistered-dialect --shardir-to-collective='cost=bytes' --shardir-explain=values=false -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not="to reduce it later"

// The operand of @scan is placed by both arguments and read as argument 1
// says: argument 0 is in the way, whatever the axes came through.
shardir.mesh @m <["dp"=2, "tp"=2]>

// CHECK: remark: all_gather over "dp": {{.*}}; to avoid the redistribution, change this annotation: argument 0 of @scan{{$}}
func.func @scan(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %c = "my.scan"(%h) {shardir.rule = #shardir.rule<([_, j]) -> ([_, j])>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %c : tensor<8x8xf32>
}

// A hyperbolic tangent takes no partial sums, so that no advice is to reduce them later.
// CHECK: remark: all_reduce over "tp": {{.*}}; used by 'math.tanh'
func.func @tanh(%x: tensor<8x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, %w: tensor<64x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %h = linalg.matmul ins(%x, %w : tensor<8x64xf32>, tensor<64x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = math.tanh %h : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}
