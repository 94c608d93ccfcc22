// RUN: shard-opt %s --shardir-to-collective=cost=bytes | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective=cost=time | FileCheck %s
// RUN: shard-run %s --verify --function=shifted --options=cost=bytes --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == (2 * 6 + 6) * 4, r"
// RUN: shard-run %s --verify --function=convolved --options=cost=bytes --report=%t.json && %python -c "import json; r = json.load(open('%t.json')); assert r['bytes_per_device'] == r['measured']['bytes_per_device'] == (2 * 6 + 2 * 6) * 4, r"

// A partial is reduced once for users that read it through a window and for others,
// and the window's rows follow.

shardir.mesh @m <["x"=4, "y"=2]>

// CHECK-LABEL: func.func @shifted
// CHECK:         %[[R:.+]] = collective.all_reduce %arg0
// CHECK:         collective.halo_exchange %[[R]]
// CHECK-NOT:     collective.
// CHECK:         return
func.func @shifted(%a: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}], partial = max ["y"]>})
    -> (tensor<7x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = tensor.extract_slice %a[1, 0] [7, 6] [1, 1] : tensor<8x6xi32> to tensor<7x6xi32>
  %1 = arith.subi %0, %0 : tensor<7x6xi32>
  %2 = arith.addi %1, %0 : tensor<7x6xi32>
  %n = arith.muli %a, %a : tensor<8x6xi32>
  return %2, %n : tensor<7x6xi32>, tensor<8x6xi32>
}

// CHECK-LABEL: func.func @convolved
// CHECK:         %[[R:.+]] = collective.all_reduce %arg0
// CHECK:         collective.halo_exchange %[[R]]
// CHECK-NOT:     collective.
// CHECK:         return
func.func @convolved(%a: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}], partial = sum ["y"]>})
    -> (tensor<6x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %k = tensor.empty() : tensor<3xi32>
  %least = arith.constant dense<-1000> : tensor<6x6xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0 + d2, d1)>, affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %k : tensor<8x6xi32>, tensor<3xi32>) outs(%least : tensor<6x6xi32>) {
  ^bb0(%x: i32, %w: i32, %o: i32):
    %p = arith.muli %x, %x : i32
    %s = arith.maxsi %o, %p : i32
    linalg.yield %s : i32
  } -> tensor<6x6xi32>
  %n = arith.muli %a, %a : tensor<8x6xi32>
  return %0, %n : tensor<6x6xi32>, tensor<8x6xi32>
}
