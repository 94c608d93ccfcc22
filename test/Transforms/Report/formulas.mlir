// Figures over sizes that are not known are formulas, and these give what the same
// program is reported with at those sizes, uneven and small ones included.
// RUN: %python %S/Inputs/check-formulas.py %s | FileCheck %s
// SIZES: 1 4 2
// SIZES: 2 7 3
// SIZES: 5 12 4
// SIZES: 16 9 5
// SIZES: 30 31 8
// COMPARED: 60
//
// CHECK-DAG: all_gather: bytes_per_device = 16 * min((x - 1) * ceil(arg0_dim0/x), arg0_dim0)
// CHECK-DAG: all_reduce: bytes_per_device = 8 * (x - 1) * ceil(4 * arg2_dim0/x)
shardir.mesh @m <["x"=?4]>
func.func @main(%a: tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %b: tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %c: tensor<MxNxf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                %d: tensor<Mx4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>})
    -> (tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
        tensor<Mx4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<Mx4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = linalg.matmul ins(%c, %a : tensor<MxNxf32>, tensor<Nx4xf32>) outs(%d : tensor<Mx4xf32>) -> tensor<Mx4xf32>
  return %a, %b, %0, %d : tensor<Nx4xf32>, tensor<Nx4xf32>, tensor<Mx4xf32>, tensor<Mx4xf32>
}
