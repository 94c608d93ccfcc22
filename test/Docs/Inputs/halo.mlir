shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> tensor<8xf32> {
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
