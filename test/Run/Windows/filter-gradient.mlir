// RUN: shard-run %s --input=2x6xi32=1,2,3,4,5,6,7,8,9,10,11,12 --input=2x2xi32=1,10,100,1000 --output=- --verify | FileCheck %s

// The gradient of a filter of two elements that was moved by three: products of
// the input, at strides, with the gradient, summed over all devices.
//   1 * 1 + 4 * 10 + 7 * 100 + 10 * 1000,  2 * 1 + 5 * 10 + 8 * 100 + 11 * 1000
// CHECK: equal to the unsharded program
// CHECK: 2xi32=10741 11852

shardir.mesh @m <["x"=2]>

func.func @main(%x: tensor<2x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %g: tensor<2x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<2xi32> {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<2x4xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<2x4xi32>) -> tensor<2x4xi32>
  %s = tensor.insert_slice %g into %z[0, 0] [2, 2] [1, 3] : tensor<2x2xi32> into tensor<2x4xi32>
  %empty = tensor.empty() : tensor<2xi32>
  %init = linalg.fill ins(%zero : i32) outs(%empty : tensor<2xi32>) -> tensor<2xi32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1 + d2)>,
                                        affine_map<(d0, d1, d2) -> (d0, d2)>,
                                        affine_map<(d0, d1, d2) -> (d1)>],
                       iterator_types = ["reduction", "parallel", "reduction"]}
      ins(%x, %s : tensor<2x6xi32>, tensor<2x4xi32>) outs(%init : tensor<2xi32>) {
  ^bb0(%a: i32, %b: i32, %out: i32):
    %1 = arith.muli %a, %b : i32
    %2 = arith.addi %out, %1 : i32
    linalg.yield %2 : i32
  } -> tensor<2xi32>
  return %0 : tensor<2xi32>
}
