// RUN: shard-run %s --verify --function=concat --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=concat --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=concat --mesh=x=4,y=2
// RUN: shard-run %s --verify --function=concat --mesh=x=5,y=1
// RUN: shard-run %s --verify --function=roll --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=roll --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=roll --mesh=x=4,y=2
// RUN: shard-run %s --verify --function=roll --mesh=x=5,y=1
// RUN: shard-run %s --verify --function=stencil --mesh=x=2,y=2
// RUN: shard-run %s --verify --function=stencil --mesh=x=3,y=1
// RUN: shard-run %s --verify --function=stencil --mesh=x=4,y=2
// RUN: shard-run %s --verify --function=stencil --mesh=x=5,y=1

// Concatenations along split dims, and what is made of slices and concatenations.

shardir.mesh @m <["x"=?, "y"=?]>

// Along a split dim, beside an axis that splits nothing (trap 5).
func.func @concat(%a0: tensor<3x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a1: tensor<5x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a2: tensor<3x1xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                 %a3: tensor<3x4xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                 %a4: tensor<3x2xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>},
                 %a5: tensor<1x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a6: tensor<1x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a7: tensor<1x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a8: tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a9: tensor<4x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<8x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<3x7xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>}, tensor<3x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, tensor<12x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %0 = tensor.concat dim(0) %a0, %a1 : (tensor<3x2xi32>, tensor<5x2xi32>) -> tensor<8x2xi32>
  %1 = tensor.concat dim(1) %a2, %a3, %a4 : (tensor<3x1xi32>, tensor<3x4xi32>, tensor<3x2xi32>) -> tensor<3x7xi32>
  %2 = tensor.concat dim(0) %a5, %a6, %a7 : (tensor<1x2xi32>, tensor<1x2xi32>, tensor<1x2xi32>) -> tensor<3x2xi32>
  %3 = tensor.concat dim(0) %a8, %a9 : (tensor<8x4xi32>, tensor<4x4xi32>) -> tensor<12x4xi32>
  return %0, %1, %2, %3 : tensor<8x2xi32>, tensor<3x7xi32>, tensor<3x2xi32>, tensor<12x4xi32>
}

// Two slices, joined the other way around.
func.func @roll(%a0: tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
               %a1: tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
               %a2: tensor<4x9xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
               %a3: tensor<3x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<8x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<4x9xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<3x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %0 = tensor.extract_slice %a0[7, 0] [1, 4] [1, 1] : tensor<8x4xi32> to tensor<1x4xi32>
  %1 = tensor.extract_slice %a0[0, 0] [7, 4] [1, 1] : tensor<8x4xi32> to tensor<7x4xi32>
  %2 = tensor.concat dim(0) %0, %1 : (tensor<1x4xi32>, tensor<7x4xi32>) -> tensor<8x4xi32>
  %3 = tensor.extract_slice %a1[1, 0] [7, 4] [1, 1] : tensor<8x4xi32> to tensor<7x4xi32>
  %4 = tensor.extract_slice %a1[0, 0] [1, 4] [1, 1] : tensor<8x4xi32> to tensor<1x4xi32>
  %5 = tensor.concat dim(0) %3, %4 : (tensor<7x4xi32>, tensor<1x4xi32>) -> tensor<8x4xi32>
  %6 = tensor.extract_slice %a2[0, 5] [4, 4] [1, 1] : tensor<4x9xi32> to tensor<4x4xi32>
  %7 = tensor.extract_slice %a2[0, 0] [4, 5] [1, 1] : tensor<4x9xi32> to tensor<4x5xi32>
  %8 = tensor.concat dim(1) %6, %7 : (tensor<4x4xi32>, tensor<4x5xi32>) -> tensor<4x9xi32>
  %9 = tensor.extract_slice %a3[2, 0] [1, 4] [1, 1] : tensor<3x4xi32> to tensor<1x4xi32>
  %10 = tensor.extract_slice %a3[0, 0] [2, 4] [1, 1] : tensor<3x4xi32> to tensor<2x4xi32>
  %11 = tensor.concat dim(0) %9, %10 : (tensor<1x4xi32>, tensor<2x4xi32>) -> tensor<3x4xi32>
  return %2, %5, %8, %11 : tensor<8x4xi32>, tensor<8x4xi32>, tensor<4x9xi32>, tensor<3x4xi32>
}

// A stencil of five points as slices of a padded grid.
func.func @stencil(%a0: tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<8x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %0 = arith.constant 0 : i32
  %1 = tensor.pad %a0 low[1, 1] high[1, 1] {
  ^bb0(%i0: index, %i1: index):
    tensor.yield %0 : i32
  } : tensor<8x6xi32> to tensor<10x8xi32>
  %2 = tensor.extract_slice %1[0, 1] [8, 6] [1, 1] : tensor<10x8xi32> to tensor<8x6xi32>
  %3 = tensor.extract_slice %1[2, 1] [8, 6] [1, 1] : tensor<10x8xi32> to tensor<8x6xi32>
  %4 = tensor.extract_slice %1[1, 0] [8, 6] [1, 1] : tensor<10x8xi32> to tensor<8x6xi32>
  %5 = tensor.extract_slice %1[1, 2] [8, 6] [1, 1] : tensor<10x8xi32> to tensor<8x6xi32>
  %6 = arith.addi %2, %3 : tensor<8x6xi32>
  %7 = arith.addi %6, %4 : tensor<8x6xi32>
  %8 = arith.addi %7, %5 : tensor<8x6xi32>
  return %8 : tensor<8x6xi32>
}
