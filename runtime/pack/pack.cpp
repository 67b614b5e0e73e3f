// SPDX-License-Identifier: MIT
// A pack as bytes: the sealed index (runtime/byte_stream.h), then the kernels, each as
// LoweredKernel::serialise() writes it, with a checksum of its own. So a program that loads a pack reads the
// index and the few kernels that it launches.
#include "runtime/pack/pack.h"

#include "runtime/byte_stream.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include <unistd.h>

namespace tile {
namespace {

constexpr std::string_view pack_mark = "tilepack";
constexpr std::uint32_t pack_version = 1;
constexpr ByteReader::Subject pack_subject{"a pack of kernels",
                                           "make it again with `tile pack`, or copy it again, "
                                           "complete and unchanged"};

void write(ByteWriter &out, const Pack::Entry &entry) {
  out.text(entry.identity.kernel);
  out.text(entry.identity.config);
  out.text(entry.identity.computation);
  out.list(entry.identity.classes, [&](ArgClass c) { out.number(static_cast<std::uint8_t>(c)); });
  out.text(entry.target);
  out.number(static_cast<std::uint8_t>(entry.kind));
  out.number(entry.offset);
  out.number(entry.bytes);
}

Pack::Entry read_entry(ByteReader &in, std::uint64_t kernel_bytes) {
  Pack::Entry entry;
  entry.identity.kernel = in.text();
  entry.identity.config = in.text();
  entry.identity.computation = in.text();
  entry.identity.classes = in.list([&] {
    return static_cast<ArgClass>(
        in.number<std::uint8_t>(0, static_cast<std::uint8_t>(ArgClass::one), "the class of an argument"));
  });
  entry.target = in.text();
  // Code for the process that compiled it is never in a file.
  entry.kind = static_cast<LoweredKernel::Code>(in.number<std::uint8_t>(
      0, static_cast<std::uint8_t>(LoweredKernel::Code::cubin), "the kind of the code"));
  entry.offset = in.number<std::uint64_t>();
  entry.bytes = in.number<std::uint64_t>();
  if (entry.offset > kernel_bytes || entry.bytes > kernel_bytes - entry.offset)
    in.refuse("kernel " + entry.identity.kernel + " lies beyond the end of the file");
  return entry;
}

Error damaged(const std::string &name, const Error &why) {
  Error error("the pack " + name + " cannot be used: " + why.message(), {});
  for (const std::string &line : why.context())
    error.add_context(line);
  return std::move(error).with_code(ErrorCode::input_output);
}

Error failure(const std::string &what, const std::string &path,
              std::error_code why = {errno, std::generic_category()}) {
  return Error(what + " the pack " + path + ": " + why.message(), {}).with_code(ErrorCode::input_output);
}

}   // namespace

std::string text_of(const std::vector<ArgClass> &classes) {
  std::string text;
  for (std::size_t i = 0; i < classes.size(); ++i)
    if (classes[i] != ArgClass::generic)
      text += (text.empty() ? "argument " : ", argument ") + std::to_string(i + 1) +
              (classes[i] == ArgClass::one ? " is 1" : " is a multiple of 16");
  return text.empty() ? "any arguments" : text;
}

Pack Pack::of_bytes(std::span<const std::byte> bytes, std::string name) {
  Pack pack;
  pack.name_ = std::move(name);
  try {
    ByteReader in(unsealed(bytes, pack_mark, pack_version, pack_subject, &pack.borrowed_), pack_subject);
    pack.maker_ = in.text();
    pack.tunings_ = in.text();
    pack.entries_ = in.list([&] { return read_entry(in, pack.borrowed_.size()); });
    if (!in.is_at_end())
      in.refuse("there are more bytes after the index");
    std::uint64_t end = 0;
    for (const Entry &entry : pack.entries_)
      end = std::max(end, entry.offset + entry.bytes);
    if (end != pack.borrowed_.size())
      in.refuse("its kernels end at byte " + std::to_string(end) + " of " +
                std::to_string(pack.borrowed_.size()));
  } catch (const Error &why) {
    throw damaged(pack.name_, why);
  }
  return pack;
}

Pack Pack::read(const std::string &path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem)
    throw failure("cannot read", path, problem);
  std::vector<std::byte> bytes(size);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char *>(bytes.data()), static_cast<std::streamsize>(size)))
    throw failure("cannot read", path);
  Pack pack = of_bytes(bytes, path);
  pack.file_ = std::move(bytes);   // its bytes stay where they are
  return pack;
}

std::vector<std::byte> Pack::serialise() const {
  ByteWriter index;
  index.text(maker_);
  index.text(tunings_);
  index.list(entries_, [&](const Entry &entry) { tile::write(index, entry); });
  std::vector<std::byte> bytes = sealed(pack_mark, pack_version, index.bytes);
  bytes.insert(bytes.end(), kernels().begin(), kernels().end());
  return bytes;
}

void Pack::write(const std::string &path) const {
  const std::vector<std::byte> bytes = serialise();
  const std::string unfinished = path + ".unfinished-" + std::to_string(getpid());
  errno = 0;
  {
    std::ofstream file(unfinished, std::ios::binary);
    file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    file.flush();
    if (!file) {
      const Error error = failure("cannot write", path);
      std::remove(unfinished.c_str());
      throw error;
    }
  }
  if (std::rename(unfinished.c_str(), path.c_str()) != 0) {
    const Error error = failure("cannot write", path);
    std::remove(unfinished.c_str());
    throw error;
  }
}

LoweredKernel Pack::kernel(const Entry &entry) const {
  try {
    LoweredKernel kernel = LoweredKernel::parse(
        kernels().subspan(static_cast<std::size_t>(entry.offset), static_cast<std::size_t>(entry.bytes)));
    if (kernel.name != entry.identity.kernel || kernel.config != entry.identity.config ||
        kernel.target != entry.target || kernel.kind != entry.kind)
      throw Error("the entry of kernel " + entry.identity.kernel + " holds " + kernel.title() + " for " +
                      kernel.target,
                  {});
    return kernel;
  } catch (const Error &why) {
    throw damaged(name_, why);
  }
}

bool Pack::add(const PackedIdentity &identity, const LoweredKernel &kernel) {
  Entry entry{.identity = identity, .target = kernel.target, .kind = kernel.kind};
  if (std::ranges::any_of(entries_, [&](const Entry &other) { return entry.replaces(other); }))
    return false;
  if (own_.empty())   // from now on its own
    own_.assign(borrowed_.begin(), borrowed_.end());
  const std::vector<std::byte> bytes = kernel.serialise();
  entry.offset = own_.size();
  entry.bytes = bytes.size();
  own_.insert(own_.end(), bytes.begin(), bytes.end());
  entries_.push_back(std::move(entry));
  return true;
}

void Pack::add_tunings(const std::string &lines) {
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);)
    if (!line.empty() && ("\n" + tunings_).find("\n" + line + "\n") == std::string::npos)
      tunings_ += line + "\n";
}

}   // namespace tile
