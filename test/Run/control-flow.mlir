// Functions of several blocks become regions first: branches, a loop, two returns.
// RUN: shard-run --compile-only --verify %s -o %t.so
// RUN: shard-run %t.so --function=branch --input=2xf32=1,2 --input=i1=0 --expected_output=2xf32=2,4 --verify
// RUN: shard-run %t.so --function=branch --input=2xf32=1,2 --input=i1=1 --expected_output=2xf32=1,2 --verify
// RUN: shard-run %t.so --function=loop --input=2xf32=1,2 --input=i32=3 --expected_output=2xf32=8,16 --verify

func.func @branch(%x: tensor<2xf32>, %keep: i1) -> tensor<2xf32> {
  cf.cond_br %keep, ^same, ^twice
^same:
  return %x : tensor<2xf32>
^twice:
  %y = arith.addf %x, %x : tensor<2xf32>
  return %y : tensor<2xf32>
}

func.func @loop(%x: tensor<2xf32>, %n: i32) -> tensor<2xf32> {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  cf.br ^again(%x, %n : tensor<2xf32>, i32)
^again(%t: tensor<2xf32>, %left: i32):
  %twice = arith.addf %t, %t : tensor<2xf32>
  %less = arith.subi %left, %one : i32
  %more = arith.cmpi sgt, %less, %zero : i32
  cf.cond_br %more, ^again(%twice, %less : tensor<2xf32>, i32), ^done
^done:
  return %twice : tensor<2xf32>
}
