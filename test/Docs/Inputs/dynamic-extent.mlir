shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<?x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<?x4xf32> {
  %0 = math.exp %x : tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}
