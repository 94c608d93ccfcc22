//===----------------------------------------------------------------------===//
//
// Part of ShardIR, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads plugins. Requires a tool that exports its symbols, so that a plugin
// that implements ShardIR's interfaces finds this tool's and brings none.
//
//===----------------------------------------------------------------------===//

#include "ShardIR/Pipelines/Plugins.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace shardir;

/// The loader looks for a name without a slash in its own folders; a file in
/// the current one is meant.
static std::string pathOf(const std::string &plugin) {
  bool isBare = StringRef(plugin).find('/') == StringRef::npos;
  return isBare && llvm::sys::fs::exists(plugin) ? "./" + plugin : plugin;
}

bool Plugins::take(StringRef flag) {
  auto [name, path] = flag.split('=');
  if (path.empty() ||
      (name != "--load-dialect-plugin" && name != "--load-pass-plugin"))
    return false;
  (name == "--load-pass-plugin" ? passes : dialects).push_back(path.str());
  return true;
}

LogicalResult Plugins::load(DialectRegistry &registry,
                            std::string &error) const {
  for (const std::string &path : dialects) {
    llvm::Expected<DialectPlugin> plugin = DialectPlugin::load(pathOf(path));
    if (!plugin) {
      error = "cannot load the dialect plugin '" + path +
              "': " + llvm::toString(plugin.takeError());
      return failure();
    }
    plugin->registerDialectRegistryCallbacks(registry);
  }
  for (const std::string &path : passes) {
    llvm::Expected<PassPlugin> plugin = PassPlugin::load(pathOf(path));
    if (!plugin) {
      error = "cannot load the pass plugin '" + path +
              "': " + llvm::toString(plugin.takeError());
      return failure();
    }
    plugin->registerPassRegistryCallbacks();
  }
  return success();
}
