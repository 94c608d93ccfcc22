//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive descent over the tokens. Names of registers and labels belong to
// the braces that they stand in, as inline PTX declares its own. Functions
// other than kernels are not taken: nothing that we emit calls one.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "Program.h"

#include <unordered_map>

using namespace shardir::emulated::ptx;

namespace {
struct TypeName {
  const char *name;
  Type type;
  int bytes;
};
constexpr TypeName kTypes[] = {
    {"pred", Type::Pred, 0},     {"b8", Type::B8, 1},
    {"b16", Type::B16, 2},       {"b32", Type::B32, 4},
    {"b64", Type::B64, 8},       {"b128", Type::B128, 16},
    {"u8", Type::U8, 1},         {"u16", Type::U16, 2},
    {"u32", Type::U32, 4},       {"u64", Type::U64, 8},
    {"s8", Type::S8, 1},         {"s16", Type::S16, 2},
    {"s32", Type::S32, 4},       {"s64", Type::S64, 8},
    {"f16", Type::F16, 2},       {"f16x2", Type::F16x2, 4},
    {"bf16", Type::BF16, 2},     {"bf16x2", Type::BF16x2, 4},
    {"tf32", Type::TF32, 4},     {"f32", Type::F32, 4},
    {"f32x2", Type::F32x2, 8},   {"f64", Type::F64, 8},
    {"e4m3", Type::E4M3, 1},     {"e5m2", Type::E5M2, 1},
    {"e4m3x2", Type::E4M3x2, 2}, {"e5m2x2", Type::E5M2x2, 2},
};

int64_t roundUp(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

class Parser {
public:
  explicit Parser(const std::string &text)
      : tokens(tokenize(text)), module(std::make_unique<Module>()) {
    size_t start = 0;
    while (start <= text.size()) {
      size_t end = text.find('\n', start);
      end = end == std::string::npos ? text.size() : end;
      module->lines.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  std::unique_ptr<Module> run() {
    while (now().kind != Token::End)
      parseDirective();
    if (module->target.empty())
      throw Error("a module without .target");
    return std::move(module);
  }

private:
  /// The names that hold between two braces.
  struct Scope {
    std::unordered_map<std::string, int> registers, labels;
    std::vector<size_t> branches; ///< statements whose label is not known yet
    /// Lists of labels, by name.
    std::unordered_map<std::string, std::vector<std::string>> tables;
  };

  const Token &now() const { return tokens[place]; }
  const Token &ahead(size_t n = 1) const {
    return tokens[std::min(place + n, tokens.size() - 1)];
  }
  [[noreturn]] void fail(const std::string &what) const {
    throw Error(module->at(now().line, what));
  }
  std::string take(Token::Kind kind, const char *what) {
    if (now().kind != kind)
      fail(std::string("expected ") + what + ", found '" + now().text + "'");
    return tokens[place++].text;
  }
  bool skip(const char *mark) {
    if (!now().is(mark))
      return false;
    ++place;
    return true;
  }
  void expect(const char *mark) {
    if (!skip(mark))
      fail(std::string("expected '") + mark + "', found '" + now().text + "'");
  }
  int64_t takeNumber() {
    auto value = int64_t(now().value);
    take(Token::Number, "a number");
    return value;
  }
  void skipLine() {
    for (int line = now().line; now().line == line && now().kind != Token::End;)
      ++place;
  }
  void takeExtents(int out[3]) {
    for (int dim = 0; dim < 3; ++dim)
      out[dim] = 1;
    int dim = 0;
    do
      out[dim++] = int(takeNumber());
    while (dim < 3 && skip(","));
  }

  void parseDirective() {
    if (skip(".version") || skip(".address_size")) {
      takeNumber();
    } else if (skip(".target")) {
      module->target = take(Token::Name, "an architecture");
      while (skip(","))
        take(Token::Name, "an option of the target");
    } else if (skip(".file")) {
      auto number = int(takeNumber());
      std::string file = take(Token::String, "a file");
      module->files[number] = file.substr(1, file.size() - 2);
    } else if (skip(".section")) {
      // Of debug information; LLVM leaves an empty one.
      while (!now().is("}") && now().kind != Token::End)
        ++place;
      expect("}");
    } else {
      bool isExtern = false;
      while (now().is(".visible") || now().is(".extern") || now().is(".weak"))
        isExtern |= tokens[place++].text == ".extern";
      if (skip(".entry"))
        parseKernel();
      else
        parseVariables(module->variables, isExtern);
    }
  }

  Space takeSpace() {
    for (auto [name, space] : {std::pair{".global", Space::Global},
                               {".shared", Space::Shared},
                               {".local", Space::Local},
                               {".const", Space::Const},
                               {".param", Space::Param}})
      if (skip(name))
        return space;
    fail("'" + now().text + "' is not emulated here");
  }

  Type takeType() {
    Type type =
        now().kind == Token::Dotted ? typeOf(now().text.substr(1)) : Type::None;
    if (type == Type::None)
      fail("expected a type, found '" + now().text + "'");
    ++place;
    return type;
  }

  Variable parseVariable(Space space, bool isParameter) {
    Variable variable;
    variable.space = space;
    if (skip(".align"))
      variable.alignment = takeNumber();
    Type type = takeType();
    variable.alignment = std::max<int64_t>(variable.alignment, sizeOf(type));
    if (isParameter && skip(".ptr")) {
      while (now().kind == Token::Dotted && !now().is(".align"))
        ++place;
      if (skip(".align"))
        takeNumber(); // what the pointer points to
    }
    variable.name = take(Token::Name, "a name");
    variable.bytes = sizeOf(type);
    while (skip("[")) {
      variable.bytes *= now().is("]") ? 0 : takeNumber();
      expect("]");
    }
    if (skip("=")) {
      bool braces = skip("{");
      do {
        Operand value = parseOperand();
        if (value.kind != Operand::Immediate)
          fail("an initial value that is no number");
        for (int i = 0; i < sizeOf(type); ++i)
          variable.initial.push_back(char(value.value >> (8 * i)));
      } while (braces && skip(","));
      if (braces)
        expect("}");
    }
    return variable;
  }

  void parseVariables(std::vector<Variable> &into, bool isExtern) {
    Space space = takeSpace();
    Variable variable = parseVariable(space, /*isParameter=*/false);
    variable.isExtern = isExtern;
    if (isExtern && space != Space::Shared)
      fail("a variable of another module");
    into.push_back(std::move(variable));
    expect(";");
  }

  void parseKernel() {
    auto owned = std::make_unique<Kernel>();
    kernel = owned.get();
    kernel->line = now().line;
    source = {};
    kernel->name = take(Token::Name, "a kernel's name");
    if (skip("(") && !skip(")")) {
      do {
        expect(".param");
        Variable parameter = parseVariable(Space::Param, true);
        parameter.address =
            uint64_t(roundUp(kernel->parameterBytes, parameter.alignment));
        kernel->parameterBytes = int64_t(parameter.address) + parameter.bytes;
        kernel->parameters.push_back(std::move(parameter));
      } while (skip(","));
      expect(")");
    }
    while (!now().is("{")) {
      if (skip(".maxntid"))
        takeExtents(kernel->maxThreads);
      else if (skip(".reqntid"))
        takeExtents(kernel->exactThreads);
      else if (skip(".minnctapersm"))
        kernel->minBlocks = int(takeNumber());
      else if (skip(".maxnreg"))
        kernel->maxRegisters = int(takeNumber());
      else if (skip(".reqnctapercluster"))
        takeExtents(kernel->cluster);
      else if (!skip(".explicitcluster"))
        fail("'" + now().text + "' is not emulated");
    }
    parseBlock();
    module->kernels.push_back(std::move(owned));
  }

  void parseBlock() {
    expect("{");
    scopes.emplace_back();
    while (!skip("}")) {
      if (now().kind == Token::End)
        fail("a kernel that does not end");
      parseStatement();
    }
    Scope done = std::move(scopes.back());
    scopes.pop_back();
    for (size_t i : done.branches) {
      Statement &branch = kernel->statements[i];
      if (branch.opcode == "brx") {
        resolveTable(branch, done);
        continue;
      }
      auto it = done.labels.find(branch.operands[0].symbol);
      if (it != done.labels.end())
        branch.target = it->second;
      else if (!scopes.empty())
        scopes.back().branches.push_back(i);
      else
        throw Error(
            module->at(branch.line, "no label " + branch.operands[0].symbol));
    }
  }

  /// The list and its labels stand in the braces of the branch.
  void resolveTable(Statement &branch, const Scope &scope) {
    auto table = scope.tables.find(branch.operands[1].symbol);
    if (table == scope.tables.end())
      throw Error(module->at(branch.line,
                             "no list of labels " + branch.operands[1].symbol));
    for (const std::string &name : table->second) {
      auto label = scope.labels.find(name);
      if (label == scope.labels.end())
        throw Error(module->at(branch.line, "no label " + name));
      branch.targets.push_back(label->second);
    }
  }

  void parseStatement() {
    if (now().is("{"))
      return parseBlock();
    if (skip(".loc")) {
      source.file = int(takeNumber());
      source.line = int(takeNumber());
      return skipLine();
    }
    if (skip(".pragma")) {
      take(Token::String, "a string");
      return expect(";");
    }
    if (skip(".reg"))
      return parseRegisters();
    if (now().is(".local") || now().is(".shared"))
      return parseVariables(kernel->variables, false);
    if (now().kind == Token::Name && ahead().is(":")) {
      std::string name = now().text;
      place += 2;
      if (!skip(".branchtargets")) {
        scopes.back().labels[name] = int(kernel->statements.size());
        return;
      }
      do
        scopes.back().tables[name].push_back(take(Token::Name, "a label"));
      while (skip(","));
      return expect(";");
    }
    if (skip(";"))
      return;
    parseInstruction();
  }

  void parseRegisters() {
    Type type = takeType();
    do {
      std::string name = take(Token::Name, "a register's name");
      if (skip("<")) {
        int64_t count = takeNumber();
        expect(">");
        for (int64_t i = 0; i < count; ++i)
          declare(name + std::to_string(i), type);
      } else {
        declare(name, type);
      }
    } while (skip(","));
    expect(";");
  }

  int declare(const std::string &name, Type type) {
    auto number = int(kernel->registers.size());
    kernel->registers.push_back({name, type});
    scopes.back().registers[name] = number;
    return number;
  }

  int findRegister(const std::string &name) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      auto it = scope->registers.find(name);
      if (it != scope->registers.end())
        return it->second;
    }
    if (!isSpecialRegister(name))
      return -1;
    auto number = int(kernel->registers.size());
    kernel->registers.push_back({name, Type::U32});
    scopes.front().registers[name] = number;
    return number;
  }

  void parseInstruction() {
    Statement statement;
    statement.line = now().line;
    statement.source = source;
    if (skip("@")) {
      statement.guardNegated = skip("!");
      statement.guard = findRegister(take(Token::Name, "a predicate"));
      if (statement.guard < 0)
        fail("no such predicate");
    }
    statement.opcode = take(Token::Name, "an instruction");
    while (now().kind == Token::Dotted)
      statement.words.push_back(tokens[place++].text.substr(1));
    if (!now().is(";"))
      do
        statement.operands.push_back(parseOperand());
      while (skip(","));
    expect(";");
    if (statement.opcode == "bra") {
      if (statement.operands.size() != 1 ||
          statement.operands[0].kind != Operand::Symbol)
        fail("a branch to no label");
      scopes.back().branches.push_back(kernel->statements.size());
    }
    if (statement.opcode == "brx") {
      if (statement.operands.size() != 2 ||
          statement.operands[1].kind != Operand::Symbol)
        fail("a branch to no list of labels");
      scopes.back().branches.push_back(kernel->statements.size());
    }
    kernel->statements.push_back(std::move(statement));
  }

  Operand parseOperand() {
    Operand operand;
    if (skip("!"))
      operand.negated = true;
    if (skip("[")) {
      operand.kind = Operand::Address;
      Operand base = parseOperand();
      if (base.kind == Operand::Address || base.kind == Operand::Vector)
        fail("an address that is none");
      operand.reg = base.reg;
      operand.symbol = base.symbol;
      operand.value = base.value;
      if (skip("+"))
        operand.value += parseOperand().value;
      while (skip(","))
        operand.parts.push_back(parseOperand());
      expect("]");
      return operand;
    }
    if (skip("{")) {
      operand.kind = Operand::Vector;
      do
        operand.parts.push_back(parseOperand());
      while (skip(","));
      expect("}");
      return operand;
    }
    if (skip("-")) {
      operand = parseOperand();
      if (operand.kind != Operand::Immediate || operand.isFloat)
        fail("a sign before what is no number");
      operand.value = uint64_t(0) - operand.value;
      return operand;
    }
    if (now().kind == Token::Number || now().kind == Token::Float) {
      operand.kind = Operand::Immediate;
      operand.isFloat = now().kind == Token::Float;
      operand.value = now().value;
      ++place;
      return operand;
    }
    std::string name = take(Token::Name, "an operand");
    if (name == "_")
      return operand;
    int number = kernel ? findRegister(name) : -1;
    if (number >= 0) {
      operand.kind = Operand::Register;
      operand.reg = number;
      if (skip("|")) {
        operand.second = findRegister(take(Token::Name, "a predicate"));
        if (operand.second < 0)
          fail("no such predicate");
      }
      return operand;
    }
    if (name[0] == '%')
      fail("register '" + name + "' is neither declared nor emulated");
    operand.kind = Operand::Symbol;
    operand.symbol = name;
    return operand;
  }

  std::vector<Token> tokens;
  size_t place = 0;
  std::unique_ptr<Module> module;
  Kernel *kernel = nullptr;
  SourceLine source; ///< of the statements that follow
  std::vector<Scope> scopes;
};
} // namespace

Type shardir::emulated::ptx::typeOf(const std::string &word) {
  for (const TypeName &known : kTypes)
    if (word == known.name)
      return known.type;
  return Type::None;
}

int shardir::emulated::ptx::sizeOf(Type type) {
  for (const TypeName &known : kTypes)
    if (type == known.type)
      return known.bytes;
  return 0;
}

std::string Module::at(int line, const std::string &what) const {
  std::string text =
      line >= 1 && size_t(line) <= lines.size() ? lines[size_t(line - 1)] : "";
  size_t first = text.find_first_not_of(" \t");
  text = first == std::string::npos ? "" : text.substr(first);
  for (char &c : text)
    c = c == '\t' ? ' ' : c;
  if (text.size() > 160)
    text = text.substr(0, 160) + "...";
  return "PTX line " + std::to_string(line) + " (" + text + "): " + what;
}

std::unique_ptr<Module> shardir::emulated::ptx::parse(const std::string &text) {
  return Parser(text).run();
}
