//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel dialect: compute ops of a rank's local program that linalg cannot
// express without large intermediate tensors.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_DIALECT_KERNEL_KERNELOPS_TD
#define SHARDIR_DIALECT_KERNEL_KERNELOPS_TD

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/TilingInterface.td"

def Kernel_Dialect : Dialect {
  let name = "kernel";
  let cppNamespace = "::shardir::kernel";
  let summary = "Compute ops of a rank's local program.";
  let description = [{
    Ops that stand for several linalg ops and are lowered as one, so that large
    intermediate tensors (the scores of an attention) are never stored.
    `shardir-recognize-attention` creates them, schedules tile them, and
    `shardir-decompose-attention` turns them back into linalg ops. They know no
    mesh and no placement.
  }];
}

class Kernel_Op<string mnemonic, list<Trait> traits = []>
    : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_AttentionOp : Kernel_Op<"attention",
    [SingleBlock, RecursiveMemoryEffects,
     DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<TilingInterface,
         ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
          "getResultTilePosition", "generateResultTileValue"]>]> {
  let summary = "Attention without its matrix of scores: sums that can be continued and merged.";
  let description = [{
    On tensors or memrefs, in destination style. `indexing_maps` has one map per
    operand, from the loops to the operand's dims, as in `linalg.generic`:
    projected permutations, and 0 for a dim of one element of an input. What a map leaves out
    is broadcast, so that several query heads share a key head for free. Which
    loop is which follows from the maps:

    - *outer* loops are those of `max` and `sum`, and stand in `acc` too: `m`, if
      neither keys nor values have them, else batch;
    - `n` are in keys and values but not in queries and not in `acc`: the positions attended to;
    - `k` are in queries and keys alone: summed in a score;
    - `v` are in values and `acc` alone.

    With b for the batch loops, and p' = `prob`(p):

    ```
    s[b,m,n]   = sum over k of query * key      in the type of max: f32, or f64
    x[b,m,n]   = score(s)
    max[b,m]   = maximum(max0, maximum over n of x)
    shift      = max == -inf ? 0 : max
    p[b,m,n]   = exp(x - shift)
    sum[b,m]   = sum0 * exp(max0 - shift) + sum over n of p
    acc[b,m,v] = acc0 * exp(max0 - shift) + sum over n of p' * value
    ```

    where `max0`, `sum0` and `acc0` are what the inits hold: -inf, 0 and 0 at
    the beginning. So parts of n can be taken one after the other (the online softmax of
    Milakov and Gimelshein, arXiv:1805.02867; FlashAttention by Dao et al.,
    arXiv:2205.14135), and parts on several devices are merged by
    M = maximum of the parts' max; acc and sum times exp(max - M); and sums of
    those. Attention itself is acc / sum, an ordinary op behind this one. A row with x = -inf
    everywhere has max = -inf, sum = 0 and acc = 0. NaN in x gives NaN in its row.

    `score` and `prob` are bodies of scalar ops: their arguments are s (p) of the
    type of `max`, and one element of each extra operand (a mask, a bias, a
    random number), whose maps name outer loops and n. `score` yields the
    type of `max`, `prob` a float type: the operand of the product, such as
    bf16. `kernel.loop_index` gives the iteration, for masks that depend on positions.
    `prob` acts behind the sum: dropout belongs there.

    Example:

    ```mlir
    %acc, %max, %sum = kernel.attention {indexing_maps = [
        affine_map<(h, m, n, k, v) -> (m, h, k)>, affine_map<(h, m, n, k, v) -> (n, h, k)>,
        affine_map<(h, m, n, k, v) -> (n, h, v)>, affine_map<(h, m, n, k, v) -> (m, h, v)>,
        affine_map<(h, m, n, k, v) -> (h, m)>, affine_map<(h, m, n, k, v) -> (h, m)>]}
        ins(%q, %k, %v : tensor<64x8x32xbf16>, tensor<96x8x32xbf16>, tensor<96x8x16xbf16>)
        outs(%acc0, %max0, %sum0 : tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>)
        score {
        ^bb0(%s: f32):
          %0 = arith.mulf %s, %scale : f32
          kernel.yield %0 : f32
        } prob {
        ^bb0(%p: f32):
          %0 = arith.truncf %p : f32 to bf16
          kernel.yield %0 : bf16
        } -> tensor<64x8x16xf32>, tensor<8x64xf32>, tensor<8x64xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$query, AnyShaped:$key, AnyShaped:$value,
                       Variadic<AnyShaped>:$extras,
                       AnyShaped:$acc, AnyShaped:$max, AnyShaped:$sum,
                       AffineMapArrayAttr:$indexing_maps);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$score, SizedRegion<1>:$prob);
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value (`,` $extras^)? `:`
              type($query) `,` type($key) `,` type($value) (`,` type($extras)^)? `)`
    `outs` `(` $acc `,` $max `,` $sum `:` type($acc) `,` type($max) `,` type($sum) `)`
    `score` $score `prob` $prob (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loops by role, each in ascending order.
    struct Loops {
      ::llvm::SmallVector<unsigned> batch, m, n, k, v;
      /// Batch and m, ascending: the loops of max and sum.
      ::llvm::SmallVector<unsigned> outer() const;
    };
    Loops getLoops();
    unsigned getNumLoops();
    ::mlir::AffineMap getMap(unsigned operand);
    ::mlir::AffineMap getMap(::mlir::OpOperand &operand) {
      return getMap(operand.getOperandNumber());
    }
    /// The type of scores, max and sum: f32 or f64.
    ::mlir::FloatType getComputeType();
    /// The extents of all loops; those that are not static are computed at the
    /// builder's place.
    ::llvm::SmallVector<::mlir::OpFoldResult> getLoopExtents(::mlir::OpBuilder &builder);
    /// Static extents, ShapedType::kDynamic where unknown.
    ::llvm::SmallVector<int64_t> getStaticLoopExtents();
    /// True if acc, max and sum begin with their neutral values 0, -inf and 0,
    /// as far as tensors tell: each is a fill or a splat constant.
    bool hasNeutralInits();
    /// True if `prob` yields its first argument, as it is or in another float
    /// type.
    bool hasPlainProb();

    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, getNumOperands() - 3, 3);
    }
  }];
}

def Kernel_AttentionBackwardOp : Kernel_Op<"attention_backward",
    [SingleBlock, RecursiveMemoryEffects,
     DestinationStyleOpInterface,
     DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<TilingInterface,
         ["getLoopIteratorTypes", "getIterationDomain", "getTiledImplementation",
          "getResultTilePosition"]>]> {
  let summary = "The gradients of attention's queries, keys and values, without a matrix of scores.";
  let description = [{
    On tensors or memrefs, in destination style, with `indexing_maps` as
    `kernel.attention` has them. `gradient` is that of attention's result. With
    b for the batch loops:

    ```
    s[b,m,n]  = sum over k of query * key         in the type of the results: f32, or f64
    dp[b,m,n] = sum over v of gradient * value
    p, ds     = body(s, dp, extras)
    query_gradient[b,m,k] += sum over n of ds * key
    key_gradient[b,n,k]   += sum over m of ds * query
    value_gradient[b,n,v] += sum over m of p * gradient
    ```

    The body computes a probability and a score's gradient, each in the type that it
    is multiplied in. For a softmax of x = score(s), rows of three values each stand
    among the extras: max and sum, which the forward op gives, and
    delta = sum over v of gradient * result, which is the sum over n of p * dp:

    ```
    p  = exp(x - max) / sum
    ds = p * (dp - delta) * (dx / ds)
    ```

    So nothing but rows is kept from the forward pass, and scores are recomputed
    (FlashAttention by Dao et al., arXiv:2205.14135, appendix B; FlashAttention-2,
    arXiv:2307.08691, section 3.1). All three sums add to what the inits hold: parts
    of m and of n may be taken one after the other, or on several devices that
    add up what they have.

    Which loop is which follows from the results' maps: *batch* loops are in all
    three, `m` in that of queries alone, `n` in those of keys and values, `k` in
    those of queries and keys, `v` in that of values alone. Query heads that share a
    key head are a loop `m`.

    Example:

    ```mlir
    %dq, %dk, %dv = kernel.attention_backward {indexing_maps = [
        affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>,
        affine_map<(m, n, k, v) -> (n, v)>, affine_map<(m, n, k, v) -> (m, v)>,
        affine_map<(m, n, k, v) -> (m)>, affine_map<(m, n, k, v) -> (m)>,
        affine_map<(m, n, k, v) -> (m)>,
        affine_map<(m, n, k, v) -> (m, k)>, affine_map<(m, n, k, v) -> (n, k)>,
        affine_map<(m, n, k, v) -> (n, v)>]}
        ins(%q, %k, %v, %do, %max, %sum, %delta : tensor<64x32xf32>, tensor<96x32xf32>,
            tensor<96x16xf32>, tensor<64x16xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
        outs(%dq0, %dk0, %dv0 : tensor<64x32xf32>, tensor<96x32xf32>, tensor<96x16xf32>) {
        ^bb0(%s: f32, %dp: f32, %mx: f32, %sm: f32, %d: f32):
          %0 = arith.subf %s, %mx : f32
          %1 = math.exp %0 : f32
          %p = arith.divf %1, %sm : f32
          %2 = arith.subf %dp, %d : f32
          %ds = arith.mulf %p, %2 : f32
          kernel.yield %p, %ds : f32, f32
        } -> tensor<64x32xf32>, tensor<96x32xf32>, tensor<96x16xf32>
    ```
  }];
  let arguments = (ins AnyShaped:$query, AnyShaped:$key, AnyShaped:$value,
                       AnyShaped:$gradient, Variadic<AnyShaped>:$extras,
                       AnyShaped:$query_gradient, AnyShaped:$key_gradient,
                       AnyShaped:$value_gradient,
                       AffineMapArrayAttr:$indexing_maps,
                       OptionalAttr<DenseI64ArrayAttr>:$unwanted);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    attr-dict
    `ins` `(` $query `,` $key `,` $value `,` $gradient (`,` $extras^)? `:`
              type($query) `,` type($key) `,` type($value) `,` type($gradient)
              (`,` type($extras)^)? `)`
    `outs` `(` $query_gradient `,` $key_gradient `,` $value_gradient `:`
               type($query_gradient) `,` type($key_gradient) `,` type($value_gradient) `)`
    $body (`->` type($results)^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The loops by role, each in ascending order.
    struct Loops {
      ::llvm::SmallVector<unsigned> batch, m, n, k, v;
      /// Batch, m and n, ascending: the loops of scores.
      ::llvm::SmallVector<unsigned> scores() const;
    };
    Loops getLoops();
    unsigned getNumLoops();
    ::mlir::AffineMap getMap(unsigned operand);
    ::mlir::AffineMap getMap(::mlir::OpOperand &operand) {
      return getMap(operand.getOperandNumber());
    }
    /// "" if each loop has one of the roles that the description defines, in
    /// maps of an op's operands that are projected permutations; else what is wrong.
    static std::string findMisplacedLoop(::llvm::ArrayRef<::mlir::AffineMap> maps);
    /// True if result `result` has users.
    bool isWanted(unsigned result) {
      return !getUnwanted() || !::llvm::is_contained(*getUnwanted(), result);
    }
    /// The operand number of the first init.
    unsigned getFirstInit() { return getNumOperands() - 3; }
    /// The type of scores and of all three sums: f32 or f64.
    ::mlir::FloatType getComputeType();
    /// The extents of all loops; those that are not static are computed at the
    /// builder's place.
    ::llvm::SmallVector<::mlir::OpFoldResult> getLoopExtents(::mlir::OpBuilder &builder);
    /// Static extents, ShapedType::kDynamic where unknown.
    ::llvm::SmallVector<int64_t> getStaticLoopExtents();

    ::mlir::MutableOperandRange getDpsInitsMutable() {
      return ::mlir::MutableOperandRange(*this, getNumOperands() - 3, 3);
    }
  }];
}

def Kernel_LoopIndexOp : Kernel_Op<"loop_index", [Pure]> {
  let summary = "The iteration of a loop of the attention op around it.";
  let description = [{
    Loops are numbered as in the attention's `indexing_maps`; only outer loops and n
    have an index in `score` and `prob`, and batch loops, m and n in the body of
    `kernel.attention_backward`.

    Example:

    ```mlir
    %m = kernel.loop_index 1
    ```
  }];
  let arguments = (ins I64Attr:$loop);
  let results = (outs Index:$result);
  let assemblyFormat = "$loop attr-dict";
  let hasVerifier = 1;
}

def Kernel_MultiprocessorsOp
    : Kernel_Op<"multiprocessors", [MemoryEffects<[MemRead]>]> {
  let summary = "The multiprocessors of the GPU that runs the program.";
  let description = [{
    At least 1. Host code asks for it where a kernel's blocks stay for several
    tiles: a program runs on cards with fewer multiprocessors than their
    architecture's largest one has, or on a part of one (MIG). While a
    collective that was started has not been waited for, it is less by what
    that one needs, so the op reads memory: two of them may differ. Schedules
    create it; `shardir-launches-to-runtime` makes it a call of the runtime.

    Example:

    ```mlir
    %n = kernel.multiprocessors
    ```
  }];
  let results = (outs Index:$result);
  let assemblyFormat = "attr-dict";
}

def Kernel_LibraryMatmulOp : Kernel_Op<"library_matmul",
    [AttrSizedOperandSegments]> {
  let summary = "A product that the GPU's library computes.";
  let description = [{
    c[m,n] = sum over k of a[m,k] * b[k,n], plus what c held if `accumulate` is
    set, plus `bias`[n], and max(0, .) of that if `relu` is set; `batch` times.
    The buffers begin at the first elements. `numbers` are m, n, k and batch, then the strides of
    rows of a, b and c, then those from one product of the batch to the next, all
    in elements. Rows of a run along k, or along m with `a_along_m`; those of b
    along n, or along k with `b_along_k`. The schedule `cublaslt` creates it;
    `shardir-launches-to-runtime` makes it a call of the runtime.

    Example:

    ```mlir
    kernel.library_matmul ins(%a, %b : memref<64x32xbf16>, memref<32x128xbf16>)
        outs(%c : memref<64x128xbf16>)
        numbers(%m, %n, %k, %one, %k, %n, %n, %zero, %zero, %zero)
    ```
  }];
  let arguments = (ins
      Arg<AnyStridedMemRef, "", [MemRead]>:$a,
      Arg<AnyStridedMemRef, "", [MemRead]>:$b,
      Arg<AnyStridedMemRef, "", [MemRead, MemWrite]>:$c,
      Arg<Optional<AnyStridedMemRef>, "", [MemRead]>:$bias,
      Variadic<Index>:$numbers,
      UnitAttr:$a_along_m, UnitAttr:$b_along_k, UnitAttr:$accumulate,
      UnitAttr:$relu, UnitAttr:$tf32);
  let assemblyFormat = [{
    `ins` `(` $a `,` $b `:` type($a) `,` type($b) `)`
    `outs` `(` $c `:` type($c) `)` (`bias` `(` $bias^ `:` type($bias) `)`)?
    `numbers` `(` $numbers `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_LibraryAttentionOp : Kernel_Op<"library_attention"> {
  let summary = "Attention that the GPU's library computes.";
  let description = [{
    result[b,h,m] = softmax over n of (`scale` * query[b,h,m] . key[b,g,n]), times
    value[b,g,n], with g = h / (query heads / key heads). The buffers begin at the
    first elements; rows are contiguous. `numbers` are the batch, the query heads,
    the key heads, the positions m and n, and the elements of a row of query and
    key, and of value and result; then the strides of batch, heads and positions,
    in elements, of query, of key, of value and of result. n is at least 1. The
    schedule `cudnn` creates it; `shardir-launches-to-runtime` makes it a call of the
    runtime.

    Example:

    ```mlir
    kernel.library_attention ins(%q, %k, %v : memref<1x8x64x32xbf16>, memref<1x2x96x32xbf16>, memref<1x2x96x16xbf16>)
        outs(%o : memref<1x8x64x16xbf16>) scale 0.25
        numbers(%one, %c8, %c2, %c64, %c96, %c32, %c16, %c16384, %c2048, %c32,
                %c6144, %c3072, %c32, %c3072, %c1536, %c16, %c8192, %c1024, %c16)
    ```
  }];
  let arguments = (ins
      Arg<AnyStridedMemRef, "", [MemRead]>:$query,
      Arg<AnyStridedMemRef, "", [MemRead]>:$key,
      Arg<AnyStridedMemRef, "", [MemRead]>:$value,
      Arg<AnyStridedMemRef, "", [MemWrite]>:$result,
      F32Attr:$scale, Variadic<Index>:$numbers);
  let assemblyFormat = [{
    `ins` `(` $query `,` $key `,` $value `:` type($query) `,` type($key) `,`
    type($value) `)` `outs` `(` $result `:` type($result) `)` `scale` $scale
    `numbers` `(` $numbers `)` attr-dict
  }];
  let hasVerifier = 1;
}

def Kernel_YieldOp : Kernel_Op<"yield",
    [Pure, Terminator, ReturnLike,
     ParentOneOf<["AttentionOp", "AttentionBackwardOp"]>]> {
  let summary = "Terminates a body of an attention op.";
  let description = [{
    Example:

    ```mlir
    kernel.yield %p, %ds : f32, f32
    ```
  }];
  let arguments = (ins Variadic<AnyFloat>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

#endif // SHARDIR_DIALECT_KERNEL_KERNELOPS_TD
