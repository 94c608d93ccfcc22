// RUN: shard-opt %s -shardir-shard-optimizer-state=axes=dq -split-input-file -verify-diagnostics
// RUN: not shard-opt %s -shardir-shard-optimizer-state=axes=dp,x 2>&1 | FileCheck %s
// CHECK: error: option shard-optimizer-state='dp,x' names axes of several meshes; name axes of one

// expected-error @below {{option shard-optimizer-state names axis "dq", which no mesh has; did you mean "dp"?}}
module {
  shardir.mesh @m <["dp"=2]>
  shardir.mesh @n <["x"=2]>
}
