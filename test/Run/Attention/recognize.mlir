// Forms of attention, recognised on the way to the GPU (docs/GPU.md) and compared
// with the unsharded program: one device holds all keys, or each a part of them.
// DEFINE: %{function} =
// DEFINE: %{run} = env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host" --verify --function=%{function}
// REDEFINE: %{function} = heads
// RUN: %{run}
// REDEFINE: %{function} = keys
// RUN: %{run}
// REDEFINE: %{function} = masked
// RUN: %{run}
// REDEFINE: %{function} = dropped
// RUN: %{run}
// A CPU without bf16 rounds to it by a call.
// RUN: env SHARDIR_CUDA_LIBRARY=%emulated_cuda shard-run %s --device=cuda-local --options="arch=host target=x86-64" --verify --function=dropped
// REDEFINE: %{function} = unknown
// RUN: %{run} --input=7x8xf32 --input=11x8xf32 --input=11x4xf32
// RUN: %{run} --input=1x8xf32 --input=1x8xf32 --input=1x4xf32
// RUN: shard-opt %s --shardir-to-gpu="arch=host explain" -o /dev/null 2>&1 | FileCheck %s
// CHECK-COUNT-5: these scores are never stored
// CHECK:         these scores are stored: scores or what is computed from them are also used by 'func.return'
// RUN: shard-opt %s --shardir-to-gpu="arch=host explain attention=false" -o /dev/null 2>&1 | FileCheck %s --check-prefix=OFF
// OFF-NOT: these scores

shardir.mesh @m <["x"=2]>
#mn = affine_map<(m, n) -> (m, n)>
#row = affine_map<(m, n) -> (m)>
#qk = affine_map<(h, m, n, k) -> (h, m, k)>
#kk = affine_map<(h, m, n, k) -> (h, n, k)>
#sk = affine_map<(h, m, n, k) -> (h, m, n)>

// linalg.softmax of products of 3 heads, of which the devices have 2 and 1.
func.func @heads(%q: tensor<3x6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<3x10x8xf32>, %v: tensor<3x10x4xf32>) -> tensor<3x6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<3x6x10xf32>
  %eo = tensor.empty() : tensor<3x6x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x6x10xf32>) -> tensor<3x6x10xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  %s = linalg.batch_matmul indexing_maps = [#qk, #kk, #sk] ins(%q, %k : tensor<3x6x8xf32>, tensor<3x10x8xf32>) outs(%zs : tensor<3x6x10xf32>) -> tensor<3x6x10xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<3x6x10xf32>) outs(%es : tensor<3x6x10xf32>) -> tensor<3x6x10xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x6x10xf32>, tensor<3x10x4xf32>) outs(%zo : tensor<3x6x4xf32>) -> tensor<3x6x4xf32>
  return %o : tensor<3x6x4xf32>
}

// The keys are split: parts are merged by their maxima. Device 1 has 5 of 11.
func.func @keys(%q: tensor<6x8xf32>, %k: tensor<11x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %v: tensor<11x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<6x11xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x11xf32>) -> tensor<6x11xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<6x8xf32>, tensor<11x8xf32>) outs(%zs : tensor<6x11xf32>) -> tensor<6x11xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<6x11xf32>) outs(%es : tensor<6x11xf32>) -> tensor<6x11xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x11xf32>, tensor<11x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// A mask selects scores and, once more, probabilities: rows 4 and 5 have no score at
// all and are 0. The keys are split, so that a device has rows without a score.
func.func @masked(%q: tensor<6x8xf32>, %k: tensor<12x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %v: tensor<12x4xf32>) -> tensor<6x4xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<6x12xf32>
  %er = tensor.empty() : tensor<6xf32>
  %ei = tensor.empty() : tensor<6x12xi1>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x12xf32>) -> tensor<6x12xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %l = linalg.fill ins(%low : f32) outs(%er : tensor<6xf32>) -> tensor<6xf32>
  %ls = linalg.fill ins(%low : f32) outs(%es : tensor<6x12xf32>) -> tensor<6x12xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %keep = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} outs(%ei : tensor<6x12xi1>) {
  ^bb0(%b: i1):
    %c4 = arith.constant 4 : index
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %t = arith.cmpi sge, %i, %j : index
    %u = arith.cmpi slt, %i, %c4 : index
    %w = arith.andi %t, %u : i1
    linalg.yield %w : i1
  } -> tensor<6x12xi1>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<6x8xf32>, tensor<12x8xf32>) outs(%zs : tensor<6x12xf32>) -> tensor<6x12xf32>
  %x = arith.select %keep, %s, %ls : tensor<6x12xi1>, tensor<6x12xf32>
  %max = linalg.reduce { arith.maximumf } ins(%x : tensor<6x12xf32>) outs(%l : tensor<6xf32>) dimensions = [1]
  %shift = linalg.generic {indexing_maps = [affine_map<(m) -> (m)>, affine_map<(m) -> (m)>], iterator_types = ["parallel"]} ins(%max : tensor<6xf32>) outs(%er : tensor<6xf32>) {
  ^bb0(%a: f32, %b: f32):
    %none = arith.cmpf oeq, %a, %low : f32
    %t = arith.select %none, %zero, %a : f32
    linalg.yield %t : f32
  } -> tensor<6xf32>
  %e = linalg.generic {indexing_maps = [#mn, #row, #mn], iterator_types = ["parallel", "parallel"]} ins(%x, %shift : tensor<6x12xf32>, tensor<6xf32>) outs(%es : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %d = arith.subf %a, %b : f32
    %t = math.exp %d : f32
    linalg.yield %t : f32
  } -> tensor<6x12xf32>
  %sum = linalg.reduce { arith.addf } ins(%e : tensor<6x12xf32>) outs(%zr : tensor<6xf32>) dimensions = [1]
  %n = linalg.generic {indexing_maps = [#mn, #row, #mn], iterator_types = ["parallel", "parallel"]} ins(%e, %sum : tensor<6x12xf32>, tensor<6xf32>) outs(%es : tensor<6x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %t = arith.divf %a, %b : f32
    linalg.yield %t : f32
  } -> tensor<6x12xf32>
  %p = arith.select %keep, %n, %zs : tensor<6x12xi1>, tensor<6x12xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x12xf32>, tensor<12x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o : tensor<6x4xf32>
}

// Dropout: some probabilities are 0, the rest twice as large; a bias that is an
// argument; bf16 probabilities and values.
func.func @dropped(%q: tensor<6x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %k: tensor<10x8xf32>, %v: tensor<10x4xbf16>, %bias: tensor<10xf32>, %u: tensor<6x10xf32>) -> tensor<6x4xbf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %two = arith.constant 2.0 : f32
  %es = tensor.empty() : tensor<6x10xf32>
  %eb = tensor.empty() : tensor<6x10xbf16>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x10xf32>) -> tensor<6x10xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<6x8xf32>, tensor<10x8xf32>) outs(%zs : tensor<6x10xf32>) -> tensor<6x10xf32>
  %bs = linalg.broadcast ins(%bias : tensor<10xf32>) outs(%es : tensor<6x10xf32>) dimensions = [0]
  %x = arith.addf %s, %bs : tensor<6x10xf32>
  %p = linalg.softmax dimension(1) ins(%x : tensor<6x10xf32>) outs(%es : tensor<6x10xf32>) -> tensor<6x10xf32>
  %d = linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]} ins(%p, %u : tensor<6x10xf32>, tensor<6x10xf32>) outs(%eb : tensor<6x10xbf16>) {
  ^bb0(%a: f32, %b: f32, %c: bf16):
    %keep = arith.cmpf olt, %b, %half : f32
    %t = arith.mulf %a, %two : f32
    %w = arith.select %keep, %t, %zero : f32
    %r = arith.truncf %w : f32 to bf16
    linalg.yield %r : bf16
  } -> tensor<6x10xbf16>
  %o = linalg.matmul ins(%d, %v : tensor<6x10xbf16>, tensor<10x4xbf16>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %r = arith.truncf %o : tensor<6x4xf32> to tensor<6x4xbf16>
  return %r : tensor<6x4xbf16>
}

func.func @unknown(%q: tensor<?x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %k: tensor<?x8xf32>, %v: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %m = tensor.dim %q, %c0 : tensor<?x8xf32>
  %n = tensor.dim %k, %c0 : tensor<?x8xf32>
  %es = tensor.empty(%m, %n) : tensor<?x?xf32>
  %eo = tensor.empty(%m) : tensor<?x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<?x4xf32>) -> tensor<?x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<?x8xf32>, tensor<?x8xf32>) outs(%zs : tensor<?x?xf32>) -> tensor<?x?xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<?x?xf32>) outs(%es : tensor<?x?xf32>) -> tensor<?x?xf32>
  %o = linalg.matmul ins(%p, %v : tensor<?x?xf32>, tensor<?x4xf32>) outs(%zo : tensor<?x4xf32>) -> tensor<?x4xf32>
  return %o : tensor<?x4xf32>
}

// The probabilities are a result as well: they are stored.
func.func @shown(%q: tensor<6x8xf32>, %k: tensor<10x8xf32>, %v: tensor<10x4xf32>) -> (tensor<6x4xf32>, tensor<6x10xf32>) {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<6x10xf32>
  %eo = tensor.empty() : tensor<6x4xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<6x10xf32>) -> tensor<6x10xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<6x4xf32>) -> tensor<6x4xf32>
  %s = linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%q, %k : tensor<6x8xf32>, tensor<10x8xf32>) outs(%zs : tensor<6x10xf32>) -> tensor<6x10xf32>
  %p = linalg.softmax dimension(1) ins(%s : tensor<6x10xf32>) outs(%es : tensor<6x10xf32>) -> tensor<6x10xf32>
  %o = linalg.matmul ins(%p, %v : tensor<6x10xf32>, tensor<10x4xf32>) outs(%zo : tensor<6x4xf32>) -> tensor<6x4xf32>
  return %o, %p : tensor<6x4xf32>, tensor<6x10xf32>
}
