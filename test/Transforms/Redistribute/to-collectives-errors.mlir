// RUN: shard-opt %s -shardir-redistribute-to-collectives -verify-diagnostics -split-input-file

shardir.mesh @m <["x"=2]>
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shardir.redistribute' op with a halo is not supported by this pass}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

shardir.mesh @m <["x"=2]>
shardir.mesh @n <["y"=2]>
func.func @meshes(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shardir.redistribute' op from mesh @m to mesh @n is not supported yet; place both on one mesh}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@n, [{"y"}]> : tensor<8xf32>
  return %0 : tensor<8xf32>
}
