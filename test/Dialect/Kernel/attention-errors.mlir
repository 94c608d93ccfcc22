// RUN: shard-opt %s -split-input-file -verify-diagnostics

func.func @maps(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{has 6 indexing maps for 7 operands; write one per operand}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @loops(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{indexing map of key must have 4 loops and no symbols, as that of query, found}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @rank(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{indexing map of value has 1 results for rank 2}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @twice(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{indexing map of extra 0 must name loops, each once, or 0 for a dim of one element}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, m)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @zero(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{indexing map of max must name loops, each once, found}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (0)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @broadcast(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{indexing map of extra 0 is 0 in dim 0 of size 6; only a dim of size 1 may be}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (0, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @extent(%q: tensor<6x3xf32>, %k: tensor<9x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{loop 1 has size 8 in dim 0 of value and 9 in dim 0 of key}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<9x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @max_and_sum(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<4xf32>) {
  // expected-error @below {{loop 0 must be in both of max and sum, or in none}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (v)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<4xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<4xf32>
  return
}

// -----

func.func @k_in_extra(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x3xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{loop 2 is in query and not in acc: it must be in key, and in no other input}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x3xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @v_in_extra(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<4x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{loop 3 is in acc and not in max: it must be in value, and in no other input}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (v, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<4x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @integers(%q: tensor<6x3xi32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{query must have elements of a float type, found 'i32'}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xi32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @compute(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf16>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{acc, max and sum must all have elements of f32, or all of f64, found 'f16' in acc}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf16>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf16>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @wide(%q: tensor<6x3xf32>, %k: tensor<8x3xf64>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{key of 'f64' needs acc, max and sum of f64}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf64>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @result(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{result 0 of type 'tensor<6x5xf32>' must have the type 'tensor<6x4xf32>' of acc}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x5xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @results(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{has 1 results; on tensors it has 3: those of outs}}
  %0 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>
  return
}

// -----

func.func @arguments(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{score must take 'f32', 'f32': the type of max, and of each extra operand's elements; found 'f32'}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @score_type(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{score must yield 'f32', found 'bf16'}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %t = arith.truncf %x : f32 to bf16
        kernel.yield %t : bf16
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @prob_type(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{prob must yield a float type no wider than 'f32', found 'f64'}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        %t = arith.extf %p : f32 to f64
        kernel.yield %t : f64
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @values(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{prob must end in a kernel.yield of one value}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p, %p : f32, f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @effects(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  // expected-error @below {{score must have no effects, found 'cf.assert'}}
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        %t = arith.constant true
        cf.assert %t, "never"
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @index(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        // expected-error @below {{names loop 2, over which scores do not run; batch, m and n have indices}}
        %i = kernel.loop_index 2
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @no_loop(%q: tensor<6x3xf32>, %k: tensor<8x3xf32>, %v: tensor<8x4xf32>, %e: tensor<6x8xf32>,
    %a: tensor<6x4xf32>, %m: tensor<6xf32>, %s: tensor<6xf32>) {
  %0:3 = kernel.attention {indexing_maps = [affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>, affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, n)>, affine_map<(m, n, k, v) -> (m, v)>, affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>]}
      ins(%q, %k, %v, %e : tensor<6x3xf32>, tensor<8x3xf32>, tensor<8x4xf32>, tensor<6x8xf32>)
      outs(%a, %m, %s : tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>)
      score {
      ^bb0(%x: f32, %y: f32):
        // expected-error @below {{names loop 4 of an attention that has 4}}
        %i = kernel.loop_index 4
        kernel.yield %x : f32
      } prob {
      ^bb0(%p: f32, %y: f32):
        kernel.yield %p : f32
      } -> tensor<6x4xf32>, tensor<6xf32>, tensor<6xf32>
  return
}

// -----

func.func @outside() {
  // expected-error @below {{must be in a body of kernel.attention or kernel.attention_backward}}
  %i = kernel.loop_index 0
  return
}
