// A mesh option that does not fit the module.
//
// RUN: split-file %s %t
// RUN: shard-opt %t/unknown.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=pp=2"
// RUN: shard-opt %t/unknown-in-mesh.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=m.pp=2"
// RUN: shard-opt %t/disagrees.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=tp=4"
// RUN: shard-opt %t/malformed.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp"
// RUN: shard-opt %t/zero.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp=0"
// RUN: shard-opt %t/huge.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp=99999999999999999999"
// RUN: shard-opt %t/devices.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp=2097152"
// RUN: shard-opt %t/sub-axis.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp=3"
// RUN: shard-opt %t/none.mlir -verify-diagnostics -shardir-specialize-mesh="mesh=dp=2"

//--- unknown.mlir
// expected-error @below {{mesh option 'pp=2' names axis "pp", which no mesh has; did you mean "dp"?}}
module {
  shardir.mesh @m <["dp"=?]>
}

//--- none.mlir
// expected-error @below {{mesh option 'dp=2' sets the size of an axis, and the program has no mesh; declare one, as in shardir.mesh @m <["dp"=?]>}}
module {
}

//--- unknown-in-mesh.mlir
// expected-error @below {{mesh option 'm.pp=2' names axis "pp", which no mesh of that name has; did you mean "dp"?}}
module {
  shardir.mesh @m <["dp"=?]>
  shardir.mesh @n <["pp"=?]>
}

//--- disagrees.mlir
// expected-error @below {{axis "tp" has size 2, which the mesh option's 4 contradicts}}
shardir.mesh @m <["dp"=?, "tp"=2]>

//--- malformed.mlir
// expected-error @below {{mesh option 'dp' must be axis=size or mesh.axis=size with a size of at least 1}}
module {
  shardir.mesh @m <["dp"=?]>
}

//--- zero.mlir
// expected-error @below {{mesh option 'dp=0' must be axis=size or mesh.axis=size with a size of at least 1}}
module {
  shardir.mesh @m <["dp"=?]>
}

//--- huge.mlir
// expected-error @below {{mesh option 'dp=99999999999999999999' must be axis=size or mesh.axis=size with a size of at least 1}}
module {
  shardir.mesh @m <["dp"=?]>
}

//--- devices.mlir
// expected-error @below {{'shardir.mesh' op has more than 2^20 devices}}
shardir.mesh @m <["dp"=?]>

//--- sub-axis.mlir
// A sub-axis fitted the assumed size, and does not fit the real one.
// expected-note @below {{mesh @m declared here}}
shardir.mesh @m <["dp"=?4]>
// expected-error @below {{sub-axis "dp":(1)2 in dim 0 does not divide axis "dp" of size 3}}
// expected-note @below {{pre-size x size must divide the size of the axis}}
func.func private @f(tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp":(1)2}]>})
