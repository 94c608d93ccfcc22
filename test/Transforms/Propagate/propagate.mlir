// Axes flow from annotations over factors: forward, backward, sideways.
//
// RUN: shard-opt %s -split-input-file -shardir-propagate | FileCheck %s
// Where the program is annotated is all that matters; a second run changes
// nothing.
// RUN: shard-opt %s -split-input-file -shardir-propagate -o %t.once
// RUN: shard-opt %t.once -split-input-file -shardir-propagate | diff %t.once -

shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @n <["x"=8]>
shardir.mesh @symbolic <["s"=?]>

// CHECK-LABEL: func.func @forward
// CHECK-SAME:    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>})
// CHECK:         math.exp %{{.+}} {shardir.decided_by = [#shardir.provenance<argument 0 of @forward>], shardir.placements = [#shardir.placement<@m, [{"dp"}, {}]>]} : tensor<8x16xf32>
func.func @forward(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> tensor<8x16xf32> {
  %0 = math.exp %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// -----

shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @n <["x"=8]>
shardir.mesh @symbolic <["s"=?]>

// CHECK-LABEL: func.func @backward
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.decided_by = [#shardir.provenance<result 0 of @backward, through ["math.exp"]>], shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}
// CHECK:         math.exp {{.*}}[{"dp"}, {"tp"}]
func.func @backward(%x: tensor<8x16xf32>) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}) {
  %0 = math.exp %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// From one operand to another, and by an op to a value that only it shares.
// CHECK-LABEL: func.func @sideways
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{}, {"tp"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{}, {"tp"}]>}
func.func @sideways(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp"}]>},
                    %y: tensor<8x16xf32>, %z: tensor<8x16xf32>) {
  %0 = arith.addf %x, %y : tensor<8x16xf32>
  %1 = arith.mulf %y, %z : tensor<8x16xf32>
  return
}

// Transposed and broadcast dims are followed.
// CHECK-LABEL: func.func @maps
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<16xf32> {{[^%)]*}}placement<@m, [{"tp"}]>}
// CHECK-SAME:    -> (tensor<16x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>})
func.func @maps(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
                %b: tensor<16xf32>) -> tensor<16x8xf32> {
  %e = tensor.empty() : tensor<16x8xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                       iterator_types = ["parallel", "parallel"]}
      ins(%x, %b : tensor<8x16xf32>, tensor<16xf32>) outs(%e : tensor<16x8xf32>) {
  ^bb0(%u: f32, %v: f32, %o: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// An annotation in the middle reaches both ends; an open dim of it is filled
// in by what comes from elsewhere.
// CHECK-LABEL: func.func @middle
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{"dp"}, {"tp"}]>}
// CHECK-SAME:    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>})
// CHECK:         shardir.constrain %{{.+}} to #shardir.placement<@m, [{?}, {"tp"}]> {{.*}}shardir.placements = [#shardir.placement<@m, [{"dp"}, {"tp"}]>]
func.func @middle(%x: tensor<8x16xf32>) -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {?}]>}) {
  %0 = math.exp %x : tensor<8x16xf32>
  %1 = shardir.constrain %0 to #shardir.placement<@m, [{?}, {"tp"}]> : tensor<8x16xf32>
  %2 = math.tanh %1 : tensor<8x16xf32>
  return %2 : tensor<8x16xf32>
}

// A closed dim never grows, an open one grows at its minor end, and what the
// user wrote stays (R1).
// CHECK-LABEL: func.func @closed
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{"dp", "tp"}, {}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {shardir.decided_by = [#shardir.provenance<argument 3 of @closed>], shardir.placement = #shardir.placement<@m, [{}, {}]>}
func.func @closed(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>},
                  %closed: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                  %open: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp", ?}, {?}]>},
                  %whole: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {}]>}) {
  %0 = arith.addf %x, %closed : tensor<8x16xf32>
  %1 = arith.addf %x, %open : tensor<8x16xf32>
  %2 = arith.addf %x, %whole : tensor<8x16xf32>
  return
}

// An axis never lands on two dims of one tensor (R4).
// CHECK-LABEL: func.func @one_dim_each
// CHECK-SAME:    %{{[^:]+}}: tensor<8x8xf32> {{[^%)]*}}placement<@m, [{}, {"tp"}]>}
func.func @one_dim_each(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"tp"}]>},
                        %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>}) {
  %0 = arith.addf %x, %y : tensor<8x8xf32>
  return
}

// Axes that a tensor names as replicated are not used on it.
// CHECK-LABEL: func.func @replicated
// CHECK-SAME:    %{{[^:]+}}: tensor<8x16xf32> {{[^%)]*}}placement<@m, [{"dp"}, {}]>}
// CHECK-SAME:    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>})
func.func @replicated(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}], replicated = ["tp"]>})
    -> (tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}) {
  %0 = math.exp %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Rematerializable tensors take what their users have (R5).
// CHECK-LABEL: func.func @rematerializable
// CHECK:         arith.constant {{.*}}[{"dp"}, {}]{{.*}} dense
// CHECK:         tensor.empty() {{.*}}[{"dp"}, {}]
// CHECK:         linalg.fill {{.*}}[{"dp"}, {}]
func.func @rematerializable(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>}) -> tensor<8x16xf32> {
  %one = arith.constant dense<1.0> : tensor<8x16xf32>
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %0 = arith.addf %x, %one : tensor<8x16xf32>
  %1 = arith.addf %0, %f : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// One constant, two users that want it differently: it ties neither to the other.
// CHECK-LABEL: func.func @rematerializable_shared
// CHECK:         arith.addf {{.*}}[{"tp"}, {}]
// CHECK:         arith.addf {{.*}}[{}, {}]
func.func @rematerializable_shared(%x: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>},
                        %y: tensor<8x8xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}]>})
    -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %one = arith.constant dense<1.0> : tensor<8x8xf32>
  %0 = arith.addf %x, %one : tensor<8x8xf32>
  %1 = arith.addf %y, %one : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Weights in, weights out.
// CHECK-LABEL: func.func @alias
// CHECK-SAME:    -> (tensor<8x16xf32> {shardir.alias = 1 : i64, shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
// CHECK:         arith.addf {{.*}}[{"tp"}, {}]
func.func @alias(%x: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                 %w: tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {}]>})
    -> (tensor<8x16xf32> {shardir.alias = 1 : i64}) {
  %0 = arith.addf %x, %x : tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// Nothing is annotated: nothing is split, and everything has a placement.
// CHECK-LABEL: func.func @nothing
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}]>}, %{{[^:]+}}: f32)
// CHECK:         math.exp %{{.+}} {shardir.placements = [#shardir.placement<@m, [{}]>]} : tensor<8xf32>
// CHECK:         math.exp %{{.+}} : f32
func.func @nothing(%x: tensor<8xf32>, %s: f32) -> (tensor<8xf32>, f32) {
  %0 = math.exp %x : tensor<8xf32>
  %1 = math.exp %s : f32
  return %0, %1 : tensor<8xf32>, f32
}

// Values follow the mesh of what they come from, and of what uses them (R10).
// CHECK-LABEL: func.func @other_mesh
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {shardir.placement = #shardir.placement<@n, [{"x"}]>}
// CHECK-SAME:    %{{[^:]+}}: tensor<8xf32> {{[^%)]*}}placement<@n, [{"x"}]>}
// CHECK:         arith.constant {{.*}}placement<@n, [{"x"}]>
// CHECK:         arith.addf {{.*}}placement<@n, [{"x"}]>
func.func @other_mesh(%x: tensor<8xf32> {shardir.placement = #shardir.placement<@n, [{"x"}]>}, %y: tensor<8xf32>) -> tensor<8xf32> {
  %c = arith.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>
  %0 = arith.addf %x, %y : tensor<8xf32>
  %1 = arith.addf %0, %c : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Unknown axis sizes and extents are no obstacle (P6).
// CHECK-LABEL: func.func @unknown
// CHECK-SAME:    -> (tensor<?x16xf32> {shardir.placement = #shardir.placement<@symbolic, [{"s"}, {}]>})
func.func @unknown(%x: tensor<?x16xf32> {shardir.placement = #shardir.placement<@symbolic, [{"s"}, {}]>}) -> tensor<?x16xf32> {
  %0 = math.exp %x : tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}

// A dim of extent 1 that is broadcast is split by nobody.
// CHECK-LABEL: func.func @extent_1
// CHECK-SAME:    %{{[^:]+}}: tensor<1x16xf32> {{[^%)]*}}placement<@m, [{}, {"tp"}]>}
func.func @extent_1(%x: tensor<1x16xf32>, %y: tensor<1x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}) -> tensor<1x16xf32> {
  %0 = arith.addf %x, %y : tensor<1x16xf32>
  return %0 : tensor<1x16xf32>
}

// Sub-axes and integers travel like axes.
// CHECK-LABEL: func.func @splits
// CHECK-SAME:    -> (tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{4, "dp"}, {"tp":(2)2}]>})
func.func @splits(%x: tensor<32x16xf32> {shardir.placement = #shardir.placement<@m, [{4, "dp"}, {"tp":(2)2}]>}) -> tensor<32x16xf32> {
  %0 = math.exp %x : tensor<32x16xf32>
  return %0 : tensor<32x16xf32>
}

// A function without a body has nothing to decide.
// CHECK-LABEL: func.func private @declaration(tensor<8xf32>)
func.func private @declaration(tensor<8xf32>)
