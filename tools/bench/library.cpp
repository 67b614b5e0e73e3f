// SPDX-License-Identifier: MIT
#include "tools/bench/library.h"

#include "runtime/environment.h"
#include "runtime/error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <system_error>

namespace tile::bench {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> folders_of(const std::string &list) {
  std::vector<std::string> folders;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin)
      folders.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

// The folders in `parent` whose names begin so, the last (the newest version) first.
std::vector<std::string> folders_below(const std::string &parent, std::string_view prefix) {
  std::vector<std::string> folders;
  std::error_code none;
  for (const fs::directory_entry &entry : fs::directory_iterator(parent, none))
    if (entry.is_directory(none) && entry.path().filename().string().starts_with(prefix))
      folders.push_back(entry.path());
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

std::vector<std::string> folders_of_cuda() {
  std::vector<std::string> found;
  for (const char *parent : {"/usr/local", "/opt"})
    for (const std::string &cuda : folders_below(parent, "cuda"))
      for (const char *below : {"/lib64", "/targets/x86_64-linux/lib", "/targets/sbsa-linux/lib"})
        found.push_back(cuda + below);
  return found;
}

// PyTorch brings its libraries as packages: nvidia/cublas/lib, or nvidia/cu13/lib, below a folder of
// packages.
std::vector<std::string> folders_of_python() {
  constexpr const char *command = "python3 -c 'import sys; print(*sys.path, sep=chr(10))' 2>/dev/null";
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> output(
      popen(command, "r"), pclose);   // NOLINT(bugprone-command-processor): a fixed text
  std::vector<std::string> found;
  std::array<char, 4096> line{};
  while (output && std::fgets(line.data(), static_cast<int>(line.size()), output.get())) {
    std::string folder = line.data();
    while (!folder.empty() && folder.back() == '\n')
      folder.pop_back();
    if (folder.empty())
      continue;
    for (const std::string &package : folders_below(folder + "/nvidia", ""))
      found.push_back(package + "/lib");
    found.push_back(folder + "/torch/lib");
  }
  return found;
}

}   // namespace

std::vector<std::string> library_files(const std::string &name, std::span<const int> versions) {
  std::vector<std::string> files;
  for (const int version : versions)
    files.push_back(fmt::format("lib{}.so.{}", name, version));
  files.push_back(fmt::format("lib{}.so", name));
  return files;
}

Library::Library(std::span<const std::string> files) {
  std::string reason;   // of the first file that is there but does not load
  const auto try_file = [&](const std::string &path) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_)
      path_ = path;
    else if (const char *text = dlerror(); text && reason.empty() && path.contains('/'))
      reason = text;
    return handle_ != nullptr;
  };
  const auto try_folders = [&](const std::vector<std::string> &folders) {
    std::error_code none;
    for (const fs::path folder : folders)
      for (const std::string &file : files)
        if (fs::exists(folder / file, none) && try_file(folder / file))
          return true;
    return false;
  };
  if (try_folders(folders_of(environment::library_path())))
    return;
  for (const std::string &file : files)
    if (try_file(file))
      return;
  if (try_folders(folders_of_cuda()) || try_folders(folders_of_python()))
    return;
  if (!reason.empty())
    throw Error("cannot be loaded: " + reason, {});
  throw Error(
      fmt::format("there is no {} on this machine; if it is installed, set TILE_LIBRARY_PATH to its folder",
                  files.back()),
      {});
}

void *Library::lookup(const char *symbol) const { return dlsym(handle_, symbol); }

void *Library::address(const char *symbol) const {
  if (void *found = lookup(symbol))
    return found;
  throw Error(fmt::format("{} has no {}: another version is needed", path_, symbol), {});
}

}   // namespace tile::bench
