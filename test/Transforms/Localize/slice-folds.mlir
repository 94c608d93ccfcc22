// From replicated to sharded is a plain tensor.extract_slice, which upstream's
// folds see through: it merges with a slice next to it, and of an empty tensor a
// smaller one is left.
//
// RUN: shard-opt %s --shardir-to-local -o %t.local
// RUN: FileCheck %s --check-prefix=LOCAL --input-file=%t.local
// RUN: shard-opt %t.local -transform-preload-library="transform-library-paths=%S/Inputs/fold-slices.mlir" -transform-interpreter -cse | FileCheck %s

shardir.mesh @m <["x"=4]>
#replicated = #shardir.placement<@m, [{}, {}]>
#columns = #shardir.placement<@m, [{}, {"x"}]>
#rows = #shardir.placement<@m, [{"x"}, {}]>

// LOCAL-LABEL: func.func @before
// LOCAL:         tensor.extract_slice
// LOCAL:         tensor.extract_slice
// CHECK-LABEL: func.func @before
// CHECK-SAME:    %[[X:[^:]+]]: tensor<10x16xf32>
// CHECK:         %[[I:.+]] = shardir.axis_index @m "x"
// CHECK-NEXT:    %[[AT:.+]] = {{arith.muli|affine.apply}}
// CHECK:         %[[S:.+]] = tensor.extract_slice %[[X]][3, %{{.+}}] [4, 4] [1, 1] : tensor<10x16xf32> to tensor<4x4xf32>
// CHECK-NEXT:    return %[[S]]
func.func @before(%x: tensor<10x16xf32> {shardir.placement = #replicated}) -> (tensor<4x16xf32> {shardir.placement = #columns}) {
  %0 = tensor.extract_slice %x[3, 0] [4, 16] [1, 1] {shardir.placements = [#replicated]} : tensor<10x16xf32> to tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// In the dim that the other slice cuts as well, and uneven.
// LOCAL-LABEL: func.func @within
// LOCAL:         tensor.extract_slice
// LOCAL:         tensor.extract_slice
// CHECK-LABEL: func.func @within
// CHECK-SAME:    %[[X:[^:]+]]: tensor<10x16xf32>
// CHECK:         %[[S:.+]] = tensor.extract_slice %[[X]][3, %{{.+}}] [4, %{{.+}}] [1, 1] : tensor<10x16xf32> to tensor<4x?xf32>
// CHECK-NOT:     tensor.extract_slice
// CHECK:         return %[[S]]
func.func @within(%x: tensor<10x16xf32> {shardir.placement = #replicated}) -> (tensor<4x7xf32> {shardir.placement = #columns}) {
  %0 = tensor.extract_slice %x[3, 4] [4, 7] [1, 1] {shardir.placements = [#replicated]} : tensor<10x16xf32> to tensor<4x7xf32>
  return %0 : tensor<4x7xf32>
}

// A part of an empty tensor, which a user insists on, is an empty part.
// LOCAL-LABEL: func.func @empty
// LOCAL:         %[[E:.+]] = tensor.empty() : tensor<8x16xf32>
// LOCAL:         tensor.extract_slice %[[E]]
// CHECK-LABEL: func.func @empty
// CHECK:         %[[E:.+]] = tensor.empty() : tensor<2x16xf32>
// CHECK-NOT:     tensor.extract_slice
// CHECK:         linalg.fill ins(%{{.+}} : f32) outs(%[[E]]
func.func @empty(%s: f32) -> (tensor<8x16xf32> {shardir.placement = #rows}) {
  %e = tensor.empty() {shardir.placements = [#replicated]} : tensor<8x16xf32>
  %0 = shardir.redistribute %e from #replicated to #rows : tensor<8x16xf32>
  %1 = linalg.fill {shardir.placements = [#rows]} ins(%s : f32) outs(%0 : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
