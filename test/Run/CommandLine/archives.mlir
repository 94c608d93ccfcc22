// Whole archives in and out: arguments and results by their names, which the
// program says, or by their places.

// RUN: rm -rf %t && mkdir %t
// DEFINE: %{npy} = %python %S/../Inputs/npy.py
// DEFINE: %{fails} = %python %S/../Inputs/exits.py 2 shard-run
// DEFINE: %{p} = shard-run %t/p.so
// RUN: shard-run %s --compile-only -o %t/p.so

// RUN: %{npy} write %t/x.npy "<f4" 4,3 0,1,2,3,4,5,6,7,8,9,10,11
// RUN: %{npy} write %t/b.npy "<f4" 3 10,20,30
// RUN: %{npy} npz %t/all.npz x=%t/x.npy layer.0.bias=%t/b.npy more=%t/b.npy
// RUN: %{npy} npz %t/places.npz arg1=%t/b.npy arg0=%t/x.npy
// RUN: %{npy} npz %t/bias.npz layer.0.bias=%t/b.npy
// RUN: %{npy} npz %t/other.npz bias=%t/b.npy

// RUN: %{p} --inputs=%t/all.npz --output=- | FileCheck %s --check-prefix=SUM
// RUN: shard-run %s --inputs=%t/all.npz --output=- --verify | FileCheck %s --check-prefix=SUM
// RUN: %{p} --inputs=%t/places.npz --output=- | FileCheck %s --check-prefix=SUM
// SUM: 4x3xf32=[10 21 32][13 24 35][16 27 38][19 30 41]

// Inputs that the archives lack come from --input in order, or are random.
// RUN: %{p} --inputs=%t/bias.npz --input=@%t/x.npy --output=- | FileCheck %s --check-prefix=SUM
// RUN: %{p} --inputs=%t/bias.npz --output=- 2>&1 | FileCheck %s --check-prefix=RANDOM
// RANDOM: note: random inputs, seed 0: 0 (4x3xf32)

// Results go to one file and come back, as inputs too.
// RUN: %{p} --inputs=%t/all.npz --outputs=%t/y.npz --output=- | FileCheck %s --check-prefix=SUM
// RUN: %{p} --inputs=%t/bias.npz --input=@%t/y.npz:x --output=- --output=- | FileCheck %s --check-prefix=TWICE
// RUN: %{p} --inputs=%t/all.npz --outputs=%t/y.safetensors
// RUN: %{p} --inputs=%t/y.safetensors --input=3xf32=10,20,30 --output=- --output=- | FileCheck %s --check-prefix=TWICE
// TWICE: 4x3xf32=[20 41 62][23 44 65][26 47 68][29 50 71]
// TWICE: 3xf32=10 20 30
// RUN: %{p} --inputs=%t/bias.npz --input=@%t/x.npy --expected_output=@%t/y.safetensors:x \
// RUN:   --expected_output=@%t/y.safetensors:result1

// RUN: %{fails} %t/p.so --inputs=%t/other.npz 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: --inputs={{.*}}other.npz: it has no array with the name of an argument; these are: x, layer.0.bias
// RUN: %{fails} %t/p.so --inputs=%t/all.npz --inputs=%t/bias.npz 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: error: argument 1 is in two files of --inputs: @{{.*}}all.npz:layer.0.bias and @{{.*}}bias.npz:layer.0.bias
// RUN: %{fails} %t/p.so --inputs=%t/all.npz --input=f32=1 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: function 'main' has 0 arguments that --inputs does not have, 1 --input are given
// RUN: %{npy} npz %t/wrong.npz x=%t/b.npy
// RUN: %{fails} %t/p.so --inputs=%t/wrong.npz 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error: --input=@{{.*}}wrong.npz:x for argument 0: {{.*}} expected 4x3xf32
// RUN: %{fails} %t/p.so --inputs=%t/x.npy 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error: --inputs={{.*}}x.npy: '{{.*}}x.npy' is no archive: expected a name that ends in .npz, .safetensors or .safetensors.index.json
// RUN: %{fails} %t/p.so --inputs=%t/none.npz 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: cannot read '{{.*}}none.npz': No such file or directory
// RUN: %{fails} %t/p.so --outputs=%t/y.npz --output=@%t/y.npz:x 2>&1 | FileCheck %s --check-prefix=CLASH
// CLASH: error: --output=@{{.*}}y.npz:x: --outputs writes this file with all results

shardir.mesh @m <["dp"=2]>
func.func @main(%x: tensor<4x3xf32> {shardir.name = "x", shardir.placement = #shardir.placement<@m, [{"dp"}, {}]>},
                %b: tensor<3xf32> {shardir.name = "layer.0.bias"})
    -> (tensor<4x3xf32> {shardir.name = "x"}, tensor<3xf32>) {
  %e = tensor.empty() : tensor<4x3xf32>
  %rows = linalg.broadcast ins(%b : tensor<3xf32>) outs(%e : tensor<4x3xf32>) dimensions = [0]
  %y = linalg.add ins(%x, %rows : tensor<4x3xf32>, tensor<4x3xf32>) outs(%e : tensor<4x3xf32>) -> tensor<4x3xf32>
  return %y, %b : tensor<4x3xf32>, tensor<3xf32>
}
