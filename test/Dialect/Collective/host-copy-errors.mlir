// RUN: shard-opt %s -verify-diagnostics -split-input-file

func.func @forms(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.host_copy' op must have either a tensor result or a destination buffer}}
  "collective.host_copy"(%x) {to_host} : (tensor<8xf32>) -> ()
  return
}

// -----

func.func @mixed(%x: memref<8xf32>) {
  // expected-error @+1 {{'collective.host_copy' op leads from a tensor to a tensor, or from a buffer into a buffer; found an operand of type 'memref<8xf32>'}}
  %0 = collective.host_copy %x to host : memref<8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @types(%x: tensor<8xf32>) {
  // expected-error @+1 {{'collective.host_copy' op needs operand and result of one shape and type, found 'tensor<8xf32>' and 'tensor<4xf32>'}}
  %0 = collective.host_copy %x to host : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @spaces(%x: memref<8xf32>, %y: memref<8xf32>) {
  // expected-error @+1 {{'collective.host_copy' op leads from the device to the host, where buffers have memory space #shardir.host; found 'memref<8xf32>' and 'memref<8xf32>'}}
  collective.host_copy %x into %y to host : memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @direction(%x: memref<8xf32>, %y: memref<8xf32, #shardir.host>) {
  // expected-error @+1 {{'collective.host_copy' op leads from the host to the device, where buffers have memory space #shardir.host}}
  collective.host_copy %x into %y to device : memref<8xf32>, memref<8xf32, #shardir.host>
  return
}

// -----

func.func @other_user(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{'collective.host_copy' op has a result on the host, which only a copy back can read}}
  %h = collective.host_copy %x to host : tensor<8xf32> -> tensor<8xf32>
  // expected-note @+1 {{'math.tanh' reads it; let it read the result of collective.host_copy … to device}}
  %0 = math.tanh %h : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @device_already(%x: tensor<8xf32>) -> tensor<8xf32> {
  %h = collective.host_copy %x to host : tensor<8xf32> -> tensor<8xf32>
  %0 = collective.host_copy %h to device : tensor<8xf32> -> tensor<8xf32>
  // expected-error @+1 {{'collective.host_copy' op leads from the host to the device, but its operand is on the device already}}
  %1 = collective.host_copy %0 to device : tensor<8xf32> -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
