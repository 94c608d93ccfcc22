// RUN: shard-opt --shardir-import-annotations < %s | FileCheck %s
// RUN: shard-opt --shardir-to-local="mesh=dp=2,tp=3" < %s | FileCheck %s --check-prefix=LOCAL
// RUN: not shard-opt --shardir-to-local < %s 2>&1 | FileCheck %s --check-prefix=ERROR

// A mesh that nothing declares has the axes that are named, of unknown sizes.
// CHECK:       shardir.mesh @mesh <["dp"=?, "tp"=?]>
// CHECK:       #shardir.placement<@mesh, [{"dp"}, {}], replicated = ["tp"]>
// LOCAL:       shardir.mesh @mesh <["dp"=2, "tp"=3]>
// LOCAL:       tensor<3x4xf32>
// ERROR:       error: the size of axis "dp" is not known; set it with the option mesh="dp=..."
func.func @main(%x: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"dp"}, {}], replicated={"tp"}>}) -> tensor<6x4xf32> {
  %0 = math.exp %x : tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}
