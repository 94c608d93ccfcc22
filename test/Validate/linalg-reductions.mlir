// Reductions of linalg, one for each kind of partial, and those that must stay
// whole.

func.func @reduce_sum(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_prod(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.mulf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_max(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.maximumf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_min(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.minimumf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_maxnum(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.maxnumf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_minnum(%a: tensor<4x5xf32>, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.reduce { arith.minnumf } ins(%a : tensor<4x5xf32>) outs(%c : tensor<4xf32>) dimensions = [1]
  return %0 : tensor<4xf32>
}

func.func @reduce_sum_i32(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_prod_i8(%a: tensor<4x5xi8>, %c: tensor<4xi8>) -> tensor<4xi8> {
  %0 = linalg.reduce { arith.muli } ins(%a : tensor<4x5xi8>) outs(%c : tensor<4xi8>) dimensions = [1]
  return %0 : tensor<4xi8>
}

func.func @reduce_max_i32(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.maxsi } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_min_i32(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.minsi } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_umax(%a: tensor<4x5xi8>, %c: tensor<4xi8>) -> tensor<4xi8> {
  %0 = linalg.reduce { arith.maxui } ins(%a : tensor<4x5xi8>) outs(%c : tensor<4xi8>) dimensions = [1]
  return %0 : tensor<4xi8>
}

func.func @reduce_umin(%a: tensor<4x5xi8>, %c: tensor<4xi8>) -> tensor<4xi8> {
  %0 = linalg.reduce { arith.minui } ins(%a : tensor<4x5xi8>) outs(%c : tensor<4xi8>) dimensions = [1]
  return %0 : tensor<4xi8>
}

func.func @reduce_and(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.andi } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_or(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.ori } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_xor(%a: tensor<4x5xi32>, %c: tensor<4xi32>) -> tensor<4xi32> {
  %0 = linalg.reduce { arith.xori } ins(%a : tensor<4x5xi32>) outs(%c : tensor<4xi32>) dimensions = [1]
  return %0 : tensor<4xi32>
}

func.func @reduce_sum_i1(%a: tensor<4x5xi1>, %c: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<4x5xi1>) outs(%c : tensor<4xi1>) dimensions = [1]
  return %0 : tensor<4xi1>
}

func.func @reduce_prod_i1(%a: tensor<4x5xi1>, %c: tensor<4xi1>) -> tensor<4xi1> {
  %0 = linalg.reduce { arith.muli } ins(%a : tensor<4x5xi1>) outs(%c : tensor<4xi1>) dimensions = [1]
  return %0 : tensor<4xi1>
}

func.func @reduce_sum_bf16(%a: tensor<4x5xbf16>, %c: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x5xbf16>) outs(%c : tensor<4xbf16>) dimensions = [1]
  return %0 : tensor<4xbf16>
}

func.func @reduce_sum_f16(%a: tensor<4x5xf16>, %c: tensor<4xf16>) -> tensor<4xf16> {
  %0 = linalg.reduce { arith.addf } ins(%a : tensor<4x5xf16>) outs(%c : tensor<4xf16>) dimensions = [1]
  return %0 : tensor<4xf16>
}

// Two results that combine by two kinds (trap 16).
func.func @reduce_sum_and_max(%a: tensor<4x5xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.reduce ins(%a, %a : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c, %d : tensor<4xf32>, tensor<4xf32>) dimensions = [1]
    (%x: f32, %y: f32, %s: f32, %m: f32) {
      %1 = arith.addf %x, %s : f32
      %2 = arith.maximumf %y, %m : f32
      linalg.yield %1, %2 : f32, f32
    }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// The second result reads the first one's accumulator: replicated.
func.func @reduce_argmax(%a: tensor<4x5xf32>, %c: tensor<4xf32>, %d: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %0:2 = linalg.generic {
      indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x5xf32>) outs(%c, %d : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%x: f32, %best: f32, %at: i32):
    %i = linalg.index 1 : index
    %i32 = arith.index_cast %i : index to i32
    %more = arith.cmpf ogt, %x, %best : f32
    %1 = arith.select %more, %x, %best : f32
    %2 = arith.select %more, %i32, %at : i32
    linalg.yield %1, %2 : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xi32>
}

func.func @softmax(%a: tensor<4x5xf32>, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.softmax dimension(1) ins(%a : tensor<4x5xf32>) outs(%c : tensor<4x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
