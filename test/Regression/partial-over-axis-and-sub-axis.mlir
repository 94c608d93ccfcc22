// Terms over an axis met terms over a part of it, and the op was to be partial over both.
// RUN: shard-run %s --function=flat --verify
// RUN: shard-run %s --function=branch --verify
shardir.mesh @m <["x"=4]>

func.func @flat(%a: tensor<3xi8> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["x"]>}, %b: tensor<3xi8> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["x":(1)2]>}) -> tensor<3xi8> {
  %r = arith.ori %a, %b : tensor<3xi8>
  return %r : tensor<3xi8>
}

func.func @branch(%a: tensor<3xi8> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["x"]>}, %b: tensor<3xi8> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["x":(1)2]>}, %c: i1) -> tensor<3xi8> {
  %r = scf.if %c -> tensor<3xi8> {
    scf.yield %a : tensor<3xi8>
  } else {
    %s = arith.ori %b, %b : tensor<3xi8>
    scf.yield %s : tensor<3xi8>
  }
  return %r : tensor<3xi8>
}
