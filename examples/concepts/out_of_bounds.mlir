// Looks up one element. The program checks the index, as exported programs do.
shardir.mesh @m <["x"=2]>

func.func @main(%t: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %i: index) -> f32 {
  %size = arith.constant 8 : index
  %inside = arith.cmpi ult, %i, %size : index
  cf.assert %inside, "index is out of bounds for a dim of size 8"
  %element = tensor.extract %t[%i] : tensor<8xf32>
  return %element : f32
}
