// SPDX-License-Identifier: MIT
#include "gemm.h"

namespace tile::simulator {

const std::map<std::string, std::string> &gemmMistakes() {
  static const std::map<std::string, std::string> mistakes{
      {"no barrier after init", "threads may use mbarriers before they are made"},
      {"no init fence", "copies may not know of the mbarriers"},
      {"full for two", "a phase that never ends"},
      {"empty for one", "the second arrival is too many"},
      {"empty for three", "an arrival that nobody makes"},
      {"producer does not wait", "slots are refilled while they are read"},
      {"producer waits for the other parity", "never, or always"},
      {"producer waits for the next slot", ""},
      {"producer waits after the copies", ""},
      {"half of the bytes announced", "consumers start when one of two tiles is there"},
      {"too many bytes announced", "the phase never ends"},
      {"bytes announced twice", ""},
      {"arrival without bytes", "the phase ends at once"},
      {"copies signal the next slot", ""},
      {"A signals empty", ""},
      {"B lands in the next slot", ""},
      {"A lands twice", ""},
      {"consumers do not wait", "operands are read before they have landed"},
      {"consumers wait for parity 0", "true in later laps at once"},
      {"consumers wait for the next slot", ""},
      {"consumers wait after the first product", ""},
      {"parity is not flipped", ""},
      {"parity flips a lap early", ""},
      {"no wgmma fence", ""},
      {"no commit", "the wait covers nothing"},
      {"no wait before the release", "slots are released while they are read"},
      {"one more in flight", ""},
      {"newest slot released", "in flight"},
      {"slot released before its products", ""},
      {"slot never released", ""},
      {"slot released twice", ""},
      {"one consumer does not release", ""},
      {"all threads release", ""},
      {"accumulators read early", "before the wait that covers them"},
      {"another swizzle of A", "on the reading side"},
      {"no swizzle of B", "on the reading side"},
      {"another stride of B", ""},
      {"descriptors differ", "in one warp"},
      {"no proxy fence", "before the store"},
      {"fence after the barrier", ""},
      {"no barrier before the store", ""},
      {"no barrier before the result is shared", ""},
      {"earlier store not awaited", "the earlier tile's store still reads"},
      {"store without commit", ""},
      {"store not awaited at the end", ""},
      {"result barrier of another number", ""},
      {"result barrier for all", ""},
      {"no barrier of the pair at the end", "a CTA may use the other's memory when that has ended"},
      {"the pair does not meet after init", "a CTA may use mbarriers that the other has not made"},
      {"half of B goes to one", "to the first CTA of the pair"},
      {"the peer is not told", "that a slot is free"},
      {"producer leaves early", "one step is missing"},
  };
  return mistakes;
}

}   // namespace tile::simulator
