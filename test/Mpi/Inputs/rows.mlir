// Shards of rows, of any number.
shardir.mesh @m <["x"=4]>
func.func @main(%w: tensor<?x8192xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<?x8192xf32> {shardir.name = "w", shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
  %n = arith.negf %w : tensor<?x8192xf32>
  return %n : tensor<?x8192xf32>
}
