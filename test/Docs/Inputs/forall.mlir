shardir.mesh @m <["x"=2]>
func.func @main(%x: tensor<8x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = scf.forall (%i) in (8) shared_outs(%o = %e) -> (tensor<8x4xf32>) {
    %row = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %1 = math.exp %row : tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    }
  } {mapping = [#gpu.thread<x>]}
  return %0 : tensor<8x4xf32>
}
