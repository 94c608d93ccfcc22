// RUN: shard-run %s --verify --function=static --mesh=x=2,y=1
// RUN: shard-run %s --verify --function=static --mesh=x=3,y=2
// RUN: shard-run %s --verify --function=static --mesh=x=4,y=1
// DEFINE: %{x} = --input=9x4xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35
// DEFINE: %{parts} = --input=3x2xi32=90,91,92,93,94,95 --input=4xi32=80,81,82,83 --input=3x4xi32=60,61,62,63,64,65,66,67,68,69,70,71
// RUN: shard-run %s --verify --function=dynamic --mesh=x=2,y=2 --input=i32=0 --input=i32=0 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=2,y=2 --input=i32=0 --input=i32=0 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=2,y=2 --input=i32=5 --input=i32=1 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=2,y=2 --input=i32=5 --input=i32=1 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=2,y=2 --input=i32=8 --input=i32=9 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=2,y=2 --input=i32=8 --input=i32=9 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=2,y=2 --input=i32=-3 --input=i32=-1 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=2,y=2 --input=i32=-3 --input=i32=-1 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=4,y=1 --input=i32=0 --input=i32=0 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=4,y=1 --input=i32=0 --input=i32=0 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=4,y=1 --input=i32=5 --input=i32=1 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=4,y=1 --input=i32=5 --input=i32=1 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=4,y=1 --input=i32=8 --input=i32=9 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=4,y=1 --input=i32=8 --input=i32=9 %{x} %{parts}
// RUN: shard-run %s --verify --function=dynamic --mesh=x=4,y=1 --input=i32=-3 --input=i32=-1 %{x}
// RUN: shard-run %s --verify --function=update --mesh=x=4,y=1 --input=i32=-3 --input=i32=-1 %{x} %{parts}

// Slices of split dims, and updates of them, by the rows of the global tensor.

shardir.mesh @m <["x"=?, "y"=?]>

// Known offsets and steps; one row, dropped or not, comes from where it is.
func.func @static(%a0: tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                 %a1: tensor<16x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                 %a2: tensor<8x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a3: tensor<8x3xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %a4: tensor<6x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<5x4xi32>, tensor<5x2xi32>, tensor<1x3xi32>, tensor<1x3xi32>, tensor<4xi32>) {
  %0 = tensor.extract_slice %a0[2, 0] [5, 4] [1, 1] : tensor<9x4xi32> to tensor<5x4xi32>
  %1 = tensor.extract_slice %a1[1, 1] [5, 2] [3, 2] : tensor<16x6xi32> to tensor<5x2xi32>
  %2 = tensor.extract_slice %a2[7, 0] [1, 3] [1, 1] : tensor<8x3xi32> to tensor<1x3xi32>
  %3 = tensor.extract_slice %a3[0, 0] [1, 3] [1, 1] : tensor<8x3xi32> to tensor<1x3xi32>
  %4 = tensor.extract_slice %a4[4, 0] [1, 4] [1, 1] : tensor<6x4xi32> to tensor<4xi32>
  return %0, %1, %2, %3, %4 : tensor<5x4xi32>, tensor<5x2xi32>, tensor<1x3xi32>, tensor<1x3xi32>, tensor<4xi32>
}

// Starts that are clamped by the global tensor's extent, not by a shard's (trap 2).
func.func @dynamic(%a0: tensor<i32>,
                  %a1: tensor<i32>,
                  %a2: tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<3x2xi32>, tensor<8x4xi32>, tensor<4xi32>) {
  %0 = tensor.extract %a0[] : tensor<i32>
  %1 = arith.constant 0 : i32
  %2 = arith.constant 6 : i32
  %3 = arith.maxsi %0, %1 : i32
  %4 = arith.minsi %3, %2 : i32
  %5 = arith.index_cast %4 : i32 to index
  %6 = tensor.extract %a1[] : tensor<i32>
  %7 = arith.constant 0 : i32
  %8 = arith.constant 2 : i32
  %9 = arith.maxsi %6, %7 : i32
  %10 = arith.minsi %9, %8 : i32
  %11 = arith.index_cast %10 : i32 to index
  %12 = tensor.extract_slice %a2[%5, %11] [3, 2] [1, 1] : tensor<9x4xi32> to tensor<3x2xi32>
  %13 = tensor.extract %a0[] : tensor<i32>
  %14 = arith.constant 0 : i32
  %15 = arith.constant 1 : i32
  %16 = arith.maxsi %13, %14 : i32
  %17 = arith.minsi %16, %15 : i32
  %18 = arith.index_cast %17 : i32 to index
  %19 = tensor.extract_slice %a2[%18, 0] [8, 4] [1, 1] : tensor<9x4xi32> to tensor<8x4xi32>
  %20 = tensor.extract %a1[] : tensor<i32>
  %21 = arith.constant 0 : i32
  %22 = arith.constant 8 : i32
  %23 = arith.maxsi %20, %21 : i32
  %24 = arith.minsi %23, %22 : i32
  %25 = arith.index_cast %24 : i32 to index
  %26 = tensor.extract_slice %a2[%25, 0] [1, 4] [1, 1] : tensor<9x4xi32> to tensor<4xi32>
  return %12, %19, %26 : tensor<3x2xi32>, tensor<8x4xi32>, tensor<4xi32>
}

// An update whose start is clamped is never dropped (trap 1); a strided one is
// spread over the devices that have its rows.
func.func @update(%a0: tensor<i32>,
                 %a1: tensor<i32>,
                 %a2: tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                 %a3: tensor<3x2xi32>,
                 %a4: tensor<4xi32> {shardir.placement = #shardir.placement<@m, [{"y"}]>},
                 %a5: tensor<3x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>})
    -> (tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, tensor<9x4xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) {
  %0 = tensor.extract %a0[] : tensor<i32>
  %1 = arith.constant 0 : i32
  %2 = arith.constant 6 : i32
  %3 = arith.maxsi %0, %1 : i32
  %4 = arith.minsi %3, %2 : i32
  %5 = arith.index_cast %4 : i32 to index
  %6 = tensor.extract %a1[] : tensor<i32>
  %7 = arith.constant 0 : i32
  %8 = arith.constant 2 : i32
  %9 = arith.maxsi %6, %7 : i32
  %10 = arith.minsi %9, %8 : i32
  %11 = arith.index_cast %10 : i32 to index
  %12 = tensor.insert_slice %a3 into %a2[%5, %11] [3, 2] [1, 1] : tensor<3x2xi32> into tensor<9x4xi32>
  %13 = tensor.extract %a0[] : tensor<i32>
  %14 = arith.constant 0 : i32
  %15 = arith.constant 8 : i32
  %16 = arith.maxsi %13, %14 : i32
  %17 = arith.minsi %16, %15 : i32
  %18 = arith.index_cast %17 : i32 to index
  %19 = tensor.insert_slice %a4 into %a2[%18, 0] [1, 4] [1, 1] : tensor<4xi32> into tensor<9x4xi32>
  %20 = tensor.insert_slice %a5 into %a2[1, 0] [3, 4] [3, 1] : tensor<3x4xi32> into tensor<9x4xi32>
  return %12, %19, %20 : tensor<9x4xi32>, tensor<9x4xi32>, tensor<9x4xi32>
}
