// A stock mlir-opt that is told to allow unregistered dialects hands Shardy's
// annotations to the plugin, ops in generic form.
//
// REQUIRES: compiler
// A stock mlir-opt brings no sanitizer.
// UNSUPPORTED: asan
// RUN: mlir-opt %s --allow-unregistered-dialect --load-dialect-plugin=%shardir_plugin --load-pass-plugin=%shardir_plugin \
// RUN:   --pass-pipeline='builtin.module(shardir-to-propagated)' | FileCheck %s

// CHECK:       shardir.mesh @mesh <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @main
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<16xf32> {shardir.placement = #shardir.placement<@mesh, [{"a"}]>}
// CHECK:         shardir.manual_in %[[X]] at <@mesh, [{"a"}]> over ["a"]
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@mesh, [{"b"}]>
"sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "mesh"}> : () -> ()
func.func @main(%x: tensor<16xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<16xf32> {
  %0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}> ({
  ^bb0(%l: tensor<8xf32>):
    "sdy.return"(%l) : (tensor<8xf32>) -> ()
  }) : (tensor<16xf32>) -> tensor<16xf32>
  %1 = "sdy.sharding_constraint"(%0) <{sharding = #sdy.sharding<@mesh, [{"b"}]>}> : (tensor<16xf32>) -> tensor<16xf32>
  return %1 : tensor<16xf32>
}
