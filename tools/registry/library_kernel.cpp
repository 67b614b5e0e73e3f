// SPDX-License-Identifier: MIT
#include "tools/registry/library_kernel.h"

#include "runtime/kernel_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>

namespace tile::registry {
namespace {

// Puts together again what the library took apart.
class Answer {
 public:
  Answer() : receiver_{this, text, error} {}
  const library::Receiver *receiver() const { return &receiver_; }
  const std::string &result() const { return text_; }

  void check(int failed) const {
    if (!failed)
      return;
    if (!error_)
      throw Error("a kernel of the library gave up without a reason", {});
    throw *error_;
  }

 private:
  static void text(void *self, const char *text) { static_cast<Answer *>(self)->text_ += text; }
  static void error(void *self, std::uint32_t part, const char *text, const char *file, std::uint32_t line,
                    std::uint32_t column) {
    std::optional<Error> &error = static_cast<Answer *>(self)->error_;
    const Location where = line ? Location(file, line, column) : Location();
    if (!error) {
      error.emplace(text, where);
    } else if (part == library::Receiver::note) {
      std::vector<Error::Note> notes = error->notes();
      notes.push_back({text, where});
      error.emplace(error->message(), error->where(), std::move(notes));
    } else {
      constexpr std::string_view help = "help: ";
      if (std::string_view(text).starts_with(help))
        error->add_help(text + help.size());
      else
        error->add_context(text);
    }
  }

  library::Receiver receiver_;
  std::string text_;
  std::optional<Error> error_;
};

// What options of the commands that take kernels are called.
std::string setting_name(const std::string &name) {
  static constexpr std::array taken{
      "arch",    "at_most",      "cache",   "classes",    "compare",     "config",    "csv",     "device",
      "element", "every_config", "from",    "generic",    "help",        "html",      "isolate", "json",
      "limit",   "locations",    "lowered", "number",     "peer",        "reference", "repeats", "rounds",
      "seconds", "seed",         "shapes",  "simplified", "specialized", "stage",     "svg",     "table"};
  return std::ranges::find(taken, name) == taken.end() ? name : name + "_";
}

TraceIdentity identity_of(const std::string &text) {
  constexpr std::size_t digits = 32;
  TraceIdentity identity{.fingerprint = {}, .computation = text.substr(0, digits)};
  for (std::size_t i = digits; i + 1 < text.size(); i += 2)
    identity.fingerprint.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return identity;
}

library::ConfigAbi abi_of(const LibraryKernel::Config &config) {
  return {config.number, config.changes.c_str()};
}

}   // namespace

std::vector<LibraryKernel::Parameter> LibraryKernel::parameters() const {
  std::vector<Parameter> parameters;
  for (std::uint32_t i = 0; i < abi_->parameters; ++i) {
    const library::ParameterAbi &p = abi_->parameter[i];
    const std::string name = p.name && *p.name ? p.name : parameter_name({}, i);
    parameters.push_back({name,
                          setting_name(name),
                          {static_cast<Kind>(p.kind), p.pointers},
                          static_cast<tuning::Access>(p.access),
                          p.is_dynamic != 0});
  }
  return parameters;
}

launching::LaunchCache &LibraryKernel::launch_cache() const {
  static std::mutex mutex;
  static std::map<const library::KernelAbi *, launching::LaunchCache *> caches;
  const std::lock_guard lock(mutex);
  launching::LaunchCache *&cache = caches[abi_];
  if (!cache)
    cache = &launching::make_launch_cache();
  return *cache;
}

std::string LibraryKernel::describe(const Config &config) const {
  Answer answer;
  const library::ConfigAbi abi = abi_of(config);
  answer.check(abi_->describe(abi_->self, &abi, answer.receiver()));
  return answer.result();
}

LibraryKernel::Config LibraryKernel::complete(const Config &config,
                                              std::span<const std::uint64_t> arguments) const {
  Answer answer;
  const library::ConfigAbi abi = abi_of(config);
  answer.check(abi_->complete(abi_->self, &abi, arguments.data(), answer.receiver()));
  return {config.number, answer.result()};
}

KernelIR LibraryKernel::trace(const Config &config, std::span<const ArgClass> classes) const {
  Answer answer;
  const library::ConfigAbi abi = abi_of(config);
  std::vector<std::uint8_t> numbers(abi_->parameters);
  for (std::size_t i = 0; i < std::min(numbers.size(), classes.size()); ++i)
    numbers[i] = static_cast<std::uint8_t>(classes[i]);
  library::LaunchAbi launch{};
  answer.check(abi_->trace(abi_->self, &abi, numbers.data(), &launch, answer.receiver()));
  std::vector<tile::Parameter> given;
  std::size_t i = 0;
  for (const Parameter &p : parameters()) {
    const auto promised = static_cast<ArgClass>(numbers[i++]);
    given.push_back({p.name, p.type, p.is_dynamic ? ArgClass::generic : promised});
  }
  Answer known;
  known.check(abi_->identity(abi_->self, &abi, numbers.data(), known.receiver()));
  return read_kernel_ir(answer.result(), name(), describe(config), std::move(given),
                        {launch.num_warps, launch.num_stages, launch.num_ctas, launch.ping_pong != 0,
                         launch.max_registers, launch.fp_fusion != 0},
                        identity_of(known.result()));
}

bool LibraryKernel::keeps(const Config &config, std::span<const std::uint64_t> arguments) const {
  Answer answer;
  const library::ConfigAbi abi = abi_of(config);
  std::uint8_t keeps = 0;
  answer.check(abi_->keeps(abi_->self, &abi, arguments.data(), &keeps, answer.receiver()));
  return keeps != 0;
}

Grid LibraryKernel::grid(const Config &config, std::span<const std::uint64_t> arguments) const {
  Answer answer;
  const library::ConfigAbi abi = abi_of(config);
  std::int64_t extents[3] = {};
  answer.check(abi_->grid(abi_->self, &abi, arguments.data(), extents, answer.receiver()));
  return {extents[0], extents[1], extents[2]};
}

Work LibraryKernel::work(std::span<const std::uint64_t> arguments) const {
  Answer answer;
  Work work;
  answer.check(abi_->work(abi_->self, arguments.data(), &work.flop, &work.bytes, answer.receiver()));
  return work;
}

}   // namespace tile::registry
