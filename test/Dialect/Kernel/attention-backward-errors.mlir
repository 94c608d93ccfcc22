// RUN: shard-opt %s -split-input-file -verify-diagnostics

func.func @maps(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{has 7 indexing maps for 8 operands; write one per operand}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @loops(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{indexing map of gradient must have 4 loops and no symbols, as that of query, found}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v, w) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @rank(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{indexing map of extra 0 has 2 results for rank 1}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @zero(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{indexing map of query_gradient must name loops, each once, found}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (0, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @extents(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{loop 1 has size 6 in dim 0 of gradient and 8 in dim 0 of value}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @roles(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{loop 0 is in query_gradient alone: it must be in query and gradient, and in neither key nor value}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v, w) -> (w, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>, affine_map<(m, n, k, v, w) -> (m, v)>, affine_map<(m, n, k, v, w) -> (m)>, affine_map<(m, n, k, v, w) -> (m, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @values(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{loop 3 is in value_gradient alone: it must be in value and gradient, and in no other input}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v, w) -> (m, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>, affine_map<(m, n, k, v, w) -> (m, w)>, affine_map<(m, n, k, v, w) -> (m)>, affine_map<(m, n, k, v, w) -> (m, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @nowhere(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{loop 4 is in none of the results, or in those of queries and values alone, or in that of keys alone}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v, w) -> (m, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>, affine_map<(m, n, k, v, w) -> (m, v)>, affine_map<(m, n, k, v, w) -> (m)>, affine_map<(m, n, k, v, w) -> (m, k)>, affine_map<(m, n, k, v, w) -> (n, k)>, affine_map<(m, n, k, v, w) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @types(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xbf16>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{the gradients in outs must all have elements of f32, or all of f64, found 'bf16' in query_gradient}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xbf16>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xbf16>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @results(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{result 0 of type 'tensor<8x3xf32>' must have the type 'tensor<6x3xf32>' of query_gradient}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @arguments(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{the body must take 'f32', 'f32', 'f32': a score and a probability's gradient of the results' type, and one element of each extra operand; found 'f32', 'f32'}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32):
        %1 = arith.mulf %dp, %s : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @yields(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{the body must end in a kernel.yield of 2 values}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %1 : f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @wide(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{the body must yield float types no wider than 'f32', found 'f64'}}
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        %1 = arith.mulf %dp, %r : f32
        %2 = arith.extf %1 : f32 to f64
        kernel.yield %s, %2 : f32, f64
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @index(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>, %d: tensor<6xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  %0:3 = kernel.attention_backward {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g, %d : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>, tensor<6xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32, %r: f32):
        // expected-error @below {{names loop 2, over which scores do not run; batch, m and n have indices}}
        %i = kernel.loop_index 2
        %1 = arith.mulf %dp, %r : f32
        kernel.yield %s, %1 : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @no_result(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{unwanted must hold numbers of results from 0 to 2, in ascending order, found 3}}
  %0:3 = kernel.attention_backward {unwanted = array<i64: 1, 3>, indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32):
        kernel.yield %s, %dp : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @twice(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{unwanted must hold numbers of results from 0 to 2, in ascending order, found 1}}
  %0:3 = kernel.attention_backward {unwanted = array<i64: 1, 1>, indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32):
        kernel.yield %s, %dp : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}

// -----

func.func @nothing_left(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %g: tensor<6x4xf32>,
    %dq: tensor<6x3xf32>, %dk: tensor<8x3xf32>, %dv: tensor<8x4xf32>) {
  // expected-error @below {{unwanted must leave one of the results}}
  %0:3 = kernel.attention_backward {unwanted = array<i64: 0, 1, 2>, indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>]}
      ins(%q, %k, %v, %g : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x4xf32>)
      outs(%dq, %dk, %dv : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>) {
      ^bb0(%s: f32, %dp: f32):
        kernel.yield %s, %dp : f32, f32
      } -> tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>
  return
}
