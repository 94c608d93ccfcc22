// Changes of placement on a mesh of unknown sizes: strided shards, sub-axes, partial
// terms. They are planned for the assumed sizes, and what is planned is right for
// others. Specialising early or late gives the same program, at each stage.
//
// RUN: shard-opt %s --shardir-to-collective -o %t.collective
// RUN: FileCheck %s --input-file=%t.collective
// RUN: shard-opt %t.collective --shardir-to-collective | diff %t.collective -
// RUN: shard-opt %s --shardir-to-local="mesh=x=4,y=6,a=6,b=2" -o %t.early
// RUN: shard-opt %s --shardir-to-propagated | shard-opt --shardir-to-local="mesh=x=4,y=6,a=6,b=2" | diff %t.early -
// RUN: shard-opt %s --shardir-to-redistributed | shard-opt --shardir-to-local="mesh=x=4,y=6,a=6,b=2" | diff %t.early -
// RUN: shard-opt %t.collective --shardir-to-local="mesh=x=4,y=6,a=6,b=2" | diff %t.early -
// RUN: shard-opt %t.collective --shardir-to-local="mesh=x=1,y=2,a=12,b=1" -o /dev/null
//
// Late sizes by execution, none of them the assumed ones.
// RUN: shard-opt %t.collective -shardir-specialize-mesh="mesh=x=2,y=2,a=6,b=1" -o %t.small
// RUN: shard-opt %t.collective -shardir-specialize-mesh="mesh=x=4,y=1,a=6,b=1" -o %t.one
// RUN: shard-opt %t.collective -shardir-specialize-mesh="mesh=x=1,y=4,a=6,b=1" -o %t.other
// RUN: shard-run %t.small --function=strided --input=24xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 --output=- | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.one --function=strided --input=24xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 --output=- | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.other --function=strided --input=24xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23 --output=- | FileCheck %s --check-prefix=SAME
// RUN: shard-run %t.small --function=partial --input=5x6xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,-29 --output=- | FileCheck %s --check-prefix=SUMS
// RUN: shard-run %t.one --function=partial --input=5x6xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,-29 --output=- | FileCheck %s --check-prefix=SUMS
// RUN: shard-run %t.other --function=partial --input=5x6xi32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,-29 --output=- | FileCheck %s --check-prefix=SUMS
shardir.mesh @m <["x"=?4, "y"=?6]>
shardir.mesh @s <["b"=?2, "a"=?6]>

// SAME: 24xi32=0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23
// CHECK-LABEL: func.func @strided
// CHECK:         collective
func.func @strided(%v: tensor<24xi32> {shardir.placement = #shardir.placement<@m, [{3, "x"}]>}) -> (tensor<24xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = shardir.redistribute %v from #shardir.placement<@m, [{3, "x"}]> to #shardir.placement<@m, [{3, "y"}]> : tensor<24xi32>
  %1 = math.absi %0 {shardir.placements = [#shardir.placement<@m, [{3, "y"}]>]} : tensor<24xi32>
  %2 = shardir.redistribute %1 from #shardir.placement<@m, [{3, "y"}]> to #shardir.placement<@m, [{"x"}]> : tensor<24xi32>
  return %2 : tensor<24xi32>
}

// CHECK-LABEL: func.func @sub_axes
// CHECK:         collective
func.func @sub_axes(%v: tensor<24x12xi32> {shardir.placement = #shardir.placement<@s, [{"a":(1)2}, {"b"}]>}) -> (tensor<24x12xi32> {shardir.placement = #shardir.placement<@s, [{}, {"a"}]>}) {
  %0 = shardir.redistribute %v from #shardir.placement<@s, [{"a":(1)2}, {"b"}]> to #shardir.placement<@s, [{"b", "a":(2)3}, {"a":(1)2}]> : tensor<24x12xi32>
  %1 = math.absi %0 {shardir.placements = [#shardir.placement<@s, [{"b", "a":(2)3}, {"a":(1)2}]>]} : tensor<24x12xi32>
  %2 = shardir.redistribute %1 from #shardir.placement<@s, [{"b", "a":(2)3}, {"a":(1)2}]> to #shardir.placement<@s, [{}, {"a"}]> : tensor<24x12xi32>
  return %2 : tensor<24x12xi32>
}

// SUMS: 6xi32=60 65 70 75 80 27
// CHECK-LABEL: func.func @partial
// CHECK:         collective.{{reduce_scatter|all_reduce}}
func.func @partial(%v: tensor<5x6xi32> {shardir.placement = #shardir.placement<@m, [{"x", "y"}, {}]>}) -> (tensor<6xi32> {shardir.placement = #shardir.placement<@m, [{"y"}]>}) {
  %zero = arith.constant dense<0> : tensor<6xi32>
  %0 = linalg.reduce { arith.addi } ins(%v : tensor<5x6xi32>) outs(%zero : tensor<6xi32>) dimensions = [0]
         {shardir.placements = [#shardir.placement<@m, [{"y"}], partial = sum ["x"]>]}
  return %0 : tensor<6xi32>
}
