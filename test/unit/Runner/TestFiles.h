//===- TestFiles.h - Temporary files for the runner's tests -----*- C++ -*-===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//
// A folder that lives as long as one test, and helpers to put bytes into it and
// to take the message of a Failure. Requires a writable folder for temporary
// files; guarantees to leave nothing behind.
//
//===----------------------------------------------------------------------===//

#ifndef SHARDIR_TEST_UNIT_RUNNER_TESTFILES_H
#define SHARDIR_TEST_UNIT_RUNNER_TESTFILES_H

#include "ShardIR/Runner/Array.h"
#include "ShardIR/Runner/ArrayFile.h"
#include "ShardIR/Runner/Failure.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace shardir::runner {

class TestFiles : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "shardir-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }
  std::string put(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::filesystem::path folder;
};

/// The message of the Failure that `run` throws, and that it is a usage error.
template <typename Run> std::string usageError(Run run) {
  try {
    run();
  } catch (const Failure &failure) {
    EXPECT_EQ(failure.getStatus(), Exit::Usage);
    return failure.what();
  }
  return "no failure";
}

#define EXPECT_CONTAINS(text, part)                                            \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << (text)

/// An array with the given elements, of any arithmetic type of the right size.
template <typename T>
Array makeArray(ElementType type, const Shape &shape,
                const std::vector<T> &values) {
  Array array(type, shape);
  EXPECT_EQ(array.bytes.size(), values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
  return array;
}

template <typename T> std::vector<T> valuesOf(const Array &array) {
  std::vector<T> values(array.bytes.size() / sizeof(T));
  if (!values.empty())
    std::memcpy(values.data(), array.bytes.data(), array.bytes.size());
  return values;
}

/// An .npy file with the given header text and data.
inline std::string npyFile(const std::string &header, const std::string &data,
                           int version = 1) {
  std::string file = "\x93NUMPY";
  file += char(version);
  file += '\0';
  for (int i = 0; i != (version == 1 ? 2 : 4); ++i)
    file += char(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

} // namespace shardir::runner

#endif // SHARDIR_TEST_UNIT_RUNNER_TESTFILES_H
