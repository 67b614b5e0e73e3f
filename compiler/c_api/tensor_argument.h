// SPDX-License-Identifier: MIT
// A tensor that another language passed, checked against the parameter that takes it.
#pragma once

#include "compiler/c_api/export.h"
#include "compiler/c_api/tile.h"
#include "compiler/devices/devices.h"

namespace tile::c_api {

// Throws tile::Error if the tensor does not fit the parameter, or is not on the device.
exporting::Tensor check_tensor(const exporting::Parameter &parameter, const tile_tensor *tensor,
                               const NamedDevice &device);

// The tensor in a DLManagedTensorVersioned.
const tile_tensor &tensor_of_dlpack(const void *managed, bool is_written);

}   // namespace tile::c_api
