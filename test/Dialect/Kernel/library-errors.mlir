// RUN: shard-opt %s -split-input-file -verify-diagnostics

func.func @numbers(%q: memref<8x8xf16>, %i: index) {
  // expected-error @below {{needs 19 numbers (batch, query heads, key heads, two of positions, two of rows' elements, twelve strides), found 2}}
  kernel.library_attention ins(%q, %q, %q : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>) outs(%q : memref<8x8xf16>) scale 1.0 numbers(%i, %i)
  return
}

// -----

func.func @element(%q: memref<8x8xf32>, %i: index) {
  // expected-error @below {{takes elements of bf16 or f16, found 'f32'}}
  kernel.library_attention ins(%q, %q, %q : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>) outs(%q : memref<8x8xf32>)
      scale 1.0 numbers(%i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i)
  return
}

// -----

func.func @elements(%q: memref<8x8xf16>, %o: memref<8x8xbf16>, %i: index) {
  // expected-error @below {{needs buffers of one element type, found 'f16' and 'bf16'}}
  kernel.library_attention ins(%q, %q, %q : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>) outs(%o : memref<8x8xbf16>)
      scale 1.0 numbers(%i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i)
  return
}

// -----

func.func @scale(%q: memref<8x8xf16>, %i: index) {
  // expected-error @below {{needs a finite scale above 0, found -1.000000e+00}}
  kernel.library_attention ins(%q, %q, %q : memref<8x8xf16>, memref<8x8xf16>, memref<8x8xf16>) outs(%q : memref<8x8xf16>)
      scale -1.0 numbers(%i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i, %i)
  return
}
