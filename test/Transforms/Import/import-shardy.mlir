// RUN: shard-opt %s --shardir-import-annotations --split-input-file | FileCheck %s
// RUN: shard-opt %s --shardir-import-annotations --split-input-file | shard-opt --shardir-import-annotations --split-input-file | FileCheck %s

// Every part of a sharding: closed and open dims, priorities, sub-axes, axes that
// are replicated and reduced later. Dims with axes and no priority come first, as
// in Shardy. A mesh that nothing names is not made.
// CHECK:       shardir.mesh @mesh <["a"=2, "b"=4]>
// CHECK-NOT:   shardir.mesh
// CHECK:       func.func @dims(
// CHECK-SAME:    %{{.+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{"a", ?}p1, {"b":(1)2}p0]>}
// CHECK-SAME:    %{{.+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {?}], replicated = ["b":(2)2], partial = sum ["a"]>}
// CHECK-SAME:    %{{.+}}: tensor<8x8xf32> {shardir.placement = #shardir.placement<@mesh, [{}, {"b":(2)2, "a"}p0], partial = max ["b":(1)2]>}
// CHECK-SAME:    -> (tensor<8x8xf32> {other.kept = 1 : i64, shardir.placement = #shardir.placement<@mesh, [{?}p2, {"b"}p0]>})
sdy.mesh @unused = <["z"=3]>
sdy.mesh @mesh = <["a"=2, "b"=4]> {stablehlo.mesh = {axes = []}}
func.func @dims(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}p1, {"b":(1)2}]>},
                %y: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}], replicated={"b":(2)2}, unreduced={"a"}>},
                %z: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"b":(2)2, "a"}], unreduced=max{"b":(1)2}>})
    -> (tensor<8x8xf32> {other.kept = 1 : i64, sdy.sharding = #sdy.sharding<@mesh, [{?}p2, {"b"}]>}) {
  return %x : tensor<8x8xf32>
}

// -----

// Meshes: an order of devices, one device, one written out in place, equal ones
// once, and Shardy's placeholder, which is the other mesh.
// CHECK:       shardir.mesh @rev <["x"=2, "y"=2], devices = [3, 2, 1, 0]>
// CHECK-NEXT:  shardir.mesh @one <["device"=1], devices = [3]>
// CHECK-NEXT:  shardir.mesh @mesh <["x"=4]>
// CHECK-NEXT:  func.func @meshes(
// CHECK-SAME:    #shardir.placement<@rev, [{"y", "x"}]>
// CHECK-SAME:    #shardir.placement<@one, [{}]>
// CHECK-SAME:    #shardir.placement<@mesh, [{"x"}]>
// CHECK-SAME:    #shardir.placement<@mesh, [{?}]>
// CHECK-SAME:    #shardir.placement<@rev, []>
sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @rev = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]>
sdy.mesh @nothing = <[]>
func.func @meshes(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@rev, [{"y", "x"}]>},
                  %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>},
                  %c: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4]>, [{"x"}]>},
                  %d: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=4], device_ids=[0, 1, 2, 3]>, [{?}]>},
                  %e: tensor<f32> {sdy.sharding = #sdy.sharding<@nothing, []>}) {
  return
}

// -----

// The placeholder, too, where the other mesh is met later.
// CHECK:       shardir.mesh @m <["x"=2]>
// CHECK-NOT:   shardir.mesh
// CHECK:       func.func @placeholder_first(
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@m, [{}]>
sdy.mesh @empty = <[]>
sdy.mesh @m = <["x"=2]>
func.func @placeholder_first(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = sdy.sharding_constraint %a <@empty, [{}]> : tensor<8xf32>
  %1 = sdy.sharding_constraint %0 <@m, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Ops that keep a value and change its sharding are constraints; one without uses
// is about its operand. Shardings on ops are constraints on their results.
// CHECK-LABEL: func.func @ops(
// CHECK-SAME:    %[[X:.+]]: tensor<8x8xf32>)
// CHECK:         %[[C:.+]] = arith.constant dense<1.0
// CHECK:         %[[A:.+]] = shardir.constrain %[[X]] to #shardir.placement<@m, [{"a"}, {}]>
// CHECK:         %[[B:.+]] = shardir.constrain %[[A]] to #shardir.placement<@m, [{}, {?}]>
// CHECK:         %[[D:.+]] = shardir.constrain %[[B]] to #shardir.placement<@m, [{}, {"a"}]>
// CHECK:         %[[E:.+]] = shardir.constrain %[[D]] to #shardir.placement<@m, [{}, {}]>
// CHECK:         %[[F:.+]] = arith.addf %[[E]], %[[C]]
// CHECK:         %[[G:.+]] = shardir.constrain %[[F]] to #shardir.placement<@m, [{"a"}, {?}]>
// CHECK:         %[[H:.+]] = math.exp %[[G]]
// CHECK:         %[[I:.+]] = shardir.constrain %[[H]] to #shardir.placement<@m, [{?}, {"a", ?}]>
// CHECK:         %[[J:.+]] = math.exp %[[I]]
// CHECK:         return %[[J]]
sdy.mesh @m = <["a"=2]>
func.func @ops(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %c = sdy.constant dense<1.0> : tensor<8x8xf32>
  %0 = sdy.sharding_constraint %x <@m, [{"a"}, {}]> : tensor<8x8xf32>
  %1 = sdy.reshard %0 <@m, [{}, {?}]> : tensor<8x8xf32>
  %2 = sdy.all_to_all [{"a"}: 0->1] %1 out_sharding=<@m, [{}, {"a"}]> : tensor<8x8xf32>
  %3 = sdy.all_gather [{}, {"a"}] %2 out_sharding=<@m, [{}, {}]> : tensor<8x8xf32>
  %4 = arith.addf %3, %c {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"a"}, {?}]>]>} : tensor<8x8xf32>
  %5 = math.exp %4 : tensor<8x8xf32>
  %6 = math.exp %5 : tensor<8x8xf32>
  %7 = sdy.sharding_constraint %5 <@m, [{?}, {"a", ?}]> : tensor<8x8xf32>
  return {sdy.sharding = #sdy.sharding_per_value<[]>} %6 : tensor<8x8xf32>
}

// -----

// The generic form, as a program has it that went through a tool which knows Shardy
// not at all; and the form that XLA hands through StableHLO's text.
// CHECK:       shardir.mesh @m <["a"=2]>
// CHECK-NEXT:  shardir.mesh @n <["b"=2]>
// CHECK-NEXT:  func.func @generic(
// CHECK-SAME:    %[[X:.+]]: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"a"}]>}
// CHECK-SAME:    %{{.+}}: tensor<8xf32> {mhlo.frontend_attributes = {kept = "1"}, shardir.placement = #shardir.placement<@n, [{"b"}]>}
// CHECK:         shardir.constrain %[[X]] to #shardir.placement<@m, [{}]>
module attributes {mhlo.frontend_attributes = {xla.sdy.meshes = "{n = #sdy.mesh<[\22b\22=2]>}"}} {
"sdy.mesh"() <{mesh = #sdy.mesh<["a"=2]>, sym_name = "m"}> : () -> ()
func.func @generic(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}]>},
                   %y: tensor<8xf32> {mhlo.frontend_attributes = {kept = "1", xla.sdy.sharding = "#sdy.sharding<@n, [{\22b\22}]>"}, mhlo.sharding = "{devices=[2]<=[2]}"})
    -> tensor<8xf32> {
  %0 = "sdy.sharding_constraint"(%x) <{sharding = #sdy.sharding<@m, [{}]>}> : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
}

// -----

// A mesh of ours may be named, and a program without annotations stays as it is.
// CHECK:       shardir.mesh @ours <["a"=2]>
// CHECK-NEXT:  func.func @named(%{{.+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@ours, [{"a"}]>})
shardir.mesh @ours <["a"=2]>
func.func @named(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@ours, [{"a"}]>}) {
  return
}

// -----

// CHECK-LABEL: func.func @plain(%{{.+}}: tensor<8xf32> {other.sharding = "{}"})
func.func @plain(%x: tensor<8xf32> {other.sharding = "{}"}) {
  return
}

// -----

// A manual computation is a manual region; a named one stands in its place.
// CHECK:       shardir.mesh @mesh <["a"=2, "b"=2]>
// CHECK-LABEL: func.func @computations(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<16x32xf32>
// CHECK:         %[[M:.+]] = shardir.manual(%[[X]]) in [#shardir.placement<@mesh, [{"a", ?}, {?}]>] out [#shardir.placement<@mesh, [{"a", ?}, {?}]>] manual = ["a"] unchecked {
// CHECK-NEXT:    ^bb0(%[[L:.+]]: tensor<8x32xf32>):
// CHECK-NEXT:      %[[C:.+]] = shardir.constrain %[[L]] to #shardir.placement<@mesh, [{?}, {"b"}]>
// CHECK-NEXT:      %[[S:.+]] = arith.addf %[[C]], %[[C]]
// CHECK-NEXT:      shardir.yield %[[S]] : tensor<8x32xf32>
// CHECK-NEXT:    } : (tensor<16x32xf32>) -> tensor<16x32xf32>
// CHECK-NEXT:    %[[I:.+]] = shardir.constrain %[[M]] to #shardir.placement<@mesh, [{"b"}, {}]>
// CHECK-NEXT:    %[[E:.+]] = math.exp %[[I]]
// CHECK-NEXT:    return %[[E]]
sdy.mesh @mesh = <["a"=2, "b"=2]>
func.func @computations(%x: tensor<16x32xf32>) -> tensor<16x32xf32> {
  %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a", ?}, {?}]>] out_shardings=[<@mesh, [{"a", ?}, {?}]>] manual_axes={"a"} (%l: tensor<8x32xf32>) {
    %1 = sdy.sharding_constraint %l <@mesh, [{?}, {"b"}]> : tensor<8x32xf32>
    %2 = arith.addf %1, %1 : tensor<8x32xf32>
    sdy.return %2 : tensor<8x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  %3 = sdy.named_computation<"f">(%0) in_shardings=[<@mesh, [{"b"}, {}]>] (%y: tensor<16x32xf32>) {
    %4 = math.exp %y : tensor<16x32xf32>
    sdy.return %4 : tensor<16x32xf32>
  } : (tensor<16x32xf32>) -> tensor<16x32xf32>
  return %3 : tensor<16x32xf32>
}

// -----

// The same in generic form, one in the other.
// CHECK-LABEL: func.func @nested(
// CHECK:         shardir.manual(%{{.+}}) in [#shardir.placement<@mesh, [{"a"}]>] out [#shardir.placement<@mesh, [{"a"}]>] manual = ["a"] unchecked {
// CHECK:           shardir.manual(%{{.+}}) in [#shardir.placement<@mesh, [{"b"}]>] out [#shardir.placement<@mesh, [{"b"}]>] manual = ["b"] unchecked {
// CHECK-NEXT:      ^bb0(%{{.+}}: tensor<4xf32>):
"sdy.mesh"() <{mesh = #sdy.mesh<["a"=2, "b"=2]>, sym_name = "mesh"}> : () -> ()
func.func @nested(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = "sdy.manual_computation"(%x) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>, manual_axes = #sdy<manual_axes{"a"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"a"}]>]>}> ({
  ^bb0(%l: tensor<8xf32>):
    %1 = "sdy.manual_computation"(%l) <{in_shardings = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>, manual_axes = #sdy<manual_axes{"b"}>, out_shardings = #sdy.sharding_per_value<[<@mesh, [{"b"}]>]>}> ({
    ^bb0(%k: tensor<4xf32>):
      "sdy.return"(%k) : (tensor<4xf32>) -> ()
    }) : (tensor<8xf32>) -> tensor<8xf32>
    "sdy.return"(%1) : (tensor<8xf32>) -> ()
  }) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

// Groups and barriers are constraints without axes. A group is about all uses of
// its tensor; a barrier that lets everything through is none.
// CHECK-LABEL: func.func @hints(
// CHECK-SAME:    %[[X:.+]]: tensor<8x8xf32> {{.*}}, %[[Y:.+]]: tensor<8x8xf32>)
// CHECK:         %[[Y1:.+]] = shardir.constrain %[[Y]] to #shardir.placement<@m, [{?}, {?}]> {group = 7 : i64}
// CHECK:         %[[X1:.+]] = shardir.constrain %[[X]] to #shardir.placement<@m, [{?}, {?}]> {group = 7 : i64}
// CHECK:         %[[F:.+]] = shardir.constrain %[[X1]] to #shardir.placement<@m, [{?}, {?}]> {direction = "forward"}
// CHECK:         %[[N:.+]] = shardir.constrain %[[Y1]] to #shardir.placement<@m, [{?}, {?}]> {direction = "none"}
// CHECK:         %[[B:.+]] = shardir.constrain %[[N]] to #shardir.placement<@m, [{?}, {?}]> {direction = "backward"}
// CHECK:         arith.addf %[[F]], %[[B]]
sdy.mesh @m = <["a"=2]>
func.func @hints(%x: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"a"}, {}]>}, %y: tensor<8x8xf32>)
    -> tensor<8x8xf32> {
  sdy.sharding_group %x group_id=7 : tensor<8x8xf32>
  %0 = sdy.propagation_barrier %x allowed_direction=FORWARD : tensor<8x8xf32>
  sdy.sharding_group %y group_id=7 : tensor<8x8xf32>
  %1 = sdy.propagation_barrier %y allowed_direction=NONE : tensor<8x8xf32>
  %2 = "sdy.propagation_barrier"(%1) {allowed_direction = #sdy<propagation_direction BACKWARD>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = sdy.propagation_barrier %2 allowed_direction=BOTH : tensor<8x8xf32>
  %4 = arith.addf %0, %3 : tensor<8x8xf32>
  return %4 : tensor<8x8xf32>
}
