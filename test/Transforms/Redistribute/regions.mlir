// RUN: shard-opt %s -split-input-file -shardir-insert-redistribute | FileCheck %s --check-prefix=INSERT
// RUN: shard-opt %s -split-input-file -shardir-insert-redistribute -shardir-simplify-redistribute -shardir-verify-stage="stage=redistributed" | FileCheck %s
// Redistributions stand in front of the op of a region that asks, or of the
// terminator; those of what does not change in a loop in front of the loop.

// A weight that each iteration needs replicated is gathered once.
// INSERT-LABEL: func.func @invariant
// INSERT:         scf.for
// INSERT:           shardir.redistribute %arg1
// CHECK-LABEL: func.func @invariant
// CHECK:         %[[W:.+]] = shardir.redistribute %arg1
// CHECK:         scf.for
// CHECK-NOT:       shardir.redistribute
// CHECK:           linalg.matmul {{.*}} ins(%{{.+}}, %[[W]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @invariant(%x: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                       %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
      -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
      %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<4x4xf32>
      %p = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} ins(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %p : tensor<4x4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
    return %r : tensor<4x4xf32>
  }
}

// -----

// Out of both loops around it, where it is loop-invariant in both; a value of
// the outer loop only out of the inner one.
// CHECK-LABEL: func.func @nested
// CHECK:         %[[Y:.+]] = shardir.redistribute %arg1
// CHECK:         scf.for
// CHECK:           %[[P:.+]] = shardir.redistribute %{{.+}} from
// CHECK:           scf.for
// CHECK-NOT:         shardir.redistribute
// CHECK:             arith.addf %{{.+}}, %[[Y]]
// CHECK:             arith.addf %{{.+}}, %[[P]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @nested(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                    %y: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
      -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %zero = arith.constant {shardir.placements = [#shardir.placement<@m, [{}]>]} dense<0.0> : tensor<4xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
      %p = math.exp %a {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<4xf32>
      %s = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %zero) -> (tensor<4xf32>) {
        %q = arith.addf %b, %y {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
        %t = arith.addf %q, %p {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
        scf.yield %t : tensor<4xf32>
      } {shardir.placements = [#shardir.placement<@m, [{}]>]}
      %u = arith.addf %p, %s {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<4xf32>
      scf.yield %u : tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
    return %r : tensor<4xf32>
  }
}

// -----

// A loop that does not run needs nothing; a branch that may not run keeps what
// it asks for.
// CHECK-LABEL: func.func @stays
// CHECK-NOT:     shardir.redistribute
// CHECK:         scf.for
// CHECK:           shardir.redistribute
// CHECK:         scf.if
// CHECK:           shardir.redistribute
module {
  shardir.mesh @m <["x"=2]>
  func.func @stays(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %c: i1)
      -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = arith.constant {shardir.placements = [#shardir.placement<@m, [{}]>]} dense<0.0> : tensor<4xf32>
    %r = scf.for %i = %c0 to %c0 step %c1 iter_args(%a = %zero) -> (tensor<4xf32>) {
      %q = arith.addf %a, %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %q : tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{}]>]}
    %s = scf.if %c -> (tensor<4xf32>) {
      %q = math.sqrt %x {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %q : tensor<4xf32>
    } else {
      scf.yield %zero : tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{}]>]}
    return %r, %s : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// A value gathered in one branch does not exist in the other one, and one that was
// gathered before both is used in both. A constant is made again in each.
// INSERT-LABEL: func.func @branches
// INSERT:         %[[B:.+]] = shardir.redistribute %arg2
// INSERT:         math.exp %[[B]]
// INSERT:         scf.if
// INSERT:           %[[A:.+]] = shardir.redistribute %arg1
// INSERT:           arith.addf %[[A]], %[[B]]
// INSERT:         } else {
// INSERT:           %[[C:.+]] = shardir.redistribute %arg1
// INSERT:           arith.mulf %[[C]], %[[B]]
// INSERT:           arith.constant {{.*}}[{"x"}]
// INSERT:           %[[Y:.+]] = shardir.redistribute %{{.+}} from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{}]> {reason = #shardir.reason<operand 0 of "scf.yield" in "scf.if"
// INSERT:           scf.yield %[[Y]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @branches(%c: i1, %x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %y: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>})
      -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %one = arith.constant {shardir.placements = [#shardir.placement<@m, [{}]>]} dense<1.0> : tensor<4xf32>
    %o = math.exp %y {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
    %s = scf.if %c -> (tensor<4xf32>) {
      %q = arith.addf %x, %y {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %q : tensor<4xf32>
    } else {
      %q = arith.mulf %x, %y {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      %t = arith.addf %x, %one {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{}]>]}
    return %o, %s : tensor<4xf32>, tensor<4xf32>
  }
}

// -----

// Within an iteration, sums and gathers move across ops as they do outside: one
// reduction of two sums.
// CHECK-LABEL: func.func @moves
// CHECK:         scf.for
// CHECK:           %[[S:.+]] = arith.addf %{{.+}}, %{{.+}} {{.*}}partial = sum ["x"]
// CHECK:           shardir.redistribute %[[S]]
// CHECK-NOT:       shardir.redistribute
// CHECK:           math.tanh
module {
  shardir.mesh @m <["x"=2]>
  func.func @moves(%x: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %o: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
      -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %z = arith.constant {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]} dense<0.0> : tensor<4xf32>
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%b = %o) -> (tensor<4xf32>) {
      %row = linalg.broadcast ins(%b : tensor<4xf32>) outs(%x : tensor<4x4xf32>) dimensions = [0] {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
      %p = linalg.reduce { arith.addf } ins(%row : tensor<4x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
      %row2 = math.exp %row {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<4x4xf32>
      %q = linalg.reduce { arith.addf } ins(%row2 : tensor<4x4xf32>) outs(%z : tensor<4xf32>) dimensions = [0] {shardir.placements = [#shardir.placement<@m, [{}], partial = sum ["x"]>]}
      %s = arith.addf %p, %q {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      %t = math.tanh %s {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %t : tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{}]>]}
    return %r : tensor<4xf32>
  }
}

// -----

// Weights that each iteration hands on to the next are gathered once as well,
// also where both regions of a while loop pass them.
// CHECK-LABEL: func.func @handed_on
// CHECK:         %[[W:.+]] = shardir.redistribute %arg1
// CHECK:         scf.for
// CHECK-NOT:       shardir.redistribute
// CHECK:           arith.addf %{{.+}}, %[[W]]
// CHECK:         %[[V:.+]] = shardir.redistribute %arg2
// CHECK:         scf.while
// CHECK-NOT:       shardir.redistribute
// CHECK:           arith.addf %{{.+}}, %[[V]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @handed_on(%x: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>},
                       %w: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                       %v: tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %go: i1)
      -> (tensor<4xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %w) -> (tensor<4xf32>, tensor<4xf32>) {
      %q = arith.addf %a, %b {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      %t = math.tanh %q {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %t, %b : tensor<4xf32>, tensor<4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{}]>, #shardir.placement<@m, [{"x"}]>]}
    %s:2 = scf.while (%a = %r#0, %b = %v) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      scf.condition(%go) %a, %b : tensor<4xf32>, tensor<4xf32>
    } do {
    ^bb0(%c: tensor<4xf32>, %d: tensor<4xf32>):
      %q = arith.addf %c, %d {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      %t = math.tanh %q {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<4xf32>
      scf.yield %t, %d : tensor<4xf32>, tensor<4xf32>
    } attributes {shardir.placements = [#shardir.placement<@m, [{}]>, #shardir.placement<@m, [{"x"}]>],
                  shardir.carried = [#shardir.placement<@m, [{}]>, #shardir.placement<@m, [{"x"}]>]}
    return %s#0 : tensor<4xf32>
  }
}

// -----

// Loop-invariant values are computed in
// front of the loop where they are redistributed, and redistributed once; users of the
// carried value stay.
// CHECK-LABEL: func.func @computed
// CHECK-NOT:     scf.for
// CHECK:         %[[T:.+]] = linalg.transpose ins(%arg1
// CHECK:         %[[W:.+]] = shardir.redistribute %[[T]]
// CHECK:         scf.for {{.*}} iter_args(%[[A:.+]] = %arg0)
// CHECK-NOT:       shardir.redistribute
// CHECK:           linalg.matmul {{.*}} ins(%[[A]], %[[W]]
// CHECK:           %[[U:.+]] = linalg.transpose
// CHECK:           shardir.redistribute %[[U]]
module {
  shardir.mesh @m <["x"=2]>
  func.func @computed(%x: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                      %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
      -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
      %f = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]} : tensor<4x4xf32>
      %t = linalg.transpose ins(%w : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0] {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]}
      %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<4x4xf32>
      %p = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} ins(%a, %t : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      %u = linalg.transpose ins(%p : tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) permutation = [1, 0] {shardir.placements = [#shardir.placement<@m, [{}, {"x"}]>]}
      %q = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} ins(%p, %u : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      scf.yield %q : tensor<4x4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
    return %r : tensor<4x4xf32>
  }
}

// -----

// An argument that one loop reads in two ways is gathered once: it is there for
// as long as the loop runs.
// CHECK-LABEL: func.func @two_ways
// CHECK-COUNT-1: shardir.redistribute %arg1
// CHECK-NOT:     shardir.redistribute %arg1
// CHECK:         return
module {
  shardir.mesh @m <["x"=2]>
  func.func @two_ways(%x: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
                      %w: tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>})
      -> (tensor<4x4xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
      %e = tensor.empty() {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<4x4xf32>
      %p = linalg.matmul {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} ins(%a, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
      %q = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i, j)>],
                           iterator_types = ["parallel", "parallel", "reduction"]}
          ins(%p, %w : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>)
          attrs = {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} {
      ^bb0(%l: f32, %o: f32, %s: f32):
        %m = arith.mulf %l, %o : f32
        %n = arith.addf %s, %m : f32
        linalg.yield %n : f32
      } -> tensor<4x4xf32>
      scf.yield %q : tensor<4x4xf32>
    } {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
    return %r : tensor<4x4xf32>
  }
}
