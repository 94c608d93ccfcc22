//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out a warp's register file and a block's shared memory, and asks the
// family of each instruction for its function.
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include <algorithm>

using namespace shardir::emulated::ptx;

namespace {
constexpr const char *kSpecial[] = {
    "%tid.x",       "%tid.y",        "%tid.z",           "%ntid.x",
    "%ntid.y",      "%ntid.z",       "%ctaid.x",         "%ctaid.y",
    "%ctaid.z",     "%nctaid.x",     "%nctaid.y",        "%nctaid.z",
    "%laneid",      "%warpid",       "%nwarpid",         "%cluster_ctarank",
    "%clusterid.x", "%nclusterid.x", "%cluster_ctaid.x", "%cluster_nctarank",
    "%lanemask_lt", "%lanemask_eq"};

int64_t roundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

const Table &families() {
  static const Table table = [] {
    Table all;
    addIntegers(all);
    addFloats(all);
    addSelections(all);
    addConversions(all);
    addMemory(all);
    addExchanges(all);
    addBarriers(all);
    addWarpgroups(all);
    addTensorMemory(all);
    return all;
  }();
  return table;
}
} // namespace

bool shardir::emulated::ptx::isSpecialRegister(const std::string &name) {
  return std::find(std::begin(kSpecial), std::end(kSpecial), name) !=
         std::end(kSpecial);
}

std::unique_ptr<Code> shardir::emulated::ptx::decode(const Module &module,
                                                     const Kernel &kernel) {
  return Decoder(module, kernel).run();
}

Decoder::Decoder(const Module &module, const Kernel &kernel)
    : module(module), kernel(kernel), code(std::make_unique<Code>()) {
  code->module = &module;
  code->kernel = &kernel;
}

void Decoder::fail(const std::string &what) const {
  throw Error(module.at(current ? current->line : kernel.line, what));
}

Slot Decoder::place(bool predicate, bool wide) {
  Slot slot;
  slot.offset = uint32_t(code->fileBytes);
  slot.index = code->cells++;
  slot.wide = wide;
  code->fileBytes += predicate ? 4 : wide ? 8 * kLanes : 4 * kLanes;
  return slot;
}

void Decoder::allocate() {
  // Predicates first, so that the rest is aligned.
  slots.resize(kernel.registers.size());
  for (bool predicates : {true, false}) {
    for (size_t i = 0; i < kernel.registers.size(); ++i) {
      const Register &r = kernel.registers[i];
      if ((r.type == Type::Pred) != predicates)
        continue;
      if (sizeOf(r.type) > 8)
        fail("register " + r.name + " is wider than 64 bits");
      slots[i] = place(predicates, sizeOf(r.type) == 8);
      if (isSpecialRegister(r.name))
        code->specials.push_back({slots[i], r.name});
    }
    code->fileBytes = size_t(roundUp(int64_t(code->fileBytes), 64));
  }

  for (const Variable &p : kernel.parameters)
    symbols[p.name] = p.address;
  auto add = [&](const Variable &v) {
    if (v.space == Space::Shared && !v.isExtern) {
      code->staticShared = roundUp(code->staticShared, v.alignment);
      symbols[v.name] = kSharedBase + uint64_t(code->staticShared);
      code->staticShared += v.bytes;
    } else if (v.space == Space::Local) {
      code->localBytes = roundUp(code->localBytes, v.alignment);
      symbols[v.name] = uint64_t(code->localBytes);
      code->localBytes += v.bytes;
    } else if (!v.isExtern) {
      symbols[v.name] = v.address;
    }
  };
  for (const Variable &v : module.variables)
    add(v);
  for (const Variable &v : kernel.variables)
    add(v);
  int64_t alignment = 1;
  for (const Variable &v : module.variables)
    if (v.isExtern)
      alignment = std::max(alignment, v.alignment);
  code->dynamicOffset = roundUp(code->staticShared, alignment);
  for (const Variable &v : module.variables)
    if (v.isExtern)
      symbols[v.name] = kSharedBase + uint64_t(code->dynamicOffset);
}

std::unique_ptr<Code> Decoder::run() {
  allocate();
  code->insts.reserve(kernel.statements.size() + 1);
  for (const Statement &statement : kernel.statements) {
    current = &statement;
    used.assign(statement.words.size(), false);
    Inst inst;
    inst.line = statement.line;
    if (statement.guard >= 0) {
      inst.guarded = true;
      inst.guardNegated = statement.guardNegated;
      if (kernel.registers[size_t(statement.guard)].type != Type::Pred)
        fail("a guard that is no predicate");
      inst.guard = slots[size_t(statement.guard)];
    }
    if (statement.opcode == "bra") {
      take("uni");
      inst.kind = Inst::Branch;
      inst.target = statement.target;
    } else if (statement.opcode == "brx") {
      if (!take("idx"))
        fail("a branch that is not emulated");
      take("uni");
      inst.kind = Inst::Branch;
      inst.s[1] = in(0, Type::U32);
      inst.targets = statement.targets;
    } else if (statement.opcode == "ret" || statement.opcode == "exit") {
      take("uni");
      inst.kind = Inst::Exit;
    } else {
      auto family = families().find(statement.opcode);
      if (family == families().end())
        fail("an instruction that is not emulated");
      family->second(*this, inst);
    }
    for (size_t i = 0; i < used.size(); ++i)
      if (!used[i])
        fail("modifier ." + statement.words[i] + " is not emulated here");
    code->insts.push_back(std::move(inst));
  }
  current = nullptr;
  // A label may stand behind the last statement.
  Inst end;
  end.kind = Inst::Exit;
  end.line =
      kernel.statements.empty() ? kernel.line : kernel.statements.back().line;
  code->insts.push_back(end);
  return std::move(code);
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

bool Decoder::take(const char *word) {
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i] && current->words[i] == word)
      return used[i] = true;
  return false;
}

Type Decoder::takeType() {
  for (size_t i = 0; i < used.size(); ++i) {
    if (used[i])
      continue;
    Type type = typeOf(current->words[i]);
    if (type == Type::None)
      continue;
    used[i] = true;
    return type;
  }
  fail("an instruction without a type");
}

std::string Decoder::takeAny() {
  for (size_t i = 0; i < used.size(); ++i)
    if (!used[i]) {
      used[i] = true;
      return current->words[i];
    }
  return "";
}

int Decoder::takeOneOf(const std::vector<const char *> &words,
                       const char *what) {
  for (size_t i = 0; i < words.size(); ++i)
    if (take(words[i]))
      return int(i);
  fail(std::string("no ") + what + " that is emulated");
}

std::string Decoder::takeRounding() {
  for (const char *mode : {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"})
    if (take(mode))
      return mode;
  return "";
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

const Operand &Decoder::operand(size_t i) const {
  if (i >= current->operands.size())
    fail("too few operands");
  return current->operands[i];
}

void Decoder::wantOperands(size_t least, size_t most) {
  if (operands() < least || operands() > most)
    fail(std::to_string(operands()) + " operands");
}

uint64_t Decoder::symbol(const std::string &name) const {
  auto it = symbols.find(name);
  if (it == symbols.end())
    fail("no variable '" + name + "'");
  return it->second;
}

int Decoder::registerBytes(const Operand &operand) const {
  if (operand.kind != Operand::Register)
    fail("an operand that is no register");
  return sizeOf(kernel.registers[size_t(operand.reg)].type);
}

Slot Decoder::constant(uint64_t value, Type type) {
  int bytes = sizeOf(type);
  if (bytes < 8)
    value &= bytes == 0 ? 1 : (uint64_t(1) << (8 * bytes)) - 1;
  int width = bytes == 0 ? 0 : bytes == 8 ? 2 : 1;
  auto found = constants[width].emplace(value, Slot());
  if (found.second) {
    if (width == 0)
      fail("a predicate that is a constant");
    found.first->second = place(false, width == 2);
    code->constants.push_back({found.first->second, value, width == 2});
  }
  return found.first->second;
}

Slot Decoder::in(const Operand &operand, Type type, bool anyWidth) {
  if (operand.negated)
    fail("an operand that is negated");
  switch (operand.kind) {
  case Operand::Register:
    return out(operand, type, anyWidth);
  case Operand::Immediate:
    if (operand.isFloat && type != Type::F32 && type != Type::F64 &&
        type != Type::B32 && type != Type::B64)
      fail("a float that is no operand of this type");
    return constant(operand.value, type);
  case Operand::Symbol:
    if (sizeOf(type) < 4)
      fail("an address in too few bits");
    return constant(symbol(operand.symbol) + operand.value, type);
  default:
    fail("an operand that is neither a register nor a constant");
  }
}

Slot Decoder::out(const Operand &operand, Type type, bool anyWidth) {
  if (operand.kind != Operand::Register || operand.negated)
    fail("an operand that is no register");
  const Register &r = kernel.registers[size_t(operand.reg)];
  if ((r.type == Type::Pred) != (type == Type::Pred))
    fail("register " + r.name + " is of another type");
  bool fits = anyWidth ? sizeOf(r.type) >= sizeOf(type)
                       : sizeOf(r.type) == std::max(sizeOf(type), 2);
  if (type != Type::Pred && !fits)
    fail("register " + r.name + " has " + std::to_string(sizeOf(r.type)) +
         " bytes, not " + std::to_string(sizeOf(type)));
  return slots[size_t(operand.reg)];
}

int64_t Decoder::number(const Operand &operand) const {
  if (operand.kind != Operand::Immediate || operand.isFloat)
    fail("an operand that must be a number");
  return int64_t(operand.value);
}

Slot Decoder::address(const Operand &operand, int64_t &offset) {
  if (operand.kind != Operand::Address)
    fail("an operand that is no address");
  offset = int64_t(operand.value);
  if (operand.reg < 0) {
    uint64_t base = operand.symbol.empty() ? 0 : symbol(operand.symbol);
    return constant(base, Type::B64);
  }
  const Register &r = kernel.registers[size_t(operand.reg)];
  if (sizeOf(r.type) < 4)
    fail("an address in register " + r.name);
  return slots[size_t(operand.reg)];
}
