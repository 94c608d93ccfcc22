//===- bench-local.cpp - Generated CPU code against OpenBLAS --------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles small programs with local-cc, checks sampled results against double
// precision, and times them beside OpenBLAS (where it is installed) in the same
// process: min and median, in ms.
//
//   bench-local BIN_FOLDER LIB_FOLDER [--case=substring] [--json=file]
//
// SHARDIR_LOCAL_THREADS is the number of threads of both. Unset
// OPENBLAS_CORETYPE first: presets can halve OpenBLAS's speed.
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

namespace {
enum class Type { f32, f64, bf16 };

struct Array {
  std::vector<int64_t> shape;
  Type type = Type::f32;
  void *data = nullptr;
  std::vector<int64_t> descriptor;

  int64_t count() const {
    int64_t n = 1;
    for (int64_t extent : shape)
      n *= extent;
    return n;
  }
  double at(int64_t i) const {
    if (type == Type::f32)
      return static_cast<float *>(data)[i];
    if (type == Type::f64)
      return static_cast<double *>(data)[i];
    uint32_t bits = uint32_t(static_cast<uint16_t *>(data)[i]) << 16;
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
  }
  void set(int64_t i, double x) {
    if (type == Type::f32) {
      static_cast<float *>(data)[i] = x;
    } else if (type == Type::f64) {
      static_cast<double *>(data)[i] = x;
    } else {
      float value = x;
      uint32_t bits;
      std::memcpy(&bits, &value, 4);
      static_cast<uint16_t *>(data)[i] =
          (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
    }
  }
};

Array makeArray(std::vector<int64_t> shape, Type type, uint32_t seed) {
  Array array;
  array.shape = shape;
  array.type = type;
  int64_t bytes = array.count() * 8 + 64;
  array.data = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  for (int64_t i = 0; i < array.count(); ++i) {
    seed = seed * 1664525u + 1013904223u;
    array.set(i, ((seed >> 8) & 0xffff) / 65536.0 - 0.5);
  }
  array.descriptor = {reinterpret_cast<int64_t>(array.data),
                      reinterpret_cast<int64_t>(array.data), 0};
  array.descriptor.insert(array.descriptor.end(), shape.begin(), shape.end());
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t stride = 1;
    for (size_t j = i + 1; j < shape.size(); ++j)
      stride *= shape[j];
    array.descriptor.push_back(stride);
  }
  return array;
}

struct Case {
  std::string name, program;
  /// The result is last.
  std::vector<Array> arrays;
  double flops = 0, bytes = 0, tolerance = 1e-4;
  std::function<double(int64_t)> reference;
  std::function<void()> library;
};

using Gemm = void (*)(int, int, int, int, int, int, float, const float *, int,
                      const float *, int, float, float *, int);
Gemm sgemm = nullptr;

std::string tensor(const std::vector<int64_t> &shape, Type type, bool dynamic) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += (dynamic ? "?" : std::to_string(extent)) + "x";
  const char *names[] = {"f32", "f64", "bf16"};
  return text + names[int(type)] + ">";
}

/// C[b, m, n] = A * B; transposed operands are stored the other way round.
Case matmul(std::string name, int64_t batch, int64_t m, int64_t n, int64_t k,
            bool transposeA = false, bool transposeB = false,
            Type type = Type::f32, bool dynamic = false) {
  Case result;
  result.name = name;
  auto shape = [&](int64_t x, int64_t y) {
    return batch > 1 ? std::vector<int64_t>{batch, x, y}
                     : std::vector<int64_t>{x, y};
  };
  std::vector<int64_t> a = transposeA ? shape(k, m) : shape(m, k);
  std::vector<int64_t> b = transposeB ? shape(n, k) : shape(k, n);
  Type out = type == Type::bf16 ? Type::f32 : type;
  std::string dims = batch > 1 ? "b, m, n, k" : "m, n, k";
  std::string prefix = batch > 1 ? "b, " : "";
  std::string mapA = prefix + (transposeA ? "k, m" : "m, k"),
              mapB = prefix + (transposeB ? "n, k" : "k, n"),
              mapC = prefix + "m, n";
  std::string ta = tensor(a, type, dynamic), tb = tensor(b, type, dynamic),
              tc = tensor(shape(m, n), out, dynamic);
  std::string outName = out == Type::f64 ? "f64" : "f32";
  std::string inName = type == Type::bf16 ? "bf16" : outName;
  std::string rank = batch > 1 ? "1" : "0";
  std::string p = "func.func @main(%a: " + ta + ", %b: " + tb + ") -> " + tc +
                  " {\n  %z = arith.constant 0.0 : " + outName + "\n";
  std::string extents;
  if (dynamic) {
    p += "  %i0 = arith.constant 0 : index\n  %i1 = arith.constant 1 : index\n"
         "  %i2 = arith.constant 2 : index\n";
    auto dim = [&](const char *id, const char *of, int at,
                   const std::string &t) {
      p += std::string("  %") + id + " = tensor.dim %" + of + ", %i" +
           std::to_string(at) + " : " + t + "\n";
      extents += (extents.empty() ? "%" : ", %") + std::string(id);
    };
    int base = batch > 1;
    if (base)
      dim("db", "a", 0, ta);
    dim("dm", "a", base + transposeA, ta);
    dim("dn", "b", base + !transposeB, tb);
  }
  p += "  %e = tensor.empty(" + extents + ") : " + tc +
       "\n  %f = linalg.fill ins(%z : " + outName + ") outs(%e : " + tc +
       ") -> " + tc + "\n  %r = linalg.generic {indexing_maps = [affine_map<(" +
       dims + ") -> (" + mapA + ")>, affine_map<(" + dims + ") -> (" + mapB +
       ")>, affine_map<(" + dims + ") -> (" + mapC + ")>], iterator_types = [" +
       (batch > 1 ? "\"parallel\", " : "") +
       "\"parallel\", \"parallel\", \"reduction\"]} ins(%a, %b : " + ta + ", " +
       tb + ") outs(%f : " + tc + ") {\n  ^bb0(%x: " + inName +
       ", %y: " + inName + ", %o: " + outName + "):\n";
  std::string x = "%x", y = "%y";
  if (type == Type::bf16) {
    p += "    %xe = arith.extf %x : bf16 to f32\n    %ye = arith.extf %y : "
         "bf16 to f32\n";
    x = "%xe";
    y = "%ye";
  }
  p += "    %p = arith.mulf " + x + ", " + y + " : " + outName +
       "\n    %s = arith.addf %o, %p : " + outName +
       "\n    linalg.yield %s : " + outName + "\n  } -> " + tc +
       "\n  return %r : " + tc + "\n}\n";
  result.program = p;
  result.arrays = {makeArray(a, type, 1), makeArray(b, type, 2),
                   makeArray(shape(m, n), out, 3)};
  result.flops = 2.0 * batch * m * n * k;
  result.tolerance = (type == Type::f64 ? 1e-12 : 1e-5) * std::sqrt(k);
  Array A = result.arrays[0], B = result.arrays[1];
  result.reference = [=](int64_t index) {
    int64_t i = index / n % m, j = index % n, t = index / n / m;
    double sum = 0;
    for (int64_t l = 0; l < k; ++l)
      sum += A.at(t * m * k + (transposeA ? l * m + i : i * k + l)) *
             B.at(t * n * k + (transposeB ? j * k + l : l * n + j));
    return sum;
  };
  if (sgemm) {
    auto scratch = std::make_shared<std::vector<float>>(batch * m * n);
    auto fa = std::make_shared<std::vector<float>>(A.count());
    auto fb = std::make_shared<std::vector<float>>(B.count());
    for (int64_t i = 0; i < A.count(); ++i)
      (*fa)[i] = A.at(i);
    for (int64_t i = 0; i < B.count(); ++i)
      (*fb)[i] = B.at(i);
    result.library = [=] {
      for (int64_t t = 0; t < batch; ++t)
        sgemm(101, transposeA ? 112 : 111, transposeB ? 112 : 111, m, n, k, 1,
              fa->data() + t * m * k, transposeA ? m : k,
              fb->data() + t * n * k, transposeB ? k : n, 0,
              scratch->data() + t * m * n, n);
    };
  }
  return result;
}

/// A program over rows: `body` is its text after the constants, in terms of
/// %x (rows x columns), %g and %b (columns) and the types T, W (rows) and V.
Case rows(std::string name, int64_t height, int64_t width, std::string body,
          std::function<double(const Array &, const Array &, const Array &,
                               int64_t, int64_t)>
              reference,
          double tolerance = 2e-6) {
  Case result;
  result.name = name;
  std::string h = std::to_string(height), w = std::to_string(width);
  std::string T = "tensor<" + h + "x" + w + "xf32>",
              W = "tensor<" + h + "xf32>", V = "tensor<" + w + "xf32>";
  std::string text =
      "#id = affine_map<(i, j) -> (i, j)>\n#r = affine_map<(i, j) -> (i)>\n"
      "#c = affine_map<(i, j) -> (j)>\n#v = affine_map<(i) -> (i)>\n"
      "func.func @main(%x: T, %g: V, %b: V) -> T {\n"
      "  %zero = arith.constant 0.0 : f32\n"
      "  %one = arith.constant 1.0 : f32\n"
      "  %half = arith.constant 0.5 : f32\n"
      "  %ninf = arith.constant 0xFF800000 : f32\n"
      "  %count = arith.constant " +
      w +
      ".0 : f32\n"
      "  %eps = arith.constant 1.0e-5 : f32\n"
      "  %et = tensor.empty() : T\n  %ew = tensor.empty() : W\n" +
      body + "  return %result : T\n}\n";
  auto isWord = [](char c) { return std::isalnum(c) || c == '_' || c == '%'; };
  for (size_t i = 0; i < text.size(); ++i) {
    const std::string *type = text[i] == 'T'   ? &T
                              : text[i] == 'W' ? &W
                              : text[i] == 'V' ? &V
                                               : nullptr;
    bool alone = (i == 0 || !isWord(text[i - 1])) &&
                 (i + 1 == text.size() || !isWord(text[i + 1]));
    result.program += type && alone ? *type : std::string(1, text[i]);
  }
  result.arrays = {makeArray({height, width}, Type::f32, 1),
                   makeArray({width}, Type::f32, 2),
                   makeArray({width}, Type::f32, 3),
                   makeArray({height, width}, Type::f32, 4)};
  result.bytes = 8.0 * height * width;
  result.tolerance = tolerance;
  Array x = result.arrays[0], g = result.arrays[1], b = result.arrays[2];
  result.reference = [=](int64_t i) {
    return reference(x, g, b, i / width, i % width);
  };
  return result;
}

std::string map(std::string result, std::string maps, std::string ins,
                std::string types, std::string args, std::string body,
                std::string out = "%et", std::string outType = "T",
                std::string iterators = "\"parallel\", \"parallel\"") {
  return "  " + result + " = linalg.generic {indexing_maps = [" + maps +
         "], iterator_types = [" + iterators + "]} ins(" + ins + " : " + types +
         ") outs(" + out + " : " + outType + ") {\n  ^bb0(" + args +
         ", %o: f32):\n" + body + "  } -> " + outType + "\n";
}

const char *const reduces = "\"parallel\", \"reduction\"";

Case softmax(std::string name, int64_t height, int64_t width) {
  std::string body =
      "  %f0 = linalg.fill ins(%ninf : f32) outs(%ew : W) -> W\n" +
      map("%m", "#id, #r", "%x", "T", "%p: f32",
          "    %t = arith.maximumf %p, %o : f32\n    linalg.yield %t : f32\n",
          "%f0", "W", reduces) +
      map("%e", "#id, #r, #id", "%x, %m", "T, W", "%p: f32, %q: f32",
          "    %t = arith.subf %p, %q : f32\n    %u = math.exp %t : f32\n"
          "    linalg.yield %u : f32\n") +
      "  %f1 = linalg.fill ins(%zero : f32) outs(%ew : W) -> W\n" +
      map("%s", "#id, #r", "%e", "T", "%p: f32",
          "    %t = arith.addf %p, %o : f32\n    linalg.yield %t : f32\n",
          "%f1", "W", reduces) +
      map("%result", "#id, #r, #id", "%e, %s", "T, W", "%p: f32, %q: f32",
          "    %t = arith.divf %p, %q : f32\n    linalg.yield %t : f32\n");
  return rows(
      name, height, width, body,
      [=](const Array &x, const Array &, const Array &, int64_t i, int64_t j) {
        double m = -INFINITY, sum = 0;
        for (int64_t l = 0; l < width; ++l)
          m = std::max(m, x.at(i * width + l));
        for (int64_t l = 0; l < width; ++l)
          sum += std::exp(x.at(i * width + l) - m);
        return std::exp(x.at(i * width + j) - m) / sum;
      });
}

Case layerNorm(std::string name, int64_t height, int64_t width) {
  std::string body =
      "  %f0 = linalg.fill ins(%zero : f32) outs(%ew : W) -> W\n" +
      map("%s", "#id, #r", "%x", "T", "%p: f32",
          "    %t = arith.addf %p, %o : f32\n    linalg.yield %t : f32\n",
          "%f0", "W", reduces) +
      map("%m", "#v, #v", "%s", "W", "%p: f32",
          "    %t = arith.divf %p, %count : f32\n    linalg.yield %t : f32\n",
          "%ew", "W", "\"parallel\"") +
      map("%q", "#id, #r, #r", "%x, %m", "T, W", "%p: f32, %n: f32",
          "    %d = arith.subf %p, %n : f32\n    %e = arith.mulf %d, %d : f32\n"
          "    %t = arith.addf %e, %o : f32\n    linalg.yield %t : f32\n",
          "%f0", "W", reduces) +
      map("%k", "#v, #v", "%q", "W", "%p: f32",
          "    %t = arith.divf %p, %count : f32\n    %u = arith.addf %t, %eps "
          ": f32\n    %w = math.rsqrt %u : f32\n    linalg.yield %w : f32\n",
          "%ew", "W", "\"parallel\"") +
      map("%result", "#id, #r, #r, #c, #c, #id", "%x, %m, %k, %g, %b",
          "T, W, W, V, V", "%p: f32, %n: f32, %k0: f32, %g0: f32, %b0: f32",
          "    %d = arith.subf %p, %n : f32\n    %e = arith.mulf %d, %k0 : "
          "f32\n"
          "    %h = arith.mulf %e, %g0 : f32\n    %t = arith.addf %h, %b0 : "
          "f32\n"
          "    linalg.yield %t : f32\n");
  return rows(name, height, width, body,
              [=](const Array &x, const Array &g, const Array &b, int64_t i,
                  int64_t j) {
                double sum = 0, square = 0;
                for (int64_t l = 0; l < width; ++l)
                  sum += x.at(i * width + l);
                double mean = sum / width;
                for (int64_t l = 0; l < width; ++l)
                  square += std::pow(x.at(i * width + l) - mean, 2);
                return (x.at(i * width + j) - mean) /
                           std::sqrt(square / width + 1e-5) * g.at(j) +
                       b.at(j);
              });
}

/// activation(x * g + b), as three ops.
Case activation(std::string name, int64_t height, int64_t width,
                std::string body, std::function<double(double)> reference) {
  std::string text =
      map("%y", "#id, #c, #id", "%x, %g", "T, V", "%p: f32, %q: f32",
          "    %t = arith.mulf %p, %q : f32\n    linalg.yield %t : f32\n") +
      map("%z", "#id, #c, #id", "%y, %b", "T, V", "%p: f32, %q: f32",
          "    %t = arith.addf %p, %q : f32\n    linalg.yield %t : f32\n") +
      map("%result", "#id, #id", "%z", "T", "%t: f32",
          body + "    linalg.yield %u : f32\n");
  return rows(name, height, width, text,
              [=](const Array &x, const Array &g, const Array &b, int64_t i,
                  int64_t j) {
                return reference(x.at(i * width + j) * g.at(j) + b.at(j));
              });
}

Case relu(std::string name, int64_t height, int64_t width) {
  return activation(name, height, width,
                    "    %u = arith.maximumf %t, %zero : f32\n",
                    [](double t) { return std::max(t, 0.0); });
}

Case geluTanh(std::string name, int64_t height, int64_t width) {
  return activation(
      name, height, width,
      "    %c0 = arith.constant 0.7978845608 : f32\n"
      "    %c1 = arith.constant 0.044715 : f32\n"
      "    %a0 = arith.mulf %t, %t : f32\n    %a1 = arith.mulf %a0, %c1 : f32\n"
      "    %a2 = arith.addf %a1, %one : f32\n"
      "    %a3 = arith.mulf %a2, %t : f32\n    %a4 = arith.mulf %a3, %c0 : "
      "f32\n"
      "    %a5 = math.tanh %a4 : f32\n    %a6 = arith.addf %a5, %one : f32\n"
      "    %a7 = arith.mulf %t, %half : f32\n"
      "    %u = arith.mulf %a7, %a6 : f32\n",
      [](double t) {
        return 0.5 * t *
               (1 + std::tanh(0.7978845608028654 * (t + 0.044715 * t * t * t)));
      });
}

Case geluErf(std::string name, int64_t height, int64_t width) {
  return activation(
      name, height, width,
      "    %c0 = arith.constant 0.70710678 : f32\n"
      "    %a0 = arith.mulf %t, %c0 : f32\n"
      "    %a1 = math.erf %a0 : f32\n"
      "    %a2 = arith.addf %a1, %one : f32\n"
      "    %a3 = arith.mulf %t, %half : f32\n"
      "    %u = arith.mulf %a3, %a2 : f32\n",
      [](double t) { return 0.5 * t * (1 + std::erf(t / std::sqrt(2.0))); });
}

void call(void *entry, Case &c) {
  std::vector<void *> d;
  for (Array &array : c.arrays)
    d.push_back(array.descriptor.data());
  d.resize(6);
  reinterpret_cast<void (*)(void *, void *, void *, void *, void *, void *)>(
      entry)(d[0], d[1], d[2], d[3], d[4], d[5]);
}

struct Times {
  double min = 0, median = 0;
};

/// On one thread the time that the thread ran: other programs on the machine
/// then disturb least. On several, the wall clock's.
bool useThreadTime = true;

double now() {
  if (useThreadTime) {
    timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1e3 + time.tv_nsec * 1e-6;
  }
  return std::chrono::duration<double, std::milli>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Both sides in turns, so that a noisy neighbour hits both.
void measure(const std::vector<std::function<void()>> &sides,
             std::vector<Times> &times) {
  std::vector<std::vector<double>> all(sides.size());
  double start = now();
  for (int round = 0; round < 400; ++round) {
    for (size_t i = 0; i < sides.size(); ++i) {
      double t = now();
      sides[i]();
      all[i].push_back(now() - t);
    }
    if (round >= 6 && now() - start > 1500)
      break;
  }
  for (std::vector<double> &one : all) {
    std::sort(one.begin(), one.end());
    times.push_back({one.front(), one[one.size() / 2]});
  }
}

bool runCase(Case &c, const std::string &bin, FILE *json) {
  // A name of its own: dlopen knows loaded libraries by their names.
  std::string base =
      "/tmp/shardir-bench-" + std::to_string(getpid()) + "-" + c.name;
  std::ofstream(base + ".mlir") << c.program;
  const char *flags = std::getenv("LOCAL_CC_FLAGS");
  double compileStart = now();
  int status = std::system((bin + "/local-cc " + (flags ? flags : "") + " " +
                            base + ".mlir -o " + base + ".so")
                               .c_str());
  double compile = now() - compileStart;
  void *library =
      status == 0 ? dlopen((base + ".so").c_str(), RTLD_NOW) : nullptr;
  if (!library) {
    std::printf("%-28s FAILED: %s\n", c.name.c_str(),
                status ? "compile" : dlerror());
    return false;
  }
  void *entry = dlsym(library, "_mlir_ciface_main");
  call(entry, c);
  Array &out = c.arrays.back();
  double worst = 0, largest = 1e-30;
  int64_t step = std::max<int64_t>(1, out.count() / 3001);
  std::vector<int64_t> samples;
  for (int64_t i = 0; i < out.count(); i += step)
    samples.push_back(i);
  samples.push_back(out.count() - 1);
  for (int64_t i : samples) {
    double wanted = c.reference(i);
    largest = std::max(largest, std::fabs(wanted));
    worst = std::max(worst, std::fabs(wanted - out.at(i)));
    if (std::isnan(out.at(i)))
      worst = INFINITY;
  }
  bool ok = worst / largest <= c.tolerance;
  std::vector<Times> times;
  std::vector<std::function<void()>> sides = {[&] { call(entry, c); }};
  if (c.library)
    sides.push_back(c.library);
  measure(sides, times);
  std::printf("%-28s %s err %.1e  %9.4f / %9.4f ms", c.name.c_str(),
              ok ? "ok" : "WRONG", worst / largest, times[0].min,
              times[0].median);
  if (c.flops > 0)
    std::printf("  %6.1f GF/s", c.flops / times[0].min * 1e-6);
  if (c.bytes > 0)
    std::printf("  %6.1f GB/s", c.bytes / times[0].min * 1e-6);
  if (times.size() > 1)
    std::printf("  OpenBLAS %9.4f / %9.4f  ratio %.2f / %.2f", times[1].min,
                times[1].median, times[0].min / times[1].min,
                times[0].median / times[1].median);
  std::printf("  (compile %.0f ms)\n", compile);
  std::fflush(stdout);
  if (json) {
    std::fprintf(
        json,
        "{\"case\": \"%s\", \"ok\": %s, \"min_ms\": %g, \"median_ms\": "
        "%g",
        c.name.c_str(), ok ? "true" : "false", times[0].min, times[0].median);
    if (times.size() > 1)
      std::fprintf(json,
                   ", \"openblas_min_ms\": %g, \"openblas_median_ms\": %g",
                   times[1].min, times[1].median);
    std::fprintf(json, "}\n");
  }
  std::remove((base + ".mlir").c_str());
  std::remove((base + ".so").c_str());
  return ok;
}
} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: bench-local BIN_FOLDER LIB_FOLDER "
                         "[--case=substring] [--json=file]\n");
    return 2;
  }
  std::string filter;
  FILE *json = nullptr;
  for (int i = 3; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--case=", 7))
      filter = argv[i] + 7;
    else if (!std::strncmp(argv[i], "--json=", 7))
      json = std::fopen(argv[i] + 7, "w");
  }
  const char *threads = std::getenv("SHARDIR_LOCAL_THREADS");
  useThreadTime = !threads || std::atoi(threads) <= 1;
  setenv("OPENBLAS_NUM_THREADS", threads ? threads : "1", 1);
  if (!dlopen((std::string(argv[2]) + "/libshardir-local-runtime.so").c_str(),
              RTLD_NOW | RTLD_GLOBAL)) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  for (const char *name : {"libopenblas.so.0", "libopenblas.so"})
    if (void *blas = dlopen(name, RTLD_NOW)) {
      sgemm = reinterpret_cast<Gemm>(dlsym(blas, "cblas_sgemm"));
      break;
    }
  std::vector<std::function<Case()>> cases;
  auto add = [&](std::string name, auto... rest) {
    if (filter.empty() || name.find(filter) != std::string::npos)
      cases.push_back([=] { return matmul(name, rest...); });
  };
  for (int64_t size : {64, 128, 256, 512, 1024, 2048})
    add("square-" + std::to_string(size), 1, size, size, size);
  add("ragged-1000x1000x1000", 1, 1000, 1000, 1000);
  add("ragged-1021x1019x1031", 1, 1021, 1019, 1031);
  add("transposed-a-1024", 1, 1024, 1024, 1024, true, false);
  add("transposed-b-1024", 1, 1024, 1024, 1024, false, true);
  add("transposed-ab-1024", 1, 1024, 1024, 1024, true, true);
  add("dynamic-1024", 1, 1024, 1024, 1024, false, false, Type::f32, true);
  add("dynamic-1021x1019x1031", 1, 1021, 1019, 1031, false, false, Type::f32,
      true);
  add("mlp-512x4096x1024", 1, 512, 4096, 1024);
  add("tall-4096x64x512", 1, 4096, 64, 512);
  add("flat-8x4096x4096", 1, 8, 4096, 4096);
  add("vector-1x4096x4096", 1, 1, 4096, 4096);
  add("vector-transposed-1x4096x4096", 1, 1, 4096, 4096, false, true);
  add("flat-transposed-8x4096x4096", 1, 8, 4096, 4096, false, true);
  add("column-4096x1x4096", 1, 4096, 1, 4096);
  add("batch-32x128x128x64", 32, 128, 128, 64, false, true);
  add("batch-16x512x512x64", 16, 512, 512, 64, false, true);
  add("batch-16x512x64x512", 16, 512, 64, 512);
  add("f64-1024", 1, 1024, 1024, 1024, false, false, Type::f64);
  add("bf16-1024", 1, 1024, 1024, 1024, false, false, Type::bf16);
  add("bf16-transposed-b-1024", 1, 1024, 1024, 1024, false, true, Type::bf16);
  add("bf16-ragged-1021x1019x1031", 1, 1021, 1019, 1031, false, false,
      Type::bf16);
  auto addRows = [&](std::string name, auto make, int64_t h, int64_t w) {
    if (filter.empty() || name.find(filter) != std::string::npos)
      cases.push_back([=] { return make(name, h, w); });
  };
  addRows("relu-4096x4096", relu, 4096, 4096);
  addRows("relu-4093x4091", relu, 4093, 4091);
  addRows("gelu-tanh-4096x4096", geluTanh, 4096, 4096);
  addRows("gelu-erf-4096x4096", geluErf, 4096, 4096);
  addRows("softmax-4096x4096", softmax, 4096, 4096);
  addRows("softmax-8192x512", softmax, 8192, 512);
  addRows("softmax-8191x511", softmax, 8191, 511);
  addRows("softmax-65536x17", softmax, 65536, 17);
  addRows("layer-norm-4096x4096", layerNorm, 4096, 4096);
  addRows("layer-norm-8192x1024", layerNorm, 8192, 1024);
  bool ok = true;
  for (auto &make : cases) {
    Case c = make();
    ok &= runCase(c, argv[1], json);
    for (Array &array : c.arrays)
      std::free(array.data);
  }
  if (json)
    std::fclose(json);
  return ok ? 0 : 1;
}
