// RUN: rm -rf %t && split-file %s %t
// RUN: %python %S/../Inputs/verify-all.py %t/sub-axes.mlir
// RUN: %python %S/../Inputs/verify-all.py %t/device-order.mlir
// RUN: %python %S/../Inputs/verify-all.py %t/one-device.mlir
// RUN: %python %S/../Inputs/verify-all.py %t/axis-of-one.mlir

// Meshes with sub-axes, a device order, one device, and axes of size 1.

//--- sub-axes.mlir
shardir.mesh @sub <["big"=8]>

// Halves and quarters of an axis; more devices than rows.
func.func @sub_axes(%x: tensor<10x3xf32> {shardir.placement = #shardir.placement<@sub, [{"big":(1)2, "big":(4)2}, {"big":(2)2}]>},
                    %y: tensor<3x10xf32> {shardir.placement = #shardir.placement<@sub, [{"big":(2)4}, {}]>})
    -> (tensor<10x10xf32> {shardir.placement = #shardir.placement<@sub, [{"big"}, {}]>}, tensor<3x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<10x10xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<10x10xf32>) -> tensor<10x10xf32>
  %p = linalg.matmul ins(%x, %y : tensor<10x3xf32>, tensor<3x10xf32>) outs(%z : tensor<10x10xf32>) -> tensor<10x10xf32>
  %e3 = tensor.empty() : tensor<3x3xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3x3xf32>) -> tensor<3x3xf32>
  %q = linalg.matmul ins(%y, %x : tensor<3x10xf32>, tensor<10x3xf32>) outs(%z3 : tensor<3x3xf32>) -> tensor<3x3xf32>
  return %p, %q : tensor<10x10xf32>, tensor<3x3xf32>
}

//--- device-order.mlir
shardir.mesh @turned <["x"=2, "y"=3], devices = [5, 1, 3, 0, 4, 2]>

func.func @device_order(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@turned, [{"y"}, {"x"}]>},
                        %y: tensor<5x4xf32> {shardir.placement = #shardir.placement<@turned, [{"y"}, {}]>})
    -> (tensor<7x4xf32>, tensor<7x4xf32> {shardir.placement = #shardir.placement<@turned, [{"x", "y"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7x4xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7x4xf32>) -> tensor<7x4xf32>
  %p = linalg.matmul ins(%x, %y : tensor<7x5xf32>, tensor<5x4xf32>) outs(%z : tensor<7x4xf32>) -> tensor<7x4xf32>
  return %p, %p : tensor<7x4xf32>, tensor<7x4xf32>
}

//--- one-device.mlir
shardir.mesh @one <["only"=1]>

func.func @one_device(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@one, [{"only"}, {}]>}) -> tensor<5x7xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %t = linalg.transpose ins(%x : tensor<7x5xf32>) outs(%e : tensor<5x7xf32>) permutation = [1, 0]
  return %t : tensor<5x7xf32>
}

//--- axis-of-one.mlir
shardir.mesh @slim <["x"=3, "one"=1, "z"=2]>

func.func @axis_of_one(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@slim, [{"one", "x"}, {"z"}]>},
                       %y: tensor<5xf32> {shardir.placement = #shardir.placement<@slim, [{"z"}], partial = sum ["one"]>})
    -> (tensor<7xf32> {shardir.placement = #shardir.placement<@slim, [{}], partial = sum ["one"]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<7xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %r = linalg.matvec ins(%x, %y : tensor<7x5xf32>, tensor<5xf32>) outs(%z : tensor<7xf32>) -> tensor<7xf32>
  return %r : tensor<7xf32>
}
