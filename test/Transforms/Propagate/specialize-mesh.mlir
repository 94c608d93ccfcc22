// Unknown axis sizes are set by name, in every mesh or in one.
//
// RUN: shard-opt %s -shardir-specialize-mesh="mesh=dp=4" | FileCheck %s --check-prefix=ALL
// RUN: shard-opt %s -shardir-specialize-mesh="mesh=m.dp=4,n.dp=3,tp=2" | FileCheck %s --check-prefix=ONE
// RUN: shard-opt %s -shardir-specialize-mesh | FileCheck %s --check-prefix=NONE
// RUN: shard-opt %s --shardir-to-propagated="mesh=dp=4" | FileCheck %s --check-prefix=ALL
// Twice is once.
// RUN: shard-opt %s -shardir-specialize-mesh="mesh=dp=4" -shardir-specialize-mesh="mesh=dp=4" | FileCheck %s --check-prefix=ALL

// ALL:  shardir.mesh @m <["dp"=4, "tp"=2]>
// ALL:  shardir.mesh @n <["dp"=4, "pp"=?3]>
// ALL:  shardir.mesh @o <["x"=2]>
// ONE:  shardir.mesh @m <["dp"=4, "tp"=2]>
// ONE:  shardir.mesh @n <["dp"=3, "pp"=?3]>
// ONE:  shardir.mesh @o <["x"=2]>
// NONE: shardir.mesh @m <["dp"=?, "tp"=2]>
// NONE: shardir.mesh @n <["dp"=?2, "pp"=?3]>
shardir.mesh @m <["dp"=?, "tp"=2]>
shardir.mesh @n <["dp"=?2, "pp"=?3]>
shardir.mesh @o <["x"=2]>
