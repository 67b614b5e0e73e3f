// SPDX-License-Identifier: MIT
// Two kernels in PTX, for tests of the runtime that need no compiler.
#pragma once

#include <tile/lowered_kernel.h>

#include <string_view>

namespace tile::cuda {

// c[i] = a[i] + b[i] for i < n, 128 threads a CTA.
inline constexpr std::string_view VectorAddPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .s32 n)
{
  .reg .pred %p<2>;
  .reg .f32 %f<4>;
  .reg .b32 %r<6>;
  .reg .b64 %d<10>;
  ld.param.u64 %d1, [a];
  ld.param.u64 %d2, [b];
  ld.param.u64 %d3, [c];
  ld.param.s32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r2, 128, %r3;
  setp.ge.s32 %p1, %r4, %r1;
  @%p1 bra DONE;
  mul.wide.s32 %d4, %r4, 4;
  add.s64 %d5, %d1, %d4;
  add.s64 %d6, %d2, %d4;
  add.s64 %d7, %d3, %d4;
  ld.global.f32 %f1, [%d5];
  ld.global.f32 %f2, [%d6];
  add.f32 %f3, %f1, %f2;
  st.global.f32 [%d7], %f3;
DONE:
  ret;
}
)";

// Takes twelve arguments, as a matrix product does, and does nothing.
inline constexpr std::string_view TwelveArgumentsPtx = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry twelve(.param .u64 a, .param .u64 b, .param .u64 c, .param .s32 d, .param .s32 e, .param .s32 f,
                       .param .s32 g, .param .s32 h, .param .s32 i, .param .s32 j, .param .s32 k, .param .s32 l)
{
  ret;
}
)";

// A kernel as the compiler would have left it.
inline LoweredKernel loweredPtx(std::string_view ptx, const std::string &name, unsigned threads,
                                const std::vector<ElementType> &types) {
  LoweredKernel kernel;
  kernel.name = kernel.symbol = name;
  kernel.target = "sm_80";
  kernel.threads = threads;
  kernel.set_text(ptx);
  std::vector<LaunchArgument> arguments;
  for (const ElementType &type : types)
    arguments.push_back({"arg" + std::to_string(arguments.size()), type});
  kernel.take(arguments, {});
  return kernel;
}

inline LoweredKernel vectorAdd() {
  constexpr ElementType vector = element_type<float *>;
  return loweredPtx(VectorAddPtx, "vector_add", 128, {vector, vector, vector, element_type<int>});
}

// c[i] = a[n - 1 - i] + b[i], in a kernel that waits for those before it by itself, and may start beside
// them: what it reads of a another CTA of the kernel before has written.
inline LoweredKernel mirroredAdd() {
  LoweredKernel kernel = vectorAdd();
  std::string text(kernel.text());
  const auto replace = [&](std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
  };
  replace(".version 7.0", ".version 7.8");
  replace(".target sm_80", ".target sm_90");
  replace("@%p1 bra DONE;", "griddepcontrol.launch_dependents;\n  griddepcontrol.wait;\n  @%p1 bra DONE;");
  replace("add.s64 %d5, %d1, %d4;", "not.b32 %r5, %r4;\n  add.s32 %r5, %r5, %r1;\n"
                                    "  mul.wide.s32 %d8, %r5, 4;\n  add.s64 %d5, %d1, %d8;");
  kernel.set_text(text);
  kernel.target = "sm_90";
  kernel.starts_early = true;
  return kernel;
}

}   // namespace tile::cuda
