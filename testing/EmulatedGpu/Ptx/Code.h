//===- Code.h - Decoded PTX -------------------------------------*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel as warps run it: an instruction is a function and the places of its
// operands in a warp's register file. Constants and special registers lie there
// too, so every operand is 32 values, one per lane. Predicates are a word with
// a bit per lane; all narrower types take 32 bits, zero-extended.
//
// Requires a parsed kernel; guarantees that an instruction, a modifier or an
// operand that is not known is an Error with its line, and that every word of
// an instruction was looked at.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TESTING_EMULATEDGPU_PTX_CODE_H
#define SHARDIR_TESTING_EMULATEDGPU_PTX_CODE_H

#include "Program.h"

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardir {
namespace emulated {
namespace ptx {

class Warp;

constexpr int kLanes = 32;
constexpr uint32_t kAllLanes = 0xffffffffu;

/// Where shared memory begins: what is below belongs to the system.
constexpr uint64_t kSharedBase = 1024;
/// Generic addresses of what is not global have their space in the highest
/// byte; global memory is where the host has it.
constexpr uint64_t kSharedWindow = uint64_t(1) << 56;
constexpr uint64_t kLocalWindow = uint64_t(2) << 56;
constexpr uint64_t kParamWindow = uint64_t(3) << 56;
constexpr uint64_t kWindowMask = uint64_t(0xff) << 56;
/// Of a block's shared memory in the addresses of its cluster: rank + 1.
constexpr int kRankShift = 24;

/// An operand of a warp.
struct Slot {
  uint32_t offset = 0; ///< bytes in the register file
  uint32_t index : 31; ///< of its `known` word
  uint32_t wide : 1;   ///< 64 bits a lane
  Slot() : index(0), wide(0) {}
};

/// The result, for its warp, of an instruction that lanes or warps run
/// together.
enum class Outcome : uint8_t { Next, Wait };

struct Inst {
  enum Kind : uint8_t { Plain, Meet, Branch, Exit };
  using Run = void (*)(Warp &, const Inst &, uint32_t mask);
  using Together = Outcome (*)(Warp &, const Inst &, uint32_t mask);

  Kind kind = Plain;
  bool guarded = false, guardNegated = false;
  uint8_t count = 0;   ///< of what the instruction has several: elements, tiles
  uint8_t bytes = 0;   ///< of one element
  uint8_t variant = 0; ///< of the family, by its own numbering
  Space space = Space::Global;
  bool generic = false;      ///< any space
  bool touchesWgmma = false; ///< may use registers that a wgmma writes
  Run run = nullptr;
  Together meet = nullptr;
  Slot s[5];
  Slot guard;
  int32_t target = -1, line = 0;
  int64_t imm = 0;
  /// Offsets of further addresses.
  int64_t second = 0, third = 0;
  std::vector<Slot> more;
  std::vector<int> targets; ///< of a branch by an index, which is s[1]
};

struct Code {
  const Module *module = nullptr;
  const Kernel *kernel = nullptr;
  std::vector<Inst> insts;
  size_t fileBytes = 0;
  uint32_t cells = 0;
  int64_t staticShared = 0;    ///< bytes
  int64_t dynamicOffset = 0;   ///< of the launch's bytes, behind kSharedBase
  int64_t localBytes = 0;      ///< of one thread
  bool usesAsyncProxy = false; ///< TMA, wgmma or tcgen05
  struct Constant {
    Slot slot;
    uint64_t value;
    bool wide;
  };
  std::vector<Constant> constants;
  struct Special {
    Slot slot;
    std::string name;
  };
  std::vector<Special> specials;
};

/// Decodes `kernel`; variables of the module have their addresses.
std::unique_ptr<Code> decode(const Module &module, const Kernel &kernel);

/// The decoder as the families of instructions use it.
class Decoder {
public:
  Decoder(const Module &module, const Kernel &kernel);
  std::unique_ptr<Code> run();

  /// The statement that is decoded.
  const Statement &statement() const { return *current; }
  Code &result() { return *code; }
  [[noreturn]] void fail(const std::string &what) const;

  /// Words of the instruction, each once.
  bool take(const char *word);
  /// The first of them that is a type.
  Type takeType();
  /// The first word that is left, "" where there is none.
  std::string takeAny();
  /// One of them must be there; which.
  int takeOneOf(const std::vector<const char *> &words, const char *what);
  /// The rounding mode behind the opcode: `rn` and so on; "" for none.
  std::string takeRounding();

  size_t operands() const { return current->operands.size(); }
  const Operand &operand(size_t i) const;
  void wantOperands(size_t least, size_t most);
  /// A register or a constant of `type`.
  Slot in(size_t i, Type type) { return in(operand(i), type); }
  Slot in(const Operand &operand, Type type, bool anyWidth = false);
  /// A register.
  Slot out(size_t i, Type type, bool anyWidth = false) {
    return out(operand(i), type, anyWidth);
  }
  Slot out(const Operand &operand, Type type, bool anyWidth = false);
  Slot constant(uint64_t value, Type type);
  /// The bytes that the operand's register has: 2, 4 or 8; 0 for predicates.
  int registerBytes(const Operand &operand) const;
  /// A constant of the instruction itself.
  int64_t number(const Operand &operand) const;
  /// Puts the address into a slot and `offset`.
  Slot address(const Operand &operand, int64_t &offset);

private:
  void allocate();
  uint64_t symbol(const std::string &name) const;
  Slot place(bool predicate, bool wide);

  const Module &module;
  const Kernel &kernel;
  std::unique_ptr<Code> code;
  std::vector<Slot> slots; ///< by register
  std::unordered_map<uint64_t, Slot> constants[3];
  std::unordered_map<std::string, uint64_t> symbols;
  const Statement *current = nullptr;
  std::vector<bool> used; ///< words
};

using Decode = void (*)(Decoder &, Inst &);
using Table = std::unordered_map<std::string, Decode>;
/// By opcode; each in a file of its own.
void addIntegers(Table &table);
void addFloats(Table &table);
void addSelections(Table &table);
void addConversions(Table &table);
void addMemory(Table &table);
void addExchanges(Table &table);
void addBarriers(Table &table);
void addWarpgroups(Table &table);
void addTensorMemory(Table &table);

} // namespace ptx
} // namespace emulated
} // namespace shardir

#endif // SHARDIR_TESTING_EMULATEDGPU_PTX_CODE_H
