// On axes of known sizes: blocks that nest, and other ones.
// RUN: %python %S/Inputs/check-formulas.py %s | FileCheck %s
// SIZES: 1 1
// SIZES: 5 3
// SIZES: 7 16
// SIZES: 24 9
// COMPARED: 40
//
// CHECK: bytes_per_device
shardir.mesh @m <["x"=2, "y"=3]>
func.func @main(%a: tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>},
                %b: tensor<Mx4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
                %c: tensor<Nx6xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>})
    -> (tensor<Nx6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
        tensor<Nx4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
        tensor<Mx4xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) {
  return %c, %a, %b : tensor<Nx6xf32>, tensor<Nx4xf32>, tensor<Mx4xf32>
}
