//===- MeasureMachine.cpp - The rates of this machine ---------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All devices work at the same time, since they share memory and caches when a
// program runs. Links follow from two all-gathers: by the cost model one takes
// (1 + messages) x latency + bytes / bandwidth, with a message from each other
// device.
//
//===----------------------------------------------------------------------===//

#include "MeasureMachine.h"
#include "Text.h"

#include <nlohmann/json.hpp>

#include <unistd.h>

using namespace shardir::runner;

static constexpr int64_t kSide = 768;                // of a square product
static constexpr int64_t kCopied = int64_t(1) << 24; // elements on a device
static constexpr int64_t kGathered = int64_t(1) << 22;

/// A product of two matrices on each device.
static std::string product(int64_t devices, const char *type) {
  std::string text = R"(
shardir.mesh @m <["device"=DEVICES]>
func.func @main(
    %a: tensor<DEVICESxSIDExSIDExTYPE>
        {shardir.placement = #shardir.placement<@m, [{"device"}, {}, {}]>},
    %b: tensor<DEVICESxSIDExSIDExTYPE>
        {shardir.placement = #shardir.placement<@m, [{"device"}, {}, {}]>})
    -> (tensor<DEVICESxSIDExSIDExRESULT>
        {shardir.placement = #shardir.placement<@m, [{"device"}, {}, {}]>}) {
  %zero = arith.constant 0.0 : RESULT
  %empty = tensor.empty() : tensor<DEVICESxSIDExSIDExRESULT>
  %init = linalg.fill ins(%zero : RESULT)
      outs(%empty : tensor<DEVICESxSIDExSIDExRESULT>)
      -> tensor<DEVICESxSIDExSIDExRESULT>
  %c = linalg.batch_matmul
      ins(%a, %b : tensor<DEVICESxSIDExSIDExTYPE>,
                   tensor<DEVICESxSIDExSIDExTYPE>)
      outs(%init : tensor<DEVICESxSIDExSIDExRESULT>)
      -> tensor<DEVICESxSIDExSIDExRESULT>
  return %c : tensor<DEVICESxSIDExSIDExRESULT>
}
)";
  replaceAll(text, "DEVICES", std::to_string(devices));
  replaceAll(text, "SIDE", std::to_string(kSide));
  replaceAll(text, "RESULT", type == std::string("f64") ? "f64" : "f32");
  replaceAll(text, "TYPE", type);
  return text;
}

/// One read and one write of each element.
static std::string copy(int64_t devices) {
  std::string text = R"(
shardir.mesh @m <["device"=DEVICES]>
func.func @main(%x: tensor<COUNTxf32>
        {shardir.placement = #shardir.placement<@m, [{"device"}]>})
    -> (tensor<COUNTxf32>
        {shardir.placement = #shardir.placement<@m, [{"device"}]>}) {
  %y = math.absf %x : tensor<COUNTxf32>
  return %y : tensor<COUNTxf32>
}
)";
  replaceAll(text, "DEVICES", std::to_string(devices));
  replaceAll(text, "COUNT", std::to_string(devices * kCopied));
  return text;
}

/// An all-gather of `count` elements of each device.
static std::string gather(int64_t devices, int64_t count) {
  std::string text = R"(
shardir.mesh @m <["device"=DEVICES]>
func.func @main(%x: tensor<COUNTxf32>
        {shardir.placement = #shardir.placement<@m, [{"device"}]>})
    -> (tensor<COUNTxf32>
        {shardir.placement = #shardir.placement<@m, [{}]>}) {
  return %x : tensor<COUNTxf32>
}
)";
  replaceAll(text, "DEVICES", std::to_string(devices));
  replaceAll(text, "COUNT", std::to_string(devices * count));
  return text;
}

std::vector<MachineProbe> shardir::runner::machineProbes(int64_t devices) {
  std::vector<MachineProbe> probes;
  double operations = 2.0 * kSide * kSide * kSide;
  for (const char *type : {"f64", "f32", "bf16"})
    probes.push_back(
        {MachineProbe::Product, type, product(devices, type), operations});
  probes.push_back({MachineProbe::Copy, "f32", copy(devices),
                    2.0 * kCopied * sizeof(float)});
  if (devices == 1)
    return probes;
  probes.push_back({MachineProbe::SmallGather, "f32", gather(devices, 1),
                    double(devices - 1) * sizeof(float)});
  probes.push_back({MachineProbe::LargeGather, "f32",
                    gather(devices, kGathered),
                    double(devices - 1) * kGathered * sizeof(float)});
  return probes;
}

/// `value` with three digits: more are noise.
static double rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2e", value);
  return std::strtod(text, nullptr);
}

std::string
shardir::runner::describeMachine(const std::vector<MachineProbe> &probes,
                                 const std::vector<double> &seconds,
                                 int64_t devices) {
  nlohmann::ordered_json machine = {{"name", "measured"}};
  double latency = 0;
  for (size_t i = 0; i != probes.size(); ++i) {
    const MachineProbe &probe = probes[i];
    switch (probe.kind) {
    case MachineProbe::Product:
      machine["flops"][probe.type] = rounded(probe.amount / seconds[i]);
      break;
    case MachineProbe::Copy:
      machine["memory"] = int64_t(::sysconf(_SC_PHYS_PAGES)) *
                          ::sysconf(_SC_PAGESIZE) / devices;
      machine["memory_bandwidth"] = rounded(probe.amount / seconds[i]);
      machine["devices_per_node"] = devices;
      break;
    case MachineProbe::SmallGather:
      latency = seconds[i] / double(devices);
      machine["node"]["latency"] = rounded(latency);
      break;
    case MachineProbe::LargeGather: {
      double moving = seconds[i] - double(devices) * latency;
      machine["node"]["bandwidth"] =
          rounded(probe.amount / (moving > 0 ? moving : seconds[i]));
      break;
    }
    }
  }
  return machine.dump(2) + "\n";
}
