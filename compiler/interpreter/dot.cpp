// SPDX-License-Identifier: MIT
// dot: operands are widened to what the sums are in (f32; f64 for f64; 32-bit integers that wrap
// for 8-bit ones), then multiplied. A 16-bit accumulator is widened too and rounded once, after
// the last product of the operation. fp8 is f32 throughout, so `max_imprecise_acc` changes
// nothing here.
#include "compiler/interpreter/dot.h"

#include "compiler/interpreter/machine.h"
#include "compiler/interpreter/matrix_product.h"

#include <cmath>
#include <cstring>

namespace tile::interpreter {
namespace {

// Buffers of a thread; they keep their size from dot to dot.
struct Scratch {
  std::vector<float> a, b, c, low, parts[6];
};
Scratch &scratch() {
  static thread_local Scratch buffers;
  return buffers;
}

const float *widened(Machine &m, Place place, Lane lane, std::size_t count, std::vector<float> &to) {
  if (lane == Lane::F32)
    return m.at<float>(place);
  to.resize(count);
  float *out = to.data();
  forAnyFloat(lane, [&]<class T>(T) {
    if constexpr (numeric::NarrowFloat<T>) {
      const T *in = m.at<T>(place);
      TILE_LANES
      for (std::size_t n = 0; n < count; ++n)
        out[n] = numeric::decode<T>(in[n].bits);
    }
    return true;
  });
  return out;
}

// f32 as a sum of numbers of a narrower format, the largest part first. What does not fit a part
// is in the later ones; an infinity or a NaN is in the first alone.
float truncatedToTf32(float value) { return numeric::truncate_to_tf32(value); }
float roundedToBf16(float value) {
  const float rounded = numeric::decode<bf16>(numeric::encode<bf16>(value));
  // The largest floats round to infinity: drop their low bits instead.
  return std::isinf(rounded) && !std::isinf(value)
             ? numeric::decode<bf16>(numeric::encode<bf16, numeric::Rounding::toward_zero>(value))
             : rounded;
}
void decomposeInto(const float *values, std::size_t count, int parts, float (*narrow)(float),
                   std::vector<float> *to) {
  for (int part = 0; part < parts; ++part)
    to[part].resize(count);
  for (std::size_t n = 0; n < count; ++n) {
    float rest = values[n];
    for (int part = 0; part < parts; ++part) {
      const float narrowed = narrow(rest);
      to[part][n] = narrowed;
      rest = std::isfinite(narrowed) ? rest - narrowed : 0.0f;
    }
  }
}

void addFloatProduct(const Dot &d, float *c, const float *a, const float *b) {
  const std::size_t aLanes = d.rows * d.depth, bLanes = d.depth * d.columns;
  std::vector<float> *aParts = scratch().parts, *bParts = scratch().parts + 3;
  // The products of small parts are summed by themselves. Where an infinity meets a small part the
  // sum says nothing, and the product of the large parts says all.
  std::vector<float> &low = scratch().low;
  const auto product = [&](int aPart, int bPart) {
    addProduct(low.data(), aParts[aPart].data(), bParts[bPart].data(), d.rows, d.columns, d.depth);
  };
  const auto decompose = [&](int parts, float (*narrow)(float)) {
    decomposeInto(a, aLanes, parts, narrow, aParts);
    decomposeInto(b, bLanes, parts, narrow, bParts);
  };
  const bool wide = d.a == Lane::F32;
  if (!wide || d.precision == DotPrecision::Ieee)
    return addProduct(c, a, b, d.rows, d.columns, d.depth);
  low.assign(d.rows * d.columns, 0.0f);
  switch (d.precision) {
  case DotPrecision::Tf32:
    decompose(1, truncatedToTf32);
    break;
  case DotPrecision::Tf32x3:
    decompose(2, truncatedToTf32);
    product(1, 0);
    product(0, 1);
    break;
  case DotPrecision::Bf16x3:
    decompose(2, roundedToBf16);
    product(1, 0);
    product(0, 1);
    break;
  case DotPrecision::Bf16x6:
    decompose(3, roundedToBf16);
    product(1, 1);
    product(2, 0);
    product(0, 2);
    product(1, 0);
    product(0, 1);
    break;
  case DotPrecision::Ieee:
    break;
  }
  for (std::size_t n = 0; n < low.size(); ++n)
    c[n] += std::isfinite(low[n]) ? low[n] : 0.0f;
  addProduct(c, aParts[0].data(), bParts[0].data(), d.rows, d.columns, d.depth);
}

template <class Sum> void dotFloats(const Instruction &i, Machine &m) {
  const Dot &d = i.as<Dot>();
  const std::size_t aLanes = d.rows * d.depth, bLanes = d.depth * d.columns, cLanes = d.rows * d.columns;
  const float *a = widened(m, i.a, d.a, d.batch * aLanes, scratch().a);
  const float *b = widened(m, i.b, d.b, d.batch * bLanes, scratch().b);
  const Sum *before = m.at<Sum>(i.c);
  Sum *result = m.at<Sum>(i.result);
  float *c;
  if constexpr (std::is_same_v<Sum, float>) {
    c = result;
    if (result != before)
      std::memcpy(result, before, d.batch * cLanes * sizeof(Sum));
  } else {
    scratch().c.resize(d.batch * cLanes);
    c = scratch().c.data();
    for (std::size_t n = 0; n < d.batch * cLanes; ++n)
      c[n] = numeric::decode<Sum>(before[n].bits);
  }
  for (std::size_t batch = 0; batch < d.batch; ++batch)
    addFloatProduct(d, c + batch * cLanes, a + batch * aLanes, b + batch * bLanes);
  for (std::size_t n = 0; n < d.batch * cLanes; ++n)
    result[n] = close<Sum>(numeric::canonical(c[n]));
}

void dotDoubles(const Instruction &i, Machine &m) {
  const Dot &d = i.as<Dot>();
  const std::size_t cLanes = d.rows * d.columns;
  double *c = m.at<double>(i.result);
  std::memmove(c, m.at<double>(i.c), d.batch * cLanes * sizeof(double));
  for (std::size_t batch = 0; batch < d.batch; ++batch)
    addProduct(c + batch * cLanes, m.at<double>(i.a) + batch * d.rows * d.depth,
               m.at<double>(i.b) + batch * d.depth * d.columns, d.rows, d.columns, d.depth);
  for (std::size_t n = 0; n < d.batch * cLanes; ++n)
    c[n] = numeric::canonical(c[n]);
}

void widenBytes(std::vector<std::uint32_t> &to, const std::uint8_t *from, std::size_t count,
                bool isUnsigned) {
  to.resize(count);
  for (std::size_t n = 0; n < count; ++n)
    to[n] =
        isUnsigned ? from[n] : static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(from[n])});
}

void dotBytes(const Instruction &i, Machine &m) {
  const Dot &d = i.as<Dot>();
  static thread_local std::vector<std::uint32_t> a, b;
  const std::size_t aLanes = d.rows * d.depth, bLanes = d.depth * d.columns, cLanes = d.rows * d.columns;
  widenBytes(a, m.at<std::uint8_t>(i.a), d.batch * aLanes, d.unsignedA);
  widenBytes(b, m.at<std::uint8_t>(i.b), d.batch * bLanes, d.unsignedB);
  std::uint32_t *c = m.at<std::uint32_t>(i.result);
  std::memmove(c, m.at<std::uint32_t>(i.c), d.batch * cLanes * sizeof(std::uint32_t));
  for (std::size_t batch = 0; batch < d.batch; ++batch)
    addProduct(c + batch * cLanes, a.data() + batch * aLanes, b.data() + batch * bLanes, d.rows, d.columns,
               d.depth);
}

bool isNarrowOrSingle(Lane lane) { return isFloat(lane) && lane != Lane::F64; }

}   // namespace

Handler dotHandler(Lane a, Lane b, Lane sum) {
  if (a == Lane::I8 && b == Lane::I8 && sum == Lane::I32)
    return dotBytes;
  if (a == Lane::F64 && b == Lane::F64 && sum == Lane::F64)
    return dotDoubles;
  if (!isNarrowOrSingle(a) || !isNarrowOrSingle(b))
    return nullptr;
  switch (sum) {
  case Lane::F32:
    return dotFloats<float>;
  case Lane::F16:
    return dotFloats<f16>;
  case Lane::BF16:
    return dotFloats<bf16>;
  default:
    return nullptr;
  }
}

}   // namespace tile::interpreter
