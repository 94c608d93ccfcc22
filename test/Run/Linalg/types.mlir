// RUN: %python %S/../Inputs/verify-all.py %s

// Element types, each with an uneven shard, a reduction and a movement.
shardir.mesh @m <["x"=2, "y"=2]>

func.func @i1(%x: tensor<5x6xi1> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xi1> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xi1>, tensor<6xi1>, tensor<6x5xi1> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant false
  %e = tensor.empty() : tensor<5x3xi1>
  %z = linalg.fill ins(%zero : i1) outs(%e : tensor<5x3xi1>) -> tensor<5x3xi1>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xi1>, tensor<6x3xi1>) outs(%z : tensor<5x3xi1>) {
  ^bb0(%a: i1, %b: i1, %acc: i1):
    %m = arith.andi %a, %b : i1
    %s = arith.xori %acc, %m : i1
    linalg.yield %s : i1
  } -> tensor<5x3xi1>
  %e6 = tensor.empty() : tensor<6xi1>
  %z6 = linalg.fill ins(%zero : i1) outs(%e6 : tensor<6xi1>) -> tensor<6xi1>
  %c = linalg.reduce { arith.xori } ins(%x : tensor<5x6xi1>) outs(%z6 : tensor<6xi1>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xi1>
  %t = linalg.transpose ins(%x : tensor<5x6xi1>) outs(%et : tensor<6x5xi1>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xi1>, tensor<6xi1>, tensor<6x5xi1>
}

func.func @i8(%x: tensor<5x6xi8> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xi8> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xi8>, tensor<6xi8>, tensor<6x5xi8> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0 : i8
  %e = tensor.empty() : tensor<5x3xi8>
  %z = linalg.fill ins(%zero : i8) outs(%e : tensor<5x3xi8>) -> tensor<5x3xi8>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xi8>, tensor<6x3xi8>) outs(%z : tensor<5x3xi8>) {
  ^bb0(%a: i8, %b: i8, %acc: i8):
    %m = arith.muli %a, %b : i8
    %s = arith.addi %acc, %m : i8
    linalg.yield %s : i8
  } -> tensor<5x3xi8>
  %e6 = tensor.empty() : tensor<6xi8>
  %z6 = linalg.fill ins(%zero : i8) outs(%e6 : tensor<6xi8>) -> tensor<6xi8>
  %c = linalg.reduce { arith.addi } ins(%x : tensor<5x6xi8>) outs(%z6 : tensor<6xi8>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xi8>
  %t = linalg.transpose ins(%x : tensor<5x6xi8>) outs(%et : tensor<6x5xi8>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xi8>, tensor<6xi8>, tensor<6x5xi8>
}

func.func @i16(%x: tensor<5x6xi16> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xi16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xi16>, tensor<6xi16>, tensor<6x5xi16> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0 : i16
  %e = tensor.empty() : tensor<5x3xi16>
  %z = linalg.fill ins(%zero : i16) outs(%e : tensor<5x3xi16>) -> tensor<5x3xi16>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xi16>, tensor<6x3xi16>) outs(%z : tensor<5x3xi16>) {
  ^bb0(%a: i16, %b: i16, %acc: i16):
    %m = arith.muli %a, %b : i16
    %s = arith.addi %acc, %m : i16
    linalg.yield %s : i16
  } -> tensor<5x3xi16>
  %e6 = tensor.empty() : tensor<6xi16>
  %z6 = linalg.fill ins(%zero : i16) outs(%e6 : tensor<6xi16>) -> tensor<6xi16>
  %c = linalg.reduce { arith.addi } ins(%x : tensor<5x6xi16>) outs(%z6 : tensor<6xi16>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xi16>
  %t = linalg.transpose ins(%x : tensor<5x6xi16>) outs(%et : tensor<6x5xi16>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xi16>, tensor<6xi16>, tensor<6x5xi16>
}

func.func @i32(%x: tensor<5x6xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xi32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xi32>, tensor<6xi32>, tensor<6x5xi32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<5x3xi32>
  %z = linalg.fill ins(%zero : i32) outs(%e : tensor<5x3xi32>) -> tensor<5x3xi32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xi32>, tensor<6x3xi32>) outs(%z : tensor<5x3xi32>) {
  ^bb0(%a: i32, %b: i32, %acc: i32):
    %m = arith.muli %a, %b : i32
    %s = arith.addi %acc, %m : i32
    linalg.yield %s : i32
  } -> tensor<5x3xi32>
  %e6 = tensor.empty() : tensor<6xi32>
  %z6 = linalg.fill ins(%zero : i32) outs(%e6 : tensor<6xi32>) -> tensor<6xi32>
  %c = linalg.reduce { arith.addi } ins(%x : tensor<5x6xi32>) outs(%z6 : tensor<6xi32>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xi32>
  %t = linalg.transpose ins(%x : tensor<5x6xi32>) outs(%et : tensor<6x5xi32>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xi32>, tensor<6xi32>, tensor<6x5xi32>
}

func.func @i64(%x: tensor<5x6xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xi64> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xi64>, tensor<6xi64>, tensor<6x5xi64> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0 : i64
  %e = tensor.empty() : tensor<5x3xi64>
  %z = linalg.fill ins(%zero : i64) outs(%e : tensor<5x3xi64>) -> tensor<5x3xi64>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xi64>, tensor<6x3xi64>) outs(%z : tensor<5x3xi64>) {
  ^bb0(%a: i64, %b: i64, %acc: i64):
    %m = arith.muli %a, %b : i64
    %s = arith.addi %acc, %m : i64
    linalg.yield %s : i64
  } -> tensor<5x3xi64>
  %e6 = tensor.empty() : tensor<6xi64>
  %z6 = linalg.fill ins(%zero : i64) outs(%e6 : tensor<6xi64>) -> tensor<6xi64>
  %c = linalg.reduce { arith.addi } ins(%x : tensor<5x6xi64>) outs(%z6 : tensor<6xi64>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xi64>
  %t = linalg.transpose ins(%x : tensor<5x6xi64>) outs(%et : tensor<6x5xi64>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xi64>, tensor<6xi64>, tensor<6x5xi64>
}

func.func @f16(%x: tensor<5x6xf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xf16>, tensor<6xf16>, tensor<6x5xf16> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<5x3xf16>
  %z = linalg.fill ins(%zero : f16) outs(%e : tensor<5x3xf16>) -> tensor<5x3xf16>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xf16>, tensor<6x3xf16>) outs(%z : tensor<5x3xf16>) {
  ^bb0(%a: f16, %b: f16, %acc: f16):
    %m = arith.mulf %a, %b : f16
    %s = arith.addf %acc, %m : f16
    linalg.yield %s : f16
  } -> tensor<5x3xf16>
  %e6 = tensor.empty() : tensor<6xf16>
  %z6 = linalg.fill ins(%zero : f16) outs(%e6 : tensor<6xf16>) -> tensor<6xf16>
  %c = linalg.reduce { arith.addf } ins(%x : tensor<5x6xf16>) outs(%z6 : tensor<6xf16>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xf16>
  %t = linalg.transpose ins(%x : tensor<5x6xf16>) outs(%et : tensor<6x5xf16>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xf16>, tensor<6xf16>, tensor<6x5xf16>
}

func.func @bf16(%x: tensor<5x6xbf16> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xbf16>, tensor<6xbf16>, tensor<6x5xbf16> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0.0 : bf16
  %e = tensor.empty() : tensor<5x3xbf16>
  %z = linalg.fill ins(%zero : bf16) outs(%e : tensor<5x3xbf16>) -> tensor<5x3xbf16>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xbf16>, tensor<6x3xbf16>) outs(%z : tensor<5x3xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %acc: bf16):
    %m = arith.mulf %a, %b : bf16
    %s = arith.addf %acc, %m : bf16
    linalg.yield %s : bf16
  } -> tensor<5x3xbf16>
  %e6 = tensor.empty() : tensor<6xbf16>
  %z6 = linalg.fill ins(%zero : bf16) outs(%e6 : tensor<6xbf16>) -> tensor<6xbf16>
  %c = linalg.reduce { arith.addf } ins(%x : tensor<5x6xbf16>) outs(%z6 : tensor<6xbf16>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xbf16>
  %t = linalg.transpose ins(%x : tensor<5x6xbf16>) outs(%et : tensor<6x5xbf16>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xbf16>, tensor<6xbf16>, tensor<6x5xbf16>
}

func.func @f32(%x: tensor<5x6xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xf32>, tensor<6xf32>, tensor<6x5xf32> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5x3xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5x3xf32>) -> tensor<5x3xf32>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xf32>, tensor<6x3xf32>) outs(%z : tensor<5x3xf32>) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %acc, %m : f32
    linalg.yield %s : f32
  } -> tensor<5x3xf32>
  %e6 = tensor.empty() : tensor<6xf32>
  %z6 = linalg.fill ins(%zero : f32) outs(%e6 : tensor<6xf32>) -> tensor<6xf32>
  %c = linalg.reduce { arith.addf } ins(%x : tensor<5x6xf32>) outs(%z6 : tensor<6xf32>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xf32>
  %t = linalg.transpose ins(%x : tensor<5x6xf32>) outs(%et : tensor<6x5xf32>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xf32>, tensor<6xf32>, tensor<6x5xf32>
}

func.func @f64(%x: tensor<5x6xf64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>},
                %y: tensor<6x3xf64> {shardir.placement = #shardir.placement<@m, [{}, {"x"}]>})
    -> (tensor<5x3xf64>, tensor<6xf64>, tensor<6x5xf64> {shardir.placement = #shardir.placement<@m, [{"y", "x"}, {}]>}) {
  %zero = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<5x3xf64>
  %z = linalg.fill ins(%zero : f64) outs(%e : tensor<5x3xf64>) -> tensor<5x3xf64>
  %p = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x, %y : tensor<5x6xf64>, tensor<6x3xf64>) outs(%z : tensor<5x3xf64>) {
  ^bb0(%a: f64, %b: f64, %acc: f64):
    %m = arith.mulf %a, %b : f64
    %s = arith.addf %acc, %m : f64
    linalg.yield %s : f64
  } -> tensor<5x3xf64>
  %e6 = tensor.empty() : tensor<6xf64>
  %z6 = linalg.fill ins(%zero : f64) outs(%e6 : tensor<6xf64>) -> tensor<6xf64>
  %c = linalg.reduce { arith.addf } ins(%x : tensor<5x6xf64>) outs(%z6 : tensor<6xf64>) dimensions = [0]
  %et = tensor.empty() : tensor<6x5xf64>
  %t = linalg.transpose ins(%x : tensor<5x6xf64>) outs(%et : tensor<6x5xf64>) permutation = [1, 0]
  return %p, %c, %t : tensor<5x3xf64>, tensor<6xf64>, tensor<6x5xf64>
}

// Sizes as values, and comparisons.
func.func @index(%x: tensor<7xindex> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<7xindex>, tensor<index>, tensor<7xi1>) {
  %zero = arith.constant 0 : index
  %e = tensor.empty() : tensor<index>
  %z = linalg.fill ins(%zero : index) outs(%e : tensor<index>) -> tensor<index>
  %s = linalg.reduce { arith.addi } ins(%x : tensor<7xindex>) outs(%z : tensor<index>) dimensions = [0]
  %d = arith.addi %x, %x : tensor<7xindex>
  %c = arith.cmpi ult, %x, %d : tensor<7xindex>
  return %d, %s, %c : tensor<7xindex>, tensor<index>, tensor<7xi1>
}
