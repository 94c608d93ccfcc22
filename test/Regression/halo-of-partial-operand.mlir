// An op whose operand was reduced and got a halo for it was made again for what a
// loop carries, from the overlapping shards. As the fuzzer found and cut it down.
// RUN: shard-run %s --verify
shardir.mesh @m <["x"=2, "y"=2, "z"=2]>
func.func private @v6(%x: tensor<7x2xf32>) -> tensor<7x2xf32> {
  %y = arith.addf %x, %x : tensor<7x2xf32>
  return %y : tensor<7x2xf32>
}
func.func private @v12(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = arith.addf %x, %x : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
func.func @main(%x1: tensor<7x2xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                %x2: tensor<2xf32> {shardir.placement = #shardir.placement<@m, [{"z", "y"}]>},
                %x3: tensor<4x8xbf16>,
                %x4: tensor<4x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["z"]>})
    -> (tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"z", ?}, {"y", "x"}]>},
        tensor<12x8xf32>,
        tensor<4x8xf32>) {
  %v5l = arith.constant 0 : index
  %v5s = arith.constant 1 : index
  %v5u = arith.constant 0 : index
  %v5 = scf.for %v5i = %v5l to %v5u step %v5s iter_args(%v5a0 = %x4) -> (tensor<4x8xf32>) {
    %v6 = func.call @v6(%x1) : (tensor<7x2xf32>) -> tensor<7x2xf32>
    scf.yield %v5a0 : tensor<4x8xf32>
  }
  %v7l = arith.constant 0 : index
  %v7s = arith.constant 1 : index
  %v7u = arith.constant 3 : index
  %v7:3 = scf.for %v7i = %v7l to %v7u step %v7s iter_args(%v7a0 = %v5, %v7a1 = %x2, %v7a2 = %x4) -> (tensor<4x8xf32>, tensor<2xf32>, tensor<4x8xf32>) {
    %v8 = tensor.extract_slice %v7a0[%v7i, 0] [1, 8] [1, 1] : tensor<4x8xf32> to tensor<8xf32>
    scf.yield %v7a0, %v7a1, %v7a0 : tensor<4x8xf32>, tensor<2xf32>, tensor<4x8xf32>
  }
  %v9 = tensor.concat dim(0) %v5, %v7#0, %v7#2 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<12x8xf32>
  %v11z = arith.constant 0 : i32
  %v11o = arith.constant 1 : i32
  %v11m = arith.constant 3 : i32
  %v11:2 = scf.while (%v11a0 = %v7#0, %v11k = %v11z) : (tensor<4x8xf32>, i32) -> (tensor<12x8xf32>, i32) {
    %v12 = func.call @v12(%v7#2) : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %v11c = arith.cmpi slt, %v11k, %v11m : i32
    %v11p0 = arith.constant 0 : index
    %v11p1 = arith.constant 4 : index
    %v11x = tensor.extract %v11a0[%v11p0, %v11p1] : tensor<4x8xf32>
    %v11y = arith.constant 2.0 : f32
    %v11d = arith.cmpf olt, %v11x, %v11y : f32
    %v11g = arith.andi %v11c, %v11d : i1
    scf.condition(%v11g) %v9, %v11k : tensor<12x8xf32>, i32
  } do {
  ^bb0(%v11b0: tensor<12x8xf32>, %v11j: i32):
    %v13 = tensor.expand_shape %v7#1 [[0, 1]] output_shape [1, 2] : tensor<2xf32> into tensor<1x2xf32>
    %v14 = shardir.constrain %v7#2 to #shardir.placement<@m, [{"x"}, {}]> : tensor<4x8xf32>
    %e16 = tensor.empty() : tensor<4x8xi16>
    %v17 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%v7#2 : tensor<4x8xf32>) outs(%e16 : tensor<4x8xi16>) {
    ^bb0(%v17a: f32, %v17o: i16):
      %v17s = arith.fptosi %v17a : f32 to i16
      linalg.yield %v17s : i16
    } -> tensor<4x8xi16>
    %v11n = arith.addi %v11j, %v11o : i32
    scf.yield %v14, %v11n : tensor<4x8xf32>, i32
  }
  %v19l = arith.constant 0 : index
  %v19s = arith.constant 1 : index
  %v19u = arith.constant 0 : index
  %v19:3 = scf.for %v19i = %v19l to %v19u step %v19s iter_args(%v19a0 = %v11#0, %v19a1 = %v9, %v19a2 = %v5) -> (tensor<12x8xf32>, tensor<12x8xf32>, tensor<4x8xf32>) {
    %v20 = tensor.extract_slice %v19a0[%v19i, 0] [1, 8] [1, 1] : tensor<12x8xf32> to tensor<8xf32>
    %v21l = arith.constant 0 : index
    %v21s = arith.constant 1 : index
    %v21u = arith.constant 3 : index
    %v21:3 = scf.for %v21i = %v21l to %v21u step %v21s iter_args(%v21a0 = %v20, %v21a1 = %v11#0, %v21a2 = %v19a2) -> (tensor<8xf32>, tensor<12x8xf32>, tensor<4x8xf32>) {
      %e26 = tensor.empty() : tensor<12x8xf32>
      %v27 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%v11#0 : tensor<12x8xf32>) outs(%e26 : tensor<12x8xf32>) {
      ^bb0(%a22: f32, %o25: f32):
        %c24 = arith.constant 1.0 : f32
        %s23 = arith.addf %a22, %c24 : f32
        linalg.yield %s23 : f32
      } -> tensor<12x8xf32>
      %v28 = tensor.extract_slice %v11#0[5, 6] [3, 1] [3, 3] : tensor<12x8xf32> to tensor<3xf32>
      %k29l = arith.constant dense<-3.0> : tensor<12x8xf32>
      %k29h = arith.constant dense<3.0> : tensor<12x8xf32>
      %k29g = arith.maximumf %v27, %k29l : tensor<12x8xf32>
      %k29 = arith.minimumf %k29g, %k29h : tensor<12x8xf32>
      scf.yield %v21a0, %k29, %v21a2 : tensor<8xf32>, tensor<12x8xf32>, tensor<4x8xf32>
    }
    scf.yield %v19a1, %v21#1, %v21#2 : tensor<12x8xf32>, tensor<12x8xf32>, tensor<4x8xf32>
  }
  %v30z = arith.constant 0 : i32
  %v30o = arith.constant 1 : i32
  %v30m = arith.constant 3 : i32
  %v30:2 = scf.while (%v30a0 = %v19#1, %v30a1 = %v7#1, %v30k = %v30z) : (tensor<12x8xf32>, tensor<2xf32>, i32) -> (tensor<4x8xf32>, i32) {
    %v30c = arith.cmpi slt, %v30k, %v30m : i32
    %v30p0 = arith.constant 0 : index
    %v30x = tensor.extract %v30a1[%v30p0] : tensor<2xf32>
    %v30y = arith.constant 2.0 : f32
    %v30d = arith.cmpf olt, %v30x, %v30y : f32
    %v30g = arith.andi %v30c, %v30d : i1
    scf.condition(%v30g) %v19#2, %v30k : tensor<4x8xf32>, i32
  } do {
  ^bb0(%v30b0: tensor<4x8xf32>, %v30j: i32):
    %v36 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
        ins(%v19#2 : tensor<4x8xf32>) outs(%v7#0 : tensor<4x8xf32>) {
    ^bb0(%a31: f32, %o34: f32):
      %c33 = arith.constant 2.0 : f32
      %s32 = arith.mulf %a31, %c33 : f32
      %s35 = arith.addf %o34, %s32 : f32
      linalg.yield %s35 : f32
    } -> tensor<4x8xf32>
    %v30n = arith.addi %v30j, %v30o : i32
    scf.yield %v19#0, %v7#1, %v30n : tensor<12x8xf32>, tensor<2xf32>, i32
  }
  return %v19#0, %v9, %v30#0 : tensor<12x8xf32>, tensor<12x8xf32>, tensor<4x8xf32>
}
