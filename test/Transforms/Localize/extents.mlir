// RUN: shard-opt %s -shardir-localize -split-input-file | FileCheck %s

shardir.mesh @m <["x"=4]>

// A local extent does not tell the global one: the runtime does, and blocks are
// computed from it. Trap 12: a size query answers with the global extent. A dim
// that is replicated has its own extent on every device.
// CHECK-LABEL: func.func @argument
// CHECK-SAME:    (tensor<?x?xf32> {shardir.extents = {{\[}}[0, 0], [1, 0]],
// CHECK-NEXT:    %[[N:.+]] = shardir.extent argument 0 dim 0
// CHECK-NOT:     shardir.extent
// CHECK:         %[[M:.+]] = tensor.dim %arg1
// CHECK:         %[[I:.+]] = shardir.axis_index @m "x"
// CHECK:         %[[UP:.+]] = arith.addi %[[N]], %{{c3.*}}
// CHECK:         %[[BLOCK:.+]] = arith.divui %[[UP]], %{{c4.*}}
// CHECK:         %[[START:.+]] = arith.muli %[[I]], %[[BLOCK]]
// CHECK:         %[[CLIPPED:.+]] = arith.minui %[[START]], %[[N]]
// CHECK:         %[[REST:.+]] = arith.subi %[[N]], %[[CLIPPED]]
// CHECK:         %[[OWN:.+]] = arith.minui %[[REST]], %[[BLOCK]]
// CHECK:         tensor.empty(%[[OWN]], %[[M]]) : tensor<?x?xf32>
// CHECK:         collective.all_gather {{.*}} dims [%[[N]], %{{.*}}]
// CHECK:         return %{{.*}}, %[[N]]
func.func @argument(%a: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>},
                    %b: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{}]>})
    -> (tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}, index) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf32>
  %m = tensor.dim %b, %c0 : tensor<?xf32>
  %e = tensor.empty(%n, %m) {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<?x?xf32>
  %0 = linalg.broadcast ins(%a : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1] {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
  %1 = collective.all_gather %0 from #shardir.placement<@m, [{"x"}, {}]> to #shardir.placement<@m, [{}, {}]> : tensor<?x?xf32>
  return %1, %n : tensor<?x?xf32>, index
}

// -----

shardir.mesh @m <["x"=4]>

// A loop may change a carried tensor's extent: the extent is carried beside it.
// CHECK-LABEL: func.func @loop
// CHECK-SAME:    shardir.extents = [unit]
// CHECK:         %[[N:.+]] = shardir.extent argument 0 dim 0
// CHECK:         %[[R:.+]]:2 = scf.for {{.*}} iter_args(%[[V:.+]] = %arg0, %[[E:.+]] = %[[N]]) -> (tensor<?xf32>, index)
// CHECK:           %[[NEXT:.+]] = arith.addi %[[E]], %{{c1.*}}
// CHECK:           %[[FILLED:.+]] = tensor.splat
// CHECK:           scf.yield %[[FILLED]], %[[NEXT]]
// CHECK:         return %[[R]]#0, %[[R]]#1
func.func @loop(%a: tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, %t: index)
    -> (tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %t step %c1 iter_args(%v = %a) -> (tensor<?xf32>) {
    %n = tensor.dim %v, %c0 : tensor<?xf32>
    %next = arith.addi %n, %c1 : index
    %f = tensor.splat %one[%next] {shardir.placements = [#shardir.placement<@m, [{"x"}]>]} : tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } {shardir.placements = [#shardir.placement<@m, [{"x"}]>]}
  %n = tensor.dim %r, %c0 : tensor<?xf32>
  return %r, %n : tensor<?xf32>, index
}

// -----

shardir.mesh @m <["x"=2]>

// Where a result's extents come from, for whoever makes its buffer: through
// arithmetic and loops that keep them; not from data.
// CHECK-LABEL: func.func @results
// CHECK:         tensor<?x3xf32> {shardir.extents = {{\[}}["add", ["mul", [0, 0], 2], 1], unit],
// CHECK-SAME:    tensor<?x3xf32> {shardir.extents = {{\[}}[0, 0], unit],
// CHECK-SAME:    tensor<?xf32> {shardir.extents = [unit],
func.func @results(%a: tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>}, %t: index)
    -> (tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>},
        tensor<?x3xf32> {shardir.placement = #shardir.placement<@m, [{"x"}, {}]>},
        tensor<?xf32> {shardir.placement = #shardir.placement<@m, [{}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x3xf32>
  %n2 = arith.muli %n, %c2 : index
  %more = arith.addi %n2, %c1 : index
  %0 = tensor.splat %one[%more] {shardir.placements = [#shardir.placement<@m, [{}, {}]>]} : tensor<?x3xf32>
  %1 = scf.for %i = %c0 to %t step %c1 iter_args(%v = %a) -> (tensor<?x3xf32>) {
    %s = arith.addf %v, %a {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]} : tensor<?x3xf32>
    scf.yield %s : tensor<?x3xf32>
  } {shardir.placements = [#shardir.placement<@m, [{"x"}, {}]>]}
  %2 = tensor.splat %one[%t] {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<?xf32>
  return %0, %1, %2 : tensor<?x3xf32>, tensor<?x3xf32>, tensor<?xf32>
}

// -----

// A halo of an open dim reaches no farther than the dim.
// CHECK-LABEL: func.func @localized
// CHECK:         %[[N:.+]] = shardir.extent argument 0 dim 0
// CHECK:         %[[REACH:.+]] = arith.minui %{{c1.*}}, %[[N]]
// CHECK:         arith.subi %{{.+}}, %[[REACH]]
// CHECK:         collective.halo_exchange %arg0 sizes [%{{.+}}] dims [%[[N]]]
shardir.mesh @m <["x"=2]>
func.func @localized(%a: tensor<?xi32> {shardir.placement = #shardir.placement<@m, [{"x"}]>}) {
  %0 = collective.halo_exchange %a from #shardir.placement<@m, [{"x"}]> to #shardir.placement<@m, [{"x"}]> halo [[1, 1]] : tensor<?xi32>
  return
}
