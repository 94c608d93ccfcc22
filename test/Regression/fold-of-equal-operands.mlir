// RUN: shard-run %s --verify

// On uneven shards, upstream folded x ^ x and x == x to constants of unknown
// extents, which have no buffer.
shardir.mesh @m <["x"=2]>

func.func @main(%a: tensor<5xi64> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) -> (tensor<5xi64>, tensor<5xi8>) {
  %0 = arith.xori %a, %a : tensor<5xi64>
  %1 = arith.cmpi eq, %a, %a : tensor<5xi64>
  %2 = arith.extui %1 : tensor<5xi1> to tensor<5xi8>
  return %0, %2 : tensor<5xi64>, tensor<5xi8>
}
