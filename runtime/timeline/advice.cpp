// SPDX-License-Identifier: MIT
#include "runtime/timeline/advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace tile::timeline {
namespace {

using simulator::Act;

struct Loss {
  double share;   // of the time
  // What makes others wait counts more than that they do.
  double weight = 1;
  std::string sentence;
};

constexpr double cause = 1.5;

std::string percent(double share) { return fmt::format("{:.0f}%", 100 * share); }

// The role whose work decides: products before anything else.
const Role &worker(const std::vector<Role> &roles) {
  return *std::ranges::max_element(roles, {}, [](const Role &role) {
    return std::tuple(role.name == "products", role.warps, role.computing);
  });
}

class Advice {
 public:
  Advice(const Traced &traced, const std::vector<Role> &roles) : t_(traced), worker_(worker(roles)) {}

  std::vector<std::string> run() {
    std::vector<std::string> sentences;
    const std::optional<Limit> limit = unit_at_its_limit();
    if (limit)
      sentences.push_back(limit->sentence);
    std::vector<Loss> losses;
    if (std::optional<Loss> loss = conflicts())
      losses.push_back(std::move(*loss));
    if (std::optional<Loss> loss = scattered())
      losses.push_back(std::move(*loss));
    for (const Role::Wait &wait : worker_.waits)   // for the unit that is busy anyway, nothing is lost
      if (!limit || std::ranges::find(limit->waits, wait.state) == limit->waits.end())
        losses.push_back(of_wait(wait));
    losses.push_back(arithmetic());
    std::ranges::sort(losses, std::greater(), [](const Loss &loss) { return loss.share * loss.weight; });
    constexpr double least = 0.05;
    constexpr std::size_t most = 3;
    for (Loss &loss : losses)
      if (loss.share >= least && sentences.size() < most)
        sentences.push_back(std::move(loss.sentence));
    return sentences;
  }

 private:
  double share(double cycles) const { return cycles / t_.timeline.cycles; }
  std::string who() const {
    return worker_.warps == 1
               ? fmt::format("threads of warp {}", worker_.first_warp)
               : fmt::format("warps {} to {}", worker_.first_warp, worker_.first_warp + worker_.warps - 1);
  }
  std::string where(std::uint32_t place) const { return short_place(t_.program.places[place].where); }

  struct Limit {
    std::string sentence;
    std::vector<State> waits;   // for that unit
  };
  std::optional<Limit> unit_at_its_limit() const {
    constexpr double limit = 0.8;
    if (const double busy = share(t_.timeline.matrix_busy); busy >= limit)
      return Limit{fmt::format("The matrix unit is busy {} of the time: more speed needs less work for it.",
                               percent(busy)),
                   {State::products}};
    if (const double busy = share(t_.timeline.memory_busy); busy >= limit)
      return Limit{
          fmt::format(
              "Loads take {} of the bandwidth that the multiprocessor has: load less, by larger blocks or "
              "by clusters that share them.",
              percent(busy)),
          {State::data, State::copies, State::results}};
    return std::nullopt;
  }

  // The place of the worker's CTA that moves the most parts more than would do, and how many those are.
  std::optional<std::pair<std::uint32_t, double>> worst(std::initializer_list<Act> acts) const {
    std::map<std::uint32_t, double> excess;
    for (const simulator::WarpRecord &warp : t_.record.warps)
      if (warp.cta == worker_.cta)
        for (const simulator::Step &step : warp.steps)
          if (std::ranges::find(acts, step.act) != acts.end())
            excess[step.place] += step.amount - step.more;
    if (excess.empty())
      return std::nullopt;
    return *std::ranges::max_element(excess, {}, [](const auto &one) { return one.second; });
  }
  std::optional<Loss> conflicts() const {
    const auto place = worst({Act::shared});
    if (!place)
      return std::nullopt;
    const double lost = share(place->second);
    return Loss{
        lost, cause,
        fmt::format("{}: bank conflicts take {} of the time. Lanes of a warp ask one bank of shared memory "
                    "for different words.",
                    where(place->first), percent(lost))};
  }
  std::optional<Loss> scattered() const {
    const auto place = worst({Act::globalLoad, Act::globalStore, Act::copy});
    if (!place)
      return std::nullopt;
    constexpr double bytes = 32;
    const double lost = share(place->second * bytes / t_.model.stored_bytes);
    return Loss{
        lost, cause,
        fmt::format("{}: scattered accesses to global memory take {} of the time. Let the lanes of a warp "
                    "access neighbouring elements, or store by a descriptor.",
                    where(place->first), percent(lost))};
  }

  // How many copies land under different mbarriers, and how long one takes.
  std::string ring() const {
    std::set<std::uint32_t> slots;
    double cycles = 0, count = 0;
    for (const Transfer &transfer : t_.timeline.transfers)
      if (!transfer.is_store && transfer.cta == worker_.cta) {
        slots.insert(transfer.object);
        cycles += transfer.end - transfer.begin;
        ++count;
      }
    return count ? fmt::format(" A copy takes {:.0f} cycles, and there are {} slots.", cycles / count,
                               slots.size())
                 : "";
  }

  Loss of_wait(const Role::Wait &wait) const {
    const double lost = share(wait.cycles);
    const std::string place = short_place(wait.where), amount = percent(lost);
    const auto says = [&](const std::string &what, const std::string &remedy) {
      return Loss{lost, 1,
                  fmt::format("{}: {} wait {} of the time for {}.{}", place, who(), amount, what, remedy)};
    };
    switch (wait.state) {
    case State::data:
      return says("copied data", ring() + " More stages hide the latency; larger blocks need fewer bytes.");
    case State::copies:
      return says("copies to shared memory", " More stages let more copies be under way.");
    case State::results:
      return says("loads from global memory",
                  " Load earlier, or let more warps or CTAs share the multiprocessor.");
    case State::products:
      return says("products", " Begin the next product, or other work, before this one is awaited.");
    case State::shared:
      return says("accesses to shared memory", "");
    case State::barrier:
      return says("the other warps at a barrier", "");
    case State::stores:
      return says("its stores", "");
    case State::slot:
      return says("readers that free a slot", "");
    case State::cluster:
      return says("the other CTAs of the cluster", "");
    case State::turn:
      return says("the other group of warps, which multiplies", "");
    default:
      return says("arithmetic units that other warps have", "");
    }
  }

  // The line that costs the worker the most arithmetic.
  Loss arithmetic() const {
    std::map<std::string, double> lines;
    for (const simulator::WarpRecord &warp : t_.record.warps)
      if (warp.cta == worker_.cta && warp.warp == worker_.first_warp)
        for (const simulator::Step &step : warp.steps)
          if (step.act == Act::work)
            for (const simulator::Place::Line &line : t_.program.places[step.place].lines)
              lines[short_place(line.where)] += line.cycles;
    double all = 0;
    for (const auto &[name, cycles] : lines)
      all += cycles;
    const double lost = share(worker_.computing);
    if (all == 0)
      return {0, 1, ""};
    const auto most = std::ranges::max_element(lines, {}, [](const auto &line) { return line.second; });
    return {lost, 1,
            fmt::format("{}: {} compute {} of the time, {} of it at this line.", most->first, who(),
                        percent(lost), percent(most->second / all))};
  }

  const Traced &t_;
  const Role &worker_;
};

}   // namespace

std::vector<std::string> advice(const Traced &traced, const std::vector<Role> &roles) {
  return Advice(traced, roles).run();
}

std::string short_place(const Location &where) {
  return fmt::format("{}:{}", std::filesystem::path(where.file).filename().string(), where.line);
}

}   // namespace tile::timeline
