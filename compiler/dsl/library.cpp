// SPDX-License-Identifier: MIT
#include "compiler/dsl/library.h"

#include "compiler/dsl/kernel_space.h"

#include <cstring>
#include <string>

namespace tile::library::detail {
namespace {

using tile::detail::AnyKernel, tile::detail::ArgumentBits;

LaunchAbi abi_of(const Launch &launch) {
  return {launch.num_warps, launch.num_stages,    launch.num_ctas,
          launch.ping_pong, launch.max_registers, launch.fp_fusion};
}

// In a handler: tells of what is handled.
int tell(const Receiver &to) {
  try {
    throw;
  } catch (const Error &error) {
    auto say = [&](Receiver::Part part, const std::string &text, const Location &where) {
      to.error(to.self, part, text.c_str(), where.file.c_str(), where.line, where.column);
    };
    say(Receiver::message, error.message(), error.where());
    for (const Error::Note &more : error.notes())
      say(Receiver::note, more.text, more.where);
    for (const std::string &line : error.context())
      say(Receiver::context, line, {});
  } catch (const std::exception &error) {
    to.error(to.self, Receiver::message, error.what(), "", 0, 0);
  } catch (...) {
    to.error(to.self, Receiver::message, "it threw something that is not a std::exception", "", 0, 0);
  }
  return 1;
}

// Nothing that is thrown crosses to the tool. Returns 1 after telling why.
template <class F> int guarded(const Receiver *to, F f) noexcept {
  try {
    f();
    return 0;
  } catch (...) {
    return tell(*to);
  }
}

const AnyKernel &of(const void *self) { return *static_cast<const AnyKernel *>(self); }

class Config {
 public:
  Config(const AnyKernel &kernel, const ConfigAbi &abi) : kernel_(kernel), bytes_(kernel.table->plain) {
    if (abi.number >= 0) {
      const auto number = static_cast<std::size_t>(abi.number);
      if (number >= kernel.config_count)
        throw Error("the kernel has " + std::to_string(kernel.config_count) +
                        " configs; there is no config number " + std::to_string(number),
                    {});
      std::memcpy(bytes_.data(), kernel.config(number), bytes_.size());
    }
    tile::detail::parse(*kernel.table, bytes_.data(), abi.changes);
  }
  void *data() { return bytes_.data(); }
  std::string text() const { return tile::detail::describe(*kernel_.table, bytes_.data()); }

 private:
  const AnyKernel &kernel_;
  std::vector<std::byte> bytes_;
};

int describe(const void *self, const ConfigAbi *config, const Receiver *to) {
  return guarded(to, [&] { to->text(to->self, Config(of(self), *config).text().c_str()); });
}
int complete(const void *self, const ConfigAbi *config, const std::uint64_t *arguments, const Receiver *to) {
  return guarded(to, [&] {
    const AnyKernel &kernel = of(self);
    Config given(kernel, *config);
    if (kernel.has_complete)
      kernel.calls->complete(kernel.kernel, given.data(), ArgumentBits(arguments));
    to->text(to->self, given.text().c_str());
  });
}
KernelIR traced(const AnyKernel &kernel, const ConfigAbi &config, const std::uint8_t *classes) {
  std::vector<ArgClass> given;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i)
    given.push_back(static_cast<ArgClass>(classes[i]));
  return tile::detail::trace(kernel, Config(kernel, config).data(), given, {}, Loc::current());
}
int trace(const void *self, const ConfigAbi *config, const std::uint8_t *classes, LaunchAbi *launch,
          const Receiver *to) {
  return guarded(to, [&] {
    const KernelIR ir = traced(of(self), *config, classes);
    *launch = abi_of(ir.launch());
    to->text(to->self, ir.text().c_str());
  });
}
int identity(const void *self, const ConfigAbi *config, const std::uint8_t *classes, const Receiver *to) {
  return guarded(to, [&] {
    const KernelIR ir = traced(of(self), *config, classes);
    std::string text = ir.computation();
    for (const char c : ir.fingerprint()) {
      constexpr std::string_view digits = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      text += {digits[byte / 16], digits[byte % 16]};
    }
    to->text(to->self, text.c_str());
  });
}
int keeps(const void *self, const ConfigAbi *config, const std::uint64_t *arguments, std::uint8_t *keeps,
          const Receiver *to) {
  return guarded(to, [&] {
    const AnyKernel &kernel = of(self);
    *keeps = tile::detail::keeps(kernel, Config(kernel, *config).data(), ArgumentBits(arguments));
  });
}
int grid(const void *self, const ConfigAbi *config, const std::uint64_t *arguments, std::int64_t extents[3],
         const Receiver *to) {
  return guarded(to, [&] {
    const AnyKernel &kernel = of(self);
    const Grid grid =
        kernel.calls->grid(kernel.kernel, Config(kernel, *config).data(), ArgumentBits(arguments));
    extents[0] = grid.x;
    extents[1] = grid.y;
    extents[2] = grid.z;
  });
}
int work(const void *self, const std::uint64_t *arguments, double *flop, double *bytes, const Receiver *to) {
  return guarded(to, [&] {
    const Work work = of(self).calls->work(of(self).kernel, ArgumentBits(arguments));
    *flop = work.flop;
    *bytes = work.bytes;
  });
}

}   // namespace

const char *linked_version() { return headers_version; }

void KernelTable::add(const AnyKernel &kernel) {
  std::vector<ParameterAbi> &parameters = parameters_.emplace_back();
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const tile::detail::ParameterSpec &of = kernel.parameters[i];
    const char *name = i < kernel.parameter_names->size() ? (*kernel.parameter_names)[i] : nullptr;
    parameters.push_back({name, static_cast<std::uint8_t>(of.type.kind), of.type.pointers,
                          static_cast<std::uint8_t>(of.access), of.is_dynamic});
  }
  abis_.push_back({&kernels_.emplace_back(kernel), kernel.name ? kernel.name : "",
                   static_cast<std::uint32_t>(parameters.size()),
                   static_cast<std::uint32_t>(kernel.config_count), kernel.has_grid, kernel.around != nullptr,
                   parameters.data(), describe, complete, trace, identity, keeps, grid, work});
}

}   // namespace tile::library::detail
