// SPDX-License-Identifier: MIT
#include "gemm.h"

#include <fmt/format.h>

namespace tile::simulator {

namespace {

class Emitter {
 public:
  explicit Emitter(const GemmText &o) : o_(o) {}

  std::string module() {
    std::string fields = "f32";
    for (int i = 1; i < 64; ++i)
      fields += ", f32";
    line("!acc = !llvm.struct<({})>", fields);
    line("module attributes {{tile_gpu.shared_bytes = {} : i32}} {{", gemmSharedBytes(o_.slots));
    line("llvm.mlir.global external @tile_shared() {{addr_space = 3 : i32, alignment = 1024 : i64}} : "
         "!llvm.array<0 x i8>");
    line("llvm.func @gemm(%mapA: !llvm.ptr, %mapB: !llvm.ptr, %mapC: !llvm.ptr, %tilesM: i32, %tilesN: i32, "
         "%steps: i32) attributes {{nvvm.kernel, nvvm.reqntid = array<i32: 384>, "
         "nvvm.minctasm = 1 : i32{}}} {{",
         o_.inPairs ? ", nvvm.cluster_dim = array<i32: 2, 1, 1>" : "");
    setup();
    producer();
    consumer();
    line("^exit:");
    if (o_.inPairs && !is("no barrier of the pair at the end"))
      line("nvvm.cluster.arrive {{aligned}}\nnvvm.cluster.wait {{aligned}}");
    line("llvm.return");
    line("}}");
    line("}}");
    return text_;
  }

 private:
  template <class... Values> void line(fmt::format_string<Values...> format, Values &&...values) {
    text_ += fmt::format(format, std::forward<Values>(values)...) + "\n";
  }
  bool is(const char *mistake) const { return o_.mistake == mistake; }
  std::string fresh() { return fmt::format("%v{}", next_++); }
  std::string constant(long long value, const char *type = "i32") {
    std::string name = fresh();
    line("{} = llvm.mlir.constant({} : {}) : {}", name, value, type, type);
    return name;
  }
  std::string binary(const char *op, const std::string &a, const std::string &b, const char *type = "i32") {
    std::string name = fresh();
    line("{} = llvm.{} {}, {} : {}", name, op, a, b, type);
    return name;
  }
  std::string binary(const char *op, const std::string &a, long long b) { return binary(op, a, constant(b)); }
  std::string compare(const char *how, const std::string &a, const std::string &b) {
    std::string name = fresh();
    line("{} = llvm.icmp \"{}\" {}, {} : i32", name, how, a, b);
    return name;
  }
  std::string choose(const std::string &condition, const std::string &yes, const std::string &no) {
    std::string name = fresh();
    line("{} = llvm.select {}, {}, {} : i1, i32", name, condition, yes, no);
    return name;
  }
  std::string place(const std::string &offset) {
    std::string name = fresh();
    line("{} = llvm.getelementptr %smem[{}] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8", name, offset);
    return name;
  }
  std::string label() { return fmt::format("^b{}", labels_++); }
  // What `body` emits, for threads of which the condition is true.
  template <class Body> void when(const std::string &condition, Body body) {
    const std::string then = label(), after = label();
    line("llvm.cond_br {}, {}, {}", condition, then, after);
    line("{}:", then);
    body();
    line("llvm.br {}", after);
    line("{}:", after);
  }
  std::string following(const std::string &slot) {
    const std::string next = binary("add", slot, 1);
    const std::string zero = constant(0);
    return choose(compare("eq", next, constant(o_.slots)), zero, next);
  }
  std::string full(const std::string &slot) { return place(binary("add", binary("shl", slot, 3), fullAt())); }
  std::string empty(const std::string &slot) {
    return place(binary("add", binary("shl", slot, 3), fullAt() + 8 * o_.slots));
  }
  int fullAt() const { return o_.slots * 32768 + 65536; }
  void wait(const std::string &barrier, const std::string &parity) {
    line("nvvm.mbarrier.try_wait.parity {}, {}, {} : !llvm.ptr<3>, i32, i32", barrier, parity,
         constant(1000));
  }
  void arrive(const std::string &barrier) {
    const std::string state = fresh();
    line("{} = nvvm.mbarrier.arrive {} : !llvm.ptr<3> -> i64", state, barrier);
  }
  std::string flipped(const std::string &slot, const std::string &next, const std::string &parity) {
    if (is("parity is not flipped"))
      return parity;
    const std::string wraps =
        is("parity flips a lap early") ? compare("eq", next, constant(1)) : compare("ult", next, slot);
    const std::string other = binary("xor", parity, 1);
    return choose(o_.slots == 1 ? constantTrue() : wraps, other, parity);
  }
  std::string constantTrue() {
    const std::string right = constant(0);
    return compare("eq", constant(0), right);
  }

  void setup() {
    line("%smem = llvm.mlir.addressof @tile_shared : !llvm.ptr<3>");
    line("%tid = nvvm.read.ptx.sreg.tid.x : i32");
    line("%cta = nvvm.read.ptx.sreg.{}.x : i32", o_.inPairs ? "clusterid" : "ctaid");
    line("%ctas = nvvm.read.ptx.sreg.{}.x : i32", o_.inPairs ? "nclusterid" : "nctaid");
    line("%rank = nvvm.read.ptx.sreg.cluster.ctarank : i32");
    line("%peer = llvm.xor %rank, {} : i32", constant(1));
    line("%rows = llvm.lshr %tilesM, {} : i32", constant(o_.inPairs));
    line("%total = llvm.mul %rows, %tilesN : i32");
    line("%base = llvm.ptrtoint %smem : !llvm.ptr<3> to i32");
    line("%zero = llvm.mlir.constant(0 : i32) : i32");
    line("%acc0 = llvm.mlir.zero : !acc");
    line("%isFirst = llvm.icmp \"eq\" %tid, %zero : i32");
    when("%isFirst", [&] {
      for (int slot = 0; slot < o_.slots; ++slot) {
        const std::string f = full(constant(slot)), e = empty(constant(slot));
        line("nvvm.mbarrier.init {}, {} : !llvm.ptr<3>, i32", f, constant(is("full for two") ? 2 : 1));
        line("nvvm.mbarrier.init {}, {} : !llvm.ptr<3>, i32", e,
             constant(is("empty for one")     ? 1
                      : is("empty for three") ? 3
                      : o_.inPairs            ? 4
                                              : 2));
      }
      if (!is("no init fence"))
        line("nvvm.fence.mbarrier.init");
    });
    if (o_.inPairs && !is("the pair does not meet after init"))
      line("nvvm.cluster.arrive.relaxed {{aligned}}\nnvvm.cluster.wait {{aligned}}");
    else if (!is("no barrier after init"))
      line("nvvm.barrier0");
    line("%group = llvm.lshr %tid, {} : i32", constant(7));
    line("%isProducer = llvm.icmp \"eq\" %group, %zero : i32");
    line("llvm.cond_br %isProducer, ^producer, ^consumer");
  }

  // The tile's first row and column.
  std::pair<std::string, std::string> corner(const std::string &tile) {
    std::string row = binary("udiv", tile, "%tilesN");
    if (o_.inPairs)
      row = binary("add", binary("shl", row, 1), "%rank");
    return {binary("shl", row, 7), binary("shl", binary("urem", tile, "%tilesN"), 7)};
  }

  void copy(const char *map, const std::string &to, const std::string &barrier, const std::string &x,
            const std::string &y, bool toBoth = false) {
    const std::string there = fresh();
    std::string mask;
    if (toBoth)
      mask = " multicast_mask = " + constant(is("half of B goes to one") ? 1 : 3, "i16");
    line("{} = llvm.addrspacecast {} : !llvm.ptr<3> to !llvm.ptr<7>", there, to);
    line(
        "nvvm.cp.async.bulk.tensor.shared.cluster.global {}, {}, {}, box[{}, {}]{} : !llvm.ptr<7>, !llvm.ptr",
        there, map, barrier, x, y, mask);
  }

  void producer() {
    line("^producer:");
    line("nvvm.setmaxregister decrease 40");
    line("llvm.cond_br %isFirst, ^ptile(%cta, %zero, %zero : i32, i32, i32), ^exit");
    line("^ptile(%pt: i32, %ps0: i32, %pp0: i32):");
    line("%pmore = llvm.icmp \"ult\" %pt, %total : i32");
    line("llvm.cond_br %pmore, ^pk(%zero, %ps0, %pp0 : i32, i32, i32), ^exit");
    line("^pk(%pk: i32, %ps: i32, %pp: i32):");
    line("%psteps = llvm.add %steps, {} : i32", constant(is("producer leaves early") ? -1 : 0));
    line("%pgo = llvm.icmp \"slt\" %pk, %psteps : i32");
    line("llvm.cond_br %pgo, ^pload, ^pnext");
    line("^pload:");
    const auto [row, column] = corner("%pt");
    const std::string next = following("%ps"), k = binary("shl", "%pk", 6);
    const std::string parity = is("producer waits for the other parity") ? "%pp" : binary("xor", "%pp", 1);
    const std::string e = empty(is("producer waits for the next slot") ? next : "%ps");
    if (!is("producer does not wait") && !is("producer waits after the copies"))
      wait(e, parity);
    const std::string f = full("%ps"), signal = is("copies signal the next slot") ? full(next) : f;
    const int bytes = is("half of the bytes announced") ? 16384
                      : is("too many bytes announced")  ? 32784
                                                        : 32768;
    if (is("arrival without bytes"))
      arrive(f);
    else
      line("nvvm.mbarrier.arrive.expect_tx {}, {} : !llvm.ptr<3>, i32", f, constant(bytes));
    if (is("bytes announced twice"))
      line("nvvm.mbarrier.expect_tx {}, {} : !llvm.ptr<3>, i32", f, constant(bytes));
    const std::string a = place(binary("shl", "%ps", 14));
    const std::string b = place(
        binary("add", binary("shl", is("B lands in the next slot") ? next : "%ps", 14), o_.slots * 16384));
    copy("%mapA", a, is("A signals empty") ? e : signal, k, row);
    if (!o_.inPairs) {
      copy("%mapB", is("A lands twice") ? a : b, signal, k, column);
    } else {
      const std::string half = binary("add", column, binary("shl", "%rank", 6));
      const std::string ofSlot = binary("add", binary("shl", "%ps", 14), o_.slots * 16384);
      copy("%mapB", place(binary("add", binary("shl", "%rank", 13), ofSlot)), signal, k, half,
           /*toBoth=*/true);
    }
    if (is("producer waits after the copies"))
      wait(e, parity);
    const std::string flip = flipped("%ps", next, "%pp");
    line("llvm.br ^pk({}, {}, {} : i32, i32, i32)", binary("add", "%pk", 1), next, flip);
    line("^pnext:");
    line("llvm.br ^ptile({}, %ps, %pp : i32, i32, i32)", binary("add", "%pt", "%ctas"));
  }

  std::string descriptor(const std::string &offset, int more, unsigned long long constantPart) {
    const std::string at = binary("add", binary("add", "%base", offset), more);
    const std::string start = binary("lshr", binary("and", at, 0x3FFFF), 4);
    const std::string wide = fresh();
    line("{} = llvm.zext {} : i32 to i64", wide, start);
    return binary("or", wide, constant(static_cast<long long>(constantPart), "i64"), "i64");
  }

  void release(const std::string &slot) {
    if (is("slot never released"))
      return;
    const auto go = [&] {
      arrive(empty(slot));
      if (o_.inPairs && !is("the peer is not told")) {
        const std::string there = fresh();
        line("{} = nvvm.mapa {}, %peer : !llvm.ptr<3> -> !llvm.ptr<7>", there, empty(slot));
        line("nvvm.mbarrier.arrive {} {{scope = #nvvm.mem_scope<cluster>}} : !llvm.ptr<7>", there);
      }
      if (is("slot released twice"))
        arrive(empty(slot));
    };
    if (is("all threads release"))
      go();
    else
      when(is("one consumer does not release") ? compare("eq", "%tid", constant(128)) : "%isLead", go);
  }

  void consumer() {
    line("^consumer:");
    line("nvvm.setmaxregister increase 232");
    line("%inGroup = llvm.and %tid, {} : i32", constant(127));
    line("%isLead = llvm.icmp \"eq\" %inGroup, %zero : i32");
    line("%which = llvm.sub %group, {} : i32", constant(1));
    const std::string slots = constant(o_.slots * 32768);
    line("%staging = llvm.add {}, {} : i32", binary("shl", "%which", 15), slots);
    line("llvm.br ^ctile(%cta, %zero, %zero : i32, i32, i32)");
    line("^ctile(%ct: i32, %cs0: i32, %cp0: i32):");
    line("%cmore = llvm.icmp \"ult\" %ct, %total : i32");
    line("llvm.cond_br %cmore, ^ck(%zero, %cs0, %cp0, %cs0, %acc0 : i32, i32, i32, i32, !acc), ^cend");
    line("^ck(%ck: i32, %cs: i32, %cp: i32, %clast: i32, %acc: !acc):");
    line("%cgo = llvm.icmp \"slt\" %ck, %steps : i32");
    line("llvm.cond_br %cgo, ^cbody, ^cdone");
    line("^cbody:");
    step();
    line("^cdone:");
    epilogue();
    line("^cend:");
    line("llvm.cond_br %isLead, ^clast, ^exit");
    line("^clast:");
    if (!is("store not awaited at the end"))
      line("nvvm.cp.async.bulk.wait_group 0");
    line("llvm.br ^exit");
  }

  void step() {
    const std::string next = following("%cs");
    const std::string f = full(is("consumers wait for the next slot") ? next : "%cs");
    const std::string parity = is("consumers wait for parity 0") ? "%zero" : "%cp";
    const bool isLate = is("consumers wait after the first product");
    if (!is("consumers do not wait") && !isLate)
      wait(f, parity);
    if (is("slot released before its products"))
      release("%cs");
    if (!is("no wgmma fence"))
      line("nvvm.wgmma.fence.aligned");
    line("%later = llvm.icmp \"ne\" %ck, %zero : i32");
    const std::string ofGroup = binary("shl", "%which", 13);
    std::string a = binary("add", binary("shl", "%cs", 14), ofGroup);
    if (is("descriptors differ")) {
      const std::string further = constant(128);
      a = binary("add", a, choose(compare("eq", "%tid", constant(200)), further, "%zero"));
    }
    const std::string b = binary("add", binary("shl", "%cs", 14), o_.slots * 16384);
    constexpr unsigned long long swizzled = 1ull << 16 | 64ull << 32 | 1ull << 62;
    const unsigned long long forA =
        is("another swizzle of A") ? 1ull << 16 | 64ull << 32 | 2ull << 62 : swizzled;
    const unsigned long long forB = is("no swizzle of B")       ? 1ull << 16 | 64ull << 32
                                    : is("another stride of B") ? 1ull << 16 | 32ull << 32 | 1ull << 62
                                                                : swizzled;
    std::string acc = "%acc";
    for (int i = 0; i < 4; ++i) {
      const std::string da = descriptor(a, 32 * i, forA), db = descriptor(b, 32 * i, forB), result = fresh();
      line("{} = tile_gpu.ptx_wgmma [{}] * {} onto {} {} {{n = 128 : i32, type_a = f16, type_b = f16}} : "
           "!acc, i64",
           result, da, db, acc, i == 0 ? "if %later" : "");
      acc = result;
      if (i == 0 && isLate)
        wait(f, parity);
    }
    if (!is("no commit"))
      line("nvvm.wgmma.commit.group.sync.aligned");
    const int pending = o_.inFlight + is("one more in flight");
    if (!is("no wait before the release")) {
      const std::string waited = fresh();
      line("{} = tile_gpu.ptx_wgmma_wait {} for {} : !acc", waited, pending, acc);
      acc = waited;
    }
    if (!is("slot released before its products")) {
      if (o_.inFlight == 0 || is("newest slot released"))
        release("%cs");
      else   // the wait has finished the step before this one
        when("%later", [&] { release("%clast"); });
    }
    const std::string flip = flipped("%cs", next, "%cp");
    line("llvm.br ^ck({}, {}, {}, %cs, {} : i32, i32, i32, i32, !acc)", binary("add", "%ck", 1), next, flip,
         acc);
  }

  void epilogue() {
    std::string acc = "%acc";
    if (!is("accumulators read early")) {
      acc = fresh();
      line("{} = tile_gpu.ptx_wgmma_wait 0 for %acc : !acc", acc);
    }
    if (o_.inFlight && !is("newest slot released"))
      when(compare("sgt", "%steps", "%zero"), [&] { release("%clast"); });
    if (!is("earlier store not awaited"))
      when("%isLead", [&] { line("nvvm.cp.async.bulk.wait_group 0 {{read}}"); });
    const std::string number = binary("add", "%group", is("result barrier of another number") ? 1 : 0);
    const std::string count = constant(is("result barrier for all") ? 256 : 128);
    const auto meet = [&](const std::string &id) {
      line("nvvm.barrier id = {} number_of_threads = {}", id, count);
    };
    if (!is("no barrier before the result is shared"))
      meet("%group");
    // Where the accumulators are: rows of 512 bytes.
    const std::string lane = binary("and", "%tid", 31), warp = binary("and", binary("lshr", "%tid", 5), 3);
    const std::string quad = binary("lshr", lane, 2), row = binary("add", binary("shl", warp, 4), quad);
    const std::string pair = binary("shl", binary("and", lane, 3), 3);
    const std::string byte = binary("add", binary("shl", row, 9), pair);
    const std::string first = binary("add", "%staging", byte);
    for (int i = 0; i < 64; ++i) {
      const std::string at =
          place(binary("add", first, (i >> 1 & 1) * 8 * 512 + (i >> 2) * 32 + (i & 1) * 4));
      const std::string value = fresh();
      line("{} = llvm.extractvalue {}[{}] : !acc", value, acc, i);
      line("llvm.store {}, {} : f32, !llvm.ptr<3>", value, at);
    }
    const auto fence = [&] {
      if (!is("no proxy fence"))
        line("nvvm.fence.proxy {{kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}}");
    };
    if (!is("fence after the barrier"))
      fence();
    if (!is("no barrier before the store"))
      meet(number);
    if (is("fence after the barrier"))
      fence();
    const auto [tileRow, column] = corner("%ct");
    const std::string storeRow = binary("add", tileRow, binary("shl", "%which", 6));
    when("%isLead", [&] {
      line("nvvm.cp.async.bulk.tensor.global.shared.cta %mapC, {}, box[{}, {}] : !llvm.ptr, !llvm.ptr<3>",
           place("%staging"), column, storeRow);
      if (!is("store without commit"))
        line("nvvm.cp.async.bulk.commit.group");
    });
    line("llvm.br ^ctile({}, %cs, %cp : i32, i32, i32)", binary("add", "%ct", "%ctas"));
  }

  const GemmText &o_;
  std::string text_;
  int next_ = 0, labels_ = 0;
};

}   // namespace

std::string gemmText(const GemmText &options) { return Emitter(options).module(); }

}   // namespace tile::simulator
