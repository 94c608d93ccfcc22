// The grammar of placements: what is written is what is printed.
//
// RUN: shard-opt %s -verify-roundtrip | FileCheck %s

shardir.mesh @m <["dp"=2, "tp"=4]>
shardir.mesh @big <["a"=12, "b-c"=2, "_x9"=3]>
shardir.mesh @symbolic <["dp"=?, "tp"=?6]>

// CHECK-LABEL: func.func private @axes
// CHECK-SAME:    #shardir.placement<@m, [{"dp"}, {"tp"}]>
// CHECK-SAME:    #shardir.placement<@m, [{"dp", "tp"}, {}]>
// CHECK-SAME:    #shardir.placement<@m, [{}, {"tp", "dp"}]>
// CHECK-SAME:    #shardir.placement<@big, [{"b-c"}, {"_x9"}]>
func.func private @axes(
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp", "tp"}, {}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp", "dp"}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@big, [{"b-c"}, {"_x9"}]>})

// Splits by axes alone may be uneven, or leave devices empty.
// CHECK-LABEL: func.func private @uneven
// CHECK-SAME:    tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>}
// CHECK-SAME:    tensor<1x0xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>}
// CHECK-SAME:    tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"tp", "dp"}, {}]>}
func.func private @uneven(
    tensor<5x3xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}, {"tp"}]>},
    tensor<1x0xf32> {shardir.placement = #shardir.placement<@m, [{"tp"}, {"dp"}]>},
    tensor<?x?xf32> {shardir.placement = #shardir.placement<@m, [{"tp", "dp"}, {}]>})

// CHECK-LABEL: func.func private @sub_axes
// CHECK-SAME:    #shardir.placement<@m, [{}, {"tp":(1)2}]>
// CHECK-SAME:    #shardir.placement<@m, [{"tp":(2)2}, {"tp":(1)2}]>
// CHECK-SAME:    #shardir.placement<@big, [{"a":(3)2, "a":(1)3}, {}]>
// CHECK-SAME:    #shardir.placement<@big, [{"a":(2)3}, {}], replicated = ["a":(6)2], partial = sum ["a":(1)2]>
func.func private @sub_axes(
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}, {"tp":(1)2}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"tp":(2)2}, {"tp":(1)2}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@big, [{"a":(3)2, "a":(1)3}, {}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@big, [{"a":(2)3}, {}], replicated = ["a":(6)2], partial = sum ["a":(1)2]>})

// Integers are factors that stay on the device. They and all runs of axes but
// the last divide exactly; the last run may be uneven.
// CHECK-LABEL: func.func private @integers
// CHECK-SAME:    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{4, "tp"}]>}
// CHECK-SAME:    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 16}]>}
// CHECK-SAME:    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 4, "tp"}]>}
// CHECK-SAME:    tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 4}]>}
// CHECK-SAME:    tensor<10xf32> {shardir.placement = #shardir.placement<@m, [{2, "tp"}]>}
func.func private @integers(
    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{4, "tp"}]>},
    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 16}]>},
    tensor<32xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 4, "tp"}]>},
    tensor<20xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 4}]>},
    tensor<10xf32> {shardir.placement = #shardir.placement<@m, [{2, "tp"}]>})

// CHECK-LABEL: func.func private @open_and_priorities
// CHECK-SAME:    #shardir.placement<@m, [{?}, {}]>
// CHECK-SAME:    #shardir.placement<@m, [{"dp", ?}p0, {?}p12]>
// CHECK-SAME:    #shardir.placement<@m, [{2, "tp", ?}, {"dp"}p1]>
// CHECK-SAME:    #shardir.placement<@m, [{}p3, {?}]>
func.func private @open_and_priorities(
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {}]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{"dp", ?}p0, {?}p12]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{2, "tp", ?}, {"dp"}p1]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{}p3, {?}]>})

// CHECK-LABEL: func.func private @replicated
// CHECK-SAME:    #shardir.placement<@m, [{?}, {?}], replicated = ["dp"]>
// CHECK-SAME:    #shardir.placement<@m, [{?}, {"dp"}], replicated = ["tp":(2)2]>
// CHECK-SAME:    #shardir.placement<@m, [{?}, {?}], replicated = ["tp", "dp"]>
func.func private @replicated(
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}], replicated = ["dp"]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {"dp"}], replicated = ["tp":(2)2]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, [{?}, {?}], replicated = ["tp", "dp"]>})

// CHECK-LABEL: func.func private @partial_floats
// CHECK-SAME:    partial = sum ["tp"]
// CHECK-SAME:    partial = prod ["tp", "dp"]
// CHECK-SAME:    partial = max ["tp"]
// CHECK-SAME:    partial = min ["tp":(1)2]
// CHECK-SAME:    partial = maxnum ["tp"]
// CHECK-SAME:    partial = minnum ["tp"]
func.func private @partial_floats(
    tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp"}], partial = sum ["tp"]>},
    tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{}], partial = prod ["tp", "dp"]>},
    tensor<8xf64> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["tp"]>},
    tensor<8xbf16> {shardir.placement = #shardir.placement<@m, [{}], partial = min ["tp":(1)2]>},
    tensor<8xf16> {shardir.placement = #shardir.placement<@m, [{}], partial = maxnum ["tp"]>},
    tensor<8xf8E4M3FN> {shardir.placement = #shardir.placement<@m, [{}], partial = minnum ["tp"]>})

// CHECK-LABEL: func.func private @partial_integers
// CHECK-SAME:    partial = sum ["tp"]
// CHECK-SAME:    partial = max ["tp"]
// CHECK-SAME:    partial = umax ["tp"]
// CHECK-SAME:    partial = umin ["tp"]
// CHECK-SAME:    partial = and ["tp"]
// CHECK-SAME:    partial = or ["tp"]
// CHECK-SAME:    partial = xor ["tp"]
func.func private @partial_integers(
    tensor<8xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = sum ["tp"]>},
    tensor<8xindex> {shardir.placement = #shardir.placement<@m, [{}], partial = max ["tp"]>},
    tensor<8xi8> {shardir.placement = #shardir.placement<@m, [{}], partial = umax ["tp"]>},
    tensor<8xi64> {shardir.placement = #shardir.placement<@m, [{}], partial = umin ["tp"]>},
    tensor<8xi1> {shardir.placement = #shardir.placement<@m, [{}], partial = and ["tp"]>},
    tensor<8xi1> {shardir.placement = #shardir.placement<@m, [{}], partial = or ["tp"]>},
    tensor<8xi32> {shardir.placement = #shardir.placement<@m, [{}], partial = xor ["tp"]>})

// CHECK-LABEL: func.func private @rank_0
// CHECK-SAME:    tensor<f32> {shardir.placement = #shardir.placement<@m, []>}
// CHECK-SAME:    tensor<f32> {shardir.placement = #shardir.placement<@m, [], partial = sum ["dp"]>}
func.func private @rank_0(
    tensor<f32> {shardir.placement = #shardir.placement<@m, []>},
    tensor<f32> {shardir.placement = #shardir.placement<@m, [], partial = sum ["dp"]>})

// Sizes that are not known yet: sub-axes must divide the assumed one.
// CHECK-LABEL: func.func private @symbolic_axes
// CHECK-SAME:    #shardir.placement<@symbolic, [{"dp"}, {"tp"}]>
// CHECK-SAME:    #shardir.placement<@symbolic, [{"dp":(1)2}, {"tp":(2)3}]>
func.func private @symbolic_axes(
    tensor<7x?xf32> {shardir.placement = #shardir.placement<@symbolic, [{"dp"}, {"tp"}]>},
    tensor<7x?xf32> {shardir.placement = #shardir.placement<@symbolic, [{"dp":(1)2}, {"tp":(2)3}]>})

// Sugar is kept as written.
// CHECK-LABEL: func.func private @sugar
// CHECK-SAME:    #shardir.placement<@m, placements = [shard(0), replicate]>
// CHECK-SAME:    #shardir.placement<@m, placements = [shard(-1), partial(sum)]>
// CHECK-SAME:    #shardir.placement<@m, placements = [partial(max), partial(max)]>
// CHECK-SAME:    #shardir.placement<@m, placements = [shard(1), shard(1)]>
func.func private @sugar(
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(0), replicate]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(-1), partial(sum)]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [partial(max), partial(max)]>},
    tensor<8x16xf32> {shardir.placement = #shardir.placement<@m, placements = [shard(1), shard(1)]>})

// White space is free, and results take placements too.
// CHECK-LABEL: func.func private @results
// CHECK-SAME:    -> (tensor<8xf32> {shardir.placement = #shardir.placement<@m, [{"dp", 2, ?}p0], partial = sum ["tp"]>}, f32)
func.func private @results() -> (tensor<8xf32> {shardir.placement = #shardir.placement< @m ,
    [ { "dp" , 2 , ? } p0 ] , partial = sum [ "tp" ] > }, f32)
