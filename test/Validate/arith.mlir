// arith on tensors: every dim passes; which terms pass is the table of P5.

func.func @addf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.addf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @subf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.subf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @mulf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.mulf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @divf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.divf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @remf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.remf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @maximumf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.maximumf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @minimumf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.minimumf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @maxnumf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.maxnumf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @minnumf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.minnumf %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @negf(%a: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.negf %a : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @addi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.addi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @addi_i1(%a: tensor<4x5xi1>, %b: tensor<4x5xi1>) -> tensor<4x5xi1> {
  %0 = arith.addi %a, %b : tensor<4x5xi1>
  return %0 : tensor<4x5xi1>
}

func.func @subi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.subi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @subi_i1(%a: tensor<4x5xi1>, %b: tensor<4x5xi1>) -> tensor<4x5xi1> {
  %0 = arith.subi %a, %b : tensor<4x5xi1>
  return %0 : tensor<4x5xi1>
}

func.func @muli(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.muli %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @muli_i1(%a: tensor<4x5xi1>, %b: tensor<4x5xi1>) -> tensor<4x5xi1> {
  %0 = arith.muli %a, %b : tensor<4x5xi1>
  return %0 : tensor<4x5xi1>
}

func.func @divsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.divsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @divui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.divui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ceildivsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.ceildivsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ceildivui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.ceildivui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @floordivsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.floordivsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @remsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.remsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @remui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.remui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @andi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.andi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @ori(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.ori %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @xori(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.xori %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @maxsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.maxsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @maxui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.maxui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @minsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.minsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @minui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = arith.minui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @shli(%a: tensor<4x5xi32>, %b: tensor<4x5xi32> {validate.range = array<i64: 0, 7>}) -> tensor<4x5xi32> {
  %0 = arith.shli %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @shrsi(%a: tensor<4x5xi32>, %b: tensor<4x5xi32> {validate.range = array<i64: 0, 7>}) -> tensor<4x5xi32> {
  %0 = arith.shrsi %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @shrui(%a: tensor<4x5xi32>, %b: tensor<4x5xi32> {validate.range = array<i64: 0, 7>}) -> tensor<4x5xi32> {
  %0 = arith.shrui %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @cmpi_slt(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi1> {
  %0 = arith.cmpi slt, %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi1>
}

func.func @cmpi_ult(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi1> {
  %0 = arith.cmpi ult, %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi1>
}

func.func @cmpi_eq(%a: tensor<4x5xi32>, %b: tensor<4x5xi32>) -> tensor<4x5xi1> {
  %0 = arith.cmpi eq, %a, %b : tensor<4x5xi32>
  return %0 : tensor<4x5xi1>
}

func.func @cmpf(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xi1> {
  %0 = arith.cmpf olt, %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xi1>
}

func.func @select(%m: tensor<4x5xi1>, %a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.select %m, %a, %b : tensor<4x5xi1>, tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @select_scalar(%m: i1, %a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = arith.select %m, %a, %b : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @extf(%a: tensor<4x5xbf16>) -> tensor<4x5xf32> {
  %0 = arith.extf %a : tensor<4x5xbf16> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @truncf(%a: tensor<4x5xf32>) -> tensor<4x5xbf16> {
  %0 = arith.truncf %a : tensor<4x5xf32> to tensor<4x5xbf16>
  return %0 : tensor<4x5xbf16>
}

func.func @extsi(%a: tensor<4x5xi8>) -> tensor<4x5xi32> {
  %0 = arith.extsi %a : tensor<4x5xi8> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @extui(%a: tensor<4x5xi8>) -> tensor<4x5xi32> {
  %0 = arith.extui %a : tensor<4x5xi8> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @extui_i1(%a: tensor<4x5xi1>) -> tensor<4x5xi32> {
  %0 = arith.extui %a : tensor<4x5xi1> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @extsi_i1(%a: tensor<4x5xi1>) -> tensor<4x5xi32> {
  %0 = arith.extsi %a : tensor<4x5xi1> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @trunci(%a: tensor<4x5xi32>) -> tensor<4x5xi8> {
  %0 = arith.trunci %a : tensor<4x5xi32> to tensor<4x5xi8>
  return %0 : tensor<4x5xi8>
}

func.func @sitofp(%a: tensor<4x5xi32>) -> tensor<4x5xf32> {
  %0 = arith.sitofp %a : tensor<4x5xi32> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @uitofp(%a: tensor<4x5xi8>) -> tensor<4x5xf32> {
  %0 = arith.uitofp %a : tensor<4x5xi8> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @sitofp_i1(%a: tensor<4x5xi1>) -> tensor<4x5xf32> {
  %0 = arith.sitofp %a : tensor<4x5xi1> to tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @fptosi(%a: tensor<4x5xf32>) -> tensor<4x5xi32> {
  %0 = arith.fptosi %a : tensor<4x5xf32> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @fptoui(%a: tensor<4x5xf32>) -> tensor<4x5xi8> {
  %0 = arith.fptoui %a : tensor<4x5xf32> to tensor<4x5xi8>
  return %0 : tensor<4x5xi8>
}

func.func @bitcast(%a: tensor<4x5xf32>) -> tensor<4x5xi32> {
  %0 = arith.bitcast %a : tensor<4x5xf32> to tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @index_cast(%a: tensor<4x5xi32>) -> tensor<4x5xindex> {
  %0 = arith.index_cast %a : tensor<4x5xi32> to tensor<4x5xindex>
  return %0 : tensor<4x5xindex>
}

func.func @index_castui(%a: tensor<4x5xi32>) -> tensor<4x5xindex> {
  %0 = arith.index_castui %a : tensor<4x5xi32> to tensor<4x5xindex>
  return %0 : tensor<4x5xindex>
}

func.func @addui_extended(%a: tensor<4x5xi8>, %b: tensor<4x5xi8>) -> (tensor<4x5xi8>, tensor<4x5xi1>) {
  %0:2 = arith.addui_extended %a, %b : tensor<4x5xi8>, tensor<4x5xi1>
  return %0#0, %0#1 : tensor<4x5xi8>, tensor<4x5xi1>
}

func.func @mulsi_extended(%a: tensor<4x5xi8>, %b: tensor<4x5xi8>) -> (tensor<4x5xi8>, tensor<4x5xi8>) {
  %0:2 = arith.mulsi_extended %a, %b : tensor<4x5xi8>
  return %0#0, %0#1 : tensor<4x5xi8>, tensor<4x5xi8>
}

func.func @mului_extended(%a: tensor<4x5xi8>, %b: tensor<4x5xi8>) -> (tensor<4x5xi8>, tensor<4x5xi8>) {
  %0:2 = arith.mului_extended %a, %b : tensor<4x5xi8>
  return %0#0, %0#1 : tensor<4x5xi8>, tensor<4x5xi8>
}

func.func @constant_splat() -> tensor<4x5xf32> {
  %0 = arith.constant dense<3.0> : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @constant_zero() -> tensor<4x5xi32> {
  %0 = arith.constant dense<0> : tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @constant_dense() -> tensor<4x3xi32> {
  %0 = arith.constant dense<[[1, 2, 3], [4, 5, 6], [7, 8, 9], [-1, -2, -3]]> : tensor<4x3xi32>
  return %0 : tensor<4x3xi32>
}

func.func @addf_scalar_tensor(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = arith.addf %a, %b : tensor<f32>
  return %0 : tensor<f32>
}
