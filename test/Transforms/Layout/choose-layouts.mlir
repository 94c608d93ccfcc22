// RUN: shard-opt %s -split-input-file -shardir-choose-layouts | FileCheck %s
// RUN: shard-opt %s -split-input-file -shardir-choose-layouts=mode=contiguous | FileCheck %s --check-prefix=CONTIGUOUS
// RUN: shard-opt %s -split-input-file -shardir-choose-layouts=mode=row-major -o %t.row
// RUN: shard-opt %s -split-input-file -o %t.none
// RUN: diff %t.row %t.none

// A layout that has been chosen is left alone.
// RUN: shard-opt %s -split-input-file -shardir-choose-layouts -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-choose-layouts -o %t.twice
// RUN: diff %t.once %t.twice

// The sequence goes outermost: the op in front writes it so, the one behind
// reads it so. What is saved is what the other device's half was unpacked with.
// CHECK:       #[[SWAP:.+]] = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
// CHECK:       shardir.layout_saved_bytes = 65536 : i64
// CHECK-LABEL: func.func @sequence
// CHECK-SAME:    %[[X:.+]]: tensor<4x64x64xf32>, %[[W:[^:]+]]: tensor
// CHECK:         %[[A:.+]] = linalg.generic {indexing_maps = [#[[SWAP]], #{{.+}}], iterator_types = ["parallel", "parallel", "parallel"]}
// CHECK-SAME:      ins(%[[X]] : tensor<4x64x64xf32>) outs(%{{.+}} : tensor<64x4x64xf32>)
// CHECK:         %[[G:.+]] = collective.all_gather %[[A]] from #shardir.placement<@m, [{"x"}, {}, {}]>
// CHECK-SAME:      to #shardir.placement<@m, [{}, {}, {}]> of tensor<128x4x64xf32> : tensor<64x4x64xf32> -> tensor<128x4x64xf32>
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[G]] : tensor<128x4x64xf32>) outs(%{{.+}} : tensor<4x128x64xf64>)
// CHECK-NOT:     linalg.transpose
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @sequence(%x: tensor<4x64x64xf32>, %w: tensor<64x96xf32>) -> tensor<4x128x64xf64> {
    %0 = math.exp %x : tensor<4x64x64xf32>
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
    %2 = arith.extf %1 : tensor<4x128x64xf32> to tensor<4x128x64xf64>
    return %2 : tensor<4x128x64xf64>
  }
}

// -----

// Unknown extents, of the result and of the global tensor, change places too.
// CHECK-LABEL: func.func @uneven
// CHECK-SAME:    %[[X:.+]]: tensor<?x?x64xf32>, %[[B:.+]]: index, %[[N:.+]]: index
// CHECK:         collective.all_to_all %{{.+}} sizes [%[[N]], %[[B]]] dims [%[[B]]] from #shardir.placement<@m, [{"x"}, {}, {}]>
// CHECK-SAME:      to #shardir.placement<@m, [{}, {}, {"x"}]> of tensor<7x?x64xf32> : tensor<?x?x64xf32> -> tensor<?x?x32xf32>
// CHECK:         %[[DIM:.+]] = arith.constant 0 : index
// CHECK:         tensor.dim %{{.+}}, %[[DIM]]
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @uneven(%x: tensor<?x?x64xf32>, %b: index, %n: index) -> (tensor<?x?x32xf64>, index) {
    %0 = math.exp %x : tensor<?x?x64xf32>
    %1 = collective.all_to_all %0 sizes [%b, %n] dims [%b] from #shardir.placement<@m, [{}, {"x"}, {}]>
        to #shardir.placement<@m, [{}, {}, {"x"}]> of tensor<?x7x64xf32> : tensor<?x?x64xf32> -> tensor<?x?x32xf32>
    %2 = arith.extf %1 : tensor<?x?x32xf32> to tensor<?x?x32xf64>
    %c1 = arith.constant 1 : index
    %d = tensor.dim %1, %c1 : tensor<?x?x32xf32>
    return %2, %d : tensor<?x?x32xf64>, index
  }
}

// -----

// Arguments and results are row-major. Mode auto makes no copy; the shard is
// copied where that is less than what is unpacked.
// CHECK-NOT:   layout_saved_bytes
// CHECK-LABEL: func.func @argument
// CHECK:         collective.all_gather %{{.+}} of tensor<4x128x64xf32>
// CONTIGUOUS:       shardir.layout_saved_bytes = 65536 : i64
// CONTIGUOUS-LABEL: func.func @argument
// CONTIGUOUS-SAME:    %[[X:.+]]: tensor<4x32x64xf32>
// CONTIGUOUS:         %[[T:.+]] = linalg.transpose ins(%[[X]] : tensor<4x32x64xf32>) outs(%{{.+}} : tensor<32x4x64xf32>) permutation = [1, 0, 2]
// CONTIGUOUS:         collective.all_gather %[[T]] {{.+}} of tensor<128x4x64xf32>
// CONTIGUOUS-NOT:     linalg.transpose
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=4]>
  func.func @argument(%x: tensor<4x32x64xf32>) -> tensor<4x128x64xf64> {
    %1 = collective.all_gather %x from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x64xf32> : tensor<4x32x64xf32> -> tensor<4x128x64xf32>
    %2 = arith.extf %1 : tensor<4x128x64xf32> to tensor<4x128x64xf64>
    return %2 : tensor<4x128x64xf64>
  }
}

// -----

// A sum along memory would be taken in another order, or against memory: no
// mode moves the columns that it runs along.
// CHECK-NOT:   layout_saved_bytes
// CHECK-LABEL: func.func @reduced
// CHECK:         collective.all_gather %{{.+}} of tensor<64x128xf32>
// CONTIGUOUS-LABEL: func.func @reduced
// CONTIGUOUS:         collective.all_gather %{{.+}} of tensor<64x128xf32>
// CONTIGUOUS:         linalg.generic
// CONTIGUOUS-SAME:      ins(%{{.+}} : tensor<64x128xf32>)
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=4]>
  func.func @reduced(%x: tensor<64x32xf32>, %z: tensor<64xf32>) -> tensor<64xf32> {
    %0 = math.exp %x : tensor<64x32xf32>
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{}, {"x"}]> to #shardir.placement<@m, [{}, {}]>
        of tensor<64x128xf32> : tensor<64x32xf32> -> tensor<64x128xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<64x128xf32>) outs(%z : tensor<64xf32>) {
    ^bb0(%a: f32, %acc: f32):
      %s = arith.addf %acc, %a : f32
      linalg.yield %s : f32
    } -> tensor<64xf32>
    return %2 : tensor<64xf32>
  }
}

// -----

// A gathered weight is read the other way by the product that it is for. The
// named op has become a generic one that says so.
// CHECK-NOT:   layout_saved_bytes
// CHECK-LABEL: func.func @weight
// CHECK:         linalg.matmul
// CONTIGUOUS:       #[[NK:.+]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CONTIGUOUS-LABEL: func.func @weight
// CONTIGUOUS:         collective.all_gather %{{.+}} of tensor<512x256xf32> : tensor<128x256xf32> -> tensor<512x256xf32>
// CONTIGUOUS:         linalg.generic {indexing_maps = [#{{.+}}, #[[NK]], #{{.+}}]
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=4]>
  func.func @weight(%x: tensor<64x256xf32>, %w: tensor<256x128xf32>, %z: tensor<64x512xf32>) -> tensor<64x512xf32> {
    %1 = collective.all_gather %w from #shardir.placement<@m, [{}, {"x"}]> to #shardir.placement<@m, [{}, {}]>
        of tensor<256x512xf32> : tensor<256x128xf32> -> tensor<256x512xf32>
    %2 = linalg.matmul ins(%x, %1 : tensor<64x256xf32>, tensor<256x512xf32>) outs(%z : tensor<64x512xf32>) -> tensor<64x512xf32>
    return %2 : tensor<64x512xf32>
  }
}

// -----

// An op that worked in its operand's buffer goes on doing so: not for 4096 bytes
// is another buffer made.
// CHECK-NOT:   layout_saved_bytes
// CHECK-LABEL: func.func @in_place
// CHECK:         collective.reduce_scatter %{{.+}} of tensor<4x8x64xf32>
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @in_place(%x: tensor<4x8x64xf32>) -> tensor<4x4x64xf32> {
    %0 = math.exp %x : tensor<4x8x64xf32>
    %1 = collective.reduce_scatter %0 from #shardir.placement<@m, [{}, {}, {}], partial = sum ["x"]> to #shardir.placement<@m, [{}, {"x"}, {}]>
        of tensor<4x8x64xf32> : tensor<4x8x64xf32> -> tensor<4x4x64xf32>
    %2 = math.exp %1 : tensor<4x4x64xf32>
    return %2 : tensor<4x4x64xf32>
  }
}

// -----

// Ops that are not known here, and what loops carry, see row-major tensors. A
// fill, a splat and a slice take the order of who reads them.
// CHECK-LABEL: func.func @mixed
// CHECK:         scf.for {{.+}} -> (tensor<4x128x64xf32>)
// CHECK:           collective.all_gather %{{.+}} of tensor<128x4x64xf32>
// CHECK:           arith.constant dense<2.000000e+00> : tensor<128x4x64xf32>
// CHECK:           arith.mulf %{{.+}}, %{{.+}} : tensor<128x4x64xf32>
// CHECK:           tensor.extract_slice %{{.+}}[%{{.+}}, 0, 0] [64, 4, 64] [1, 1, 1] : tensor<128x4x64xf32> to tensor<64x4x64xf32>
// CHECK:           scf.yield %{{.+}} : tensor<4x128x64xf32>
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @mixed(%x: tensor<4x128x64xf32>, %n: index) -> tensor<4x128x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %two = arith.constant dense<2.0> : tensor<4x128x64xf32>
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%v = %x) -> (tensor<4x128x64xf32>) {
      %s = tensor.extract_slice %v[0, %i, 0] [4, 64, 64] [1, 1, 1] : tensor<4x128x64xf32> to tensor<4x64x64xf32>
      %a = math.exp %s : tensor<4x64x64xf32>
      %g = collective.all_gather %a from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
          of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
      %m = arith.mulf %g, %two : tensor<4x128x64xf32>
      %t = tensor.extract_slice %m[0, %i, 0] [4, 64, 64] [1, 1, 1] : tensor<4x128x64xf32> to tensor<4x64x64xf32>
      %e = tensor.empty() : tensor<4x64x64xf64>
      %w = arith.extf %t : tensor<4x64x64xf32> to tensor<4x64x64xf64>
      %u = arith.truncf %w : tensor<4x64x64xf64> to tensor<4x64x64xf32>
      %k = tensor.insert_slice %u into %v[0, %i, 0] [4, 64, 64] [1, 1, 1] : tensor<4x64x64xf32> into tensor<4x128x64xf32>
      scf.yield %k : tensor<4x128x64xf32>
    }
    return %r : tensor<4x128x64xf32>
  }
}

// -----

// A reshape keeps dims that it joins or splits side by side: rows of the product
// are written with the sequence outermost, then split into heads. Heads and
// sequence cannot both be outermost, so one side still packs.
// CHECK:       shardir.layout_saved_bytes = 65536 : i64
// CHECK-LABEL: func.func @heads
// CHECK:         %[[Y:.+]] = linalg.generic {{.+}} outs(%{{.+}} : tensor<64x4x128xf32>)
// CHECK:         %[[Q:.+]] = tensor.expand_shape %[[Y]] {{\[}}[0], [1], [2, 3]] output_shape [64, 4, 8, 16] : tensor<64x4x128xf32> into tensor<64x4x8x16xf32>
// CHECK:         collective.all_to_all %[[Q]] from #shardir.placement<@m, [{"x"}, {}, {}, {}]> to #shardir.placement<@m, [{}, {}, {"x"}, {}]>
// CHECK-SAME:      tensor<64x4x8x16xf32> -> tensor<128x4x4x16xf32>
// CHECK:         tensor.collapse_shape %{{.+}} {{\[}}[0], [1], [2, 3]] : tensor<128x4x4x16xf32> into tensor<128x4x64xf32>
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @heads(%x: tensor<4x64x64xf32>, %w: tensor<64x128xf32>) -> tensor<4x128x64xf64> {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<4x64x128xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e : tensor<4x64x128xf32>) -> tensor<4x64x128xf32>
    %y = linalg.generic {indexing_maps = [affine_map<(b, s, n, h) -> (b, s, h)>, affine_map<(b, s, n, h) -> (h, n)>,
                                          affine_map<(b, s, n, h) -> (b, s, n)>],
                         iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
        ins(%x, %w : tensor<4x64x64xf32>, tensor<64x128xf32>) outs(%z : tensor<4x64x128xf32>) {
    ^bb0(%l: f32, %r: f32, %acc: f32):
      %p = arith.mulf %l, %r : f32
      %s = arith.addf %acc, %p : f32
      linalg.yield %s : f32
    } -> tensor<4x64x128xf32>
    %q = tensor.expand_shape %y [[0], [1], [2, 3]] output_shape [4, 64, 8, 16] : tensor<4x64x128xf32> into tensor<4x64x8x16xf32>
    %t = collective.all_to_all %q from #shardir.placement<@m, [{}, {"x"}, {}, {}]> to #shardir.placement<@m, [{}, {}, {"x"}, {}]>
        of tensor<4x128x8x16xf32> : tensor<4x64x8x16xf32> -> tensor<4x128x4x16xf32>
    %c = tensor.collapse_shape %t [[0], [1], [2, 3]] : tensor<4x128x4x16xf32> into tensor<4x128x64xf32>
    %u = arith.extf %c : tensor<4x128x64xf32> to tensor<4x128x64xf64>
    return %u : tensor<4x128x64xf64>
  }
}

// -----

// Elements that are read one by one are found in any order. A split dim that is
// joined with another one by a reshape must stay where it is.
// CHECK-LABEL: func.func @elements
// CHECK:         %[[G:.+]] = collective.all_gather %{{.+}} of tensor<128x4x16xi32>
// CHECK:         ^bb0(
// CHECK:           %[[B:.+]] = linalg.index 0
// CHECK:           tensor.extract %[[G]][%{{.+}}, %[[B]], %{{.+}}] : tensor<128x4x16xi32>
// CHECK:         collective.all_gather %{{.+}} of tensor<4x128x16xi32>
// CHECK-NEXT:    tensor.collapse_shape %{{.+}} {{\[}}[0, 1], [2]] : tensor<4x128x16xi32> into tensor<512x16xi32>
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @elements(%x: tensor<4x64x16xi32>, %o: tensor<4x7xi32>, %i: tensor<4x7xindex>) -> (tensor<4x7xi32>, tensor<512x16xi32>) {
    %a = arith.addi %x, %x : tensor<4x64x16xi32>
    %g = collective.all_gather %a from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x16xi32> : tensor<4x64x16xi32> -> tensor<4x128x16xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(b, j) -> (b, j)>, affine_map<(b, j) -> (b, j)>], iterator_types = ["parallel", "parallel"]}
        ins(%i : tensor<4x7xindex>) outs(%o : tensor<4x7xi32>) {
    ^bb0(%s: index, %old: i32):
      %b = linalg.index 0 : index
      %j = linalg.index 1 : index
      %e = tensor.extract %g[%b, %s, %j] : tensor<4x128x16xi32>
      linalg.yield %e : i32
    } -> tensor<4x7xi32>
    %m = arith.muli %x, %x : tensor<4x64x16xi32>
    %h = collective.all_gather %m from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x16xi32> : tensor<4x64x16xi32> -> tensor<4x128x16xi32>
    %c = tensor.collapse_shape %h [[0, 1], [2]] : tensor<4x128x16xi32> into tensor<512x16xi32>
    return %r, %c : tensor<4x7xi32>, tensor<512x16xi32>
  }
}

// -----

// What is computed and gathered again behind a barrier has the order of what
// was there first, so that it can be told to be equal: here row-major, as one
// of the two is returned.
// CHECK-LABEL: func.func @again
// CHECK-COUNT-2: collective.all_gather %{{.+}} of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
module attributes {shardir.stage = "local"} {
  shardir.mesh @m <["x"=2]>
  func.func @again(%x: tensor<4x64x64xf32>) -> (tensor<4x128x64xf64>, tensor<4x128x64xf32>) {
    %0 = math.exp %x : tensor<4x64x64xf32>
    %1 = collective.all_gather %0 from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
    %2 = arith.extf %1 : tensor<4x128x64xf32> to tensor<4x128x64xf64>
    %3 = shardir.optimization_barrier %x : tensor<4x64x64xf32>
    %4 = math.exp %3 : tensor<4x64x64xf32>
    %5 = collective.all_gather %4 from #shardir.placement<@m, [{}, {"x"}, {}]> to #shardir.placement<@m, [{}, {}, {}]>
        of tensor<4x128x64xf32> : tensor<4x64x64xf32> -> tensor<4x128x64xf32>
    return %2, %5 : tensor<4x128x64xf64>, tensor<4x128x64xf32>
  }
}
