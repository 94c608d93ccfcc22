//===- ArrayFileTest.cpp - Array files: what they hold and how they break -===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// Every format is written, read back and, where numpy would write it another
// way, read from bytes made by hand. Then the same files are cut off at every
// length and changed at every byte: each must give an array of the wanted type
// or a usage error, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "TestFiles.h"

#include "ShardIR/Runner/Random.h"

#include <sys/stat.h>
#include <zlib.h>

using namespace shardir;
using namespace shardir::runner;

namespace {

const ElementType kAll[] = {SHARDIR_I1,    SHARDIR_I8,       SHARDIR_I16,
                            SHARDIR_I32,   SHARDIR_I64,      SHARDIR_F16,
                            SHARDIR_BF16,  SHARDIR_F32,      SHARDIR_F64,
                            SHARDIR_INDEX, SHARDIR_F8E4M3FN, SHARDIR_F8E5M2};

using Files = TestFiles;

std::string doubles(const std::vector<double> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(double));
}

Array read(const std::string &text, ElementType type, const Shape &shape) {
  return readArray(parseArrayRef(text), type, shape);
}

TEST_F(Files, EveryFormatReadsBackWhatItWrote) {
  const char *names[] = {"a.npy", "a.bin", "a.npz:x.y", "a.safetensors:x.y"};
  for (const char *name : names)
    for (ElementType type : kAll)
      for (Shape shape : {Shape{3, 5, 2}, Shape{}, Shape{7}, Shape{4, 0}}) {
        Array array = randomArray(type, shape, 1, 1);
        ArrayRef ref = parseArrayRef(path(name));
        writeArrays(ref.path, ref.format, {{ref.member, &array}});
        Array again = readArray(ref, type, shape);
        EXPECT_EQ(again.shape, shape);
        EXPECT_EQ(valuesOf<uint8_t>(again), valuesOf<uint8_t>(array))
            << name << " " << elementName(type);
      }
}

TEST_F(Files, ArchivesHoldSeveral) {
  Array a = randomArray(SHARDIR_F32, {3}, 0, 0);
  Array b = randomArray(SHARDIR_BF16, {2, 2}, 0, 1);
  for (const char *name : {"w.npz", "w.safetensors"}) {
    ArrayRef ref = parseArrayRef(path(name));
    writeArrays(ref.path, ref.format, {{"a", &a}, {"layer.0:b", &b}});
    EXPECT_EQ(valuesOf<float>(read(path(name) + ":a", SHARDIR_F32, {-1})),
              valuesOf<float>(a));
    EXPECT_EQ(valuesOf<uint16_t>(
                  read(path(name) + ":layer.0:b", SHARDIR_BF16, {2, 2})),
              valuesOf<uint16_t>(b));
    EXPECT_CONTAINS(
        usageError([&] { read(path(name) + ":c", SHARDIR_F32, {3}); }),
        "'c'; it has: a, layer.0:b");
    EXPECT_CONTAINS(usageError([&] { read(path(name), SHARDIR_F32, {3}); }),
                    "is meant? say FILE.");
  }
}

TEST_F(Files, NpyAsNumpyWritesIt) {
  std::string c =
      put("c.npy", npyFile("{'descr': '<f8', 'fortran_order': False, "
                           "'shape': (2, 3), }          \n",
                           doubles({1, 2, 3, 4, 5, 6})));
  std::string f =
      put("f.npy", npyFile("{'descr': '<f8', 'fortran_order': True, "
                           "'shape': (2, 3), }\n",
                           doubles({1, 4, 2, 5, 3, 6}), 2));
  std::vector<double> expected{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(valuesOf<double>(read(c, SHARDIR_F64, {2, 3})), expected);
  EXPECT_EQ(valuesOf<double>(read(f, SHARDIR_F64, {-1, 3})), expected);
  std::string big =
      put("b.npy", npyFile("{'shape': (2,), 'descr': '>i4', "
                           "'fortran_order': False}",
                           std::string("\0\0\1\2\xff\xff\xff\xfe", 8), 3));
  EXPECT_EQ(valuesOf<int32_t>(read(big, SHARDIR_I32, {2})),
            (std::vector<int32_t>{258, -2}));
  std::string scalar = put("s.npy", npyFile("{'descr': '|b1', 'fortran_order': "
                                            "False, 'shape': (), }\n",
                                            "\x02"));
  EXPECT_EQ(valuesOf<uint8_t>(read(scalar, SHARDIR_I1, {})),
            (std::vector<uint8_t>{1}));
}

TEST_F(Files, FortranOrderOfThreeDims) {
  Array array = randomArray(SHARDIR_I16, {3, 4, 5}, 0, 0);
  std::string data;
  for (int k = 0; k != 5; ++k)
    for (int j = 0; j != 4; ++j)
      for (int i = 0; i != 3; ++i)
        data.append(
            reinterpret_cast<char *>(array.element((i * 4 + j) * 5 + k)), 2);
  std::string file =
      put("f.npy", npyFile("{'descr': '<i2', 'fortran_order': True,"
                           " 'shape': (3, 4, 5), }",
                           data));
  EXPECT_EQ(valuesOf<int16_t>(read(file, SHARDIR_I16, {3, 4, 5})),
            valuesOf<int16_t>(array));
}

TEST_F(Files, TypesThatNumpyLacks) {
  auto file = [&](const char *descr, const std::string &data) {
    return put("x.npy",
               npyFile(std::string("{'descr': '") + descr +
                           "', 'fortran_order': False, 'shape': (1,), }",
                       data));
  };
  for (const char *descr : {"<u2", "<V2", "|V2", "bfloat16"})
    EXPECT_EQ(
        valuesOf<uint16_t>(read(file(descr, "\x80\x3f"), SHARDIR_BF16, {1}))[0],
        0x3f80)
        << descr;
  for (const char *descr : {"|u1", "<V1", "<f1", "float8_e5m2"})
    EXPECT_EQ(
        valuesOf<uint8_t>(read(file(descr, "\x3c"), SHARDIR_F8E5M2, {1}))[0],
        0x3c)
        << descr;
  for (const char *descr : {"<i2", "<f2", "float8_e5m2"})
    EXPECT_CONTAINS(
        usageError([&] { read(file(descr, "\x3c\x3c"), SHARDIR_BF16, {1}); }),
        "expected 1xbf16")
        << descr;
  EXPECT_CONTAINS(usageError([&] { read(file("<c8", ""), SHARDIR_F64, {1}); }),
                  "elements of '<c8' are not supported");
}

TEST_F(Files, TypesAndShapesMustAgree) {
  Array array = randomArray(SHARDIR_F32, {2, 3}, 0, 0);
  for (const char *name : {"a.npy", "a.npz:a", "a.safetensors:a"}) {
    ArrayRef ref = parseArrayRef(path(name));
    writeArrays(ref.path, ref.format, {{ref.member, &array}});
    for (const Shape &wrong : {Shape{3, 2}, Shape{6}, Shape{2, 3, 1}, Shape{}})
      EXPECT_CONTAINS(usageError([&] { readArray(ref, SHARDIR_F32, wrong); }),
                      "expected " + formatType(wrong, SHARDIR_F32));
    for (ElementType type : {SHARDIR_I32, SHARDIR_F64, SHARDIR_BF16})
      EXPECT_CONTAINS(usageError([&] { readArray(ref, type, {2, 3}); }),
                      "expected " + formatType({2, 3}, type));
  }
  writeArrays(path("a.bin"), FileFormat::Raw, {{"", &array}});
  EXPECT_CONTAINS(usageError([&] { read(path("a.bin"), SHARDIR_F32, {7}); }),
                  "it has 24 bytes, 7xf32 has 28");
  EXPECT_EQ(read(path("a.bin"), SHARDIR_F32, {-1, 3}).shape, (Shape{2, 3}));
  EXPECT_CONTAINS(
      usageError([&] { read(path("a.bin"), SHARDIR_F32, {-1, 5}); }),
      "it has 24 bytes");
  EXPECT_CONTAINS(
      usageError([&] { read(path("a.bin"), SHARDIR_F32, {-1, -1}); }),
      "two unknown extents");
}

TEST_F(Files, DamagedNpyHeaders) {
  auto error = [&](const std::string &bytes) {
    return usageError(
        [&] { read(put("x.npy", bytes), SHARDIR_F32, {-1, -1}); });
  };
  auto shaped = [&](const std::string &shape) {
    return error(npyFile(
        "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }",
        "1234"));
  };
  EXPECT_CONTAINS(error(""), "too short");
  EXPECT_CONTAINS(error("not an npy file, surely"), "it is not a .npy file");
  EXPECT_CONTAINS(error(npyFile("{}", "", 9)), "version 9");
  EXPECT_CONTAINS(error(npyFile("{}", "")), "damaged");
  EXPECT_CONTAINS(error(npyFile("", "")), "damaged");
  EXPECT_CONTAINS(error(npyFile("{'descr': [('a', '<f4')]}", "")),
                  "structured");
  EXPECT_CONTAINS(error(std::string("\x93NUMPY\1\0\xff\xff{", 11)), "cut off");
  EXPECT_CONTAINS(error(std::string("\x93NUMPY\2\0\xff\xff\xff\xff", 12)),
                  "cut off");
  EXPECT_CONTAINS(shaped("(1, -4)"), "negative extent");
  EXPECT_CONTAINS(shaped("(1, 99999999999999999999)"), "beyond 64 bits");
  EXPECT_CONTAINS(shaped("(4294967296, 4294967296)"), "too large");
  EXPECT_CONTAINS(shaped("(9223372036854775807, 1)"), "too large");
  EXPECT_CONTAINS(shaped("(1000000, 1000000)"), "has 4000000000000 bytes");
  EXPECT_CONTAINS(shaped("(1, 1.5)"), "damaged");
  EXPECT_CONTAINS(shaped("(1 1)"), "damaged");
  EXPECT_CONTAINS(shaped("((1, 1))"), "damaged");
  std::string many = "(";
  for (int i = 0; i != 100; ++i)
    many += "1, ";
  EXPECT_CONTAINS(shaped(many + ")"), "more than 64 dims");
}

std::string safetensors(const std::string &header, const std::string &data) {
  std::string file;
  for (int i = 0; i != 8; ++i)
    file += char(uint64_t(header.size()) >> (8 * i) & 0xff);
  return file + header + data;
}

TEST_F(Files, DamagedSafetensorsHeaders) {
  auto error = [&](const std::string &bytes) {
    return usageError([&] {
      read(put("x.safetensors", bytes) + ":a", SHARDIR_F32, {-1, -1});
    });
  };
  auto entry = [&](const std::string &entry) {
    return error(safetensors("{\"a\": " + entry + "}", "12345678"));
  };
  EXPECT_CONTAINS(error("abc"), "too short");
  EXPECT_CONTAINS(error(std::string(8, '\xff') + "{}"), "cut off");
  EXPECT_CONTAINS(error(safetensors("{", "")), "not JSON");
  EXPECT_CONTAINS(error(safetensors(std::string(100000, '['), "")), "not JSON");
  EXPECT_CONTAINS(error(safetensors("[]", "")), "not JSON");
  EXPECT_CONTAINS(error(safetensors("{}", "")), "it has: nothing");
  EXPECT_CONTAINS(entry("3"), "damaged");
  EXPECT_CONTAINS(entry("{}"), "damaged at 'a'");
  EXPECT_CONTAINS(
      entry(R"({"dtype": 1, "shape": [1, 2], "data_offsets": [0, 8]})"),
      "damaged at 'a'");
  EXPECT_CONTAINS(
      entry(R"({"dtype": "F32", "shape": [1, -2], "data_offsets": [0, 8]})"),
      "damaged at 'a'");
  EXPECT_CONTAINS(
      entry(R"({"dtype": "F32", "shape": [1, 1e99], "data_offsets": [0, 8]})"),
      "damaged at 'a'");
  EXPECT_CONTAINS(
      entry(R"({"dtype": "F32", "shape": [1, 2], "data_offsets": [8, 0]})"),
      "do not fit");
  EXPECT_CONTAINS(
      entry(R"({"dtype": "F32", "shape": [1, 3], "data_offsets": [0, 8]})"),
      "do not fit");
  EXPECT_CONTAINS(
      entry(
          R"({"dtype": "F32", "shape": [4294967296, 4294967296], "data_offsets": [0, 0]})"),
      "do not fit");
  EXPECT_CONTAINS(
      entry(R"({"dtype": "F32", "shape": [1, 2], "data_offsets": [1, 9]})"),
      "cut off");
  EXPECT_CONTAINS(
      entry(
          R"({"dtype": "F32", "shape": [1, 2], "data_offsets": [9223372036854775799, 9223372036854775807]})"),
      "cut off");
}

/// A zip archive with one deflated member, as numpy.savez_compressed writes it.
std::string deflatedNpz(const std::string &contents) {
  std::string packed(compressBound(contents.size()) + 64, '\0');
  z_stream stream = {};
  EXPECT_EQ(
      deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY),
      Z_OK);
  stream.next_in =
      reinterpret_cast<Bytef *>(const_cast<char *>(contents.data()));
  stream.avail_in = uInt(contents.size());
  stream.next_out = reinterpret_cast<Bytef *>(packed.data());
  stream.avail_out = uInt(packed.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  auto little = [](uint64_t value, int bytes) {
    std::string out;
    for (int i = 0; i != bytes; ++i, value >>= 8)
      out += char(value & 0xff);
    return out;
  };
  uint64_t crc = crc32(0, reinterpret_cast<const Bytef *>(contents.data()),
                       uInt(contents.size()));
  std::string common = little(45, 2) + little(0, 2) + little(8, 2) +
                       little(0, 4) + little(crc, 4);
  // numpy asks for zip64 sizes in the local header always.
  std::string local = "PK\x03\x04" + common + little(0xffffffff, 4) +
                      little(0xffffffff, 4) + little(5, 2) + little(20, 2) +
                      "a.npy" + little(1, 2) + little(16, 2) +
                      little(contents.size(), 8) + little(packed.size(), 8);
  std::string directory =
      "PK\x01\x02" + little(45, 2) + common + little(packed.size(), 4) +
      little(contents.size(), 4) + little(5, 2) + little(0, 16) + "a.npy";
  directory.replace(42, 4, little(0, 4));
  return local + packed + directory + "PK\x05\x06" + little(0, 4) +
         little(1, 2) + little(1, 2) + little(directory.size(), 4) +
         little(local.size() + packed.size(), 4) + little(0, 2);
}

TEST_F(Files, DeflatedNpz) {
  std::string npy = npyFile("{'descr': '<f8', 'fortran_order': False, "
                            "'shape': (2, 3), }\n",
                            doubles({1, 2, 3, 4, 5, 6}));
  std::string file = put("x.npz", deflatedNpz(npy));
  for (const char *name : {"", ":a", ":a.npy"})
    EXPECT_EQ(valuesOf<double>(read(file + name, SHARDIR_F64, {2, 3})),
              (std::vector<double>{1, 2, 3, 4, 5, 6}));
}

/// Reads `bytes` cut off at every length and changed at every byte.
template <typename Read>
void breakEverywhere(const std::string &bytes, Read readBytes) {
  size_t read = 0, failed = 0;
  auto attempt = [&](const std::string &broken) {
    try {
      Array array = readBytes(broken);
      EXPECT_EQ(array.type, SHARDIR_F64);
      EXPECT_EQ(array.shape.size(), 2u);
      EXPECT_EQ(array.bytes.size(), *countBytes(array.shape, 8));
      ++read;
    } catch (const Failure &failure) {
      EXPECT_EQ(failure.getStatus(), Exit::Usage);
      ++failed;
    }
  };
  for (size_t length = 0; length != bytes.size(); ++length)
    attempt(bytes.substr(0, length));
  EXPECT_EQ(read, 0u) << "a file that is cut off was read";
  for (size_t i = 0; i != bytes.size(); ++i)
    for (int change : {0x01, 0x80, 0xff, -1}) {
      std::string broken = bytes;
      broken[i] = change < 0 ? '\0' : char(broken[i] ^ change);
      attempt(broken);
    }
  EXPECT_GT(failed, bytes.size());
}

TEST_F(Files, BrokenNpy) {
  breakEverywhere(npyFile("{'descr': '<f8', 'fortran_order': True, "
                          "'shape': (2, 3), }\n",
                          doubles({1, 2, 3, 4, 5, 6})),
                  [&](const std::string &bytes) {
                    return read(put("x.npy", bytes), SHARDIR_F64, {-1, -1});
                  });
}

TEST_F(Files, BrokenNpz) {
  std::string npy = npyFile("{'descr': '<f8', 'fortran_order': False, "
                            "'shape': (2, 3), }\n",
                            doubles({1, 2, 3, 4, 5, 6}));
  breakEverywhere(deflatedNpz(npy), [&](const std::string &bytes) {
    return read(put("x.npz", bytes) + ":a", SHARDIR_F64, {-1, -1});
  });
  Array array = randomArray(SHARDIR_F64, {2, 3}, 0, 0);
  writeArrays(path("stored.npz"), FileFormat::Npz, {{"a", &array}});
  breakEverywhere(readFile(path("stored.npz")), [&](const std::string &bytes) {
    return read(put("x.npz", bytes) + ":a", SHARDIR_F64, {-1, -1});
  });
}

TEST_F(Files, BrokenSafetensors) {
  Array array = randomArray(SHARDIR_F64, {2, 3}, 0, 0);
  writeArrays(path("a.safetensors"), FileFormat::Safetensors, {{"a", &array}});
  breakEverywhere(
      readFile(path("a.safetensors")), [&](const std::string &bytes) {
        return read(put("x.safetensors", bytes) + ":a", SHARDIR_F64, {-1, -1});
      });
}

TEST_F(Files, WhatIsNoFile) {
  auto error = [&](const std::string &name) {
    return usageError([&] { read(name, SHARDIR_F32, {1}); });
  };
  std::filesystem::create_directory(path("d.npy"));
  ASSERT_EQ(mkfifo(path("p.npy").c_str(), 0600), 0);
  EXPECT_CONTAINS(error(path("none.npy")), "none.npy': No such file");
  EXPECT_CONTAINS(error(path("d.npy")), "it is a directory");
  EXPECT_CONTAINS(error(path("p.npy")), "it is not a regular file");
  EXPECT_CONTAINS(error("/dev/null"), "of no known format");
  EXPECT_CONTAINS(error("/dev/null.npz:a"), "/dev/null.npz'");
  EXPECT_CONTAINS(error(""), "of no known format");
  for (const char *name : {"e.npy", "e.npz:a", "e.safetensors:a", "e.bin"}) {
    put(parseArrayRef(name).path, "");
    EXPECT_CONTAINS(error(path(name)), "cannot read");
  }
}

TEST_F(Files, WritableIsAskedWithoutWriting) {
  std::filesystem::create_directory(path("d"));
  EXPECT_CONTAINS(usageError([&] { checkWritable(path("d")); }), "directory");
  EXPECT_CONTAINS(usageError([&] { checkWritable(path("none/y.npy")); }),
                  "No such file");
  EXPECT_CONTAINS(usageError([&] { checkWritable(path("y.npy/")); }), "'/'");
  EXPECT_CONTAINS(usageError([&] { checkWritable(""); }), "empty");
  checkWritable(path("y.npy"));
  EXPECT_FALSE(std::filesystem::exists(path("y.npy")));
  put("z.npy", "kept");
  checkWritable(path("z.npy"));
  EXPECT_EQ(readFile(path("z.npy")), "kept");
  Array array = randomArray(SHARDIR_F32, {1}, 0, 0);
  EXPECT_CONTAINS(usageError([&] {
                    writeArrays("/dev/full", FileFormat::Npy, {{"", &array}});
                  }),
                  "cannot write '/dev/full': No space left");
}

} // namespace
