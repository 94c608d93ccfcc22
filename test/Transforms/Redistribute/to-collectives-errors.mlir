// RUN: shard-opt %s -verify-diagnostics -split-input-file
// RUN: shard-opt %s -shardir-redistribute-to-collectives -verify-diagnostics -split-input-file

// expected-note @+1 {{a halo needs one block per device: split the dim by axes alone, [{"x", "y"}]}}
shardir.mesh @m <["x"=2, "y"=2]>
func.func @halo(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'shardir.redistribute' op dim 0 has a halo of [1, 0], but {"x", 2, "y"} cuts it into several blocks per device}}
  %0 = shardir.redistribute %x from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x", 2, "y"}]> halo [[1, 0]] : tensor<8xf32>
  return %0 : tensor<8xf32>
}
