// linalg.generic: rules from maps, iterators and bodies.

func.func @generic_index(%c0: tensor<4x5xi32>) -> tensor<4x5xi32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%c0 : tensor<4x5xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.muli %i, %j : index
    %1 = arith.index_cast %s : index to i32
    linalg.yield %1 : i32
  } -> tensor<4x5xi32>
  return %0 : tensor<4x5xi32>
}

func.func @generic_bias_scaled(%a0: tensor<4x5xf32>, %a1: tensor<5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a1 : tensor<4x5xf32>, tensor<5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %b: f32, %o: f32):
    %1 = arith.addf %x, %b : f32
    %two = arith.constant 2.0 : f32
    %2 = arith.mulf %1, %two : f32
    linalg.yield %2 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_relu(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %z = arith.constant 0.0 : f32
    %1 = arith.maximumf %x, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_mask_select(%a0: tensor<4x5xi1>, %a1: tensor<4x5xf32>, %a2: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0, %a1, %a2 : tensor<4x5xi1>, tensor<4x5xf32>, tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%m: i1, %x: f32, %y: f32, %o: f32):
    %1 = arith.select %m, %x, %y : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_causal_mask(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi sge, %i, %j : index
    %z = arith.constant 0.0 : f32
    %1 = arith.select %c, %x, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_diagonal(%a0: tensor<4x4xf32>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%a0 : tensor<4x4xf32>) outs(%c0 : tensor<4xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @generic_trace(%a0: tensor<4x4xf32>, %c0: tensor<f32>) -> tensor<f32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0, d0)>, affine_map<(d0) -> ()>], iterator_types = ["reduction"]}
      ins(%a0 : tensor<4x4xf32>) outs(%c0 : tensor<f32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.addf %x, %o : f32
    linalg.yield %1 : f32
  } -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @generic_constant_index(%a0: tensor<4x1xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x1xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_two_results(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>, %c1: tensor<5x4xf32>) -> (tensor<4x5xf32>, tensor<5x4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0, %c1 : tensor<4x5xf32>, tensor<5x4xf32>) {
  ^bb0(%x: f32, %o: f32, %q: f32):
    %1 = arith.negf %x : f32
    %2 = arith.addf %x, %x : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4x5xf32>, tensor<5x4xf32>)
  return %0#0, %0#1 : tensor<4x5xf32>, tensor<5x4xf32>
}

func.func @generic_sum_and_max(%a0: tensor<4x5xf32>, %c0: tensor<4xf32>, %c1: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0, %c1 : tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32, %m: f32):
    %1 = arith.addf %x, %s : f32
    %2 = arith.maximumf %m, %x : f32
    linalg.yield %1, %2 : f32, f32
  } -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @generic_sum_of_squares(%a0: tensor<4x5xf32>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %q = arith.mulf %x, %x : f32
    %1 = arith.addf %q, %s : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The accumulator decays: steps do not combine.
func.func @generic_scan_like(%a0: tensor<4x5xf32>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %h = arith.constant 0.5 : f32
    %q = arith.mulf %s, %h : f32
    %1 = arith.addf %q, %x : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// relu after each step: not a sum (trap 15).
func.func @generic_relu_of_sum(%a0: tensor<4x5xf32>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4xf32>) {
  ^bb0(%x: f32, %s: f32):
    %z = arith.constant 0.0 : f32
    %q = arith.addf %s, %x : f32
    %1 = arith.maximumf %q, %z : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @generic_reads_init(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = arith.addf %x, %o : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @generic_extf_sum(%a0: tensor<4x5xbf16>, %c0: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a0 : tensor<4x5xbf16>) outs(%c0 : tensor<4xf32>) {
  ^bb0(%x: bf16, %s: f32):
    %w = arith.extf %x : bf16 to f32
    %1 = arith.addf %s, %w : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @generic_abs(%a0: tensor<4x5xf32>, %c0: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a0 : tensor<4x5xf32>) outs(%c0 : tensor<4x5xf32>) {
  ^bb0(%x: f32, %o: f32):
    %1 = math.absf %x : f32
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// A row of a table by index, as an embedding has it: the table is read whole.
func.func @generic_gather(%table: tensor<6x5xf32>, %rows: tensor<4xi32> {validate.range = array<i64: 0, 5>}, %c: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%rows : tensor<4xi32>) outs(%c : tensor<4x5xf32>) {
  ^bb0(%row: i32, %o: f32):
    %i = arith.index_cast %row : i32 to index
    %j = linalg.index 1 : index
    %1 = tensor.extract %table[%i, %j] : tensor<6x5xf32>
    linalg.yield %1 : f32
  } -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// The table has a dim that the loop runs over and one that data chooses.
func.func @generic_gather_columns(%table: tensor<5x6xf32>, %columns: tensor<4xindex> {validate.range = array<i64: 0, 5>}, %c: tensor<5x4xf32>) -> tensor<5x4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%columns : tensor<4xindex>) outs(%c : tensor<5x4xf32>) {
  ^bb0(%column: index, %o: f32):
    %i = linalg.index 0 : index
    %1 = tensor.extract %table[%i, %column] : tensor<5x6xf32>
    linalg.yield %1 : f32
  } -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// Every second row, by arithmetic on the index.
func.func @generic_gather_even_rows(%table: tensor<8x3xf32>, %c: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%c : tensor<4x3xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c2 = arith.constant 2 : index
    %row = arith.muli %i, %c2 : index
    %1 = tensor.extract %table[%row, %j] : tensor<8x3xf32>
    linalg.yield %1 : f32
  } -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// The body yields another value than the one it looks up.
func.func @generic_gather_squared(%table: tensor<6xf32>, %rows: tensor<4xindex> {validate.range = array<i64: 0, 5>}, %c: tensor<4xf32>) -> tensor<4xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%rows : tensor<4xindex>) outs(%c : tensor<4xf32>) {
  ^bb0(%row: index, %o: f32):
    %1 = tensor.extract %table[%row] : tensor<6xf32>
    %2 = arith.mulf %1, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @generic_complex_sum(%a: tensor<4x5xcomplex<f32>>, %c: tensor<4xcomplex<f32>>) -> tensor<4xcomplex<f32>> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<4x5xcomplex<f32>>) outs(%c : tensor<4xcomplex<f32>>) {
  ^bb0(%x: complex<f32>, %s: complex<f32>):
    %1 = complex.add %s, %x : complex<f32>
    linalg.yield %1 : complex<f32>
  } -> tensor<4xcomplex<f32>>
  return %0 : tensor<4xcomplex<f32>>
}

func.func @generic_complex_parts(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>, %c: tensor<4x5xcomplex<f32>>) -> tensor<4x5xcomplex<f32>> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<4x5xf32>, tensor<4x5xf32>) outs(%c : tensor<4x5xcomplex<f32>>) {
  ^bb0(%x: f32, %y: f32, %o: complex<f32>):
    %1 = complex.create %x, %y : complex<f32>
    %2 = complex.mul %1, %1 : complex<f32>
    linalg.yield %2 : complex<f32>
  } -> tensor<4x5xcomplex<f32>>
  return %0 : tensor<4x5xcomplex<f32>>
}
