// RUN: shard-opt %s -split-input-file -verify-diagnostics --shardir-unshard-manual

// Devices of one group would run the reduction on other branches.
shardir.mesh @m <["dp"=2]>
func.func @branch(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%local: tensor<2xi32>):
    %c0 = arith.constant 0 : index
    %p = shardir.axis_index @m "dp"
    %first = arith.cmpi eq, %p, %c0 : index
    // expected-error @+1 {{holds a collective, and what decides whether or how often it runs varies along "dp"; devices of a group must run it together}}
    %1 = scf.if %first -> tensor<2xi32> {
      %sum = collective.all_reduce %local from #shardir.placement<@m, [{}], partial = sum ["dp"]>
          to #shardir.placement<@m, [{}]> of tensor<2xi32> : tensor<2xi32> -> tensor<2xi32>
      scf.yield %sum : tensor<2xi32>
    } else {
      scf.yield %local : tensor<2xi32>
    }
    shardir.yield %1 : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

shardir.mesh @m <["dp"=2]>
shardir.mesh @n <["dp"=4]>
func.func @meshes(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = shardir.manual (%x) in [#shardir.placement<@m, [{"dp"}]>] out [#shardir.placement<@m, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%local: tensor<2xi32>):
    shardir.yield %local : tensor<2xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  // expected-error @+1 {{has no unsharded form beside a manual region of another mesh, where axis "dp" has size 2 and not 4; give the axes different names}}
  %1 = shardir.manual (%0) in [#shardir.placement<@n, [{"dp"}]>] out [#shardir.placement<@n, [{"dp"}]>] manual = ["dp"] {
  ^bb0(%local: tensor<1xi32>):
    shardir.yield %local : tensor<1xi32>
  } : (tensor<4xi32>) -> tensor<4xi32>
  return %1 : tensor<4xi32>
}
