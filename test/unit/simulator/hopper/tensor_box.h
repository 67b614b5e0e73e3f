// SPDX-License-Identifier: MIT
// A tensor and a box of it, which a kernel brings to shared memory and copies out as it lies there, or the
// other way round.
#pragma once

#include "kernel_text.h"

#include <tile/tensor_description.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tile::simulator {

struct Box {
  std::vector<std::uint64_t> sizes;
  std::vector<std::uint32_t> extents;
  std::vector<int> coordinates;
  TensorSwizzle swizzle = TensorSwizzle::none;
  TensorFill fill = TensorFill::zeros;
  std::vector<std::uint32_t> every;
  TensorElement element = TensorElement::f32;

  unsigned size() const {   // of an element
    static constexpr std::array<unsigned, 11> bytes{1, 2, 4, 4, 8, 8, 2, 2, 4, 8, 4};
    return bytes[static_cast<std::size_t>(element)];
  }
  std::uint64_t pitch() const { return (sizes[0] * size() + 15) / 16 * 16; }
  std::size_t bytes() const {
    std::size_t all = pitch();
    for (std::size_t i = 1; i < sizes.size(); ++i)
      all *= sizes[i];
    return all;
  }
  std::size_t words() const { return bytes() / 4; }
  unsigned loaded(std::size_t i) const {
    const unsigned step = every.empty() || i == 0 ? 1 : every[i];
    return (extents[i] + step - 1) / step;
  }
  unsigned boxElements() const {
    unsigned all = 1;
    for (std::size_t i = 0; i < extents.size(); ++i)
      all *= loaded(i);
    return all;
  }
  unsigned boxBytes() const { return boxElements() * size(); }
  unsigned boxWords() const { return boxBytes() / 4; }
  // `make` takes the description; what it refers to goes away afterwards.
  template <class Make> auto describe(std::uint64_t address, Make &&make) const {
    std::vector<std::uint64_t> strides;
    for (std::size_t i = 1; i < sizes.size(); ++i)
      strides.push_back(i == 1 ? pitch() : strides.back() * sizes[i - 1]);
    return make(TensorDescription{.element = element,
                                  .address = address,
                                  .sizes = sizes,
                                  .strides = strides,
                                  .box = extents,
                                  .elementStrides = every,
                                  .swizzle = swizzle,
                                  .fill = fill});
  }
  // For each element of the box: its byte of shared memory, and of the tensor, -1 outside. `fillsRows`: as
  // stores see it, for which rows end at a multiple of 16 bytes.
  template <class Visit> void forEach(Visit visit, bool fillsRows = false) const {
    const unsigned mask = (1u << static_cast<unsigned>(swizzle)) - 1;
    for (unsigned n = 0; n < boxElements(); ++n) {
      unsigned rest = n;
      long at = 0, stride = size();
      bool isInside = true;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const long index = coordinates[i] + long(rest % loaded(i)) * (every.empty() || i == 0 ? 1 : every[i]);
        rest /= loaded(i);
        isInside = isInside && index >= 0 && index < long(i == 0 && fillsRows ? pitch() / size() : sizes[i]);
        at += index * stride;
        stride = i == 0 ? long(pitch()) : stride * long(sizes[i]);
      }
      const unsigned byte = n * size(), line = byte / 128;
      visit(byte ^ ((line & mask) << 4), isInside ? at : -1);
    }
  }
};

inline std::string coordinatesText(const Box &box, std::string &names) {
  std::string text;
  for (std::size_t i = 0; i < box.coordinates.size(); ++i) {
    text += fmt::format("%x{} = llvm.mlir.constant({} : i32) : i32\n", i, box.coordinates[i]);
    names += fmt::format("{}%x{}", i ? ", " : "", i);
  }
  return text;
}
// Word i of shared memory and of the buffer %out, for all i below `count`.
inline std::string eachWord(unsigned count, const std::string &body) {
  return fmt::format(
      "%count = llvm.mlir.constant({} : i32) : i32\nllvm.br ^loop(%tid : i32)\n^loop(%i: i32):\n"
      "%go = llvm.icmp \"ult\" %i, %count : i32\nllvm.cond_br %go, ^one, ^after\n^one:\n"
      "%ps = llvm.getelementptr %smem[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
      "%pg = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n{}"
      "%next = llvm.add %i, %c64 : i32\nllvm.br ^loop(%next : i32)\n^after:\n",
      count, body);
}
inline const std::string intoOut =
    "%v = llvm.load %ps : !llvm.ptr<3> -> i32\nllvm.store %v, %pg : i32, !llvm.ptr<1>\n";
inline const std::string fromOut =
    "%v = llvm.load %pg : !llvm.ptr<1> -> i32\nllvm.store %v, %ps : i32, !llvm.ptr<3>\n";

inline std::string loadText(const Box &box, unsigned bytes, const std::string &more = "") {
  std::string names, constants = coordinatesText(box, names);
  return moduleText({"%map: !llvm.ptr, %out: !llvm.ptr<1>",
                     constants +
                         loaded(65536, static_cast<int>(bytes),
                                "%to7 = llvm.addrspacecast %smem : !llvm.ptr<3> to !llvm.ptr<7>\n"
                                "nvvm.cp.async.bulk.tensor.shared.cluster.global %to7, %map, %bar, box[" +
                                    names + "] : !llvm.ptr<7>, !llvm.ptr" + more) +
                         eachWord(box.boxWords(), intoOut) + "llvm.return",
                     64, 65600});
}

// The box is stored from shared memory, which is a copy of %out. `operation`: the op and, in braces behind
// the box, what more it says.
inline std::string storeText(const Box &box, const std::string &operation, const std::string &more = "") {
  std::string names, constants = coordinatesText(box, names);
  return moduleText(
      {"%map: !llvm.ptr, %out: !llvm.ptr<1>",
       constants + eachWord(box.boxWords(), fromOut) +
           "nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = "
           "#nvvm.shared_space<cta>}\nnvvm.barrier0\n"
           "%is0 = llvm.icmp \"eq\" %tid, %c0 : i32\nllvm.cond_br %is0, ^s, ^e\n^s:\n" +
           operation + " %map, %smem, box[" + names + "]" + more +
           " : !llvm.ptr, !llvm.ptr<3>\nnvvm.cp.async.bulk.commit.group\nnvvm.cp.async.bulk.wait_group 0\n"
           "llvm.br ^e\n^e:\nllvm.return",
       64, 65600});
}
inline const std::string tensorStore = "nvvm.cp.async.bulk.tensor.global.shared.cta";
inline const std::string tensorReduction = "nvvm.cp.async.bulk.tensor.reduce";
inline std::string kindOfReduction(const std::string &kind) {
  return " {redKind = #nvvm.tma_redux_kind<" + kind + ">}";
}

}   // namespace tile::simulator
