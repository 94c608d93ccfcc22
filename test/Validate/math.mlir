// math on tensors.

func.func @absf(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.absf %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @acos(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.acos %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @acosh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.acosh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @asin(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.asin %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @asinh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.asinh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @atan(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.atan %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @atanh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.atanh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @cbrt(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.cbrt %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @ceil(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.ceil %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @cos(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.cos %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @cosh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.cosh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @erf(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.erf %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @erfc(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.erfc %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @exp(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.exp %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @exp2(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.exp2 %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @expm1(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.expm1 %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @floor(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.floor %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @log(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.log %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @log10(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.log10 %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @log1p(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.log1p %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @log2(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.log2 %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @round(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.round %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @roundeven(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.roundeven %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @rsqrt(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.rsqrt %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sin(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.sin %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sinh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.sinh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sqrt(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.sqrt %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @tan(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.tan %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @tanh(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.tanh %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @trunc(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.trunc %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @atan2(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.atan2 %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @copysign(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.copysign %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @powf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.powf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @isnan(%a: tensor<4x5xf32>) -> tensor<4x5xi1> {
  %0 = math.isnan %a : tensor<4x5xf32>
  return %0 : tensor<4x5xi1>
}

func.func @isinf(%a: tensor<4x5xf32>) -> tensor<4x5xi1> {
  %0 = math.isinf %a : tensor<4x5xf32>
  return %0 : tensor<4x5xi1>
}

func.func @isfinite(%a: tensor<4x5xf32>) -> tensor<4x5xi1> {
  %0 = math.isfinite %a : tensor<4x5xf32>
  return %0 : tensor<4x5xi1>
}

func.func @isnormal(%a: tensor<4x5xf32>) -> tensor<4x5xi1> {
  %0 = math.isnormal %a : tensor<4x5xf32>
  return %0 : tensor<4x5xi1>
}

func.func @absi(%a: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = math.absi %a : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ctlz(%a: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = math.ctlz %a : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @cttz(%a: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = math.cttz %a : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ctpop(%a: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = math.ctpop %a : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ipowi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = math.ipowi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @fpowi(%a: tensor<4x5xf32>, %b: tensor<4x5xi32>) -> tensor<4x5xf32> {
  %0 = math.fpowi %a, %b : tensor<4x5xf32>, tensor<4x5xi32>
  return %0 : tensor<4x5xf32>
}

func.func @fma(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.fma %a, %b, %c : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @clampf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = math.clampf %a to [%b, %c] : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sincos(%a: tensor<4x5xf32>) -> (tensor<4x5xf32>, tensor<4x5xf32>) {
  %0:2 = math.sincos %a : tensor<4x5xf32>
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<4x5xf32>
}
