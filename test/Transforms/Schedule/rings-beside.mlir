// A collective beside other work needs no ring: a gathered weight is there
// long before its product, and a gradient is read long after.
//
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="flops=3e12 bandwidth=1e12 explain" 2>&1 | FileCheck %s
// RUN: shard-opt %s -o /dev/null --shardir-schedule-collectives="flops=3e12 bandwidth=1e12 overlap=false explain" 2>&1 | FileCheck %s --check-prefix=LINE --implicit-check-not="operands come" --implicit-check-not="sums come"
// LINE-COUNT-2: operands do not come around
// LINE-COUNT-2: sums do not come around

module attributes {shardir.stage = "local"} {
shardir.mesh @m <["x"=4]>

// Nothing is before the first product; the second one's weight is gathered beside it.
// CHECK: :[[#@LINE+5]]:8: remark: 1 of its operands come around a ring
// CHECK: :[[#@LINE+6]]:8: remark: 1 of its operands do not come around a ring
func.func @weights(%x: tensor<512x512xf32>, %v: tensor<128x512xf32>, %w: tensor<128x512xf32>, %z: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %va = collective.all_gather %v from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<512x512xf32> : tensor<128x512xf32> -> tensor<512x512xf32>
  // The first.
  %y = linalg.matmul ins(%x, %va : tensor<512x512xf32>, tensor<512x512xf32>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  %wa = collective.all_gather %w from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> of tensor<512x512xf32> : tensor<128x512xf32> -> tensor<512x512xf32>
  %r = linalg.matmul ins(%y, %wa : tensor<512x512xf32>, tensor<512x512xf32>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
  return %r : tensor<512x512xf32>
}

// CHECK: :[[#@LINE+4]]:8: remark: its sums do not come around a ring
// CHECK: :[[#@LINE+5]]:8: remark: its sums come around a ring
func.func @gradients(%x: tensor<512x512xf32>, %w: tensor<512x512xf32>) -> (tensor<128x512xf32>, tensor<128x512xf32>) {
  %zero = arith.constant dense<0.0> : tensor<512x512xf32>
  %y = linalg.matmul ins(%x, %w : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zero : tensor<512x512xf32>) -> tensor<512x512xf32>
  %a = collective.reduce_scatter %y from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<512x512xf32> : tensor<512x512xf32> -> tensor<128x512xf32>
  %z = linalg.matmul ins(%w, %x : tensor<512x512xf32>, tensor<512x512xf32>) outs(%zero : tensor<512x512xf32>) -> tensor<512x512xf32>
  %b = collective.reduce_scatter %z from #shardir.placement<@m, [{}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{"x"}, {}]> of tensor<512x512xf32> : tensor<512x512xf32> -> tensor<128x512xf32>
  return %a, %b : tensor<128x512xf32>, tensor<128x512xf32>
}
}
