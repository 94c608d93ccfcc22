// Named ops of linalg without a reduction.

func.func @abs(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.abs ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @ceil(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.ceil ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @erf(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.erf ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @exp(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.exp ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @floor(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.floor ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @log(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.log ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @negf(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.negf ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @reciprocal(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.reciprocal ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @round(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.round ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @rsqrt(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.rsqrt ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sqrt(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.sqrt ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @square(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.square ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @tanh(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.tanh ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @add(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sub(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.sub ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @mul(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @div(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.div ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @max(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.max ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @min(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.min ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @powf(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.powf ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @add_i32(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.add ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @mul_i32(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.mul ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @max_i32(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.max ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @min_i32(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.min ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @div_i32(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.div ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @div_unsigned(%a0: tensor<4x5xi32>, %a1: tensor<4x5xi32>, %c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.div_unsigned ins(%a0, %a1 : tensor<4x5xi32>, tensor<4x5xi32>) outs(%c0 : tensor<4x5xi32>) -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @select(%a0: tensor<4x5xi1>, %a1: tensor<4x5xf32>, %a2: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.select ins(%a0, %a1, %a2 : tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @copy(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.copy ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @fill(%a0: f32, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.fill ins(%a0 : f32) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @fill_rng_2d(%a0: f64, %a1: f64, %a2: i32, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.fill_rng_2d ins(%a0, %a1, %a2 : f64, f64, i32) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @elementwise_add(%a0: tensor<4x5xf32>, %a1: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<add> ins(%a0, %a1 : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @elementwise_exp_transposed(%a0: tensor<5x4xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.elementwise kind=#linalg.elementwise_kind<exp> indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>] ins(%a0 : tensor<5x4xf32>) outs(%c0 : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @fill_constant(%c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %two = arith.constant 2.0 : f32
  %0 = linalg.fill ins(%two : f32) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @map(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.map ins(%a, %b : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c : tensor<4x5xf32>)
    (%x: f32, %y: f32, %init: f32) {
      %1 = arith.mulf %x, %y : f32
      linalg.yield %1 : f32
    }
  return %0 : tensor<4x5xf32>
}

func.func @broadcast(%a: tensor<4xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.broadcast ins(%a : tensor<4xf32>) outs(%c : tensor<4x5xf32>) dimensions = [1]
  return %0 : tensor<4x5xf32>
}

func.func @transpose(%a: tensor<4x5x3xf32>, %c: tensor<3x4x5xf32>) -> tensor<3x4x5xf32> {
  %0 = linalg.transpose ins(%a : tensor<4x5x3xf32>) outs(%c : tensor<3x4x5xf32>) permutation = [2, 0, 1]
  return %0 : tensor<3x4x5xf32>
}
