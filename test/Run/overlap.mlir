// Collectives beside work on the CPU. Weights are gathered before each layer, forward and backward, and their
// gradients summed and scattered: on ranks of which one size alone divides all rows the results are those of the
// unsharded program, and the bits those of collectives in line. Over processes: test/Mpi/overlap.test.
// REQUIRES: compiler
// RUN: mkdir -p %t
// RUN: shard-run %s --options="overlap=true rings=never" --mesh=dp=1 --verify
// RUN: shard-run %s --options="overlap=true rings=never" --mesh=dp=3 --verify --output=@%t/0.npy --output=@%t/1.npy --output=@%t/2.npy
// RUN: shard-run %s --options="overlap=false rings=never" --mesh=dp=3 --expected_output=@%t/0.npy --expected_output=@%t/1.npy --expected_output=@%t/2.npy --tolerance=0
// RUN: shard-run %s --options="overlap=true rings=always" --mesh=dp=3 --verify

// The sizes of shards are known as bounds alone, and so are the times. The gather of a layer goes on beside the
// product of the layer before it, the sum of a gradient beside the next product.
// RUN: shard-opt %s --shardir-to-bufferized="overlap=true rings=never combine-threshold=0 mesh=dp=3" | shard-opt --pass-pipeline="builtin.module(func.func(shardir-overlap-collectives))" | FileCheck %s
// CHECK:      collective.all_gather %arg2 into [[W0:%[a-z0-9_]+]] {{.*}}of tensor<12x9xf32> {reason
// CHECK:      collective.all_gather %arg3 into [[W1:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK-NOT:  collective
// CHECK:      linalg.matmul ins(%arg0, [[W0]]
// CHECK:      collective.all_gather %arg4 into [[W2:%[a-z0-9_]+]] {{.*}}collective.start
// CHECK:      collective.wait [[W1]]
// CHECK:      linalg.matmul ins({{.*}}, [[W1]]
// CHECK:      collective.wait [[W2]]
// CHECK-NEXT: linalg.matmul ins({{.*}}, [[W2]]
// CHECK:      linalg.matmul {{.*}} outs([[D2:%[a-z0-9_]+]]
// CHECK:      collective.reduce_scatter [[D2]] into %arg7 {{.*}}collective.start
// CHECK:      linalg.matmul
// CHECK:      linalg.matmul {{.*}} outs([[D1:%[a-z0-9_]+]]
// CHECK-NEXT: collective.reduce_scatter [[D1]] into %arg6 {{.*}}collective.start
// CHECK:      collective.wait %arg7
// CHECK-NEXT: memref.dealloc [[D2]]

// The report says how many.
// RUN: shard-run %s --options="overlap=true rings=never combine-threshold=0" --mesh=dp=3 --report=%t/report.json
// RUN: %python %shardir_src/utils/print-report.py %t/report.json | FileCheck %s --check-prefix=REPORT
// REPORT: 6 of 8 transfers begin ahead and go on beside work

shardir.mesh @m <["dp"=?], links = {dp = {bandwidth = 1.0e8, latency = 1.0e-6}}>
func.func @step(%x: tensor<1001x12xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %t: tensor<1001x11xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w0: tensor<12x9xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w1: tensor<9x14xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %w2: tensor<14x11xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<12x9xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<9x14xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<14x11xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) {
  %zero = arith.constant 0.0 : f32
  %h0e = tensor.empty() : tensor<1001x9xf32>
  %h0z = linalg.fill ins(%zero : f32) outs(%h0e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %h0 = linalg.matmul ins(%x, %w0 : tensor<1001x12xf32>, tensor<12x9xf32>) outs(%h0z : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %a0 = linalg.tanh ins(%h0 : tensor<1001x9xf32>) outs(%h0e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %h1e = tensor.empty() : tensor<1001x14xf32>
  %h1z = linalg.fill ins(%zero : f32) outs(%h1e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %h1 = linalg.matmul ins(%a0, %w1 : tensor<1001x9xf32>, tensor<9x14xf32>) outs(%h1z : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %a1 = linalg.tanh ins(%h1 : tensor<1001x14xf32>) outs(%h1e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %h2e = tensor.empty() : tensor<1001x11xf32>
  %h2z = linalg.fill ins(%zero : f32) outs(%h2e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %h2 = linalg.matmul ins(%a1, %w2 : tensor<1001x14xf32>, tensor<14x11xf32>) outs(%h2z : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %a2 = linalg.tanh ins(%h2 : tensor<1001x11xf32>) outs(%h2e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %g3 = linalg.sub ins(%a2, %t : tensor<1001x11xf32>, tensor<1001x11xf32>) outs(%h2e : tensor<1001x11xf32>) -> tensor<1001x11xf32>
  %d2e = tensor.empty() : tensor<14x11xf32>
  %d2z = linalg.fill ins(%zero : f32) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  %d2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%a1, %g3 : tensor<1001x14xf32>, tensor<1001x11xf32>) outs(%d2z : tensor<14x11xf32>) -> tensor<14x11xf32>
  %b2e = tensor.empty() : tensor<1001x14xf32>
  %b2z = linalg.fill ins(%zero : f32) outs(%b2e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %b2 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%g3, %w2 : tensor<1001x11xf32>, tensor<14x11xf32>) outs(%b2z : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %g2 = linalg.mul ins(%b2, %a1 : tensor<1001x14xf32>, tensor<1001x14xf32>) outs(%b2e : tensor<1001x14xf32>) -> tensor<1001x14xf32>
  %d1e = tensor.empty() : tensor<9x14xf32>
  %d1z = linalg.fill ins(%zero : f32) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %d1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%a0, %g2 : tensor<1001x9xf32>, tensor<1001x14xf32>) outs(%d1z : tensor<9x14xf32>) -> tensor<9x14xf32>
  %b1e = tensor.empty() : tensor<1001x9xf32>
  %b1z = linalg.fill ins(%zero : f32) outs(%b1e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %b1 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>] ins(%g2, %w1 : tensor<1001x14xf32>, tensor<9x14xf32>) outs(%b1z : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %g1 = linalg.mul ins(%b1, %a0 : tensor<1001x9xf32>, tensor<1001x9xf32>) outs(%b1e : tensor<1001x9xf32>) -> tensor<1001x9xf32>
  %d0e = tensor.empty() : tensor<12x9xf32>
  %d0z = linalg.fill ins(%zero : f32) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %d0 = linalg.matmul indexing_maps = [affine_map<(i, j, k) -> (k, i)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>] ins(%x, %g1 : tensor<1001x12xf32>, tensor<1001x9xf32>) outs(%d0z : tensor<12x9xf32>) -> tensor<12x9xf32>
  %n0 = linalg.sub ins(%w0, %d0 : tensor<12x9xf32>, tensor<12x9xf32>) outs(%d0e : tensor<12x9xf32>) -> tensor<12x9xf32>
  %n1 = linalg.sub ins(%w1, %d1 : tensor<9x14xf32>, tensor<9x14xf32>) outs(%d1e : tensor<9x14xf32>) -> tensor<9x14xf32>
  %n2 = linalg.sub ins(%w2, %d2 : tensor<14x11xf32>, tensor<14x11xf32>) outs(%d2e : tensor<14x11xf32>) -> tensor<14x11xf32>
  return %n0, %n1, %n2 : tensor<12x9xf32>, tensor<9x14xf32>, tensor<14x11xf32>
}
