// SPDX-License-Identifier: MIT
#include "compiler/c_api/tensor_argument.h"

#include "runtime/tensor_view.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace tile::c_api {
namespace {

using exporting::Parameter;

// "float32", "uint8", "float16x4": as Python prints it.
std::string name_of_element(const tile_tensor &tensor) {
  const auto [code, bits, lanes] = tensor.element;
  static constexpr const char *names[] = {"int",           "uint",
                                          "float",         "opaque",
                                          "bfloat",        "complex",
                                          "bool",          "float8_e3m4",
                                          "float8_e4m3",   "float8_e4m3b11fnuz",
                                          "float8_e4m3fn", "float8_e4m3fnuz",
                                          "float8_e5m2",   "float8_e5m2fnuz"};
  constexpr std::uint8_t first_of_fixed_bits = 7;
  std::string name = code < std::size(names) ? names[code] : "code " + std::to_string(code) + " of bits ";
  if (code != TILE_BOOL && (code < first_of_fixed_bits || code >= std::size(names)))
    name += std::to_string(bits);
  return lanes == 1 ? name : name + "x" + std::to_string(lanes);
}

std::optional<Kind> kind_of(const tile_tensor &tensor) {
  const auto [code, bits, lanes] = tensor.element;
  if (lanes != 1)
    return std::nullopt;
  constexpr auto key = [](int of_code, int of_bits) { return of_code * 256 + of_bits; };
  switch (key(code, bits)) {
  case key(TILE_BOOL, 8):
    return Kind::I1;
  case key(TILE_INT, 8):
    return Kind::I8;
  case key(TILE_INT, 16):
    return Kind::I16;
  case key(TILE_INT, 32):
    return Kind::I32;
  case key(TILE_INT, 64):
    return Kind::I64;
  case key(TILE_UINT, 8):
    return Kind::U8;
  case key(TILE_UINT, 16):
    return Kind::U16;
  case key(TILE_UINT, 32):
    return Kind::U32;
  case key(TILE_UINT, 64):
    return Kind::U64;
  case key(TILE_FLOAT, 16):
    return Kind::F16;
  case key(TILE_FLOAT, 32):
    return Kind::F32;
  case key(TILE_FLOAT, 64):
    return Kind::F64;
  case key(TILE_BFLOAT, 16):
    return Kind::BF16;
  case key(TILE_FLOAT8_E4M3, 8):
    return Kind::E4M3;
  case key(TILE_FLOAT8_E5M2, 8):
    return Kind::E5M2;
  default:
    return std::nullopt;
  }
}

std::string name_of_place(int type, int number) {
  switch (type) {
  case TILE_ON_CPU:
    return "the CPU";
  case TILE_ON_CUDA:
    return "cuda:" + std::to_string(number);
  case TILE_ON_CUDA_HOST:
    return "pinned memory of the host";
  case TILE_ON_CUDA_MANAGED:
    return "managed memory of CUDA";
  default:
    return "a device of another kind (type " + std::to_string(type) + " of DLPack)";
  }
}

// Whether kernels of the device reach the tensor.
bool is_reached(const tile_tensor &tensor, const NamedDevice &device) {
  if (device.kind != "cuda")
    return tensor.device.type == TILE_ON_CPU || tensor.device.type == TILE_ON_CUDA_HOST;
  return (tensor.device.type == TILE_ON_CUDA && tensor.device.number == device.ordinal) ||
         tensor.device.type == TILE_ON_CUDA_HOST || tensor.device.type == TILE_ON_CUDA_MANAGED;
}

std::string list(std::span<const std::int64_t> numbers) {
  std::string text;
  for (std::int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

class Check {
 public:
  Check(const Parameter &parameter, const tile_tensor &tensor) : parameter_(parameter), tensor_(tensor) {}

  exporting::Tensor on(const NamedDevice &device) const {
    exporting::Tensor result;
    check_rank();
    result.rank = tensor_.rank;
    result.element = element();
    for (int axis = 0; axis < tensor_.rank; ++axis)
      result.extents[axis] = tensor_.extents[axis];
    set_strides(result);
    check_size(result);
    if (!is_reached(tensor_, device))
      throw error(
          "lies on " + name_of_place(tensor_.device.type, tensor_.device.number) +
              ", and the function runs on " +
              (device.kind == "cuda" ? "cuda:" + std::to_string(device.ordinal) : "the " + device.kind),
          "copy it there, or use a stream of the tensor's device");
    result.data = address(result);
    return result;
  }

 private:
  Error error(const std::string &what, const std::string &help = "") const {
    Error made("`" + std::string(parameter_.name) + "` " + what, {});
    if (!help.empty())
      made.add_help(help);
    return made;
  }

  void check_rank() const {
    if (tensor_.rank < 0 || tensor_.rank > exporting::most_axes)
      throw error("has " + std::to_string(tensor_.rank) + " axes; from 0 to " +
                  std::to_string(exporting::most_axes) + " are possible");
    if (parameter_.rank >= 0 && tensor_.rank != parameter_.rank)
      throw error("has " + std::to_string(tensor_.rank) + " axes, and the function takes " +
                  std::to_string(parameter_.rank));
    if (tensor_.rank > 0 && !tensor_.extents)
      throw error("has axes, but its extents are null");
    for (int axis = 0; axis < tensor_.rank; ++axis)
      if (tensor_.extents[axis] < 0)
        throw error("has a negative extent: " + list({tensor_.extents, tensor_.extents + tensor_.rank}));
  }

  ElementType element() const {
    const std::optional<Kind> kind = kind_of(tensor_);
    if (!kind)
      throw error("has elements of " + name_of_element(tensor_) + ", which no kernel takes")
          .with_code(ErrorCode::unsupported);
    const auto wanted = static_cast<Kind>(parameter_.element);
    if (!parameter_.takes_any_element && *kind != wanted)
      throw error("has elements of " + name_of_element(tensor_) + ", and the function takes " +
                  ElementType{wanted}.name());
    return {*kind};
  }

  // Strides of axes with one index do not matter. They become those of a contiguous tensor.
  void set_strides(exporting::Tensor &result) const {
    std::int64_t packed = 1;
    bool is_contiguous = true;
    for (int axis = tensor_.rank - 1; axis >= 0; --axis) {
      const bool is_given = tensor_.strides && tensor_.extents[axis] > 1;
      result.strides[axis] = is_given ? tensor_.strides[axis] : packed;
      is_contiguous = is_contiguous && result.strides[axis] == packed;
      if (__builtin_mul_overflow(packed, std::max<std::int64_t>(tensor_.extents[axis], 1), &packed))
        throw too_large();
    }
    if (parameter_.is_contiguous && !is_contiguous && !result.is_empty())
      throw error("is not contiguous: its extents are " +
                      list({tensor_.extents, tensor_.extents + tensor_.rank}) + " and its strides " +
                      list({tensor_.strides, tensor_.strides + tensor_.rank}) +
                      ". The kernel gets its address alone",
                  "pass a contiguous copy, or export a function that takes a view (<tile/export.h>)");
  }

  Error too_large() const {
    return error("has more bytes than addresses: its extents are " +
                 list({tensor_.extents, tensor_.extents + tensor_.rank}));
  }

  // Every element has an address.
  void check_size(const exporting::Tensor &result) const {
    if (result.is_empty())
      return;
    std::int64_t reach = static_cast<std::int64_t>(result.element.bytes()), total = reach;
    for (int axis = 0; axis < result.rank; ++axis) {
      std::int64_t along = 0;
      if (__builtin_mul_overflow(result.extents[axis] - 1, result.strides[axis], &along) ||
          __builtin_mul_overflow(along, reach, &along) || along == std::numeric_limits<std::int64_t>::min() ||
          __builtin_add_overflow(total, along < 0 ? -along : along, &total) || total >> 56 != 0)
        throw too_large();
    }
  }

  void *address(const exporting::Tensor &result) const {
    if (!tensor_.data) {
      if (!result.is_empty())
        throw error("has elements, but its data is null");
      return nullptr;
    }
    auto *const data = static_cast<std::byte *>(tensor_.data) + tensor_.byte_offset;
    const std::size_t bytes = result.element.bytes();
    if (reinterpret_cast<std::uintptr_t>(data) % bytes != 0)
      throw error("is misaligned: its address is no multiple of " + std::to_string(bytes) +
                  ", the size of an element");
    return data;
  }

  const Parameter &parameter_;
  const tile_tensor &tensor_;
};

}   // namespace

exporting::Tensor check_tensor(const Parameter &parameter, const tile_tensor *tensor,
                               const NamedDevice &device) {
  if (!tensor)
    throw Error("`" + std::string(parameter.name) + "` is null, and the function takes a tensor", {});
  return Check(parameter, *tensor).on(device);
}

const tile_tensor &tensor_of_dlpack(const void *managed, bool is_written) {
  // As the first version of DLPack fixed it for all later ones; what follows `major` may change with it.
  struct Managed {
    std::uint32_t major, minor;
    void *context;
    void (*deleter)(void *);
    std::uint64_t flags;
    tile_tensor tensor;
  };
  constexpr std::uint32_t known_major = 1;
  constexpr std::uint64_t read_only = 1;
  const auto &given = *static_cast<const Managed *>(managed);
  if (given.major != known_major)
    throw Error("the tensor is of version " + std::to_string(given.major) + "." +
                    std::to_string(given.minor) + " of DLPack; version " + std::to_string(known_major) +
                    " is supported",
                {})
        .with_code(ErrorCode::unsupported);
  if (is_written && (given.flags & read_only))
    throw Error("the tensor is read-only, and is to be written", {}).add_help("pass a copy of it");
  return given.tensor;
}

}   // namespace tile::c_api
