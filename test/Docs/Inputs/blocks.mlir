shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1) -> tensor<8xf32> {
  cf.cond_br %c, ^a, ^b
^a:
  return %x : tensor<8xf32>
^b:
  %1 = math.exp %x : tensor<8xf32>
  return %1 : tensor<8xf32>
}
