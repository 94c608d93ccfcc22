// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: x=2,y=2 x=3,y=1 x=1,y=4 x=8,y=1
// INPUTS layer: --input=0x2xf32=ramp --input=2x3xf32=ramp --input=3xf32=ramp
// INPUTS layer: --input=1x1xf32=ramp --input=1x1xf32=ramp --input=1xf32=ramp
// INPUTS layer: --input=5x4xf32=ramp --input=4x3xf32=ramp --input=3xf32=ramp
// INPUTS layer: --input=7x9xf32=ramp --input=9x6xf32=ramp --input=6xf32=ramp
// INPUTS indices: --input=0x3xi64=ramp
// INPUTS indices: --input=1x1xi64=ramp
// INPUTS indices: --input=2x5xi64=ramp
// INPUTS indices: --input=9x4xi64=ramp
// INPUTS sizes: --input=0x3xf32=ramp --input=index=0
// INPUTS sizes: --input=1x1xf32=ramp --input=index=1
// INPUTS sizes: --input=5x7xf32=ramp --input=index=0
// INPUTS sizes: --input=5x7xf32=ramp --input=index=1
// INPUTS rows: --input=0x3xf32=ramp
// INPUTS rows: --input=1x1xf32=ramp
// INPUTS rows: --input=3x5xf32=ramp
// INPUTS rows: --input=8x4xf32=ramp
// INPUTS looked_up: --input=1x3xf32=ramp --input=1x1xindex=0
// INPUTS looked_up: --input=5x3xf32=ramp --input=3x1xindex=4,0,2
// INPUTS looked_up: --input=9x3xf32=ramp --input=8x1xindex=8,0,3,3,5,7,1,2

// Ops on dims whose extent is known only at run time.
shardir.mesh @m <["x"=?, "y"=?]>

// A matmul, broadcast, and a column sum: rows over x, columns over y.
func.func @layer(%x: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                 %w: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {"y"}]>},
                 %b: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %x, %c0 : tensor<?x?xf32>
  %m = tensor.dim %w, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %h = linalg.matmul ins(%x, %w : tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) -> tensor<?x?xf32>
  %wide = linalg.broadcast ins(%b : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [0]
  %y = arith.addf %h, %wide : tensor<?x?xf32>
  %f = tensor.empty(%m) : tensor<?xf32>
  %zm = linalg.fill ins(%zero : f32) outs(%f : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce ins(%y : tensor<?x?xf32>) outs(%zm : tensor<?xf32>) dimensions = [0]
    (%p: f32, %q: f32) {
      %r = arith.addf %p, %q : f32
      linalg.yield %r : f32
    }
  return %y, %s : tensor<?x?xf32>, tensor<?xf32>
}

// R9: the global tensor's index, in a transpose too.
func.func @indices(%a: tensor<?x?xi64> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}) -> tensor<?x?xi64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xi64>
  %m = tensor.dim %a, %c1 : tensor<?x?xi64>
  %e = tensor.empty(%m, %n) : tensor<?x?xi64>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<?x?xi64>) outs(%e : tensor<?x?xi64>) {
  ^bb0(%v: i64, %o: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %ii = arith.muli %i, %n : index
    %k = arith.addi %ii, %j : index
    %kk = arith.index_cast %k : index to i64
    %s = arith.addi %v, %kk : i64
    linalg.yield %s : i64
  } -> tensor<?x?xi64>
  return %r : tensor<?x?xi64>
}

// Trap 12: a size is the global tensor's, of a known dim and of any.
func.func @sizes(%a: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {"y"}]>}, %i: index)
    -> (index, index, tensor<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %any = tensor.dim %a, %i : tensor<?x?xf32>
  %0 = math.absf %a : tensor<?x?xf32>
  %n2 = tensor.dim %0, %c0 : tensor<?x?xf32>
  %nf = arith.index_cast %n2 : index to i32
  %f = arith.sitofp %nf : i32 to f32
  %m = tensor.dim %0, %i : tensor<?x?xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(r, c) -> (r, c)>], iterator_types = ["parallel", "parallel"]}
      outs(%0 : tensor<?x?xf32>) {
  ^bb0(%v: f32):
    %d = arith.divf %v, %f : f32
    linalg.yield %d : f32
  } -> tensor<?x?xf32>
  %sum = arith.addi %any, %m : index
  return %n, %sum, %s : index, index, tensor<?x?xf32>
}

// A mean over a split dim, and a softmax over it: no pad value is ever seen.
func.func @rows(%a: tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"y"}, {"x"}]>}) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?xf32>
  %m = tensor.dim %a, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%n, %m) : tensor<?x?xf32>
  %s = linalg.softmax dimension(1) ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %s : tensor<?x?xf32>
}

// Rows of a table, by index.
func.func @looked_up(%t: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                     %i: tensor<?x1xindex> {shardir.placement = #shardir.placement<@m, [{"y"}, {}]>}) -> tensor<?x3xf32> {
  %g = tensor.gather %t[%i] gather_dims([0]) : (tensor<?x3xf32>, tensor<?x1xindex>) -> tensor<?x3xf32>
  return %g : tensor<?x3xf32>
}
