// RUN: shard-opt %s --shardir-explain=collectives=false -o /dev/null 2>&1 | FileCheck %s

// Alternatives in a file may have been edited: the explanation is about the
// placement that the op has now, and one placement alone is no choice.
// CHECK: remark: result of 'math.exp' is placed #shardir.placement<@m, [{"a"}]>{{.*}}; 'math.exp' has #shardir.placement<@m, [{"a"}]>, around which a device receives 0 bytes; the best alternative, #shardir.placement<@m, [{}]>, costs 16 bytes (16 bytes more)
// CHECK: remark: result of 'math.tanh' is placed #shardir.placement<@m, [{"a"}]>, decided by argument 0 of @main{{$}}
shardir.mesh @m <["a"=2]>
func.func @main(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>})
    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}) {
  %0 = math.exp %x {shardir.decided_by = [#shardir.provenance<argument 0 of @main>], shardir.placements = [#shardir.placement<@m, [{"a"}]>],
      shardir.alternatives = [{bytes = 16, placements = [#shardir.placement<@m, [{}]>]}, {bytes = 0, placements = [#shardir.placement<@m, [{"a"}]>]}]} : tensor<8xf32>
  %1 = math.tanh %0 {shardir.decided_by = [#shardir.provenance<argument 0 of @main>], shardir.placements = [#shardir.placement<@m, [{"a"}]>],
      shardir.alternatives = [{bytes = 0, placements = [#shardir.placement<@m, [{"a"}]>]}]} : tensor<8xf32>
  return %1 : tensor<8xf32>
}
