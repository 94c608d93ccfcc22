// RUN: shard-opt %s -shardir-normalize | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>

// Ops said by others that may be sharded in more ways.
shardir.mesh @m <["x"=2]>

ml_program.global private @weights(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<2xf32>
ml_program.global private @part(dense<[1.0, 2.0]> : tensor<2xf32>) : tensor<?xf32>
ml_program.global private mutable @state(dense<0.0> : tensor<2xf32>) : tensor<2xf32>

// CHECK-LABEL: func.func @regroup
// CHECK-NEXT:    %[[F:.+]] = tensor.collapse_shape %{{.+}} {{\[}}[0, 1, 2]] : tensor<2x3x32xf32> into tensor<192xf32>
// CHECK-NEXT:    %[[R:.+]] = tensor.expand_shape %[[F]] {{\[}}[0, 1]] output_shape [48, 4]
// CHECK-SAME:      shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]
// CHECK-NEXT:    return %[[R]]
func.func @regroup(%x: tensor<2x3x32xf32>, %s: tensor<2xindex>) -> tensor<48x4xf32> {
  %0 = tensor.reshape %x(%s) {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : (tensor<2x3x32xf32>, tensor<2xindex>) -> tensor<48x4xf32>
  return %0 : tensor<48x4xf32>
}

// Each group by itself, and dims of one element wherever they are.
// CHECK-LABEL: func.func @groups
// CHECK-NEXT:    tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2], [3, 4]] : tensor<3x5x7x9x1xf32> into tensor<15x7x9xf32>
// CHECK-NEXT:    tensor.expand_shape %{{.+}} {{\[}}[0], [1], [2, 3]] output_shape [15, 7, 3, 3]
// CHECK-LABEL: func.func @scalars
// CHECK-NEXT:    tensor.collapse_shape %{{.+}} [] : tensor<1x1xf32> into tensor<f32>
// CHECK-NEXT:    tensor.expand_shape %{{.+}} [] output_shape [1] : tensor<f32> into tensor<1xf32>
func.func @groups(%x: tensor<3x5x7x9x1xf32>, %s: tensor<4xindex>) -> tensor<15x7x3x3xf32> {
  %0 = tensor.reshape %x(%s) : (tensor<3x5x7x9x1xf32>, tensor<4xindex>) -> tensor<15x7x3x3xf32>
  return %0 : tensor<15x7x3x3xf32>
}
func.func @scalars(%x: tensor<1x1xf32>, %s: tensor<0xindex>, %t: tensor<1xindex>) -> tensor<1xf32> {
  %0 = tensor.reshape %x(%s) : (tensor<1x1xf32>, tensor<0xindex>) -> tensor<f32>
  %1 = tensor.reshape %0(%t) : (tensor<f32>, tensor<1xindex>) -> tensor<1xf32>
  return %1 : tensor<1xf32>
}

// The new extents are the elements of the shape operand.
// CHECK-LABEL: func.func @first_dim_is_open(
// CHECK:         %[[B:.*]] = arith.index_cast %{{.*}} : i64 to index
// CHECK:         tensor.expand_shape %{{.*}} {{\[\[}}0, 1], [2, 3]{{\]}} output_shape [%[[B]], %{{.*}}, 4, 8] : tensor<?x32xf32> into tensor<?x?x4x8xf32>
// CHECK-NOT:     tensor.reshape
func.func @first_dim_is_open(%x: tensor<?x32xf32>, %b: i64, %l: i64) -> tensor<?x?x4x8xf32> {
  %c4 = arith.constant 4 : i64
  %c8 = arith.constant 8 : i64
  %s = tensor.from_elements %b, %l, %c4, %c8 : tensor<4xi64>
  %0 = tensor.reshape %x(%s) : (tensor<?x32xf32>, tensor<4xi64>) -> tensor<?x?x4x8xf32>
  return %0 : tensor<?x?x4x8xf32>
}

// A shape that is known only at run time stays.
// CHECK-LABEL: func.func @unknown
// CHECK-NEXT:    tensor.reshape
func.func @unknown(%x: tensor<4x4xf32>, %s: tensor<2xindex>) -> tensor<?x?xf32> {
  %0 = tensor.reshape %x(%s) : (tensor<4x4xf32>, tensor<2xindex>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// CHECK-LABEL: func.func @softmax
// CHECK-NOT:     linalg.softmax
// CHECK:         arith.maxnumf
// CHECK:         math.exp
// CHECK:         arith.addf
// CHECK:         shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]
// CHECK:         arith.divf
func.func @softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %e = tensor.empty() : tensor<4x6xf32>
  %0 = linalg.softmax {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]} dimension(1) ins(%x : tensor<4x6xf32>) outs(%e : tensor<4x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @globals
// CHECK:         %[[W:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK:         %[[V:.+]] = arith.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK:         %[[P:.+]] = arith.constant
// CHECK:         %[[C:.+]] = tensor.cast %[[P]] : tensor<2xf32> to tensor<?xf32>
// CHECK:         %[[S:.+]] = ml_program.global_load @state
// CHECK:         return %[[W]], %[[V]], %[[C]], %[[S]]
func.func @globals() -> (tensor<2xf32>, tensor<2xf32>, tensor<?xf32>, tensor<2xf32>) {
  %w = ml_program.global_load_const @weights : tensor<2xf32>
  %v = ml_program.global_load @weights : tensor<2xf32>
  %p = ml_program.global_load_const @part : tensor<?xf32>
  %s = ml_program.global_load @state : tensor<2xf32>
  return %w, %v, %p, %s : tensor<2xf32>, tensor<2xf32>, tensor<?xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @shapes
// CHECK-NOT:     shape.cstr
// CHECK-NOT:     shape.assuming
// CHECK:         %[[K:.+]] = arith.constant dense<[4, 6]> : tensor<2xindex>
// CHECK:         cf.assert
// CHECK:         arith.addf
func.func @shapes(%x: tensor<4x6xf32>, %s: tensor<2xindex>) -> tensor<4x6xf32> {
  %k = shape.shape_of %x : tensor<4x6xf32> -> tensor<2xindex>
  %w = shape.cstr_broadcastable %k, %s : tensor<2xindex>, tensor<2xindex>
  %a = shape.assuming %w -> (tensor<4x6xf32>) {
    %q = arith.addf %x, %x : tensor<4x6xf32>
    shape.assuming_yield %q : tensor<4x6xf32>
  }
  return %a : tensor<4x6xf32>
}

// A body that reads one of several tensors by its own index concatenates them.
// CHECK-LABEL: func.func @roll
// CHECK:         %[[A:.+]] = tensor.extract_slice {{.*}} to tensor<1x4xf32>
// CHECK:         %[[B:.+]] = tensor.extract_slice {{.*}} to tensor<7x4xf32>
// CHECK:         %[[C:.+]] = tensor.concat dim(0) %[[A]], %[[B]] : (tensor<1x4xf32>, tensor<7x4xf32>) -> tensor<8x4xf32>
// CHECK-NEXT:    return %[[C]]
func.func @roll(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c1 = arith.constant 1 : index
  %a = tensor.extract_slice %x[7, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
  %b = tensor.extract_slice %x[0, 0] [7, 4] [1, 1] : tensor<8x4xf32> to tensor<7x4xf32>
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %i = linalg.index 0 : index
    %first = arith.cmpi ult, %i, %c1 : index
    %v = scf.if %first -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<1x4xf32>
      scf.yield %p : f32
    } else {
      %k = arith.subi %i, %c1 : index
      %q = tensor.extract %b[%k, %j] : tensor<7x4xf32>
      scf.yield %q : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// Where a dim has one element its index is 0.
// CHECK-LABEL: func.func @one_row
// CHECK-SAME:    %[[A:[^:]+]]: tensor<1x3xf32>, %[[B:[^:]+]]: tensor<1x1xf32>
// CHECK:         %[[C:.+]] = tensor.concat dim(1) %[[A]], %[[B]] : (tensor<1x3xf32>, tensor<1x1xf32>) -> tensor<1x4xf32>
// CHECK-NEXT:    return %[[C]]
func.func @one_row(%a: tensor<1x3xf32>, %b: tensor<1x1xf32>) -> tensor<1x4xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<1x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<1x4xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %first = arith.cmpi ult, %j, %c3 : index
    %v = scf.if %first -> (f32) {
      %p = tensor.extract %a[%c0, %j] : tensor<1x3xf32>
      scf.yield %p : f32
    } else {
      %q = tensor.extract %b[%c0, %c0] : tensor<1x1xf32>
      scf.yield %q : f32
    }
    linalg.yield %v : f32
  } -> tensor<1x4xf32>
  return %0 : tensor<1x4xf32>
}

// A read past the first part by another offset is no roll.
// CHECK-LABEL: func.func @not_a_roll
// CHECK-NOT:     tensor.concat
func.func @not_a_roll(%a: tensor<2x4xf32>, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %c2 = arith.constant 2 : index
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<8x4xf32>) {
  ^bb0(%out: f32):
    %j = linalg.index 1 : index
    %i = linalg.index 0 : index
    %first = arith.cmpi ult, %i, %c2 : index
    %v = scf.if %first -> (f32) {
      %p = tensor.extract %a[%i, %j] : tensor<2x4xf32>
      scf.yield %p : f32
    } else {
      %q = tensor.extract %b[%i, %j] : tensor<8x4xf32>
      scf.yield %q : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}

// A slice of all of a tensor is the tensor, wherever it says that it starts.
// CHECK-LABEL: func.func @whole_slices
// CHECK-SAME:    %[[X:[^:]+]]: tensor<8x4xf32>, %[[Y:[^:]+]]: tensor<8x4xf32>
// CHECK-NEXT:    %[[A:.+]] = math.absf %[[X]]
// CHECK-NEXT:    return %[[A]]
func.func @whole_slices(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %i: index) -> tensor<8x4xf32> {
  %0 = tensor.extract_slice %x[%i, 0] [8, 4] [1, 1] : tensor<8x4xf32> to tensor<8x4xf32>
  %1 = math.absf %0 : tensor<8x4xf32>
  %2 = tensor.insert_slice %1 into %y[%i, %i] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Where all of a dim is taken, it is from its start.
// CHECK-LABEL: func.func @whole_dims
// CHECK-SAME:    %[[I:[^:]+]]: index
// CHECK:         tensor.extract_slice %{{.+}}[%[[I]], 0, %[[I]]] [1, 4, 2]
// CHECK:         tensor.insert_slice %{{.+}} into %{{.+}}[%[[I]], 0, %[[I]]] [1, 4, 2]
func.func @whole_dims(%x: tensor<8x4x3xf32>, %i: index) -> tensor<8x4x3xf32> {
  %0 = tensor.extract_slice %x[%i, %i, %i] [1, 4, 2] [1, 1, 1] : tensor<8x4x3xf32> to tensor<4x2xf32>
  %1 = math.absf %0 : tensor<4x2xf32>
  %2 = tensor.insert_slice %1 into %x[%i, %i, %i] [1, 4, 2] [1, 1, 1] : tensor<4x2xf32> into tensor<8x4x3xf32>
  return %2 : tensor<8x4x3xf32>
}

// A part, or every other row, is none.
// CHECK-LABEL: func.func @parts
// CHECK:         tensor.extract_slice
// CHECK:         tensor.insert_slice
func.func @parts(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %i: index) -> tensor<8x4xf32> {
  %0 = tensor.extract_slice %x[%i, 0] [4, 4] [1, 1] : tensor<8x4xf32> to tensor<4x4xf32>
  %2 = tensor.insert_slice %0 into %y[%i, 0] [4, 4] [1, 1] : tensor<4x4xf32> into tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// The place of the largest is the first where the maximum is found: NaN where
// there is one. test/Run/Linalg/argmax.mlir runs more of them.
// CHECK-LABEL: func.func @argmax
// CHECK:         %[[M:.+]] = linalg.generic {{.*}}ins(%{{.+}} : tensor<4x6xf32>)
// CHECK:           arith.maximumf
// CHECK:         %[[S:.+]] = linalg.generic {{.*}}ins(%[[M]] : tensor<4xf32>)
// CHECK:         %[[P:.+]] = linalg.generic {{.*}}outs(%[[S]] : tensor<4xi32>)
// CHECK:           arith.minsi
// CHECK:         return %[[P]]
func.func @argmax(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
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
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// Its value's zero has the sign of whichever came last.
// CHECK-LABEL: func.func @value_used
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @value_used(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
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
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi32>
}

// Initially NaN: nothing is larger, and the place is that of the start.
// CHECK-LABEL: func.func @starts_with_nan
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @starts_with_nan(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0x7FC00000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
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
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// Places that do not count along the dim that is reduced.
// CHECK-LABEL: func.func @counts_rows
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @counts_rows(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 0 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
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
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// Places that anybody may give.
// CHECK-LABEL: func.func @any_places
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @any_places(%x: tensor<4x6xf32>, %c: tensor<4x6xi32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
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
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// A NaN is taken, and never left again, but not its place.
// CHECK-LABEL: func.func @place_of_another
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @place_of_another(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%b: f32, %ib: i32, %a: f32, %ia: i32):
    %g = arith.cmpf ogt, %b, %a : f32
    %v = arith.maximumf %a, %b : f32
    %i = arith.select %g, %ib, %ia : i32
    linalg.yield %v, %i : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// Of equal ones the first while that is small, so that a start of 3 matters.
// CHECK-LABEL: func.func @starts_behind
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @starts_behind(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<3> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%b: f32, %ib: i32, %a: f32, %ia: i32):
    %g = arith.cmpf ogt, %b, %a : f32
    %v = arith.select %g, %b, %a : f32
    %i = arith.select %g, %ib, %ia : i32
    linalg.yield %v, %i : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// Larger by value, but by arithmetic on it.
// CHECK-LABEL: func.func @computes
// CHECK:         linalg.generic {{.*}}outs(%{{.+}}, %{{.+}} : tensor<4xf32>, tensor<4xi32>)
func.func @computes(%x: tensor<4x6xf32>) -> (tensor<4xi32>) {
  %fv = arith.constant dense<0xFF800000> : tensor<4xf32>
  %fi = arith.constant dense<0> : tensor<4xi32>
  %ec = tensor.empty() : tensor<4x6xi32>
  %c = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%ec : tensor<4x6xi32>) {
  ^bb0(%o: i32):
    %w = linalg.index 1 : index
    %k = arith.index_cast %w : index to i32
    linalg.yield %k : i32
  } -> tensor<4x6xi32>
  %r:2 = linalg.generic {indexing_maps = [#all, #all, #rows, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%x, %c : tensor<4x6xf32>, tensor<4x6xi32>) outs(%fv, %fi : tensor<4xf32>, tensor<4xi32>) {
  ^bb0(%b: f32, %ib: i32, %a: f32, %ia: i32):
    %d = arith.subf %b, %a : f32
    %z = arith.constant 0.0 : f32
    %g = arith.cmpf ogt, %d, %z : f32
    %v = arith.select %g, %b, %a : f32
    %i = arith.select %g, %ib, %ia : i32
    linalg.yield %v, %i : f32, i32
  } -> (tensor<4xf32>, tensor<4xi32>)
  return %r#1 : tensor<4xi32>
}

// A part of what is made of two parts is that part, whatever else uses the whole; nothing is left of the other.
// CHECK-LABEL: func.func @complex_parts
// CHECK-SAME:    %[[RE:[^:]+]]: tensor<2x3xf32>, %[[IM:[^:]+]]: tensor<2x3xf32>
// CHECK-NOT:     linalg.generic
// CHECK:         return %[[RE]], %[[IM]]
func.func @complex_parts(%re: tensor<2x3xf32>, %im: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %e = tensor.empty() : tensor<2x3xcomplex<f32>>
  %f = tensor.empty() : tensor<2x3xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%re, %im : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xcomplex<f32>>) {
  ^bb0(%a: f32, %b: f32, %o: complex<f32>):
    %c = complex.create %a, %b : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<2x3xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<2x3xcomplex<f32>>) outs(%f : tensor<2x3xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %c = complex.re %a : complex<f32>
    linalg.yield %c : f32
  } -> tensor<2x3xf32>
  %i = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<2x3xcomplex<f32>>) outs(%f : tensor<2x3xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %c = complex.im %a : complex<f32>
    linalg.yield %c : f32
  } -> tensor<2x3xf32>
  return %r, %i : tensor<2x3xf32>, tensor<2x3xf32>
}

// Parts at other places, and those that have a placement, stay.
// CHECK-LABEL: func.func @other_complex_parts
// CHECK:         complex.create
// CHECK:         complex.re
// CHECK:         complex.im
func.func @other_complex_parts(%re: tensor<3x3xf32>, %im: tensor<3x3xf32>) -> (tensor<3x3xf32>, tensor<3x3xf32>) {
  %e = tensor.empty() : tensor<3x3xcomplex<f32>>
  %f = tensor.empty() : tensor<3x3xf32>
  %z = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%re, %im : tensor<3x3xf32>, tensor<3x3xf32>) outs(%e : tensor<3x3xcomplex<f32>>) {
  ^bb0(%a: f32, %b: f32, %o: complex<f32>):
    %c = complex.create %a, %b : complex<f32>
    linalg.yield %c : complex<f32>
  } -> tensor<3x3xcomplex<f32>>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<3x3xcomplex<f32>>) outs(%f : tensor<3x3xf32>) {
  ^bb0(%a: complex<f32>, %o: f32):
    %c = complex.re %a : complex<f32>
    linalg.yield %c : f32
  } -> tensor<3x3xf32>
  %i = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%z : tensor<3x3xcomplex<f32>>) outs(%f : tensor<3x3xf32>)
      attrs = {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} {
  ^bb0(%a: complex<f32>, %o: f32):
    %c = complex.im %a : complex<f32>
    linalg.yield %c : f32
  } -> tensor<3x3xf32>
  return %r, %i : tensor<3x3xf32>, tensor<3x3xf32>
}

// An operand that a body does not read goes, unless only it tells a loop's extent.
// CHECK-LABEL: func.func @unread
// CHECK-SAME:    %[[A:[^:]+]]: tensor<2x3xf32>, %[[B:[^:]+]]: tensor<2x3xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[A]] : tensor<2x3xf32>)
// CHECK-SAME:      shardir.placements
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%{{.+}}, %[[B]] : tensor<2xf32>, tensor<2x3xf32>)
func.func @unread(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %k: tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>) {
  %e = tensor.empty() : tensor<2x3xf32>
  %r = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<2x3xf32>, tensor<2x3xf32>) outs(%e : tensor<2x3xf32>)
      attrs = {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<2x3xf32>
  %g = tensor.empty() : tensor<2xf32>
  %s = linalg.generic {indexing_maps = [#rows, #all, #rows], iterator_types = ["parallel", "reduction"]}
      ins(%k, %b : tensor<2xf32>, tensor<2x3xf32>) outs(%g : tensor<2xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %n = arith.addf %x, %o : f32
    linalg.yield %n : f32
  } -> tensor<2xf32>
  return %r, %s : tensor<2x3xf32>, tensor<2xf32>
}

// Iterations and constants are not negative, so that signs do not count; what is
// taken off an iteration may be, and a sum may pass the largest i8.
// CHECK-LABEL: func.func @compared_iterations
// CHECK:         arith.cmpi sle, %{{.+}}, %{{.+}} : index
// CHECK:         arith.cmpi sgt, %{{.+}}, %{{.+}} : i8
// CHECK:         arith.cmpi ult, %{{.+}}, %{{.+}} : index
// CHECK:         arith.cmpi uge, %{{.+}}, %{{.+}} : i8
func.func @compared_iterations(%e: tensor<2x3xi1>) -> tensor<2x3xi1> {
  %one = arith.constant 1 : index
  %many = arith.constant 126 : i8
  %r = linalg.generic {indexing_maps = [#all], iterator_types = ["parallel", "parallel"]} outs(%e : tensor<2x3xi1>) {
  ^bb0(%o: i1):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %next = arith.addi %i, %one : index
    %before = arith.subi %i, %one : index
    %a = arith.cmpi ule, %j, %next : index
    %small = arith.index_cast %j : index to i8
    %b = arith.cmpi ugt, %small, %many : i8
    %c = arith.cmpi ult, %before, %j : index
    %large = arith.addi %small, %many : i8
    %d = arith.cmpi uge, %large, %small : i8
    %ab = arith.andi %a, %b : i1
    %cd = arith.andi %c, %d : i1
    %all = arith.andi %ab, %cd : i1
    linalg.yield %all : i1
  } -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// Products of f32 that 16-bit numbers were widened to read these: of a named op,
// where one tensor has both roles, and of a generic one. A factor that has more
// than 16 bits stays, and so does the other one beside it.
// CHECK-LABEL: func.func @widened_factors
// CHECK-SAME:    %[[A:.+]]: tensor<2x3xbf16>, %[[B:.+]]: tensor<3x2xbf16>, %[[C:.+]]: tensor<3x2xf32>, %[[H:.+]]: tensor<2x3xf16>
// CHECK:         %[[WIDE:.+]] = linalg.generic {{.*}} ins(%[[A]] : tensor<2x3xbf16>)
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] : tensor<2x3xbf16>, tensor<3x2xbf16>) outs(%{{.+}} : tensor<2x2xf32>)
// CHECK:         linalg.generic {{.*}} ins(%[[A]], %[[A]] : tensor<2x3xbf16>, tensor<2x3xbf16>)
// CHECK-NEXT:    ^bb0(%[[X:.+]]: bf16, %[[Y:.+]]: bf16, %[[S:.+]]: f32):
// CHECK-DAG:       %[[P:.+]] = arith.extf %[[X]] : bf16 to f32
// CHECK-DAG:       %[[Q:.+]] = arith.extf %[[Y]] : bf16 to f32
// CHECK:           arith.mulf %[[P]], %[[Q]] : f32
// CHECK:         linalg.matmul ins(%[[WIDE]], %[[C]] : tensor<2x3xf32>, tensor<3x2xf32>)
// CHECK:         linalg.matmul ins(%{{.+}}, %{{.+}} : tensor<2x3xf32>, tensor<3x2xf32>)
func.func @widened_factors(%a: tensor<2x3xbf16>, %b: tensor<3x2xbf16>, %c: tensor<3x2xf32>, %h: tensor<2x3xf16>, %out: tensor<2x2xf32>, %ea: tensor<2x3xf32>, %eb: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %wa = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<2x3xbf16>) outs(%ea : tensor<2x3xf32>) {
  ^bb0(%in: bf16, %o: f32):
    %w = arith.extf %in : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<2x3xf32>
  %wb = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%b : tensor<3x2xbf16>) outs(%eb : tensor<3x2xf32>) {
  ^bb0(%in: bf16, %o: f32):
    %w = arith.extf %in : bf16 to f32
    linalg.yield %w : f32
  } -> tensor<3x2xf32>
  %wh = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%h : tensor<2x3xf16>) outs(%ea : tensor<2x3xf32>) {
  ^bb0(%in: f16, %o: f32):
    %w = arith.extf %in : f16 to f32
    linalg.yield %w : f32
  } -> tensor<2x3xf32>
  %0 = linalg.matmul ins(%wa, %wb : tensor<2x3xf32>, tensor<3x2xf32>) outs(%out : tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%wa, %wa : tensor<2x3xf32>, tensor<2x3xf32>) outs(%out : tensor<2x2xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %p = arith.mulf %x, %y : f32
    %t = arith.addf %s, %p : f32
    linalg.yield %t : f32
  } -> tensor<2x2xf32>
  %2 = linalg.matmul ins(%wa, %c : tensor<2x3xf32>, tensor<3x2xf32>) outs(%out : tensor<2x2xf32>) -> tensor<2x2xf32>
  %3 = linalg.matmul ins(%wh, %wb : tensor<2x3xf32>, tensor<3x2xf32>) outs(%out : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0, %1, %2, %3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// A maximum whose place nothing reads.
// CHECK-LABEL: func.func @maximum_alone(
// CHECK:         %[[R:.+]] = linalg.generic
// CHECK-SAME:      outs(%{{.+}} : tensor<4xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.+]]: f32, %[[B:.+]]: f32):
// CHECK-NEXT:      %[[M:.+]] = arith.maximumf %[[A]], %[[B]]
// CHECK-NEXT:      linalg.yield %[[M]] : f32
// CHECK:         return %[[R]] : tensor<4xf32>
func.func @maximum_alone(%x: tensor<4x8xf32>, %m: tensor<4xf32>, %p: tensor<4xi64>) -> tensor<4xf32> {
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%m, %p : tensor<4xf32>, tensor<4xi64>) {
  ^bb0(%a: f32, %b: f32, %before: i64):
    %j = linalg.index 1 : index
    %n = arith.index_cast %j : index to i64
    %more = arith.maximumf %a, %b : f32
    %is = arith.cmpf ogt, %a, %b : f32
    %place = arith.select %is, %n, %before : i64
    linalg.yield %more, %place : f32, i64
  } -> (tensor<4xf32>, tensor<4xi64>)
  return %r#0 : tensor<4xf32>
}

// Rows and an index within each: the rows are counted.
// CHECK-LABEL: func.func @counted_lookup(
// CHECK-SAME:    %[[X:.+]]: tensor<4x5xf32>, %[[I:.+]]: tensor<4xi64>)
// CHECK:         linalg.generic {{.*}} ins(%[[I]] : tensor<4xi64>)
// CHECK:           %[[R:.+]] = linalg.index 0
// CHECK:           tensor.extract %[[X]][%[[R]], %{{.+}}]
func.func @counted_lookup(%x: tensor<4x5xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = tensor.empty() : tensor<4xi64>
  %rows = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%0 : tensor<4xi64>) {
  ^bb0(%out: i64):
    %n = linalg.index 0 : index
    %c = arith.index_cast %n : index to i64
    linalg.yield %c : i64
  } -> tensor<4xi64>
  %1 = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%rows, %i : tensor<4xi64>, tensor<4xi64>) outs(%1 : tensor<4xf32>) {
  ^bb0(%row: i64, %column: i64, %out: f32):
    %negative = arith.cmpi slt, %row, %zero : i64
    %from_end = arith.addi %row, %four : i64
    %place = arith.select %negative, %from_end, %row : i64
    %a = arith.index_cast %place : i64 to index
    %b = arith.index_cast %column : i64 to index
    %element = tensor.extract %x[%a, %b] : tensor<4x5xf32>
    linalg.yield %element : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Steps of a recurrent network, concatenated and then expanded to steps and rows behind a product.
// CHECK-LABEL: func.func @steps(
// CHECK-COUNT-3: tensor.expand_shape %{{.+}} {{\[\[}}0, 1], [2]] output_shape [1, 8, 16]
// CHECK:         %[[STACK:.+]] = tensor.concat dim(0) %{{.+}} -> tensor<3x8x16xf32>
// CHECK:         %[[ROWS:.+]] = tensor.collapse_shape %[[STACK]] {{\[\[}}0, 1], [2]]
// CHECK:         linalg.matmul ins(%[[ROWS]], %{{.+}}
func.func @steps(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>, %c: tensor<8x16xf32>, %w: tensor<16x4xf32>, %o: tensor<24x4xf32>) -> tensor<3x8x4xf32> {
  %0 = tensor.concat dim(0) %a, %b, %c : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<24x16xf32>
  %1 = linalg.matmul ins(%0, %w : tensor<24x16xf32>, tensor<16x4xf32>) outs(%o : tensor<24x4xf32>) -> tensor<24x4xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2]] output_shape [3, 8, 4] : tensor<24x4xf32> into tensor<3x8x4xf32>
  return %2 : tensor<3x8x4xf32>
}

// Halves of a rotary embedding are no stack.
// CHECK-LABEL: func.func @halves(
// CHECK:         %[[ALL:.+]] = tensor.concat dim(1) %{{.+}} -> tensor<8x32xf32>
// CHECK:         return %[[ALL]]
func.func @halves(%a: tensor<8x16xf32>, %b: tensor<8x16xf32>) -> tensor<8x32xf32> {
  %0 = tensor.concat dim(1) %a, %b : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
}
