// RUN: not shard-opt %s -shardir-simplify-redistribute="cost=money" 2>&1 | FileCheck %s
// CHECK: error: option cost must be time or bytes, found 'money'
shardir.mesh @m <["x"=2]>
