// Causal attention whose positions are split: of blocks that come around the ring those behind a device's rows
// have no step on the CPU, those across it end where its last row does. With keys gathered, rows end where
// they would without a mesh.
// RUN: shard-run %s --verify --mesh=x=2 --options="rings=always"
// RUN: shard-run %s --verify --mesh=x=3 --options="rings=always"
// RUN: shard-run %s --verify --mesh=x=4
shardir.mesh @m <["x"=?]>

func.func @main(%q: tensor<1x2048x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %k: tensor<1x2048x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}, %v: tensor<1x2048x32xf32> {shardir.placement = #shardir.placement<@m, [{}, {"x"}, {}]>}) -> tensor<1x2048x32xf32> {
  %zero = arith.constant 0.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %scale = arith.constant 0.375 : f32
  %es = tensor.empty() : tensor<1x2048x2048xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<1x2048x2048xf32>) -> tensor<1x2048x2048xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (b0, m, k)>, affine_map<(b0, m, n, k) -> (b0, n, k)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<1x2048x32xf32>, tensor<1x2048x32xf32>) outs(%zs : tensor<1x2048x2048xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<1x2048x2048xf32>
  %x = linalg.generic {indexing_maps = [affine_map<(b0, m, n) -> (b0, m, n)>, affine_map<(b0, m, n) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%s : tensor<1x2048x2048xf32>) outs(%es : tensor<1x2048x2048xf32>) {
  ^bb0(%a: f32, %c: f32):
    %sx = arith.mulf %a, %scale : f32
    %i = linalg.index 1 : index
    %j = linalg.index 2 : index
    %see = arith.cmpi sge, %i, %j : index
    %r = arith.select %see, %sx, %low : f32
    linalg.yield %r : f32
  } -> tensor<1x2048x2048xf32>
  %p = linalg.softmax dimension(2) ins(%x : tensor<1x2048x2048xf32>) outs(%es : tensor<1x2048x2048xf32>) -> tensor<1x2048x2048xf32>
  %eo = tensor.empty() : tensor<1x2048x32xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<1x2048x32xf32>) -> tensor<1x2048x32xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(b0, m, v, n) -> (b0, m, n)>, affine_map<(b0, m, v, n) -> (b0, n, v)>, affine_map<(b0, m, v, n) -> (b0, m, v)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%p, %v : tensor<1x2048x2048xf32>, tensor<1x2048x32xf32>) outs(%zo : tensor<1x2048x32xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %ab = arith.mulf %a, %b : f32
    %r = arith.addf %c, %ab : f32
    linalg.yield %r : f32
  } -> tensor<1x2048x32xf32>
  return %y : tensor<1x2048x32xf32>
}
