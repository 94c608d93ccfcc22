//===- Settings.cpp - Settings of the emulated driver ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requires and guarantees what Settings.h says. The log is written line by line
// under a lock and flushed, so that it is whole even where a kernel crashes.
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include <chrono>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace shardir {
namespace emulated {

namespace {
constexpr size_t kMemory = size_t(8) << 30, kCache = size_t(50) << 20;
}

std::string &lastDetail() {
  static thread_local std::string detail;
  return detail;
}

Settings &Settings::get() {
  static Settings &settings = *new Settings; // outlives static destructors
  return settings;
}

Settings::Settings() {
  const char *text = std::getenv("SHARDIR_EMULATED_CUDA");
  configure(text ? text : "");
}

void Settings::configure(const std::string &text) {
  std::lock_guard<std::mutex> lock(mutex);
  lazy = unified = waits = false;
  memory = kMemory;
  cache = kCache;
  capability = 90;
  multiprocessors = 2;
  faults.clear();
  delays.clear();
  const char *variable = std::getenv("SHARDIR_EMULATED_CUDA_LOG");
  std::string path = variable ? variable : "";
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    std::string key = word.substr(0, equals);
    std::string value =
        equals == std::string::npos ? "" : word.substr(equals + 1);
    bool known = true;
    if (word == "lazy") {
      lazy = true;
    } else if (word == "unified") {
      unified = true;
    } else if (word == "waits") {
      waits = true;
    } else if (key == "memory") {
      memory = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "cache") {
      cache = std::strtoull(value.c_str(), nullptr, 10);
    } else if (key == "capability") {
      capability = std::atoi(value.c_str());
      known = capability >= 80 && capability < 1000;
    } else if (key == "multiprocessors") {
      multiprocessors = std::atoi(value.c_str());
      known = multiprocessors > 0;
    } else if (key == "log") {
      path = value;
    } else if (key == "fail") {
      size_t first = value.find(':'), second = value.find(':', first + 1);
      known = first != std::string::npos && second != std::string::npos;
      if (known)
        faults[value.substr(0, first)] = {
            std::atoi(value.c_str() + first + 1),
            std::atoi(value.c_str() + second + 1)};
    } else if (key == "delay") {
      size_t colon = value.find(':');
      known = colon != std::string::npos;
      if (known)
        delays[value.substr(0, colon)] = std::atoi(value.c_str() + colon + 1);
    } else {
      known = false;
    }
    if (!known) {
      std::fprintf(stderr, "error: the emulated GPU has no setting '%s'\n",
                   word.c_str());
      std::_Exit(2);
    }
  }
  if (file)
    std::fclose(file);
  file = path.empty() ? nullptr : std::fopen(path.c_str(), "a");
  logging = file != nullptr;
}

bool Settings::fails(const std::string &function, int &code) {
  std::lock_guard<std::mutex> lock(mutex);
  auto it = faults.find(function);
  if (it == faults.end() || --it->second.left > 0)
    return false;
  code = it->second.code;
  faults.erase(it);
  return true;
}

void Settings::delay(const std::string &function) {
  int milliseconds = 0;
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto it = delays.find(function);
    milliseconds = it == delays.end() ? 0 : it->second;
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

void Settings::log(const std::string &line) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!file)
    return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fflush(file);
}

} // namespace emulated
} // namespace shardir
