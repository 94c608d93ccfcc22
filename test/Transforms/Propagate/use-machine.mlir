// RUN: split-file %s %t
// RUN: shard-opt %t/1.mlir --shardir-use-machine="machine=h100x8" | FileCheck %s --check-prefix=H100
// RUN: shard-opt %t/3.mlir --shardir-use-machine="machine=h100x8" | FileCheck %s --check-prefix=NODES
// RUN: shard-opt %t/1.mlir --shardir-use-machine="machine=%t/mine.json" | FileCheck %s --check-prefix=MINE
// RUN: shard-opt %t/1.mlir --shardir-to-propagated="arch=sm_80" | FileCheck %s --check-prefix=ARCH
// RUN: not shard-opt %t/1.mlir --shardir-to-propagated="machine=h101x8" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not shard-opt %t/1.mlir --shardir-to-propagated="machine=%t/wrong.json" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: not shard-opt %t/1.mlir --shardir-to-propagated="machine=%t/wrong-host.json" 2>&1 | FileCheck %s --check-prefix=HOST
// RUN: not shard-opt %t/2.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE

// Ranks fill nodes in order: the minor axes stay within a node. A link of the
// program's own stays.
// H100: module attributes {shardir.machine = {devices_per_node = 8 : i64
// H100-SAME: host = {bandwidth = 6.400000e+10 : f64, latency = 1.000000e-05 : f64}
// H100-SAME: memory = 80000000000 : i64
// H100: shardir.mesh @m <["pp"=2, "dp"=4, "tp"=2], links =
// H100-SAME: dp = {bandwidth = 4.500000e+11 : f64, latency = 3.000000e-06 : f64}
// H100-SAME: pp = {bandwidth = 5.000000e+10 : f64, latency = 1.000000e-05 : f64}
// H100-SAME: tp = {bandwidth = 1.000000e+00 : f64}

// Of an axis whose devices fill nodes, eight take what all of a node gather from
// the network; the network's other axis has one device in each.
// NODES: shardir.mesh @m <["dp"=4, "fsdp"=64], links =
// NODES-SAME: dp = {bandwidth = 5.000000e+10 : f64, latency = 1.000000e-05 : f64}
// NODES-SAME: fsdp = {bandwidth = 5.000000e+10 : f64, gather_bandwidth = 4.000000e+11 : f64, latency = 1.000000e-05 : f64}

// MINE: shardir.machine = {
// MINE-SAME: flops = {f32 = 2.000000e+11 : f64}
// MINE: dp = {bandwidth = 1.000000e+09 : f64, latency = 1.000000e-03 : f64}

// ARCH: memory_bandwidth = 2.039000e+12 : f64

// UNKNOWN: option machine 'h101x8' is none of a100x8, h100x8, h200x8, b200x8, and no file: {{.*}}; did you mean 'h100x8'?
// WRONG: wrong.json: a machine has no 'flops.fp32'; did you mean 'flops.f32'?
// HOST: wrong-host.json: 'host.bandwidth' of a machine must be a number above 0
// ATTRIBUTE: 'shardir.machine': 'memory' of a machine must be a whole number above 0

//--- 1.mlir
shardir.mesh @m <["pp"=2, "dp"=4, "tp"=2], links = {tp = {bandwidth = 1.0}}>
func.func @main(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  return %x : tensor<8x8xf32>
}

//--- 2.mlir
module attributes {shardir.machine = {memory = -1 : i64}} {}

//--- 3.mlir
shardir.mesh @m <["dp"=4, "fsdp"=64]>

//--- mine.json
{"name": "mine", "flops": {"f32": 2e11}, "network": {"bandwidth": 1e9, "latency": 1e-3}}

//--- wrong.json
{"flops": {"fp32": 2e11}}

//--- wrong-host.json
{"host": {"bandwidth": -1}}
