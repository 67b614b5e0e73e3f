// SPDX-License-Identifier: MIT
// The names of what products can be made of.
#include "tools/registry/products.h"

#include <fmt/format.h>

namespace tile::registry {

std::vector<Parameter> product_parameters() {
  return {{"dtype",
           "elements of a and b; tf32: f32 multiplied with tf32's precision, f32: exactly",
           "f16",
           {"f16", "bf16", "f32", "tf32", "e4m3", "e5m2", "i8"}},
          {"out",
           "elements of c; auto: as dtype, f16 for fp8, i32 for i8",
           "auto",
           {"auto", "f16", "bf16", "f32", "i32"}},
          {"act", "activation", "none", {"none", "leaky_relu", "gelu"}}};
}

reference::Function activation_reference(const std::string &act, ElementType accumulator) {
  if (act == "gelu")
    return reference::gelu;
  if (act == "leaky_relu")
    return accumulator.is_integer() ? reference::leaky_relu_of_integer : reference::leaky_relu;
  return nullptr;
}

void refuse_product(const Settings &settings) {
  const std::string &dtype = settings.choice("dtype");
  if (dtype == "i8" && settings.choice("act") == "gelu")
    throw BadSetting("--act gelu needs float elements; of i8 products, none and leaky_relu are accepted");
  const char *outs = dtype == "bf16"                     ? "bf16 and f32"
                     : dtype == "f32" || dtype == "tf32" ? "f32"
                     : dtype == "i8"                     ? "i32"
                                                         : "f16 and f32";
  throw BadSetting(fmt::format("--out {} does not go with --dtype {}; accepted are auto, {}",
                               settings.choice("out"), dtype, outs));
}

}   // namespace tile::registry
