// An op that cannot be lowered is an error that names the op and the way out.
//
// REQUIRES: compiler
// DEFINE: %{plugin} = --load-dialect-plugin=%demo_plugin --load-pass-plugin=%demo_plugin
// RUN: not shard-opt %{plugin} %s --shardir-to-bufferized 2>&1 | FileCheck %s --check-prefix=TENSORS
// TENSORS: [[@LINE+23]]:8: error: 'demo.row_max' op cannot be compiled: it has no form on buffers; lower it to linalg, tensor, arith, math or scf first, by passes of yours in the local stage (option after-local), or implement BufferizableOpInterface and lower it on buffers (option after-bufferized)
// RUN: not shard-opt %{plugin} %s --shardir-to-cpu="after-local=demo-to-linalg" 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: not shard-run %{plugin} %s --options="after-local=demo-to-linalg" 2>&1 | FileCheck %s --check-prefix=BUFFERS
// BUFFERS: [[@LINE+19]]:8: error: 'demo.row_scale' op cannot be compiled: nothing lowers it; lower it by passes of yours in the bufferized stage (option after-bufferized)
// RUN: sed 's/demo.row_max/other.row_max/' %s > %t.mlir
// RUN: not shard-opt %{plugin} --allow-unregistered-dialect %t.mlir --shardir-to-cpu 2>&1 | FileCheck %s --check-prefix=UNREGISTERED
// UNREGISTERED: error: 'other.row_max' op cannot be compiled: it has no form on buffers
// RUN: sh -c 'shard-run %s --load-pass-plugin=%t.absent.so; test $? = 2' 2>&1 | FileCheck %s --check-prefix=ABSENT
// ABSENT: error: cannot read '{{.*}}absent.so'
// RUN: sh -c 'shard-compile %s --load-dialect-plugin=%s -o %t.so; test $? = 2' 2>&1 | FileCheck %s --check-prefix=NOPLUGIN
// NOPLUGIN: shard-compile: error: cannot load the dialect plugin '{{.*}}demo-plugin-errors.mlir': {{.+}}
// RUN: not shard-opt %s --load-dialect-plugin=%t.absent.so 2>&1 | FileCheck %s --check-prefix=WHY
// WHY: shard-opt: error: cannot load the dialect plugin '{{.*}}absent.so': {{.*}}No such file
// RUN: sh -c 'shard-compile %s %{plugin} -o %t.so --options=after-local=demo-lowr; test $? = 2' 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: shard-compile: error: bad --options: option after-local cannot be 'demo-lowr': 'demo-lowr' does not refer to a registered pass or pass pipeline; load the plugin that has the pass by --load-pass-plugin
// RUN: not shard-run %s 2>&1 | FileCheck %s --check-prefix=DIALECT
// DIALECT: error: operation being parsed with an unregistered dialect

shardir.mesh @m <["dp"=2, "tp"=2]>

func.func @main(%x: tensor<4x6xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
                %s: tensor<4xf32>) -> tensor<4xf32> {
  %y = "demo.row_scale"(%x, %s) : (tensor<4x6xf32>, tensor<4xf32>) -> tensor<4x6xf32>
  %m = "demo.row_max"(%y) {shardir.rule = #shardir.rule<([i, j]) -> ([i]), reduction = {j = max}>}
      : (tensor<4x6xf32>) -> tensor<4xf32>
  return %m : tensor<4xf32>
}
