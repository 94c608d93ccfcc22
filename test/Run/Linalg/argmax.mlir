// The place of a largest or least element, along a dim that is split: evenly, not,
// with empty shards, not at all. Ties within a shard and across, infinities, zeros
// of both signs, NaN that is taken (as JAX does) and that is not, unsigned
// integers whose last place is asked for. Expected are the places that the bodies
// give in sequence, computed apart.
// RUN: shard-run %s --function=max --mesh=tp=1 --input=6x7xf32=1.0,-1.0,2.0,-1.0,3.0,2.0,3.0,2.0,2.0,nan,-3.0,3.0,nan,3.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,3.0,0.0,-2.0,3.0,3.0,-3.0,9.0 --expected_output=6xi32=4,2,0,0,0,6
// RUN: shard-run %s --function=max --mesh=tp=2 --input=6x7xf32=1.0,-1.0,2.0,-1.0,3.0,2.0,3.0,2.0,2.0,nan,-3.0,3.0,nan,3.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,3.0,0.0,-2.0,3.0,3.0,-3.0,9.0 --expected_output=6xi32=4,2,0,0,0,6
// RUN: shard-run %s --function=max --mesh=tp=3 --input=6x7xf32=1.0,-1.0,2.0,-1.0,3.0,2.0,3.0,2.0,2.0,nan,-3.0,3.0,nan,3.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,3.0,0.0,-2.0,3.0,3.0,-3.0,9.0 --expected_output=6xi32=4,2,0,0,0,6
// RUN: shard-run %s --function=max --mesh=tp=4 --input=6x7xf32=1.0,-1.0,2.0,-1.0,3.0,2.0,3.0,2.0,2.0,nan,-3.0,3.0,nan,3.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,3.0,0.0,-2.0,3.0,3.0,-3.0,9.0 --expected_output=6xi32=4,2,0,0,0,6
// RUN: shard-run %s --function=max --mesh=tp=8 --input=6x7xf32=1.0,-1.0,2.0,-1.0,3.0,2.0,3.0,2.0,2.0,nan,-3.0,3.0,nan,3.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,3.0,0.0,-2.0,3.0,3.0,-3.0,9.0 --expected_output=6xi32=4,2,0,0,0,6
// RUN: shard-run %s --function=min --mesh=tp=1 --input=6x7xf32=1.0,1.0,0.0,-2.0,-2.0,-3.0,3.0,-3.0,-2.0,nan,-2.0,-2.0,nan,-2.0,inf,inf,inf,inf,inf,inf,inf,nan,nan,nan,nan,nan,nan,nan,5.0,-0.0,0.0,0.0,-0.0,7.0,0.0,3.0,1.0,1.0,-3.0,1.0,2.0,-9.0 --expected_output=6xi32=5,2,0,0,1,6
// RUN: shard-run %s --function=min --mesh=tp=2 --input=6x7xf32=1.0,1.0,0.0,-2.0,-2.0,-3.0,3.0,-3.0,-2.0,nan,-2.0,-2.0,nan,-2.0,inf,inf,inf,inf,inf,inf,inf,nan,nan,nan,nan,nan,nan,nan,5.0,-0.0,0.0,0.0,-0.0,7.0,0.0,3.0,1.0,1.0,-3.0,1.0,2.0,-9.0 --expected_output=6xi32=5,2,0,0,1,6
// RUN: shard-run %s --function=min --mesh=tp=3 --input=6x7xf32=1.0,1.0,0.0,-2.0,-2.0,-3.0,3.0,-3.0,-2.0,nan,-2.0,-2.0,nan,-2.0,inf,inf,inf,inf,inf,inf,inf,nan,nan,nan,nan,nan,nan,nan,5.0,-0.0,0.0,0.0,-0.0,7.0,0.0,3.0,1.0,1.0,-3.0,1.0,2.0,-9.0 --expected_output=6xi32=5,2,0,0,1,6
// RUN: shard-run %s --function=min --mesh=tp=4 --input=6x7xf32=1.0,1.0,0.0,-2.0,-2.0,-3.0,3.0,-3.0,-2.0,nan,-2.0,-2.0,nan,-2.0,inf,inf,inf,inf,inf,inf,inf,nan,nan,nan,nan,nan,nan,nan,5.0,-0.0,0.0,0.0,-0.0,7.0,0.0,3.0,1.0,1.0,-3.0,1.0,2.0,-9.0 --expected_output=6xi32=5,2,0,0,1,6
// RUN: shard-run %s --function=min --mesh=tp=8 --input=6x7xf32=1.0,1.0,0.0,-2.0,-2.0,-3.0,3.0,-3.0,-2.0,nan,-2.0,-2.0,nan,-2.0,inf,inf,inf,inf,inf,inf,inf,nan,nan,nan,nan,nan,nan,nan,5.0,-0.0,0.0,0.0,-0.0,7.0,0.0,3.0,1.0,1.0,-3.0,1.0,2.0,-9.0 --expected_output=6xi32=5,2,0,0,1,6
// RUN: shard-run %s --function=no_nan --mesh=tp=1 --input=6x7xf32=-1.0,-3.0,-1.0,-1.0,3.0,-1.0,0.0,2.0,-1.0,nan,0.0,0.0,nan,-2.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,-2.0,-3.0,3.0,-2.0,3.0,0.0,9.0 --expected_output=6xi64=4,0,0,0,0,6
// RUN: shard-run %s --function=no_nan --mesh=tp=2 --input=6x7xf32=-1.0,-3.0,-1.0,-1.0,3.0,-1.0,0.0,2.0,-1.0,nan,0.0,0.0,nan,-2.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,-2.0,-3.0,3.0,-2.0,3.0,0.0,9.0 --expected_output=6xi64=4,0,0,0,0,6
// RUN: shard-run %s --function=no_nan --mesh=tp=3 --input=6x7xf32=-1.0,-3.0,-1.0,-1.0,3.0,-1.0,0.0,2.0,-1.0,nan,0.0,0.0,nan,-2.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,-2.0,-3.0,3.0,-2.0,3.0,0.0,9.0 --expected_output=6xi64=4,0,0,0,0,6
// RUN: shard-run %s --function=no_nan --mesh=tp=4 --input=6x7xf32=-1.0,-3.0,-1.0,-1.0,3.0,-1.0,0.0,2.0,-1.0,nan,0.0,0.0,nan,-2.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,-2.0,-3.0,3.0,-2.0,3.0,0.0,9.0 --expected_output=6xi64=4,0,0,0,0,6
// RUN: shard-run %s --function=no_nan --mesh=tp=8 --input=6x7xf32=-1.0,-3.0,-1.0,-1.0,3.0,-1.0,0.0,2.0,-1.0,nan,0.0,0.0,nan,-2.0,-inf,-inf,-inf,-inf,-inf,-inf,-inf,nan,nan,nan,nan,nan,nan,nan,0.0,-0.0,-0.0,0.0,-5.0,-0.0,0.0,-2.0,-3.0,3.0,-2.0,3.0,0.0,9.0 --expected_output=6xi64=4,0,0,0,0,6
// RUN: shard-run %s --function=last --mesh=tp=1 --input=6x7xi32=2,0,2,0,1,-2,2,-1,-1,-1,-1,-1,-1,-1,-1,-2,-1,-2,-1,-1,-1,-2,0,0,0,-1,-2,-1,0,1,-1,-2,-2,2,2,1,-2,-1,2,0,0,1 --expected_output=6xi32=0,-1,-2,0,0,0 --expected_output=6xi32=3,6,3,3,0,5
// RUN: shard-run %s --function=last --mesh=tp=2 --input=6x7xi32=2,0,2,0,1,-2,2,-1,-1,-1,-1,-1,-1,-1,-1,-2,-1,-2,-1,-1,-1,-2,0,0,0,-1,-2,-1,0,1,-1,-2,-2,2,2,1,-2,-1,2,0,0,1 --expected_output=6xi32=0,-1,-2,0,0,0 --expected_output=6xi32=3,6,3,3,0,5
// RUN: shard-run %s --function=last --mesh=tp=3 --input=6x7xi32=2,0,2,0,1,-2,2,-1,-1,-1,-1,-1,-1,-1,-1,-2,-1,-2,-1,-1,-1,-2,0,0,0,-1,-2,-1,0,1,-1,-2,-2,2,2,1,-2,-1,2,0,0,1 --expected_output=6xi32=0,-1,-2,0,0,0 --expected_output=6xi32=3,6,3,3,0,5
// RUN: shard-run %s --function=last --mesh=tp=4 --input=6x7xi32=2,0,2,0,1,-2,2,-1,-1,-1,-1,-1,-1,-1,-1,-2,-1,-2,-1,-1,-1,-2,0,0,0,-1,-2,-1,0,1,-1,-2,-2,2,2,1,-2,-1,2,0,0,1 --expected_output=6xi32=0,-1,-2,0,0,0 --expected_output=6xi32=3,6,3,3,0,5
// RUN: shard-run %s --function=last --mesh=tp=8 --input=6x7xi32=2,0,2,0,1,-2,2,-1,-1,-1,-1,-1,-1,-1,-1,-2,-1,-2,-1,-1,-1,-2,0,0,0,-1,-2,-1,0,1,-1,-2,-2,2,2,1,-2,-1,2,0,0,1 --expected_output=6xi32=0,-1,-2,0,0,0 --expected_output=6xi32=3,6,3,3,0,5
// RUN: shard-opt %s --shardir-to-collective="mesh=tp=2" | FileCheck %s
// CHECK-NOT:   collective.all_gather
// CHECK-LABEL: func.func @max
// CHECK:         collective.all_reduce {{.*}}partial = max ["tp"]
// CHECK:         collective.all_reduce {{.*}}partial = min ["tp"]
// CHECK-NOT:   collective.all_gather
// CHECK-LABEL: func.func @min
// CHECK:         collective.all_reduce {{.*}}partial = min ["tp"]
// CHECK:         collective.all_reduce {{.*}}partial = min ["tp"]
// CHECK-NOT:   collective.all_gather
// CHECK-LABEL: func.func @no_nan
// CHECK:         collective.all_reduce {{.*}}partial = maxnum ["tp"]
// CHECK:         collective.all_reduce {{.*}}partial = min ["tp"]
// CHECK-NOT:   collective.all_gather
// CHECK-LABEL: func.func @last
// CHECK:         collective.all_reduce {{.*}}partial = umin ["tp"]
// CHECK:         collective.all_reduce {{.*}}partial = max ["tp"]
// CHECK-NOT:   collective.all_gather
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
shardir.mesh @m <["tp"=?]>

func.func @max(%x: tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> (tensor<6xi32>) {
  %iv = arith.constant 0xFF800000 : f32
  %ii = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<6xf32>
  %ei = tensor.empty() : tensor<6xi32>
  %fv = linalg.fill ins(%iv : f32) outs(%ev : tensor<6xf32>) -> tensor<6xf32>
  %fi = linalg.fill ins(%ii : i32) outs(%ei : tensor<6xi32>) -> tensor<6xi32>
  %ec = tensor.empty() : tensor<6x7xi32>
  %c = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<6x7xi32>) {
    ^bb0(%o: i32):
      %w = linalg.index 1 : index
      %k = arith.index_cast %w : index to i32
      linalg.yield %k : i32
  } -> tensor<6x7xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<6x7xf32>, tensor<6x7xi32>) outs(%fv, %fi : tensor<6xf32>, tensor<6xi32>) {
    ^bb0(%b: f32, %ib: i32, %a: f32, %ia: i32):
      %g = arith.cmpf ogt, %a, %b : f32
      %n = arith.cmpf une, %a, %a : f32
      %k = arith.ori %g, %n : i1
      %e = arith.cmpf oeq, %a, %b : f32
      %l = arith.cmpi slt, %ia, %ib : i32
      %t = arith.andi %e, %l : i1
      %p = arith.ori %k, %t : i1
      %v = arith.select %k, %a, %b : f32
      %i = arith.select %p, %ia, %ib : i32
      linalg.yield %v, %i : f32, i32
  } -> (tensor<6xf32>, tensor<6xi32>)
  return %r#1 : tensor<6xi32>
}

func.func @min(%x: tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> (tensor<6xi32>) {
  %iv = arith.constant 0x7F800000 : f32
  %ii = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<6xf32>
  %ei = tensor.empty() : tensor<6xi32>
  %fv = linalg.fill ins(%iv : f32) outs(%ev : tensor<6xf32>) -> tensor<6xf32>
  %fi = linalg.fill ins(%ii : i32) outs(%ei : tensor<6xi32>) -> tensor<6xi32>
  %ec = tensor.empty() : tensor<6x7xi32>
  %c = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<6x7xi32>) {
    ^bb0(%o: i32):
      %w = linalg.index 1 : index
      %k = arith.index_cast %w : index to i32
      linalg.yield %k : i32
  } -> tensor<6x7xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<6x7xf32>, tensor<6x7xi32>) outs(%fv, %fi : tensor<6xf32>, tensor<6xi32>) {
    ^bb0(%b: f32, %ib: i32, %a: f32, %ia: i32):
      %g = arith.cmpf olt, %a, %b : f32
      %n = arith.cmpf une, %a, %a : f32
      %k = arith.ori %g, %n : i1
      %e = arith.cmpf oeq, %a, %b : f32
      %l = arith.cmpi slt, %ia, %ib : i32
      %t = arith.andi %e, %l : i1
      %p = arith.ori %k, %t : i1
      %v = arith.select %k, %a, %b : f32
      %i = arith.select %p, %ia, %ib : i32
      linalg.yield %v, %i : f32, i32
  } -> (tensor<6xf32>, tensor<6xi32>)
  return %r#1 : tensor<6xi32>
}

func.func @no_nan(%x: tensor<6x7xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> (tensor<6xi64>) {
  %iv = arith.constant 0xFF800000 : f32
  %ii = arith.constant 0 : i64
  %ev = tensor.empty() : tensor<6xf32>
  %ei = tensor.empty() : tensor<6xi64>
  %fv = linalg.fill ins(%iv : f32) outs(%ev : tensor<6xf32>) -> tensor<6xf32>
  %fi = linalg.fill ins(%ii : i64) outs(%ei : tensor<6xi64>) -> tensor<6xi64>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x7xf32>) outs(%fv, %fi : tensor<6xf32>, tensor<6xi64>) {
    ^bb0(%b: f32, %a: f32, %ia: i64):
      %w = linalg.index 1 : index
      %ib = arith.index_cast %w : index to i64
      %g = arith.cmpf ogt, %b, %a : f32
      %v = arith.select %g, %b, %a : f32
      %i = arith.select %g, %ib, %ia : i64
      linalg.yield %v, %i : f32, i64
  } -> (tensor<6xf32>, tensor<6xi64>)
  return %r#1 : tensor<6xi64>
}

func.func @last(%x: tensor<6x7xi32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}) -> (tensor<6xi32>, tensor<6xi32>) {
  %iv = arith.constant -1 : i32
  %ii = arith.constant 0 : i32
  %ev = tensor.empty() : tensor<6xi32>
  %ei = tensor.empty() : tensor<6xi32>
  %fv = linalg.fill ins(%iv : i32) outs(%ev : tensor<6xi32>) -> tensor<6xi32>
  %fi = linalg.fill ins(%ii : i32) outs(%ei : tensor<6xi32>) -> tensor<6xi32>
  %r:2 = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<6x7xi32>) outs(%fv, %fi : tensor<6xi32>, tensor<6xi32>) {
    ^bb0(%b: i32, %a: i32, %ia: i32):
      %w = linalg.index 1 : index
      %ib = arith.index_cast %w : index to i32
      %g = arith.cmpi ule, %b, %a : i32
      %v = arith.minui %a, %b : i32
      %i = arith.select %g, %ib, %ia : i32
      linalg.yield %v, %i : i32, i32
  } -> (tensor<6xi32>, tensor<6xi32>)
  return %r#0, %r#1 : tensor<6xi32>, tensor<6xi32>
}
