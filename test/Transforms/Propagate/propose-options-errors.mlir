// RUN: not shard-opt %s -shardir-propose=cost=speed 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not shard-opt %s -shardir-propose=memory-limit=-1 2>&1 | FileCheck %s --check-prefix=LIMIT
// RUN: not shard-opt %s -shardir-propose=file=/no/such/folder/f.json 2>&1 | FileCheck %s --check-prefix=FILE

// COST:  error: option cost must be time or bytes, found 'speed'
// LIMIT: error: option memory-limit must not be negative, found -1
// FILE:  error: cannot write what was compared: {{.*}}
shardir.mesh @m <["x"=2]>
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = math.exp %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}
