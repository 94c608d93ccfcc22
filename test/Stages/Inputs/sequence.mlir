// A sequence-parallel activation, gathered in front of ops that need it replicated: two
// devices hold half of each of 4 sequences of 128 rows.
shardir.mesh @m <["tp"=2]>

func.func @main(%x: tensor<4x128x64xbf16> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}, {}]>})
    -> (tensor<4x128x64xf32> {shardir.placement = #shardir.placement<@m, [{}, {}, {}]>}) {
  %h = math.tanh %x : tensor<4x128x64xbf16>
  %g = shardir.constrain %h to #shardir.placement<@m, [{}, {}, {}]> : tensor<4x128x64xbf16>
  %y = arith.extf %g : tensor<4x128x64xbf16> to tensor<4x128x64xf32>
  return %y : tensor<4x128x64xf32>
}
