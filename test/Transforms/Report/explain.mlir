// Remarks give the provenance, the alternatives, the cost, and the way out.
//
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-to-collective{cost=bytes},shardir-explain{values=false})" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COLLECTIVES --implicit-check-not="is placed"
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-to-redistributed{cost=bytes},shardir-explain{values=false})" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=COLLECTIVES
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-to-propagated{cost=bytes},shardir-explain{collectives=false})" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=VALUES --implicit-check-not="used by"
// RUN: shard-opt %s --pass-pipeline="builtin.module(shardir-to-propagated{cost=time},shardir-explain{collectives=false})" \
// RUN:   -o /dev/null 2>&1 | FileCheck %s --check-prefix=TIME
// RUN: sed 's/%%h = linalg.matmul/%%h = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"a"}, {}]>]}/' %s \
// RUN:   | shard-opt --shardir-to-propagated=cost=bytes | FileCheck %s --check-prefix=PINNED
// RUN: shard-opt %s -shardir-to-propagated -o %t.mlir
// RUN: shard-opt %t.mlir -shardir-explain 2> /dev/null | diff %t.mlir -

// The first product: the axis of both operands competes.
// COLLECTIVES: remark: all_gather over "a": a device receives 49152 bytes; operand 0 of 'linalg.matmul': replicates dim 0 (was sharded over "a");
// COLLECTIVES-SAME: used by 'linalg.matmul' at {{.*}}explain.mlir:[[#H:]]:8 (decided by argument 1 of @main);
// COLLECTIVES-SAME: 'linalg.matmul' has #shardir.placement<@m, [{}, {"a"}]>, around which a device receives 73728 bytes;
// COLLECTIVES-SAME: the best alternative, #shardir.placement<@m, [{"a"}, {}]>, costs 393216 bytes (319488 bytes more);
// COLLECTIVES-SAME: to have it, write it in shardir.placements of 'linalg.matmul', or constrain the operands and the results of that op;
// COLLECTIVES-SAME: also compared: #shardir.placement<@m, [{}, {}]> 442368 bytes;
// COLLECTIVES-SAME: to avoid the redistribution, change one of two annotations: argument 0 of @main; or argument 1 of @main
// The second: what was taken came through an op that took something else.
// COLLECTIVES: explain.mlir:[[#H+4]]:8: remark: all_to_all over "a": a device receives 24576 bytes
// COLLECTIVES-SAME: (decided by argument 0 of @main, through linalg.matmul)
// Remarks name the constraint or result that requires a placement.
// COLLECTIVES: remark: all_gather over "a": a device receives 24 bytes; result 2 of @main is placed so: replicates dim 0 (was sharded over "a");
// COLLECTIVES-SAME: used by 'result 2 of @main' at {{.*}}; 'math.tanh' has #shardir.placement<@m, [{"a"}]>, around which a device receives 24 bytes; the best alternative, #shardir.placement<@m, [{}]>, costs as many bytes;
// COLLECTIVES-SAME: to avoid the redistribution, annotate result 2 of @main with {?} in place of closed dims, or with #shardir.placement<@m, [{"a"}]>

// VALUES: remark: argument 0 is placed #shardir.placement<@m, [{"a"}, {}]>, as annotated
// VALUES: remark: argument 2 is replicated, #shardir.placement<@m, [{}, {}]>; 'argument 2 of @main' has #shardir.placement<@m, [{}, {}]>, around which a device receives 0 bytes; the best alternative, #shardir.placement<@m, [{"a"}, {}]>, costs 393216 bytes (393216 bytes more); to have it, annotate argument 2 of @main with it
// VALUES: remark: argument 3 is placed #shardir.placement<@m, [{"a"}]>, decided by shardir.constrain at {{.*}}explain.mlir:[[#C:]]:8, through math.exp
// VALUES: remark: result of 'linalg.fill' is placed #shardir.placement<@m, [{}, {"a"}]>, decided by argument 1 of @main
// VALUES: remark: result of 'linalg.matmul' is placed {{.*}}, decided by argument 1 of @main; 'linalg.matmul' has {{.*}}; to have it, write it in shardir.placements of 'linalg.matmul'
// VALUES: explain.mlir:[[#C-1]]:8: remark: result of 'math.exp' is placed #shardir.placement<@m, [{"a"}]>, decided by shardir.constrain at
// VALUES: remark: result 0 is placed #shardir.placement<@m, [{"a"}, {}]>, decided by argument 0 of @main, through linalg.matmul
// VALUES: remark: result 2 is replicated

// By time, the explanation has the seconds of both.
// TIME: remark: result of 'linalg.matmul' is placed {{.*}}; 'linalg.matmul' has #shardir.placement<@m, [{}, {"a"}]>, around which a device needs {{[0-9.]+}} us and receives 73728 bytes;
// TIME-SAME: the best alternative, #shardir.placement<@m, [{"a"}, {}]>, costs {{[0-9.]+}} us ({{[0-9.]+}} us more) and 393216 bytes (319488 bytes more)

// The placement that the explanation says to write gives the alternative.
// PINNED: linalg.matmul {{.*}}shardir.placements = [#shardir.placement<@m, [{"a"}, {}]>]} ins(%arg0, %arg1

shardir.mesh @m <["a"=4]>

func.func @main(%x: tensor<64x256xf32> {shardir.placement = #shardir.placement<@m, [{"a"}, {}]>},
                %w1: tensor<256x512xf32> {shardir.placement = #shardir.placement<@m, [{}, {"a"}]>},
                %w2: tensor<512x256xf32>, %whole: tensor<8xf32>)
    -> (tensor<64x256xf32>, tensor<8xf32>, tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x512xf32>
  %z1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %h = linalg.matmul ins(%x, %w1 : tensor<64x256xf32>, tensor<256x512xf32>)
                     outs(%z1 : tensor<64x512xf32>) -> tensor<64x512xf32>
  %e2 = tensor.empty() : tensor<64x256xf32>
  %z2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %y = linalg.matmul ins(%h, %w2 : tensor<64x512xf32>, tensor<512x256xf32>)
                     outs(%z2 : tensor<64x256xf32>) -> tensor<64x256xf32>
  %n = math.exp %whole : tensor<8xf32>
  %c = shardir.constrain %n to #shardir.placement<@m, [{"a"}]> : tensor<8xf32>
  %d = math.tanh %c : tensor<8xf32>
  return %y, %n, %d : tensor<64x256xf32>, tensor<8xf32>, tensor<8xf32>
}
