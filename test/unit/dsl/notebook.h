// SPDX-License-Identifier: MIT
// A device that only notes what it is given.
#pragma once

#include <tile/dsl.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tile {

class Notebook : public Device {
 public:
  struct Launched {
    std::string config;
    std::vector<ArgClass> classes;
    Grid grid;
    std::vector<std::uint64_t> bits;
  };
  struct Page : Executable {
    Notebook &book;
    std::string config;
    std::vector<ArgClass> classes;
    Page(Notebook &b, const KernelIR &k) : book(b), config(k.config()) {
      for (const Parameter &p : k.parameters())
        classes.push_back(p.argument_class);
    }
    void launch(const Grid &grid, std::span<const Argument> arguments) override {
      std::vector<std::uint64_t> bits;
      for (const Argument &a : arguments)
        bits.push_back(a.bits);
      book.launches.push_back({config, classes, grid, bits});
      if (book.body)
        book.body(book.launches.back());
    }
  };

  explicit Notebook(bool reaches_host = true) : reaches_host_(reaches_host) {}
  std::string_view kind() const override { return "notebook"; }
  std::string description() const override { return "notes what it is given"; }
  void *allocate(std::size_t bytes, std::string_view) override {
    ++allocated;
    return std::aligned_alloc(64, bytes / 64 * 64 + 64);
  }
  void release(void *address) noexcept override {
    --allocated;
    std::free(address);
  }
  void copy_in(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void copy_out(void *to, const void *from, std::size_t bytes) override { std::memcpy(to, from, bytes); }
  void fill(void *, unsigned char, std::size_t) override {}
  void synchronize() override {}
  bool reaches_host_memory() const override { return reaches_host_; }
  std::unique_ptr<Executable> load(const KernelIR &kernel) override {
    ++loads;
    return std::make_unique<Page>(*this, kernel);
  }

  bool is_recording() const override { return recording; }

  int loads = 0, allocated = 0;
  bool recording = false;
  std::vector<Launched> launches;
  std::function<void(const Launched &)> body;

 private:
  bool reaches_host_;
};

}   // namespace tile
