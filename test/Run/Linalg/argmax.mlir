// RUN: %python %S/../Inputs/verify-all.py %s
// MESHES: a=2,b=2 a=3,b=1 a=4,b=1 a=1,b=3

// Reductions with several results: the place of the largest element, whose steps
// do not combine by one kind, is found where its dim is whole; sums, largest and
// least of one pass owe each by its own kind (trap 16).
shardir.mesh @m <["a"=?, "b"=?]>

func.func @argmax(%t: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"b"}, {"a"}]>}) -> (tensor<7xf32>, tensor<7xi32>) {
  %low = arith.constant 0xFF800000 : f32
  %none = arith.constant -1 : i32
  %e = tensor.empty() : tensor<7xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<7xf32>) -> tensor<7xf32>
  %d = tensor.empty() : tensor<7xi32>
  %g = linalg.fill ins(%none : i32) outs(%d : tensor<7xi32>) -> tensor<7xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i)>],
                         iterator_types = ["parallel", "reduction"]}
      ins(%t : tensor<7x10xf32>) outs(%f, %g : tensor<7xf32>, tensor<7xi32>) {
  ^bb0(%x: f32, %best: f32, %at: i32):
    %j = linalg.index 1 : index
    %j32 = arith.index_cast %j : index to i32
    %more = arith.cmpf ogt, %x, %best : f32
    %v = arith.select %more, %x, %best : f32
    %w = arith.select %more, %j32, %at : i32
    linalg.yield %v, %w : f32, i32
  } -> (tensor<7xf32>, tensor<7xi32>)
  return %r#0, %r#1 : tensor<7xf32>, tensor<7xi32>
}

func.func @several(%t: tensor<7x10xi32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<10xi32>, tensor<10xi32>, tensor<10xi32>) {
  %zero = arith.constant dense<3> : tensor<10xi32>
  %low = arith.constant dense<-5> : tensor<10xi32>
  %high = arith.constant dense<5> : tensor<10xi32>
  %r:3 = linalg.reduce ins(%t, %t, %t : tensor<7x10xi32>, tensor<7x10xi32>, tensor<7x10xi32>)
      outs(%zero, %low, %high : tensor<10xi32>, tensor<10xi32>, tensor<10xi32>) dimensions = [0]
    (%x: i32, %y: i32, %z: i32, %s: i32, %l: i32, %h: i32) {
      %0 = arith.addi %x, %s : i32
      %1 = arith.maxsi %y, %l : i32
      %2 = arith.minui %z, %h : i32
      linalg.yield %0, %1, %2 : i32, i32, i32
    }
  return %r#0, %r#1, %r#2 : tensor<10xi32>, tensor<10xi32>, tensor<10xi32>
}

// The largest owed passes what keeps an order, in ops and in bodies.
func.func @monotone(%t: tensor<7x10xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {"b"}]>}) -> (tensor<10xf32>, tensor<10xf16>) {
  %low = arith.constant dense<0xFF800000> : tensor<10xf32>
  %s = linalg.reduce { arith.maximumf } ins(%t : tensor<7x10xf32>) outs(%low : tensor<10xf32>) dimensions = [0]
  %0 = math.exp %s : tensor<10xf32>
  %e = tensor.empty() : tensor<10xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%s : tensor<10xf32>) outs(%e : tensor<10xf16>) {
  ^bb0(%x: f32, %o: f16):
    %half = arith.constant 0.5 : f32
    %a = math.tanh %x : f32
    %b = arith.minimumf %a, %half : f32
    %c = arith.truncf %b : f32 to f16
    linalg.yield %c : f16
  } -> tensor<10xf16>
  return %0, %r : tensor<10xf32>, tensor<10xf16>
}
