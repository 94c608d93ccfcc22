shardir.mesh @m <["x"=4]>
func.func @main(%a: tensor<?x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
    -> (tensor<?x2xi32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?x2xi32>
  %0 = arith.addi %a, %a : tensor<?x2xi32>
  return %0, %n : tensor<?x2xi32>, index
}
