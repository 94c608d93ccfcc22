// Loops over elements and windows: updates at places that data decides, in order,
// and loops whose iterations are independent, on an emulated GPU.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// DEFINE: %{scatter} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=scatter" --verify --function=%{function}
// DEFINE: %{plain} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=plain" --verify --function=%{function}
// REDEFINE: %{function} = add_rows
// RUN: %{run}
// RUN: %{scatter}
// RUN: %{plain}
// REDEFINE: %{function} = one_place
// RUN: %{scatter}
// REDEFINE: %{function} = last_one_wins
// RUN: %{scatter}
// REDEFINE: %{function} = as_jax_writes_it
// RUN: %{scatter}
// RUN: %{run}
// REDEFINE: %{function} = two_indices
// RUN: %{scatter}
// REDEFINE: %{function} = op
// RUN: %{scatter}
// Every element of the indices has a row of its own: a thread each.
// DEFINE: %{parallel} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=parallel_loops explain" --verify --function=%{function}
// REDEFINE: %{function} = by_label
// RUN: %{parallel} 2>&1 | FileCheck %s --check-prefix=LABEL
// LABEL: scf.for is scheduled by parallel_loops (a thread per iteration of 2 independent loops)
// LABEL: equal to the unsharded program
// REDEFINE: %{function} = unknown
// RUN: %{scatter} --input=300xf32 --input=7x40xf32
// RUN: %{scatter} --input=1xf32 --input=1x1xf32
// RUN: %{scatter} --input=0xf32 --input=3x4xf32
// RUN: %{scatter} --input=3xf32 --input=3x0xf32
// RUN: %{plain} --input=300xf32 --input=7x40xf32
// REDEFINE: %{function} = counted
// RUN: %{run}
// REDEFINE: %{function} = reversed_rows
// RUN: %{run}
// REDEFINE: %{function} = running
// RUN: %{run}
// Values that are carried: scans.
// DEFINE: %{scan} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=scan" --verify --function=%{function}
// REDEFINE: %{function} = sums
// RUN: %{run}
// REDEFINE: %{function} = largest_before
// RUN: %{scan} --input=1025xi32
// RUN: %{scan} --input=1xi32
// RUN: %{scan} --input=0xi32
// RUN: %{scan} --input=2400xi32
// REDEFINE: %{function} = sorted
// RUN: %{run}
// REDEFINE: %{function} = by_rows
// RUN: %{scan}
// RUN: %{run}
// Few long rows: several blocks each.
// REDEFINE: %{function} = long_rows
// RUN: %{scan}
// REDEFINE: %{function} = cumulative
// RUN: %{run}
// RUN: %{scan}
// REDEFINE: %{function} = segments
// RUN: %{run}
// Steps in order in a block.
// DEFINE: %{ordered} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host schedule=ordered_loops" --verify --function=%{function}
// REDEFINE: %{function} = sorted
// RUN: %{ordered}
// REDEFINE: %{function} = running
// RUN: %{ordered}
// REDEFINE: %{function} = overlapping
// RUN: %{ordered}
// RUN: %{run}
// REDEFINE: %{function} = stencils
// RUN: %{ordered}

// Rows that are added; many fall on the same place.
func.func @add_rows() -> tensor<11x600xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 700 : index
  %c7 = arith.constant 7 : index
  %c11 = arith.constant 11 : index
  %e = tensor.empty() : tensor<700xindex>
  %at = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<700xindex>) {
  ^bb0(%o: index):
    %i = linalg.index 0 : index
    %a = arith.muli %i, %i : index
    %b = arith.muli %a, %c7 : index
    %c = arith.remui %b, %c11 : index
    linalg.yield %c : index
  } -> tensor<700xindex>
  %f = tensor.empty() : tensor<700x600xf32>
  %rows = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%f : tensor<700x600xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.muli %i, %j : index
    %b = arith.addi %a, %i : index
    %c = arith.remui %b, %n : index
    %d = arith.index_cast %c : index to i32
    %x = arith.sitofp %d : i32 to f32
    %y = math.sin %x : f32
    linalg.yield %y : f32
  } -> tensor<700x600xf32>
  %z = arith.constant dense<1.0> : tensor<11x600xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %z) -> (tensor<11x600xf32>) {
    %p = tensor.extract %at[%i] : tensor<700xindex>
    %old = tensor.extract_slice %t[%p, 0] [1, 600] [1, 1] : tensor<11x600xf32> to tensor<600xf32>
    %new = tensor.extract_slice %rows[%i, 0] [1, 600] [1, 1] : tensor<700x600xf32> to tensor<600xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%old, %new : tensor<600xf32>, tensor<600xf32>) outs(%old : tensor<600xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %c = arith.addf %a, %b : f32
      linalg.yield %c : f32
    } -> tensor<600xf32>
    %u = tensor.insert_slice %s into %t[%p, 0] [1, 600] [1, 1] : tensor<600xf32> into tensor<11x600xf32>
    scf.yield %u : tensor<11x600xf32>
  }
  return %r : tensor<11x600xf32>
}

// All updates at one element.
func.func @one_place(%x: tensor<300xf32>, %t0: tensor<5xf32>) -> tensor<5xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 300 : index
  %at = arith.constant dense<3> : tensor<300xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<5xf32>) {
    %p = tensor.extract %at[%i] : tensor<300xindex>
    %q = arith.remui %p, %n : index
    %old = tensor.extract %t[%q] : tensor<5xf32>
    %new = tensor.extract %x[%i] : tensor<300xf32>
    %s = arith.addf %old, %new : f32
    %u = tensor.insert %s into %t[%q] : tensor<5xf32>
    scf.yield %u : tensor<5xf32>
  }
  return %r : tensor<5xf32>
}

// Updates that replace: the last of a place stays.
func.func @last_one_wins(%x: tensor<50x3xf32>, %t0: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 50 : index
  %at = arith.constant dense<[0, 3, 1, 1, 0, 3, 3, 0, 1, 0, 0, 3, 1, 1, 0, 3, 3, 0, 1, 0, 0, 3, 1, 1, 0, 3, 3, 0, 1, 0, 0, 3, 1, 1, 0, 3, 3, 0, 1, 0, 0, 3, 1, 1, 0, 3, 3, 0, 1, 0]> : tensor<50xindex>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<4x6xf32>) {
    %p = tensor.extract %at[%i] : tensor<50xindex>
    %new = tensor.extract_slice %x[%i, 0] [1, 3] [1, 1] : tensor<50x3xf32> to tensor<1x3xf32>
    %u = tensor.insert_slice %new into %t[%p, 1] [1, 3] [1, 2] : tensor<1x3xf32> into tensor<4x6xf32>
    scf.yield %u : tensor<4x6xf32>
  }
  return %r : tensor<4x6xf32>
}

// A counter in a tensor, an index vector, a bounds check, clamped places.
func.func @as_jax_writes_it(%x: tensor<40xf32>, %t0: tensor<6x8xf32>) -> tensor<6x8xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c0_i32 = arith.constant 0 : i32
  %c1_i32 = arith.constant 1 : i32
  %c6_i32 = arith.constant 6 : i32
  %c9_i32 = arith.constant 9 : i32
  %c40_i32 = arith.constant 40 : i32
  %true = arith.constant true
  %start = arith.constant dense<0> : tensor<i32>
  %most = arith.constant dense<[5, 7]> : tensor<2xi32>
  %e = tensor.empty() : tensor<40x2xi32>
  %at = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<40x2xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %a = arith.addi %i, %j : index
    %b = arith.muli %a, %c3 : index
    %c = arith.index_cast %b : index to i32
    %d = arith.remui %c, %c9_i32 : i32
    linalg.yield %d : i32
  } -> tensor<40x2xi32>
  %r:2 = scf.for %i = %c0_i32 to %c40_i32 step %c1_i32 iter_args(%k = %start, %t = %t0) -> (tensor<i32>, tensor<6x8xf32>) : i32 {
    %e0 = tensor.empty() : tensor<i32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%k : tensor<i32>) outs(%e0 : tensor<i32>) {
    ^bb0(%a: i32, %o: i32):
      %s = arith.addi %a, %c1_i32 : i32
      linalg.yield %s : i32
    } -> tensor<i32>
    %ki = tensor.extract %k[] : tensor<i32>
    %row = arith.index_cast %ki : i32 to index
    %entry = tensor.extract_slice %at[%row, 0] [1, 2] [1, 1] : tensor<40x2xi32> to tensor<1x2xi32>
    %flat = tensor.collapse_shape %entry [[0, 1]] : tensor<1x2xi32> into tensor<2xi32>
    %e1 = tensor.empty() : tensor<2xi1>
    %fits = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%flat, %most : tensor<2xi32>, tensor<2xi32>) outs(%e1 : tensor<2xi1>) {
    ^bb0(%a: i32, %b: i32, %o: i1):
      %s = arith.cmpi sle, %a, %b : i32
      linalg.yield %s : i1
    } -> tensor<2xi1>
    %e2 = tensor.empty() : tensor<i1>
    %yes = linalg.fill ins(%true : i1) outs(%e2 : tensor<i1>) -> tensor<i1>
    %all = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%fits : tensor<2xi1>) outs(%yes : tensor<i1>) {
    ^bb0(%a: i1, %o: i1):
      %s = arith.andi %a, %o : i1
      linalg.yield %s : i1
    } -> tensor<i1>
    %in = tensor.extract %all[] : tensor<i1>
    %y0 = tensor.extract %flat[%c0] : tensor<2xi32>
    %y1 = arith.index_cast %y0 : i32 to index
    %y = arith.minsi %y1, %c5 : index
    %one = tensor.extract_slice %flat[1] [1] [1] : tensor<2xi32> to tensor<1xi32>
    %x0 = tensor.collapse_shape %one [] : tensor<1xi32> into tensor<i32>
    %x1 = tensor.extract %x0[] : tensor<i32>
    %x2 = arith.index_cast %x1 : i32 to index
    %z = arith.minsi %x2, %c7 : index
    %old = tensor.extract_slice %t[%y, %z] [1, 1] [1, 1] : tensor<6x8xf32> to tensor<1x1xf32>
    %term = tensor.extract_slice %x[%row] [1] [1] : tensor<40xf32> to tensor<1xf32>
    %wide = tensor.expand_shape %term [[0, 1]] output_shape [1, 1] : tensor<1xf32> into tensor<1x1xf32>
    %e3 = tensor.empty() : tensor<1x1xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%old, %wide : tensor<1x1xf32>, tensor<1x1xf32>) outs(%e3 : tensor<1x1xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.addf %a, %b : f32
      %w = arith.select %in, %v, %a : f32
      linalg.yield %w : f32
    } -> tensor<1x1xf32>
    %u = tensor.insert_slice %s into %t[%y, %z] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<6x8xf32>
    scf.yield %next, %u : tensor<i32>, tensor<6x8xf32>
  }
  return %r#1 : tensor<6x8xf32>
}

// Places along two dims, windows along the one between, in a branch.
func.func @two_indices(%x: tensor<90x5xf32>, %t0: tensor<4x5x3xf32>) -> tensor<4x5x3xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %n = arith.constant 90 : index
  %places = arith.constant dense<[4, 3, 2, 1, 1, 3, 2, 5, 1]> : tensor<9xindex>
  %c9 = arith.constant 9 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %t0) -> (tensor<4x5x3xf32>) {
    %k = arith.remui %i, %c9 : index
    %p = tensor.extract %places[%k] : tensor<9xindex>
    %a = arith.remui %p, %c4 : index
    %b = arith.remui %p, %c3 : index
    %even = arith.remui %i, %c2 : index
    %go = arith.cmpi eq, %even, %c0 : index
    %next = scf.if %go -> (tensor<4x5x3xf32>) {
      %new = tensor.extract_slice %x[%i, 0] [1, 5] [1, 1] : tensor<90x5xf32> to tensor<5xf32>
      %old = tensor.extract_slice %t[%a, 0, %b] [1, 5, 1] [1, 1, 1] : tensor<4x5x3xf32> to tensor<5xf32>
      %s = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%old, %new : tensor<5xf32>, tensor<5xf32>) outs(%old : tensor<5xf32>) {
      ^bb0(%p0: f32, %p1: f32, %o: f32):
        %h = arith.mulf %p0, %p1 : f32
        %v = arith.subf %h, %p1 : f32
        linalg.yield %v : f32
      } -> tensor<5xf32>
      %u = tensor.insert_slice %s into %t[%a, 0, %b] [1, 5, 1] [1, 1, 1] : tensor<5xf32> into tensor<4x5x3xf32>
      scf.yield %u : tensor<4x5x3xf32>
    } else {
      scf.yield %t : tensor<4x5x3xf32>
    }
    scf.yield %next : tensor<4x5x3xf32>
  }
  return %r : tensor<4x5x3xf32>
}

// The op that upstream has for it.
func.func @op(%x: tensor<3x4x9xf32>, %t: tensor<6x9xf32>) -> tensor<6x9xf32> {
  %at = arith.constant dense<[[[0], [3], [5], [1]], [[2], [4], [4], [2]], [[0], [3], [1], [1]]]> : tensor<3x4x1xindex>
  %empty = arith.constant dense<[[[0], [3], [5], [1]]]> : tensor<1x4x1xindex>
  %one = tensor.extract_slice %x[0, 0, 0] [1, 4, 9] [1, 1, 1] : tensor<3x4x9xf32> to tensor<1x4x9xf32>
  %r = tensor.scatter %one into %t[%empty] scatter_dims([0]) unique : (tensor<1x4x9xf32>, tensor<6x9xf32>, tensor<1x4x1xindex>) -> tensor<6x9xf32>
  return %r : tensor<6x9xf32>
}

// The gradient of a cross-entropy by labels, as JAX writes it; some labels are
// beyond the classes.
func.func @by_label(%x: tensor<3x5x1xf32>, %t: tensor<3x5x7xf32>) -> tensor<3x5x7xf32> {
  %e = tensor.empty() : tensor<3x5x1x1xi32>
  %labels = linalg.generic {indexing_maps = [affine_map<(i, j, k, l) -> (i, j, k, l)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} outs(%e : tensor<3x5x1x1xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %s = arith.muli %i, %j : index
    %l = arith.index_cast %s : index to i32
    linalg.yield %l : i32
  } -> tensor<3x5x1x1xi32>
  %r = shardir.scatter ins(%x, %labels : tensor<3x5x1xf32>, tensor<3x5x1x1xi32>) outs(%t : tensor<3x5x7xf32>) index_dims = [2] batch_dims = [0, 1] {
  ^bb0(%update: f32, %old: f32):
    %sum = arith.addf %old, %update : f32
    shardir.yield %sum : f32
  }
  return %r : tensor<3x5x7xf32>
}

// Updates of rows, of any number and size.
func.func @unknown(%values: tensor<?xf32>, %t0: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %cst = arith.constant 0.25 : f32
  %ni = tensor.dim %values, %c0 : tensor<?xf32>
  %vi = tensor.dim %t0, %c0 : tensor<?x?xf32>
  %wi = tensor.dim %t0, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%ni) : tensor<?xi32>
  %at = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%e : tensor<?xi32>) {
  ^bb0(%o: i32):
    %i = linalg.index 0 : index
    %a = arith.muli %i, %c5 : index
    %b = arith.remui %a, %vi : index
    %c = arith.index_cast %b : index to i32
    linalg.yield %c : i32
  } -> tensor<?xi32>
  %r = scf.for %i = %c0 to %ni step %c1 iter_args(%t = %t0) -> (tensor<?x?xf32>) {
    %p0 = tensor.extract %at[%i] : tensor<?xi32>
    %p = arith.index_cast %p0 : i32 to index
    %y = tensor.extract %values[%i] : tensor<?xf32>
    %old = tensor.extract_slice %t[%p, 0] [1, %wi] [1, 1] : tensor<?x?xf32> to tensor<1x?xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%old : tensor<1x?xf32>) {
    ^bb0(%o: f32):
      %h = arith.mulf %o, %cst : f32
      %q = arith.addf %h, %y : f32
      linalg.yield %q : f32
    } -> tensor<1x?xf32>
    %u = tensor.insert_slice %s into %t[%p, 0] [1, %wi] [1, 1] : tensor<1x?xf32> into tensor<?x?xf32>
    scf.yield %u : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

// Iterations that are independent: one element each, and rows backwards.
func.func @counted(%x: tensor<70xf32>) -> (tensor<70xf32>, tensor<i64>) {
  %c0_i32 = arith.constant 0 : i32
  %c2_i32 = arith.constant 2 : i32
  %c70_i32 = arith.constant 70 : i32
  %c3_i64 = arith.constant 3 : i64
  %start = arith.constant dense<5> : tensor<i64>
  %t0 = arith.constant dense<0.0> : tensor<70xf32>
  %r:2 = scf.for %i = %c0_i32 to %c70_i32 step %c2_i32 iter_args(%t = %t0, %k = %start) -> (tensor<70xf32>, tensor<i64>) : i32 {
    %at = arith.index_cast %i : i32 to index
    %e0 = tensor.empty() : tensor<i64>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%k : tensor<i64>) outs(%e0 : tensor<i64>) {
    ^bb0(%a: i64, %o: i64):
      %s = arith.addi %c3_i64, %a : i64
      linalg.yield %s : i64
    } -> tensor<i64>
    %ki = tensor.extract %k[] : tensor<i64>
    %kf = arith.sitofp %ki : i64 to f32
    %v = tensor.extract %x[%at] : tensor<70xf32>
    %s = arith.mulf %v, %kf : f32
    %u = tensor.insert %s into %t[%at] : tensor<70xf32>
    scf.yield %u, %next : tensor<70xf32>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<70xf32>, tensor<i64>
}

func.func @reversed_rows(%x: tensor<9x33xf32>, %t0: tensor<12x33xf32>) -> tensor<12x33xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %m1 = arith.constant -1 : index
  %r = scf.for %i = %c0 to %c9 step %c1 iter_args(%t = %t0) -> (tensor<12x33xf32>) {
    %a = arith.muli %i, %m1 : index
    %at = arith.addi %a, %c10 : index
    %row = tensor.extract_slice %x[%i, 0] [1, 33] [1, 1] : tensor<9x33xf32> to tensor<1x33xf32>
    %old = tensor.extract_slice %t[%at, 0] [1, 33] [1, 1] : tensor<12x33xf32> to tensor<1x33xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%row : tensor<1x33xf32>) outs(%old : tensor<1x33xf32>) {
    ^bb0(%b: f32, %o: f32):
      %v = arith.subf %o, %b : f32
      linalg.yield %v : f32
    } -> tensor<1x33xf32>
    %u = tensor.insert_slice %s into %t[%at, 0] [1, 33] [1, 1] : tensor<1x33xf32> into tensor<12x33xf32>
    scf.yield %u : tensor<12x33xf32>
  }
  return %r : tensor<12x33xf32>
}

// Each row from the one before it: in order along one dim, parallel along the other.
func.func @running(%x: tensor<20x33xf32>) -> tensor<20x33xf32> {
  %c1 = arith.constant 1 : index
  %c20 = arith.constant 20 : index
  %r = scf.for %i = %c1 to %c20 step %c1 iter_args(%t = %x) -> (tensor<20x33xf32>) {
    %before = arith.subi %i, %c1 : index
    %a = tensor.extract_slice %t[%before, 0] [1, 33] [1, 1] : tensor<20x33xf32> to tensor<1x33xf32>
    %b = tensor.extract_slice %t[%i, 0] [1, 33] [1, 1] : tensor<20x33xf32> to tensor<1x33xf32>
    %e = tensor.empty() : tensor<1x33xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a, %b : tensor<1x33xf32>, tensor<1x33xf32>) outs(%e : tensor<1x33xf32>) {
    ^bb0(%p: f32, %q: f32, %o: f32):
      %v = arith.addf %p, %q : f32
      linalg.yield %v : f32
    } -> tensor<1x33xf32>
    %u = tensor.insert_slice %s into %t[%i, 0] [1, 33] [1, 1] : tensor<1x33xf32> into tensor<20x33xf32>
    scf.yield %u : tensor<20x33xf32>
  }
  return %r : tensor<20x33xf32>
}

// Running sums in a tensor of one element, and what they come to.
func.func @sums(%x: tensor<5000xf32>) -> (tensor<5000xf32>, tensor<f32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 5000 : index
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%e0 : tensor<f32>) -> tensor<f32>
  %e = tensor.empty() : tensor<5000xf32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e, %sum = %start) -> (tensor<5000xf32>, tensor<f32>) {
    %one = tensor.extract_slice %x[%i] [1] [1] : tensor<5000xf32> to tensor<f32>
    %next = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []} ins(%one, %sum : tensor<f32>, tensor<f32>) outs(%sum : tensor<f32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    } -> tensor<f32>
    %u = tensor.insert_slice %next into %t[%i] [1] [1] : tensor<f32> into tensor<5000xf32>
    scf.yield %u, %next : tensor<5000xf32>, tensor<f32>
  }
  return %r#0, %r#1 : tensor<5000xf32>, tensor<f32>
}

// The largest of all before; nothing of it is seen behind the loop.
func.func @largest_before(%x: tensor<?xi32>) -> tensor<?xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %least = arith.constant -7 : i32
  %n = tensor.dim %x, %c0 : tensor<?xi32>
  %e = tensor.empty(%n) : tensor<?xi32>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%t = %e, %most = %least) -> (tensor<?xi32>, i32) {
    %v = tensor.extract %x[%i] : tensor<?xi32>
    %next = arith.maxsi %v, %most : i32
    %u = tensor.insert %most into %t[%i] : tensor<?xi32>
    scf.yield %u, %next : tensor<?xi32>, i32
  }
  return %r#0 : tensor<?xi32>
}

// A product along each row, from a value of the row.
func.func @by_rows(%x: tensor<6x1500xf32>, %first: tensor<6xf32>) -> (tensor<6x1500xf32>, tensor<6xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 6 : index
  %n = arith.constant 1500 : index
  %half = arith.constant 0.001 : f32
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<6x1500xf32>
  %r:2 = scf.for %b = %c0 to %rows step %c1 iter_args(%t = %e, %last = %first) -> (tensor<6x1500xf32>, tensor<6xf32>) {
    %start = tensor.extract %first[%b] : tensor<6xf32>
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t, %p = %start) -> (tensor<6x1500xf32>, f32) {
      %v = tensor.extract %x[%b, %i] : tensor<6x1500xf32>
      %w = arith.mulf %v, %half : f32
      %f = arith.addf %w, %one : f32
      %next = arith.mulf %p, %f : f32
      %u = tensor.insert %next into %s[%b, %i] : tensor<6x1500xf32>
      scf.yield %u, %next : tensor<6x1500xf32>, f32
    }
    %l = tensor.insert %q#1 into %last[%b] : tensor<6xf32>
    scf.yield %q#0, %l : tensor<6x1500xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6x1500xf32>, tensor<6xf32>
}

// A sorting network: pairs of neighbours are put in order, in turns.
func.func @sorted(%x: tensor<301xf32>) -> tensor<301xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = arith.constant 301 : index
  %r = scf.for %p = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<301xf32>) {
    %o = arith.remui %p, %c2 : index
    %left = arith.subi %n, %o : index
    %pairs = arith.divui %left, %c2 : index
    %q = scf.for %i = %c0 to %pairs step %c1 iter_args(%s = %t) -> (tensor<301xf32>) {
      %twice = arith.muli %i, %c2 : index
      %a = arith.addi %twice, %o : index
      %b = arith.addi %a, %c1 : index
      %v = tensor.extract %s[%a] : tensor<301xf32>
      %w = tensor.extract %s[%b] : tensor<301xf32>
      %low = arith.minimumf %v, %w : f32
      %high = arith.maximumf %v, %w : f32
      %u = tensor.insert %low into %s[%a] : tensor<301xf32>
      %z = tensor.insert %high into %u[%b] : tensor<301xf32>
      scf.yield %z : tensor<301xf32>
    }
    scf.yield %q : tensor<301xf32>
  }
  return %r : tensor<301xf32>
}

// Running sums of two rows, each in several parts, and what they come to.
func.func @long_rows(%x: tensor<2x9001xf32>) -> (tensor<2x9001xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = arith.constant 2 : index
  %n = arith.constant 9001 : index
  %zero = arith.constant 0.25 : f32
  %e = tensor.empty() : tensor<2x9001xf32>
  %e1 = tensor.empty() : tensor<2xf32>
  %r:2 = scf.for %b = %c0 to %rows step %c1 iter_args(%t = %e, %last = %e1) -> (tensor<2x9001xf32>, tensor<2xf32>) {
    %q:2 = scf.for %i = %c0 to %n step %c1 iter_args(%s = %t, %p = %zero) -> (tensor<2x9001xf32>, f32) {
      %v = tensor.extract %x[%b, %i] : tensor<2x9001xf32>
      %w = arith.mulf %v, %v : f32
      %next = arith.addf %w, %p : f32
      %u = tensor.insert %next into %s[%b, %i] : tensor<2x9001xf32>
      scf.yield %u, %next : tensor<2x9001xf32>, f32
    }
    %l = tensor.insert %q#1 into %last[%b] : tensor<2xf32>
    scf.yield %q#0, %l : tensor<2x9001xf32>, tensor<2xf32>
  }
  return %r#0, %r#1 : tensor<2x9001xf32>, tensor<2xf32>
}

// A cumulative sum as JAX writes it: windows of all that is before.
func.func @cumulative(%x: tensor<3x300xf32>) -> tensor<3x300xf32> {
  %zero = arith.constant 0.0 : f32
  %w = tensor.empty() : tensor<300xf32>
  %p = tensor.pad %x low[0, 299] high[0, 0] {
  ^bb0(%a: index, %b: index):
    tensor.yield %zero : f32
  } : tensor<3x300xf32> to tensor<3x599xf32>
  %e = tensor.empty() : tensor<3x300xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3x300xf32>) -> tensor<3x300xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j, r) -> (i, j + r)>, affine_map<(i, j, r) -> (r)>, affine_map<(i, j, r) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%p, %w : tensor<3x599xf32>, tensor<300xf32>) outs(%f : tensor<3x300xf32>) {
  ^bb0(%v: f32, %k: f32, %o: f32):
    %s = arith.addf %o, %v : f32
    linalg.yield %s : f32
  } -> tensor<3x300xf32>
  return %r : tensor<3x300xf32>
}

// A window that is a whole dim, whose start is clamped to where it must be.
func.func @segments(%x: tensor<90x33xf32>) -> tensor<7x33xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %n = arith.constant 90 : index
  %at = arith.constant dense<3> : tensor<90xindex>
  %zero = arith.constant dense<0.0> : tensor<7x33xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %zero) -> (tensor<7x33xf32>) {
    %p0 = tensor.extract %at[%i] : tensor<90xindex>
    %p1 = arith.muli %p0, %i : index
    %p = arith.remui %p1, %c7 : index
    %s0 = arith.maxsi %p1, %c0 : index
    %start = arith.minsi %s0, %c0 : index
    %row = tensor.extract_slice %x[%i, 0] [1, 33] [1, 1] : tensor<90x33xf32> to tensor<1x33xf32>
    %old = tensor.extract_slice %t[%p, %start] [1, 33] [1, 1] : tensor<7x33xf32> to tensor<1x33xf32>
    %e = tensor.empty() : tensor<1x33xf32>
    %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%row, %old : tensor<1x33xf32>, tensor<1x33xf32>) outs(%e : tensor<1x33xf32>) {
    ^bb0(%a: f32, %b: f32, %o: f32):
      %v = arith.addf %a, %b : f32
      linalg.yield %v : f32
    } -> tensor<1x33xf32>
    %u = tensor.insert_slice %s into %t[%p, %start] [1, 33] [1, 1] : tensor<1x33xf32> into tensor<7x33xf32>
    scf.yield %u : tensor<7x33xf32>
  }
  return %r : tensor<7x33xf32>
}

// Windows at places that data decides, which overlap in part: each step's elements
// at the same time, the steps in order.
func.func @overlapping(%x: tensor<40x48xf32>) -> tensor<90xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c40 = arith.constant 40 : index
  %c48 = arith.constant 48 : index
  %c11 = arith.constant 11 : index
  %c42 = arith.constant 42 : index
  %half = arith.constant 0.5 : f32
  %zero = arith.constant dense<1.0> : tensor<90xf32>
  %r = scf.for %i = %c0 to %c40 step %c1 iter_args(%t = %zero) -> (tensor<90xf32>) {
    %p0 = arith.muli %i, %c11 : index
    %p = arith.remui %p0, %c42 : index
    %q = scf.for %j = %c0 to %c48 step %c1 iter_args(%s = %t) -> (tensor<90xf32>) {
      %at = arith.addi %p, %j : index
      %v = tensor.extract %x[%i, %j] : tensor<40x48xf32>
      %old = tensor.extract %s[%at] : tensor<90xf32>
      %h = arith.mulf %old, %half : f32
      %w = arith.addf %h, %v : f32
      %u = tensor.insert %w into %s[%at] : tensor<90xf32>
      scf.yield %u : tensor<90xf32>
    }
    scf.yield %q : tensor<90xf32>
  }
  return %r : tensor<90xf32>
}

// Rows that are smoothed in place, even and odd places by turns, and one
// element that each step sets: a block per row.
func.func @stencils(%x: tensor<3x70xf32>) -> tensor<3x70xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c34 = arith.constant 34 : index
  %half = arith.constant 0.5 : f32
  %r = scf.for %b = %c0 to %c3 step %c1 iter_args(%t0 = %x) -> (tensor<3x70xf32>) {
    %q = scf.for %s = %c0 to %c5 step %c1 iter_args(%t = %t0) -> (tensor<3x70xf32>) {
      %even = scf.for %i = %c0 to %c34 step %c1 iter_args(%y = %t) -> (tensor<3x70xf32>) {
        %l = arith.muli %i, %c2 : index
        %m = arith.addi %l, %c1 : index
        %a = tensor.extract %y[%b, %l] : tensor<3x70xf32>
        %c = tensor.extract %y[%b, %m] : tensor<3x70xf32>
        %d = arith.addf %a, %c : f32
        %e = arith.mulf %d, %half : f32
        %z = tensor.insert %e into %y[%b, %m] : tensor<3x70xf32>
        scf.yield %z : tensor<3x70xf32>
      }
      %first = tensor.extract %even[%b, %c1] : tensor<3x70xf32>
      %put = tensor.insert %first into %even[%b, %c0] : tensor<3x70xf32>
      %odd = scf.for %i = %c0 to %c34 step %c1 iter_args(%y = %put) -> (tensor<3x70xf32>) {
        %l = arith.muli %i, %c2 : index
        %m = arith.addi %l, %c1 : index
        %n = arith.addi %l, %c2 : index
        %a = tensor.extract %y[%b, %m] : tensor<3x70xf32>
        %c = tensor.extract %y[%b, %n] : tensor<3x70xf32>
        %d = arith.subf %c, %a : f32
        %e = arith.mulf %d, %half : f32
        %z = tensor.insert %e into %y[%b, %n] : tensor<3x70xf32>
        scf.yield %z : tensor<3x70xf32>
      }
      scf.yield %odd : tensor<3x70xf32>
    }
    scf.yield %q : tensor<3x70xf32>
  }
  return %r : tensor<3x70xf32>
}
