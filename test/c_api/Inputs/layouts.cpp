// SPDX-License-Identifier: MIT
// Our declarations of what DLPack and tvm-ffi lay out, beside their own headers.
#include "compiler/c_api/tvm_ffi.h"

#include <tile/tile.h>

#include <tvm/ffi/c_api.h>

#define SAME_PLACE(ours, a, theirs, b)                                                                       \
  static_assert(offsetof(ours, a) == offsetof(theirs, b) && sizeof(ours::a) == sizeof(theirs::b))

static_assert(sizeof(tile_tensor) == sizeof(DLTensor));
SAME_PLACE(tile_tensor, data, DLTensor, data);
SAME_PLACE(tile_tensor, device.type, DLTensor, device.device_type);
SAME_PLACE(tile_tensor, device.number, DLTensor, device.device_id);
SAME_PLACE(tile_tensor, rank, DLTensor, ndim);
SAME_PLACE(tile_tensor, element.code, DLTensor, dtype.code);
SAME_PLACE(tile_tensor, element.bits, DLTensor, dtype.bits);
SAME_PLACE(tile_tensor, element.lanes, DLTensor, dtype.lanes);
SAME_PLACE(tile_tensor, extents, DLTensor, shape);
SAME_PLACE(tile_tensor, strides, DLTensor, strides);
SAME_PLACE(tile_tensor, byte_offset, DLTensor, byte_offset);

static_assert(int{TILE_ON_CPU} == kDLCPU && int{TILE_ON_CUDA} == kDLCUDA &&
              int{TILE_ON_CUDA_HOST} == kDLCUDAHost && int{TILE_ON_CUDA_MANAGED} == kDLCUDAManaged);
static_assert(int{TILE_INT} == kDLInt && int{TILE_UINT} == kDLUInt && int{TILE_FLOAT} == kDLFloat &&
              int{TILE_BFLOAT} == kDLBfloat && int{TILE_BOOL} == kDLBool &&
              int{TILE_FLOAT8_E4M3} == kDLFloat8_e4m3fn && int{TILE_FLOAT8_E5M2} == kDLFloat8_e5m2);

// The wrapping that tile_tensor_of_dlpack() takes.
static_assert(DLPACK_MAJOR_VERSION == 1 && DLPACK_FLAG_BITMASK_READ_ONLY == 1);
static_assert(offsetof(DLManagedTensorVersioned, version.major) == 0 &&
              offsetof(DLManagedTensorVersioned, version.minor) == 4 &&
              offsetof(DLManagedTensorVersioned, flags) == 24 &&
              offsetof(DLManagedTensorVersioned, dl_tensor) == 32);

using tile::tvm_ffi::Argument, tile::tvm_ffi::Type, tile::tvm_ffi::TextCell;
static_assert(sizeof(Argument) == sizeof(TVMFFIAny));
SAME_PLACE(Argument, type, TVMFFIAny, type_index);
SAME_PLACE(Argument, small_length, TVMFFIAny, small_str_len);
SAME_PLACE(Argument, integer, TVMFFIAny, v_int64);
SAME_PLACE(Argument, floating, TVMFFIAny, v_float64);
SAME_PLACE(Argument, pointer, TVMFFIAny, v_ptr);
SAME_PLACE(Argument, small_text, TVMFFIAny, v_bytes);
static_assert(sizeof(TVMFFIObject) == tile::tvm_ffi::object_header_bytes);
SAME_PLACE(TextCell, data, TVMFFIByteArray, data);
SAME_PLACE(TextCell, size, TVMFFIByteArray, size);

static_assert(int{Type::nothing} == kTVMFFINone && int{Type::integer} == kTVMFFIInt &&
              int{Type::boolean} == kTVMFFIBool && int{Type::floating} == kTVMFFIFloat &&
              int{Type::borrowed_tensor} == kTVMFFIDLTensorPtr && int{Type::raw_text} == kTVMFFIRawStr &&
              int{Type::small_text} == kTVMFFISmallStr && int{Type::text_object} == kTVMFFIStr &&
              int{Type::tensor_object} == kTVMFFITensor);
