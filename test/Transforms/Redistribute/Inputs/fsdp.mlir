// Three layers, forward and backward, with the batch and the weights split over
// the same devices: weights are gathered before use, gradients scattered.
// MESHES: x=4 x=3 x=1
shardir.mesh @m <["x"=?4]>
#rows = #shardir.placement<@m, [{"x"}p0, {}]>
#w = #shardir.placement<@m, [{"x"}p1, {}]>
func.func @main(%x: tensor<8x16xi32> {shardir.placement = #rows}, %w1: tensor<16x16xi32> {shardir.placement = #w}, %w2: tensor<16x16xi32> {shardir.placement = #w}, %w3: tensor<16x16xi32> {shardir.placement = #w})
  -> (tensor<16x16xi32> {shardir.alias = 1 : i64}, tensor<16x16xi32> {shardir.alias = 2 : i64}, tensor<16x16xi32> {shardir.alias = 3 : i64}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() : tensor<8x16xi32>
  %f = linalg.fill ins(%zero : i32) outs(%e : tensor<8x16xi32>) -> tensor<8x16xi32>
  %ew = tensor.empty() : tensor<16x16xi32>
  %fw = linalg.fill ins(%zero : i32) outs(%ew : tensor<16x16xi32>) -> tensor<16x16xi32>
  %h1 = linalg.matmul ins(%x, %w1 : tensor<8x16xi32>, tensor<16x16xi32>) outs(%f : tensor<8x16xi32>) -> tensor<8x16xi32>
  %a1 = math.absi %h1 : tensor<8x16xi32>
  %h2 = linalg.matmul ins(%a1, %w2 : tensor<8x16xi32>, tensor<16x16xi32>) outs(%f : tensor<8x16xi32>) -> tensor<8x16xi32>
  %a2 = math.absi %h2 : tensor<8x16xi32>
  %h3 = linalg.matmul ins(%a2, %w3 : tensor<8x16xi32>, tensor<16x16xi32>) outs(%f : tensor<8x16xi32>) -> tensor<8x16xi32>
  // Backward, with the output for its own gradient.
  %g3 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(k,m)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>] ins(%a2, %h3 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%fw : tensor<16x16xi32>) -> tensor<16x16xi32>
  %d2 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>] ins(%h3, %w3 : tensor<8x16xi32>, tensor<16x16xi32>) outs(%f : tensor<8x16xi32>) -> tensor<8x16xi32>
  %t2 = arith.muli %d2, %a2 : tensor<8x16xi32>
  %g2 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(k,m)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>] ins(%a1, %t2 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%fw : tensor<16x16xi32>) -> tensor<16x16xi32>
  %d1 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>] ins(%t2, %w2 : tensor<8x16xi32>, tensor<16x16xi32>) outs(%f : tensor<8x16xi32>) -> tensor<8x16xi32>
  %t1 = arith.muli %d1, %a1 : tensor<8x16xi32>
  %g1 = linalg.matmul indexing_maps = [affine_map<(m,n,k)->(k,m)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>] ins(%x, %t1 : tensor<8x16xi32>, tensor<8x16xi32>) outs(%fw : tensor<16x16xi32>) -> tensor<16x16xi32>
  %n1 = arith.subi %w1, %g1 : tensor<16x16xi32>
  %n2 = arith.subi %w2, %g2 : tensor<16x16xi32>
  %n3 = arith.subi %w3, %g3 : tensor<16x16xi32>
  return %n1, %n2, %n3 : tensor<16x16xi32>, tensor<16x16xi32>, tensor<16x16xi32>
}
