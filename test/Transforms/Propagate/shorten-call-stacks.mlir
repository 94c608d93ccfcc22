// Locations keep the frames that tell two calls of one function apart.
//
// RUN: shard-opt %s -shardir-inline-callees -shardir-shorten-call-stacks -mlir-print-debuginfo -mlir-print-local-scope \
// RUN:   | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK:   math.exp %{{.*}} loc("jit(main)/exp"(callsite("f.py":3:4 at "f.py":6:8)))
// CHECK:   math.exp %{{.*}} loc("jit(main)/exp"(callsite("f.py":3:4 at "f.py":7:8)))
// An op of a function that is called once keeps its innermost frame alone.
// CHECK:   math.tanh %{{.*}} loc("jit(main)/tanh"("f.py":12:4))
// A function of the program that is called twice: the name of the op stays.
// CHECK:   math.sin %{{.*}} loc("jit(inner)/sin"(callsite("f.py":20:4 at "f.py":6:8)))
// CHECK:   math.sin %{{.*}} loc("jit(inner)/sin"(callsite("f.py":20:4 at "f.py":7:8)))
// Names without a stack stay.
// CHECK:   math.cos %{{.*}} loc("layers.0"("m.py":1:0))
func.func private @inner(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.sin %x : tensor<8xf32> loc(#sin)
  return %0 : tensor<8xf32> loc(#sin)
}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32> loc(#exp1)
  %1 = math.exp %0 : tensor<8xf32> loc(#exp2)
  %2 = math.tanh %1 : tensor<8xf32> loc(#tanh)
  %3 = call @inner(%2) : (tensor<8xf32>) -> tensor<8xf32> loc(#call1)
  %4 = call @inner(%3) : (tensor<8xf32>) -> tensor<8xf32> loc(#call2)
  %5 = math.cos %4 : tensor<8xf32> loc("layers.0"("m.py":1:0))
  return %5 : tensor<8xf32>
}

#layer = loc("layer"("f.py":3:4))
#first = loc("main"("f.py":6:8))
#second = loc("main"("f.py":7:8))
#module = loc("<module>"("f.py":9:4))
#stack1 = loc(callsite(#first at #module))
#stack2 = loc(callsite(#second at #module))
#exp1 = loc("jit(main)/exp"(callsite(#layer at #stack1)))
#exp2 = loc("jit(main)/exp"(callsite(#layer at #stack2)))
#tanh = loc("jit(main)/tanh"(callsite("f.py":12:4 at #stack1)))
#sin = loc("jit(inner)/sin"(callsite("inner"("f.py":20:4) at #stack1)))
#call1 = loc("jit(main)/jit"(#stack1))
#call2 = loc("jit(main)/jit"(#stack2))
