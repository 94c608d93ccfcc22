//===- Program.h - PTX, read ------------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A PTX module as its text says it: variables, kernels, and their statements,
// with registers numbered and labels resolved. What a statement means is found
// later (Decoder.h). PTX ISA 9.0, sections 4 and 5.
//
// Requires text that ends in a NUL or has a size; guarantees that what the
// parser does not know is an error that names the line.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_PROGRAM_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_PROGRAM_H

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

/// An invalid module, or an action of a kernel that is invalid on a GPU.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Fundamental types and those of one instruction each, by the order of their
/// names in Program.cpp.
enum class Type : uint8_t {
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  TF32,
  F32,
  F32x2,
  F64,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2,
  None
};
/// Of a word as `f32`; None for another word.
Type typeOf(const std::string &word);
/// Bytes of memory; 0 for predicates.
int sizeOf(Type type);

enum class Space : uint8_t { Global, Shared, Local, Param, Const };

struct Variable {
  std::string name;
  Space space = Space::Global;
  int64_t bytes = 0, alignment = 1;
  bool isExtern = false; ///< of the launch's size
  std::vector<char> initial;
  /// Where it lies: an offset in its space, or a host address (global, const).
  uint64_t address = 0;
};

struct Operand {
  enum Kind : uint8_t { Register, Immediate, Symbol, Address, Vector, Sink };
  Kind kind = Sink;
  bool negated = false;
  int reg = -1;       ///< of a register, or an address's base (-1: none)
  int second = -1;    ///< of `a|b`
  uint64_t value = 0; ///< immediate, or what is added to an address
  bool isFloat = false;
  std::string symbol; ///< a variable, or a label
  /// Of a vector; of an address, what stands behind a comma.
  std::vector<Operand> parts;
};

/// A line of the program that PTX was compiled from; 0 where it is not known.
struct SourceLine {
  int file = 0; ///< a key of Module::files
  int line = 0;
};

struct Statement {
  int line = 0;
  SourceLine source;
  int guard = -1; ///< a predicate
  bool guardNegated = false;
  std::string opcode;
  std::vector<std::string> words; ///< what follows it, between dots
  std::vector<Operand> operands;
  int target = -1;          ///< of branches: the index of a statement
  std::vector<int> targets; ///< of brx.idx
};

struct Register {
  std::string name;
  Type type;
};

struct Kernel {
  std::string name;
  int line = 0;
  std::vector<Variable> parameters;
  int64_t parameterBytes = 0;
  std::vector<Variable> variables; ///< shared and local
  std::vector<Register> registers;
  std::vector<Statement> statements;
  int maxThreads[3] = {0, 0, 0};   ///< .maxntid; 0: not said
  int exactThreads[3] = {0, 0, 0}; ///< .reqntid
  int minBlocks = 0, maxRegisters = 0;
  int cluster[3] = {0, 0, 0}; ///< .reqnctapercluster
};

struct Module {
  std::string target; ///< `sm_90a`
  std::vector<std::string> lines;
  std::map<int, std::string> files; ///< of .file
  std::vector<Variable> variables;  ///< global, const and shared
  std::vector<std::unique_ptr<Kernel>> kernels;
  /// `what`, with the line that it is about.
  std::string at(int line, const std::string &what) const;
};

/// Throws Error for what is not understood.
std::unique_ptr<Module> parse(const std::string &text);

/// The registers whose names a kernel need not declare: %tid.x and so on.
bool isSpecialRegister(const std::string &name);

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_PROGRAM_H
