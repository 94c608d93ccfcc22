// RUN: shard-opt %s -shardir-bufferize | FileCheck %s

// The private buffer of a parallel loop's iteration is on the stack where it
// is small, and from the rank's allocator where it is not.
// CHECK-LABEL: func.func @rows
// CHECK:       scf.forall
// CHECK-DAG:     memref.alloca() {{.*}} : memref<16xf32>
// CHECK-DAG:     %[[LARGE:.+]] = memref.alloc() {{.*}} : memref<65536xf32>
// CHECK:         memref.dealloc %[[LARGE]]
// CHECK-NOT:     memref.dealloc
// CHECK:       return
module attributes {shardir.stage = "local"} {
  func.func @rows(%x: tensor<32x65536xf32>, %s: tensor<32x16xf32>) -> tensor<32x16xf32> {
    %e = tensor.empty() : tensor<32x16xf32>
    %r = scf.forall (%i) in (32) shared_outs(%o = %e) -> tensor<32x16xf32> {
      %row = tensor.extract_slice %x[%i, 0] [1, 65536] [1, 1] : tensor<32x65536xf32> to tensor<65536xf32>
      %el = tensor.empty() : tensor<65536xf32>
      %large = linalg.exp ins(%row : tensor<65536xf32>) outs(%el : tensor<65536xf32>) -> tensor<65536xf32>
      %own = tensor.extract_slice %s[%i, 0] [1, 16] [1, 1] : tensor<32x16xf32> to tensor<16xf32>
      %es = tensor.empty() : tensor<16xf32>
      %small = linalg.exp ins(%own : tensor<16xf32>) outs(%es : tensor<16xf32>) -> tensor<16xf32>
      %part = tensor.extract_slice %large[0] [16] [1] : tensor<65536xf32> to tensor<16xf32>
      %last = tensor.extract_slice %o[%i, 0] [1, 16] [1, 1] : tensor<32x16xf32> to tensor<16xf32>
      %rotated = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (15 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%part, %small : tensor<16xf32>, tensor<16xf32>) outs(%last : tensor<16xf32>) {
      ^bb0(%a: f32, %b: f32, %c: f32):
        %d = arith.addf %a, %b : f32
        linalg.yield %d : f32
      } -> tensor<16xf32>
      scf.forall.in_parallel {
        tensor.parallel_insert_slice %rotated into %o[%i, 0] [1, 16] [1, 1] : tensor<16xf32> into tensor<32x16xf32>
      }
    }
    return %r : tensor<32x16xf32>
  }
}
