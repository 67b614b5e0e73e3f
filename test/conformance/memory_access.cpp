// SPDX-License-Identifier: MIT
// ME5-ME7: hints change nothing, masked lanes arrive in products as they should, and offsets
// are 64 bits wide.
#include "context.h"
#include "families.h"
#include "types.h"

#include <sys/mman.h>

namespace tile::conformance {

namespace {

struct HintConfig {
  Cache load_cache = Cache::none, store_cache = Cache::none;
  Evict evict = Evict::normal;
  bool is_volatile = false;
};

void hinted_copy(Ptr<const f32> x, Ptr<f32> z, const HintConfig &cfg) {
  const Int i = arange(0, 128);
  const Tensor<f32> value =
      load(x + i, Access{.cache = cfg.load_cache, .evict = cfg.evict, .is_volatile = cfg.is_volatile});
  store(z + i, value, i < 100,
        Access{.cache = cfg.store_cache, .evict = cfg.evict, .is_volatile = cfg.is_volatile});
}

void check_hint(Context &t, const HintConfig &cfg) {
  const Array x = t.numbers<f32>(128, Inputs::uniform);
  Array expected = poisoned(element_type<f32>, 128);
  for (std::size_t i = 0; i < 100; ++i)
    expected.set_bits(i, x.bits(i));
  Memory &in = t.input(x), &out = t.output<f32>(128);
  t.run<&hinted_copy>(cfg, {1}, {in, out});
  t.exact(out, expected);
}

enum class Rows { none, some, last };
struct MaskedDotConfig {
  Rows rows = Rows::none;
  int stages = 1;
  Launch launch{};
};

// acc + A B over K = 128 in steps of 32; masked rows of A read as `other` = 2.
template <class T> void masked_dot(Ptr<const T> a, Ptr<const T> b, Ptr<f32> c, const MaskedDotConfig &cfg) {
  const Int m = arange(0, 32), n = arange(0, 32), k = arange(0, 32);
  const Bool mask = cfg.rows == Rows::none ? m < 0 : cfg.rows == Rows::some ? m % 3 == 1 : m == 31;
  Tensor<f32> acc = zeros<f32>({32, 32});
  for (auto step : range(0, 4).stages(cfg.stages)) {
    const Tensor<T> x = load(a + (m(all, none) * 128 + (k + step * 32)(none, all)), mask(all, none), 2);
    const Tensor<T> y = load(b + ((k + step * 32)(all, none) * 32 + n(none, all)));
    acc = dot(x, y, acc);
  }
  store(c + (m(all, none) * 32 + n(none, all)), acc);
}

template <class T> void check_masked_dot(Context &t, Rows rows, int stages) {
  const Array a = t.numbers<T>(32 * 128, Inputs::integers), b = t.numbers<T>(128 * 32, Inputs::integers);
  Array expected(element_type<f32>, 32 * 32);
  for (std::size_t i = 0; i < 32; ++i)
    for (std::size_t j = 0; j < 32; ++j) {
      const bool taken = rows == Rows::some ? i % 3 == 1 : rows == Rows::last && i == 31;
      long double sum = 0;
      for (std::size_t k = 0; k < 128; ++k)
        sum += (taken ? a.real(i * 128 + k) : 2) * b.real(k * 32 + j);
      expected.set_real(i * 32 + j, sum);
    }
  Memory &in_a = t.input(a), &in_b = t.input(b), &out = t.output<f32>(32 * 32);
  t.run<&masked_dot<T>>({rows, stages, {.num_stages = stages}}, {1}, {in_a, in_b, out});
  t.exact(out, expected);
}

// Address space without memory behind it: pages appear where they are touched.
class SparseMapping {
 public:
  explicit SparseMapping(std::size_t bytes)
      : bytes_(bytes), base_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (base_ == MAP_FAILED)
      throw std::runtime_error("the system gives no address space of " + std::to_string(bytes) + " bytes");
  }
  SparseMapping(const SparseMapping &) = delete;
  ~SparseMapping() { munmap(base_, bytes_); }
  unsigned char *bytes() const { return static_cast<unsigned char *>(base_); }
  Value value() const { return Value::host(base_, bytes_); }

 private:
  std::size_t bytes_;
  void *base_;
};

struct WideConfig {
  int unused = 0;
};
constexpr std::int64_t far = (std::int64_t{1} << 31) + 5;

// x[far] and, from there, back to x[0].
void wide_bytes(Ptr<i8> x, Int64 offset, const WideConfig &) {
  const Ptr<i8> there = x + offset;
  const Tensor<i8> value = load(there);
  store(there + (-offset), value + 1);
  store(there + (-offset + 7), load(x + (offset - 1)));
}

// An i32 offset times eight bytes passes 2^32.
void wide_elements(Ptr<i64> x, Int offset, const WideConfig &) {
  const Int i = arange(0, 16);
  store(x + (i + offset), cast<i64>(i) * 11);
}

// u32 offsets of 2^31 and more are positive.
void unsigned_offset(Ptr<i8> x, Tensor<u32> offset, const WideConfig &) {
  store(x + offset, constant<i8>(77));
}

}   // namespace

void add_access_cases(Suite &suite) {
  const std::pair<const char *, HintConfig> hints[] = {
      {"load.ca", {.load_cache = Cache::ca}},
      {"load.cg", {.load_cache = Cache::cg}},
      {"load.cv", {.load_cache = Cache::cv}},
      {"store.wb", {.store_cache = Cache::wb}},
      {"store.cg", {.store_cache = Cache::cg}},
      {"store.cs", {.store_cache = Cache::cs}},
      {"store.wt", {.store_cache = Cache::wt}},
      {"evict_first", {.evict = Evict::first}},
      {"evict_last", {.evict = Evict::last}},
      {"volatile", {.is_volatile = true}},
      {"load.ca_store.wb_evict_first", {Cache::ca, Cache::wb, Evict::first}},
      {"load.cg_store.cg_evict_last", {Cache::cg, Cache::cg, Evict::last}},
      {"load.cv_store.cs_evict_first", {Cache::cv, Cache::cs, Evict::first}}};
  for (const auto &[name, hint] : hints)
    suite.add("ME5/" + std::string(name), [hint = hint](Context &t) { check_hint(t, hint); });
  each(Types<f16, bf16, f32>{}, [&]<class T>() {
    for (auto [rows, name] :
         {std::pair{Rows::none, "all_off"}, {Rows::some, "partial"}, {Rows::last, "last_row"}})
      for (int stages : {1, 3})
        suite.add("ME6/" + type_name<T>() + "/" + name + "/stages_" + std::to_string(stages),
                  [=, rows = rows](Context &t) { check_masked_dot<T>(t, rows, stages); });
  });
  suite.add_needing("ME7/i64_offset", Needs::host_memory, [](Context &t) {
    const SparseMapping memory(std::size_t{1} << 32);
    memory.bytes()[far] = 41;
    memory.bytes()[far - 1] = 9;
    t.run<&wide_bytes>({}, {1}, {memory.value(), far});
    t.require(memory.bytes()[0] == 42 && memory.bytes()[7] == 9,
              "an offset of 2^31 + 5 bytes went elsewhere");
  });
  suite.add_needing("ME7/i32_offset_times_size", Needs::host_memory, [](Context &t) {
    const SparseMapping memory(std::size_t{5} << 30);
    const int offset = (1 << 29) + 3;
    t.run<&wide_elements>({}, {1}, {memory.value(), offset});
    const auto *elements = reinterpret_cast<const std::int64_t *>(memory.bytes()) + offset;
    for (int i = 0; i < 16; ++i)
      t.require(elements[i] == 11 * i, "an i32 offset was scaled in 32 bits");
  });
  suite.add_needing("ME7/u32_offset", Needs::host_memory, [](Context &t) {
    const SparseMapping memory(std::size_t{1} << 32);
    t.run<&unsigned_offset>({}, {1}, {memory.value(), far});
    t.require(memory.bytes()[far] == 77, "a u32 offset over 2^31 was extended by its sign");
  });
}

}   // namespace tile::conformance
