// Which part of an argument or a result each rank holds: uneven blocks, an
// empty one, ranks in another order, several blocks, and extents that inputs
// tell. Nothing is run.

// RUN: shard-run %s --function=matrix --show=arg0 --show=result0 2>&1 | FileCheck %s --check-prefix=MATRIX --match-full-lines --strict-whitespace
//      MATRIX:arg0: tensor<5x6xf32>  #shardir.placement<@m, [{"a"}, {"b"}]>
// MATRIX-NEXT:mesh a=4 x b=2
// MATRIX-NEXT:  a=0       0  1   (b ->)
// MATRIX-NEXT:  a=1       2  3
// MATRIX-NEXT:  a=2       4  5
// MATRIX-NEXT:  a=3       6  7
// MATRIX-NEXT:  rank 0: rows 0..1, columns 0..2
// MATRIX-NEXT:  rank 1: rows 0..1, columns 3..5
// MATRIX-NEXT:  rank 2: rows 2..3, columns 0..2
// MATRIX-NEXT:  rank 3: rows 2..3, columns 3..5
// MATRIX-NEXT:  rank 4: rows 4, columns 0..2
// MATRIX-NEXT:  rank 5: rows 4, columns 3..5
// MATRIX-NEXT:  rank 6: nothing
// MATRIX-NEXT:  rank 7: nothing
// MATRIX-NEXT:result0: tensor<5x6xf32>  #shardir.placement<@m, [{}, {"b"}]>
//      MATRIX:  rank 7: rows 0..4, columns 3..5
//  MATRIX-NOT:{{.}}

// RUN: shard-run %s --function=blocks --show=arg0 | FileCheck %s --check-prefix=BLOCKS --match-full-lines --strict-whitespace
//      BLOCKS:mesh c=8
// BLOCKS-NEXT:    7  6  5  4  3  2  1  0   (c ->)
// BLOCKS-NEXT:  rank 0: dim 0 7 and 15
// BLOCKS-NEXT:  rank 1: dim 0 6 and 14

// RUN: shard-run %s --function=open --show=arg0 --show=result0 --input=7xf32 2>&1 | FileCheck %s --check-prefix=OPEN
//      OPEN: rank 0: dim 0 0..1
//      OPEN: rank 6: dim 0 6
//      OPEN: rank 0: dim 0 0..1

// RUN: not shard-run %s --function=open --show=arg0 2>&1 | FileCheck %s --check-prefix=EXTENT
// EXTENT: error: --show=arg0: it is ?xf32, whose extents the arguments must tell; give --input
// RUN: not shard-run %s --function=open --show=x 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: --show=x: function 'open' has no such argument or result; it has: arg0, result0
// RUN: not shard-run %s --function=open --show=arg0 --verify 2>&1 | FileCheck %s --check-prefix=TOGETHER
// TOGETHER: error: --show runs nothing: drop --output,

shardir.mesh @m <["a"=4, "b"=2]>
shardir.mesh @n <["c"=8], devices = [7, 6, 5, 4, 3, 2, 1, 0]>

func.func @matrix(%x: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>})
    -> (tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{}, {"b"}]>}) {
  %y = arith.addf %x, %x : tensor<5x6xf32>
  return %y : tensor<5x6xf32>
}

func.func @blocks(%x: tensor<16xf32> {shardir.placement = #shardir.placement<@n, [{2, "c"}]>}) -> tensor<16xf32> {
  %y = arith.addf %x, %x : tensor<16xf32>
  return %y : tensor<16xf32>
}

func.func @open(%x: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %y = arith.addf %x, %x : tensor<?xf32>
  return %y : tensor<?xf32>
}
