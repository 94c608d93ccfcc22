// Extents of results that are computed by affine maps, divisions and tensors of
// sizes, as torch-mlir writes them; a size is no less than zero.

// RUN: shard-run %s --function=divided --input=6x5xf32=1 | FileCheck %s --check-prefix=DIVIDED
// RUN: shard-run %s --function=reshaped --input=6x5xf32=1 | FileCheck %s --check-prefix=RESHAPED

shardir.mesh @m <["dp"=2]>

// DIVIDED: 6x5xf32
func.func @divided(%x: tensor<?x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> tensor<?x5xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %all = affine.apply affine_map<()[s0] -> (s0 * 5)>()[%n]
  %rows = arith.divsi %all, %c5 : index
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x5xf32> into tensor<?xf32>
  %y = tensor.expand_shape %flat [[0, 1]] output_shape [%rows, 5] : tensor<?xf32> into tensor<?x5xf32>
  return %y : tensor<?x5xf32>
}

// RESHAPED: 5x6xf32
func.func @reshaped(%x: tensor<?x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %n = tensor.dim %x, %c0 : tensor<?x5xf32>
  %negative = arith.cmpi slt, %n, %c0 : index
  %rows = arith.select %negative, %c5, %n : index
  %sizes = tensor.from_elements %c5, %rows : tensor<2xindex>
  %y = tensor.reshape %x(%sizes) : (tensor<?x5xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
