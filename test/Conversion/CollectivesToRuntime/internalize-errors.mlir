// RUN: shard-opt %s -verify-diagnostics --shardir-internalize

llvm.func @f(%x: i8) {
  // expected-error @+1 {{no code can be generated for this: the target has no arithmetic on 'f8E4M3FN'; compute in a wider type}}
  %0 = builtin.unrealized_conversion_cast %x : i8 to f8E4M3FN
  llvm.return
}
