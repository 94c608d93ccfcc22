// Attention in tiles for the CPU's caches: extents that tiles do not divide,
// causal masks that let tiles out, against the same program without attention
// ops, replicated and sharded.
// DEFINE: %{function} =
// DEFINE: %{run} = shard-run %s --function=%{function} --options="attention=false" --output=@%t.npy && shard-run %s --function=%{function} --expected_output=@%t.npy --verify
// REDEFINE: %{function} = plain
// RUN: %{run}
// REDEFINE: %{function} = causal
// RUN: %{run}
// REDEFINE: %{function} = shifted
// RUN: %{run}
// REDEFINE: %{function} = keys
// RUN: %{run}
// RUN: shard-opt %s --shardir-to-bufferized="target=x86-64" | FileCheck %s
// CHECK-LABEL: func.func @plain
// CHECK:         scf.forall
// CHECK:           scf.for
// CHECK-LABEL: func.func @causal
// CHECK:         scf.forall
// CHECK:           arith.minsi
// CHECK:           scf.for
// RUN: shard-opt %s --shardir-to-bufferized="target=x86-64 attention=false" | FileCheck %s --check-prefix=OFF
// OFF-NOT: arith.minsi

shardir.mesh @m <["x"=2]>
#s = affine_map<(h, m, n) -> (h, m, n)>
#qs = affine_map<(h, m, n, k) -> (h, m, k)>
#ks = affine_map<(h, m, n, k) -> (h, n, k)>
#ss = affine_map<(h, m, n, k) -> (h, m, n)>

func.func @plain(%q: tensor<4x300x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<4x530x8xf32>, %v: tensor<4x530x5xf32>) -> tensor<4x300x5xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<4x300x530xf32>
  %eo = tensor.empty() : tensor<4x300x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<4x300x530xf32>) -> tensor<4x300x530xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<4x300x5xf32>) -> tensor<4x300x5xf32>
  %s = linalg.batch_matmul indexing_maps = [#qs, #ks, #ss] ins(%q, %k : tensor<4x300x8xf32>, tensor<4x530x8xf32>) outs(%zs : tensor<4x300x530xf32>) -> tensor<4x300x530xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<4x300x530xf32>) outs(%es : tensor<4x300x530xf32>) -> tensor<4x300x530xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<4x300x530xf32>, tensor<4x530x5xf32>) outs(%zo : tensor<4x300x5xf32>) -> tensor<4x300x5xf32>
  return %o : tensor<4x300x5xf32>
}

// A finite low value in place of -inf: rows begin with a score of their own.
func.func @causal(%q: tensor<3x600x8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}, {}]>}, %k: tensor<3x600x8xf32>, %v: tensor<3x600x5xf32>) -> tensor<3x600x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant -1.0e38 : f32
  %es = tensor.empty() : tensor<3x600x600xf32>
  %eo = tensor.empty() : tensor<3x600x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<3x600x600xf32>) -> tensor<3x600x600xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<3x600x5xf32>) -> tensor<3x600x5xf32>
  %s = linalg.batch_matmul indexing_maps = [#qs, #ks, #ss] ins(%q, %k : tensor<3x600x8xf32>, tensor<3x600x8xf32>) outs(%zs : tensor<3x600x600xf32>) -> tensor<3x600x600xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<3x600x600xf32>) outs(%es : tensor<3x600x600xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %c = arith.cmpi sge, %i, %j : index
    %u = arith.select %c, %a, %low : f32
    linalg.yield %u : f32
  } -> tensor<3x600x600xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<3x600x600xf32>) outs(%es : tensor<3x600x600xf32>) -> tensor<3x600x600xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<3x600x600xf32>, tensor<3x600x5xf32>) outs(%zo : tensor<3x600x5xf32>) -> tensor<3x600x5xf32>
  return %o : tensor<3x600x5xf32>
}

// Fewer queries than keys: query i sees keys up to i + 300.
func.func @shifted(%q: tensor<2x300x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<2x600x8xf32>, %v: tensor<2x600x5xf32>) -> tensor<2x300x5xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %c300 = arith.constant 300 : index
  %es = tensor.empty() : tensor<2x300x600xf32>
  %eo = tensor.empty() : tensor<2x300x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x300x600xf32>) -> tensor<2x300x600xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x300x5xf32>) -> tensor<2x300x5xf32>
  %s = linalg.batch_matmul indexing_maps = [#qs, #ks, #ss] ins(%q, %k : tensor<2x300x8xf32>, tensor<2x600x8xf32>) outs(%zs : tensor<2x300x600xf32>) -> tensor<2x300x600xf32>
  %x = linalg.generic {indexing_maps = [#s, #s], iterator_types = ["parallel", "parallel", "parallel"]} ins(%s : tensor<2x300x600xf32>) outs(%es : tensor<2x300x600xf32>) {
  ^bb0(%a: f32, %b: f32):
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %ii = arith.addi %i, %c300 : index
    %d = arith.cmpi sle, %j, %ii : index
    %u = arith.select %d, %a, %low : f32
    linalg.yield %u : f32
  } -> tensor<2x300x600xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<2x300x600xf32>) outs(%es : tensor<2x300x600xf32>) -> tensor<2x300x600xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x300x600xf32>, tensor<2x600x5xf32>) outs(%zo : tensor<2x300x5xf32>) -> tensor<2x300x5xf32>
  return %o : tensor<2x300x5xf32>
}

// The keys are split: each device's tiles, then the merge.
func.func @keys(%q: tensor<2x520x8xf32>, %k: tensor<2x1040x8xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<2x1040x5xf32>) -> tensor<2x520x5xf32> {
  %zero = arith.constant 0.0 : f32
  %es = tensor.empty() : tensor<2x520x1040xf32>
  %eo = tensor.empty() : tensor<2x520x5xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x520x1040xf32>) -> tensor<2x520x1040xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x520x5xf32>) -> tensor<2x520x5xf32>
  %s = linalg.batch_matmul indexing_maps = [#qs, #ks, #ss] ins(%q, %k : tensor<2x520x8xf32>, tensor<2x1040x8xf32>) outs(%zs : tensor<2x520x1040xf32>) -> tensor<2x520x1040xf32>
  %p = linalg.softmax dimension(2) ins(%s : tensor<2x520x1040xf32>) outs(%es : tensor<2x520x1040xf32>) -> tensor<2x520x1040xf32>
  %o = linalg.batch_matmul ins(%p, %v : tensor<2x520x1040xf32>, tensor<2x1040x5xf32>) outs(%zo : tensor<2x520x5xf32>) -> tensor<2x520x5xf32>
  return %o : tensor<2x520x5xf32>
}
