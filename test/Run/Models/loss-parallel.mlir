// A loss over logits whose vocabulary is split, and its gradients, with the batch over another axis, as DTensor's
// loss_parallel has it: rows of the softmax, the loss, and the gradients' sums are reduced, and no logit moves.
// RUN: shard-run %s --verify --options="cost=bytes" --report=%t.json
// RUN: %python -c "import json; r = json.load(open(r'%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == 64 + 64 + 384 + 768 + 16, r"
// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s

shardir.mesh @m <["dp"=2, "tp"=2]>

#gw = affine_map<(b, d, v) -> (b, v)>
#wd = affine_map<(b, d, v) -> (d, v)>
#bd = affine_map<(b, d, v) -> (b, d)>

// CHECK-NOT: collective.{{all|reduce|exchange|halo}}{{.*}}tensor<32x64xf32>
// The loss is partial over both axes, by the annotations of both.
// CHECK:     arith.constant {shardir.decided_by = [#shardir.provenance<argument 2 of @main, through ["arith.mulf"]>, #shardir.provenance<argument 1 of @main, through ["linalg.matmul", "arith.mulf"]>]
// CHECK:     return
func.func @main(%x: tensor<32x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w: tensor<6x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                %labels: tensor<32x64xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<32x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<6x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}, tensor<f32>) {
  %z = arith.constant dense<0.0> : tensor<32x64xf32>
  %logits = linalg.matmul ins(%x, %w : tensor<32x6xf32>, tensor<6x64xf32>) outs(%z : tensor<32x64xf32>) -> tensor<32x64xf32>
  %e = tensor.empty() : tensor<32x64xf32>
  %p = linalg.softmax dimension(1) ins(%logits : tensor<32x64xf32>) outs(%e : tensor<32x64xf32>) -> tensor<32x64xf32>
  %g = arith.subf %p, %labels : tensor<32x64xf32>
  %zx = arith.constant dense<0.0> : tensor<32x6xf32>
  %dx = linalg.generic {indexing_maps = [#gw, #wd, #bd], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%g, %w : tensor<32x64xf32>, tensor<6x64xf32>) outs(%zx : tensor<32x6xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<32x6xf32>
  %zw = arith.constant dense<0.0> : tensor<6x64xf32>
  %dw = linalg.generic {indexing_maps = [#bd, #gw, #wd], iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%x, %g : tensor<32x6xf32>, tensor<32x64xf32>) outs(%zw : tensor<6x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %c, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<6x64xf32>
  %t = arith.mulf %labels, %logits : tensor<32x64xf32>
  %zl = arith.constant dense<0.0> : tensor<f32>
  %loss = linalg.reduce { arith.addf } ins(%t : tensor<32x64xf32>) outs(%zl : tensor<f32>) dimensions = [0, 1]
  return %dx, %dw, %loss : tensor<32x6xf32>, tensor<6x64xf32>, tensor<f32>
}
