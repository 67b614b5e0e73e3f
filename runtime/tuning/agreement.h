// SPDX-License-Identifier: MIT
// Who computes the same as whom. "Alike" is no equivalence, since sums may differ by a little: so candidates
// are sorted as if they had come one after the other in their order, each to the first group whose first
// member has a result like its own. They are run in any order, as they are compiled:
//
//   order       a  b  c  d          c is compiled first: it is run, but nobody is there to compare it with
//   compiled    c  a  d  b          a: the first group; c is run again, and is like a; so is d; then b
//
// Once there is a first group, who is like its first member belongs there, whoever is missing yet. Who is
// not, waits for its turn. So the results of one candidate of each group and of the one that runs are all
// that is kept.
#pragma once

#include "runtime/tuning/scratch.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace tile::tuning {

class Agreement {
 public:
  struct Group {
    Scratch::Result result;   // of its first
    std::vector<std::size_t> candidates;
  };
  // Runs a candidate. Nothing: it is out.
  using ResultOf = std::function<std::optional<Scratch::Result>(std::size_t)>;
  using AreAlike = std::function<bool(const Scratch::Result &, const Scratch::Result &)>;

  Agreement(const std::vector<std::size_t> &order, ResultOf result_of, AreAlike are_alike);

  // The candidate at this place of the order may be run, or never will.
  void add(std::size_t place);
  void drop(std::size_t place);

  bool is_empty() const { return groups_.empty(); }
  // Each in the place of its first. All were added or dropped.
  std::vector<Group> take() { return std::move(groups_); }

 private:
  struct Entry {
    std::size_t candidate;
    enum class State : std::uint8_t { missing, ready, waits, done } state = State::missing;
  };
  void advance();
  void sort_in_turn(Entry &entry);
  void sort_ahead(Entry &entry);

  const ResultOf result_of_;
  const AreAlike are_alike_;
  std::vector<Entry> entries_;   // in their order
  std::size_t turn_ = 0;         // all before are done
  bool is_tried_ahead_ = false;
  std::vector<Group> groups_;
};

}   // namespace tile::tuning
