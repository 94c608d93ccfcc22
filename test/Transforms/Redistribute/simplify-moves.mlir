// A redistribution moves to the side of an op, or of a chain of ops, where it
// costs less; terms of sums stay terms through linear ops. Mesh sizes may be
// unknown. The programs are in Inputs/moves.mlir; test/Run/simplify.mlir runs them.
//
// RUN: shard-opt %S/Inputs/moves.mlir --shardir-to-redistributed="cost=bytes" -o %t.once
// RUN: FileCheck %s --input-file=%t.once
// Twice changes nothing, nor does the whole pipeline.
// RUN: shard-opt %t.once -shardir-simplify-redistribute="cost=bytes" | diff %t.once -
// RUN: shard-opt %t.once --shardir-to-redistributed="cost=bytes" | diff %t.once -
// RUN: shard-opt %t.once -canonicalize -cse --shardir-to-redistributed="cost=bytes" -o %t.cse
// RUN: FileCheck %s --input-file=%t.cse
// The size makes no other program.
// RUN: shard-opt %S/Inputs/moves.mlir --shardir-to-collective="mesh=x=4 cost=bytes" -o %t.early
// RUN: shard-opt %t.once --shardir-to-collective="mesh=x=4 cost=bytes" | diff %t.early -
//
// A simplification that would exceed the memory limit is not made: @widened keeps
// its f32 shards of 192 bytes then.
// RUN: shard-opt %S/Inputs/moves.mlir --shardir-to-redistributed="memory-limit=1000 cost=bytes" | FileCheck %s --check-prefix=LIMIT
// LIMIT-LABEL: func.func @widened
// LIMIT-NEXT:    arith.extf %arg0
// LIMIT-NEXT:    math.absf
// LIMIT-NEXT:    arith.negf
// LIMIT-NEXT:    shardir.redistribute {{.*}} : tensor<10x16xf32>
//
// The time of a message counts as well: two small gathers take longer than one.
// RUN: shard-opt %S/Inputs/moves.mlir --shardir-to-redistributed="cost=time" | FileCheck %s --check-prefix=TIME
// TIME-LABEL: func.func @two_users
// TIME:         %[[G:.+]] = shardir.redistribute %arg0
// TIME:         linalg.reduce { arith.addi {{.*}} ins(%[[G]]
// TIME:         linalg.reduce { arith.maxsi } ins(%[[G]]
// TIME-NOT:     shardir.redistribute
// TIME:         return
//
// The report counts the bytes before and after.
// RUN: shard-opt %S/Inputs/moves.mlir --shardir-to-propagated="mesh=x=4 cost=bytes" -shardir-insert-redistribute --shardir-report="file=%t.before.json" -o /dev/null
// RUN: shard-opt %t.early --shardir-report="file=%t.after.json" -o /dev/null
// RUN: %python %S/Inputs/bytes-by-function.py %t.before.json %t.after.json | FileCheck %s --check-prefix=BYTES

// The result is 3 wide, the operand 16.
// BYTES: linear: 576 in 1, then 108 in 1
// CHECK-LABEL: func.func @linear
// CHECK:         %[[Y:.+]] = linalg.matmul {shardir.decided_by = [#shardir.provenance<argument 0 of @linear>], shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} ins(%arg0
// CHECK-NEXT:    %[[R:.+]] = shardir.redistribute %[[Y]] from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> {reason = #shardir.reason<result 0 of @linear>}
// CHECK-NEXT:    return %[[R]]

// Of the other operand each device takes its rows: no communication.
// BYTES-NEXT: contracted: 1080 in 1, then 96 in 1
// CHECK-LABEL: func.func @contracted
// CHECK:         %[[W:.+]] = shardir.redistribute %arg1 from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{"x"}, {}]> {reason = #shardir.reason<operand 1 of "linalg.matmul">}
// CHECK:         %[[Y:.+]] = linalg.matmul {{.*}} ins(%arg0, %[[W]]
// CHECK-NEXT:    shardir.redistribute %[[Y]] {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{}, {}]> {reason = #shardir.reason<result 0 of @contracted>}

// BYTES-NEXT: narrowed: 576 in 1, then 288 in 1
// CHECK-LABEL: func.func @narrowed
// CHECK-NEXT:    math.absf %arg0
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    arith.truncf
// CHECK-NEXT:    shardir.redistribute {{.*}} : tensor<10x16xbf16>
// CHECK-NEXT:    return

// BYTES-NEXT: widened: 576 in 1, then 288 in 1
// CHECK-LABEL: func.func @widened
// CHECK-NEXT:    shardir.redistribute %arg0 {{.*}} {reason = #shardir.reason<operand 0 of "arith.extf">} : tensor<10x16xbf16>
// CHECK-NEXT:    arith.extf
// CHECK-NEXT:    math.absf
// CHECK-NEXT:    arith.negf
// CHECK-NEXT:    return

// BYTES-NEXT: broadcast: 576 in 1, then 36 in 1
// CHECK-LABEL: func.func @broadcast
// CHECK:         %[[G:.+]] = shardir.redistribute %arg0 {{.*}} : tensor<10xi32>
// CHECK:         linalg.broadcast ins(%[[G]]
// CHECK-NEXT:    return

// BYTES-NEXT: reduction: 576 in 1, then 36 in 1
// CHECK-LABEL: func.func @reduction
// CHECK:         linalg.reduce {{.*}} ins(%arg0
// CHECK-NEXT:    shardir.redistribute {{.*}} : tensor<10xi32>

// BYTES-NEXT: two_users: 576 in 1, then 72 in 2
// CHECK-LABEL: func.func @two_users
// CHECK-DAG:     linalg.reduce { arith.addi {{.*}} ins(%arg0
// CHECK-DAG:     linalg.reduce { arith.maxsi } ins(%arg0
// CHECK:         return

// BYTES-NEXT: sums: 216 in 3, then {{[67]}}
// CHECK-LABEL: func.func @sums
// CHECK:         arith.subi {{.*}}partial = sum ["x"]
// CHECK-NEXT:    arith.muli {{.*}}partial = sum ["x"]
// CHECK-NEXT:    arith.addi {{.*}}partial = sum ["x"]
// CHECK-NEXT:    shardir.redistribute {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{}]>
// CHECK-NEXT:    return

// The bias is added once, by who holds the part.
// BYTES-NEXT: scattered: 72 in 1, then {{[34]}}
// CHECK-LABEL: func.func @scattered
// CHECK:         %[[S:.+]] = shardir.redistribute {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{"x"}]> {reason = #shardir.reason<operand 0 of "arith.addi">}
// CHECK-NEXT:    %[[B:.+]] = shardir.redistribute %arg1 {{.*}} to #shardir.placement<@m, [{"x"}]>
// CHECK-NEXT:    %[[Z:.+]] = arith.addi %[[S]], %[[B]]
// CHECK-NEXT:    math.absi %[[Z]]
// CHECK-NEXT:    arith.muli %[[Z]], %[[Z]]
// CHECK-NEXT:    return

// BYTES-NEXT: whole_and_parts: 108 in 2, then {{[67]}}
// CHECK-LABEL: func.func @whole_and_parts
// CHECK:         %[[A:.+]] = shardir.redistribute {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{}]>
// CHECK:         shardir.redistribute %[[A]] from #shardir.placement<@m, [{}]> to #shardir.placement<@m, [{"x"}]>

// The gather comes first, though the op that wants columns does.
// BYTES-NEXT: several: 720 in 2, then 576 in 1
// CHECK-LABEL: func.func @several
// CHECK-NEXT:    %[[G:.+]] = shardir.redistribute %arg0 {{.*}} to #shardir.placement<@m, [{}, {}]> {reason = #shardir.reason<operand 0 of "arith.muli">}
// CHECK-NEXT:    %[[C:.+]] = shardir.redistribute %[[G]] from #shardir.placement<@m, [{}, {}]> to #shardir.placement<@m, [{}, {"x"}]> {reason = #shardir.reason<operand 0 of "math.absi">}
// CHECK-NEXT:    math.absi %[[C]]
// CHECK-NEXT:    arith.muli %[[G]], %[[G]]

// BYTES-NEXT: not_linear: 72 in 1, then {{[34]}}
// CHECK-LABEL: func.func @not_linear
// CHECK:         %[[S:.+]] = shardir.redistribute {{.*}}partial = sum ["x"]> to #shardir.placement<@m, [{"x"}]>
// CHECK-NEXT:    math.absi %[[S]]

// BYTES-NEXT: kept: 576 in 1, then 576 in 1
// CHECK-LABEL: func.func @kept
// CHECK-NEXT:    math.absi %arg0
// CHECK-NEXT:    shardir.redistribute

// BYTES-NEXT: asked: 576 in 1, then 576 in 1
// CHECK-LABEL: func.func @asked
// CHECK:         %[[G:.+]] = shardir.redistribute %arg0 {{.*}} {reason = #shardir.reason<constrain>, shardir.constrained}
// CHECK:         linalg.reduce {{.*}} ins(%[[G]]
