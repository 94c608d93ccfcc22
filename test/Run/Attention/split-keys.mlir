// Keys over devices: each row's maximum and sum are reduced before they are spread
// over the row. A matrix of scores never travels, however small it is, under
// either cost.
//
// RUN: shard-opt %s --shardir-to-collective="cost=time" | FileCheck %s
// RUN: shard-opt %s --shardir-to-collective="cost=bytes" | FileCheck %s
// RUN: shard-run %s --verify --options=cost=time
// RUN: shard-run %s --verify --options=cost=bytes

shardir.mesh @m <["tp"=4]>
// CHECK: collective.all_reduce {{.*}} : tensor<16xf32>
// CHECK: linalg.broadcast
// CHECK: collective.all_reduce {{.*}} : tensor<16xf32>
// CHECK: linalg.broadcast
// CHECK-NOT: collective.{{.*}} : tensor<16x256xf32>
// CHECK: collective.all_reduce {{.*}} : tensor<16x32xf32>
// CHECK-NOT: collective.
// CHECK: return
func.func @main(%q: tensor<16x32xf32>,
                %k: tensor<256x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                %v: tensor<256x32xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> tensor<16x32xf32> {
  %z = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<16x256xf32>
  %z0 = linalg.fill ins(%z : f32) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %kt0 = tensor.empty() : tensor<32x256xf32>
  %kt = linalg.transpose ins(%k : tensor<256x32xf32>) outs(%kt0 : tensor<32x256xf32>) permutation = [1, 0]
  %s = linalg.matmul ins(%q, %kt : tensor<16x32xf32>, tensor<32x256xf32>) outs(%z0 : tensor<16x256xf32>) -> tensor<16x256xf32>
  %r = tensor.empty() : tensor<16xf32>
  %ri = linalg.fill ins(%ninf : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %m = linalg.reduce { arith.maximumf } ins(%s : tensor<16x256xf32>) outs(%ri : tensor<16xf32>) dimensions = [1]
  %mb = linalg.broadcast ins(%m : tensor<16xf32>) outs(%e : tensor<16x256xf32>) dimensions = [1]
  %d = linalg.sub ins(%s, %mb : tensor<16x256xf32>, tensor<16x256xf32>) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %x = linalg.exp ins(%d : tensor<16x256xf32>) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %rz = linalg.fill ins(%z : f32) outs(%r : tensor<16xf32>) -> tensor<16xf32>
  %l = linalg.reduce { arith.addf } ins(%x : tensor<16x256xf32>) outs(%rz : tensor<16xf32>) dimensions = [1]
  %lb = linalg.broadcast ins(%l : tensor<16xf32>) outs(%e : tensor<16x256xf32>) dimensions = [1]
  %p = linalg.div ins(%x, %lb : tensor<16x256xf32>, tensor<16x256xf32>) outs(%e : tensor<16x256xf32>) -> tensor<16x256xf32>
  %o = tensor.empty() : tensor<16x32xf32>
  %oz = linalg.fill ins(%z : f32) outs(%o : tensor<16x32xf32>) -> tensor<16x32xf32>
  %y = linalg.matmul ins(%p, %v : tensor<16x256xf32>, tensor<256x32xf32>) outs(%oz : tensor<16x32xf32>) -> tensor<16x32xf32>
  return %y : tensor<16x32xf32>
}
