// Collectives that travel together, on 1 to 4 ranks, with and without: the same bits, on threads and on the
// emulated GPU. Batches are uneven (7 rows; on 4 ranks one device has a single row), and so are the gathered
// and scattered shards of 5 rows, one of which is empty on 4 ranks.
// DEFINE: %{mesh} =
// DEFINE: %{function} =
// DEFINE: %{options} = --verify --function=%{function} --mesh=%{mesh}
// DEFINE: %{run} = shard-run %s %{options} --outputs=%t.one.npz --report=%t.one.json && \
// DEFINE:          shard-run %s %{options} --outputs=%t.many.npz --options="combine-threshold=0" && cmp %t.one.npz %t.many.npz && \
// DEFINE:          env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s %{options} --device=cuda-local --options="arch=host"
// REDEFINE: %{function} = step
// REDEFINE: %{mesh} = dp=1
// RUN: %{run}
// REDEFINE: %{mesh} = dp=2
// RUN: %{run}
// RUN: FileCheck %s --check-prefix=REPORT < %t.one.json
// REDEFINE: %{mesh} = dp=3
// RUN: %{run}
// REDEFINE: %{mesh} = dp=4
// RUN: %{run}
// REDEFINE: %{function} = moves
// RUN: %{run}
// REDEFINE: %{mesh} = dp=3
// RUN: %{run}
//
// Every gradient is listed by itself; 5x8, 8, 8x3 and 3 elements of 4 bytes, halves of which are received twice.
// REPORT:       "bytes_per_device": 304
// REPORT-COUNT-4: "bucket": 0,
// REPORT-NOT:   "bucket"
// REPORT:       "measured": {
// REPORT-NEXT:    "bytes_per_device": 304
// RUN: shard-run %s --function=step --mesh=dp=2 --report=- | FileCheck %s --check-prefix=REASON
// REASON-COUNT-4: "reason": "{{.*}}; one of 4 that travel together"
//
// RUN: shard-opt %s --shardir-to-cpu="mesh=dp=2" | FileCheck %s --check-prefix=CALLS
// CALLS-LABEL: @program.step
// CALLS:       llvm.call @shardir_collective_bucket
// CALLS-NOT:   llvm.call @shardir_collective
// CALLS-LABEL: @program.moves
//
// On the GPU a bucket goes on beside kernels, behind the one that makes its last operand.
// RUN: shard-opt %s --shardir-to-bufferized="arch=sm_90a mesh=dp=2" | shard-opt --shardir-place-on-gpu --shardir-schedule-for-gpu --shardir-overlap-collectives | FileCheck %s --check-prefix=BESIDE
// BESIDE-LABEL: func.func @beside
// BESIDE:       collective.all_reduce {{.*}}collective.bucket = {{.*}}collective.start
// BESIDE-NEXT:  collective.all_reduce {{.*}}collective.bucket = {{.*}}collective.start
// BESIDE:       gpu.launch
// BESIDE:       collective.wait
// BESIDE-NEXT:  collective.wait
// REDEFINE: %{function} = beside
// RUN: %{run}
shardir.mesh @m <["dp"=?]>

#bk = affine_map<(i, j, k) -> (k, i)>
#bj = affine_map<(i, j, k) -> (k, j)>
#ik = affine_map<(i, j, k) -> (i, k)>
#jk = affine_map<(i, j, k) -> (j, k)>
#ij = affine_map<(i, j, k) -> (i, j)>

// One step of SGD on two layers, batch rows over "dp"; the optimizer reads each gradient behind the one before.
func.func @step(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %t: tensor<7x3xf32>, %w1: tensor<5x8xf32>, %b1: tensor<8xf32>, %w2: tensor<8x3xf32>, %b2: tensor<3xf32>)
    -> (tensor<5x8xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<3xf32>) {
  %zero = arith.constant 0.0 : f32
  %e78 = tensor.empty() : tensor<7x8xf32>
  %e73 = tensor.empty() : tensor<7x3xf32>
  %e58 = tensor.empty() : tensor<5x8xf32>
  %e83 = tensor.empty() : tensor<8x3xf32>
  %e8 = tensor.empty() : tensor<8xf32>
  %e3 = tensor.empty() : tensor<3xf32>
  %z58 = linalg.fill ins(%zero : f32) outs(%e58 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %z83 = linalg.fill ins(%zero : f32) outs(%e83 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %z8 = linalg.fill ins(%zero : f32) outs(%e8 : tensor<8xf32>) -> tensor<8xf32>
  %z3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<3xf32>) -> tensor<3xf32>
  %z78 = linalg.fill ins(%zero : f32) outs(%e78 : tensor<7x8xf32>) -> tensor<7x8xf32>
  %c1 = linalg.broadcast ins(%b1 : tensor<8xf32>) outs(%e78 : tensor<7x8xf32>) dimensions = [0]
  %h = linalg.matmul ins(%x, %w1 : tensor<7x5xf32>, tensor<5x8xf32>) outs(%c1 : tensor<7x8xf32>) -> tensor<7x8xf32>
  %c2 = linalg.broadcast ins(%b2 : tensor<3xf32>) outs(%e73 : tensor<7x3xf32>) dimensions = [0]
  %o = linalg.matmul ins(%h, %w2 : tensor<7x8xf32>, tensor<8x3xf32>) outs(%c2 : tensor<7x3xf32>) -> tensor<7x3xf32>
  %g = arith.subf %o, %t : tensor<7x3xf32>
  %gw2 = linalg.contract indexing_maps = [#bk, #bj, #ij] ins(%h, %g : tensor<7x8xf32>, tensor<7x3xf32>) outs(%z83 : tensor<8x3xf32>) -> tensor<8x3xf32>
  %gb2 = linalg.reduce ins(%g : tensor<7x3xf32>) outs(%z3 : tensor<3xf32>) dimensions = [0]
      (%a: f32, %s: f32) { %r = arith.addf %a, %s : f32 linalg.yield %r : f32 }
  %gh = linalg.contract indexing_maps = [#ik, #jk, #ij] ins(%g, %w2 : tensor<7x3xf32>, tensor<8x3xf32>) outs(%z78 : tensor<7x8xf32>) -> tensor<7x8xf32>
  %gw1 = linalg.contract indexing_maps = [#bk, #bj, #ij] ins(%x, %gh : tensor<7x5xf32>, tensor<7x8xf32>) outs(%z58 : tensor<5x8xf32>) -> tensor<5x8xf32>
  %gb1 = linalg.reduce ins(%gh : tensor<7x8xf32>) outs(%z8 : tensor<8xf32>) dimensions = [0]
      (%a: f32, %s: f32) { %r = arith.addf %a, %s : f32 linalg.yield %r : f32 }
  %n1 = arith.subf %w1, %gw1 : tensor<5x8xf32>
  %n2 = arith.subf %b1, %gb1 : tensor<8xf32>
  %n3 = arith.subf %w2, %gw2 : tensor<8x3xf32>
  %n4 = arith.subf %b2, %gb2 : tensor<3xf32>
  return %n1, %n2, %n3, %n4 : tensor<5x8xf32>, tensor<8xf32>, tensor<8x3xf32>, tensor<3xf32>
}

// Gathers together, and reduce-scatters together: of sums and of maxima apart.
func.func @moves(%a: tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                 %b: tensor<3x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"dp"}]>},
                 %p: tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["dp"]>},
                 %q: tensor<2x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}], partial = sum ["dp"]>},
                 %r: tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["dp"]>})
    -> (tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<3x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<5x4xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
        tensor<2x5xf32> {shardir.placement = #shardir.placement<@m, [{}, {"dp"}]>},
        tensor<5xi32> {shardir.placement = #shardir.placement<@m, [{"dp"}]>}) {
  return %a, %b, %p, %q, %r : tensor<5x3xf32>, tensor<3x5xf32>, tensor<5x4xf32>, tensor<2x5xf32>, tensor<5xi32>
}

func.func @beside(%x: tensor<7x5xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
    -> (tensor<5xf32>, tensor<5xf32>, tensor<7x5xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<5xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.reduce ins(%x : tensor<7x5xf32>) outs(%z : tensor<5xf32>) dimensions = [0]
      (%a: f32, %t: f32) { %r = arith.addf %a, %t : f32 linalg.yield %r : f32 }
  %y = math.exp %x : tensor<7x5xf32>
  %u = linalg.reduce ins(%y : tensor<7x5xf32>) outs(%z : tensor<5xf32>) dimensions = [0]
      (%a: f32, %t: f32) { %r = arith.addf %a, %t : f32 linalg.yield %r : f32 }
  %v = math.tanh %x : tensor<7x5xf32>
  return %s, %u, %v : tensor<5xf32>, tensor<5xf32>, tensor<7x5xf32>
}
