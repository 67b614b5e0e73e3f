// SPDX-License-Identifier: MIT
// What the programs of one launch do to the same bytes of global memory. Nothing orders two programs but what
// they tell each other by atomics: a program that stores other bytes than another one does, or stores what
// another one reads, gives results that depend on which comes first.
//
//   program 0:  store x,  atomic
//   program 1:                     atomic,  load x      0 has told something since, 1 may have been told
//
// Only what the bytes show is reported: who stores what is there already changes nothing. And wherever
// atomics might order two accesses, of whatever bytes they are, they are taken to do it. Programs of several
// CTAs count as one: their clusters have barriers of their own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace tile::simulator {

class ProgramRaces {
 public:
  struct Program {
    std::array<std::int32_t, 3> id{};   // of its first CTA
    std::uint64_t synchronized = 0;     // when it last told others something, or may have been told
    bool asks = false;                  // it may have been told something between then and its next access
  };
  // With an earlier access of another program.
  struct Conflict {
    std::uintptr_t at = 0;   // the first byte
    std::array<std::int32_t, 3> program{};
    unsigned site = 0;
    bool wasRead = false;
  };

  // A launch is over.
  void clear();
  // Null where there are too many to keep in mind.
  Program *begin(const std::array<std::int32_t, 3> &id);

  // The program is about to read these bytes, or to write the values to them.
  std::optional<Conflict> read(Program &program, unsigned site, const std::byte *at, std::size_t bytes);
  std::optional<Conflict> write(Program &program, unsigned site, const std::byte *at, const std::byte *values,
                                std::size_t bytes);
  // It is about to change or to ask for these bytes by an atomic, or to ask for them anew as who waits does.
  // From here on they are signals, which tell in whatever way they are accessed.
  void synchronize(Program &program, const std::byte *at, std::size_t bytes);

 private:
  static constexpr std::size_t granuleBytes = 64;
  using Mask = std::uint64_t;   // of a granule's bytes
  struct Access {
    Program *program = nullptr;
    std::uint64_t time = 0;   // the first one since the program synchronized
    Mask bytes = 0;
    unsigned site = 0;
  };
  struct Write : Access {
    std::uint64_t last = 0;   // the time of the last one
    Mask changed = 0;         // of the bytes: those that held something else
    std::array<std::byte, granuleBytes> values{};
  };
  struct Granule {
    Mask signals = 0;
    std::array<Access, 2> reads;   // the latest, of two programs
    std::vector<Write> writes;
  };
  // Of an access, in one granule.
  struct Part {
    std::uintptr_t granule;
    std::size_t first, count, done;   // bytes of the granule, and of the access before them

    Mask mask() const { return (~Mask{0} >> (granuleBytes - count)) << first; }
    std::uintptr_t address() const { return granule * granuleBytes; }
  };
  template <class Visit> static void forEachPart(const std::byte *at, std::size_t bytes, Visit visit);
  static bool isOfThisTime(const Access &access);
  static bool isOrdered(const Access &earlier, const Program &program);

  Granule *find(std::uintptr_t number);
  std::uint64_t now(Program &program);
  void signal(Program &program, Granule *granule, Mask bytes);
  // Records the access to those of the bytes that are signals, and returns the others.
  Mask withoutSignals(Program &program, Granule &granule, Mask bytes);
  std::optional<Conflict> read(Program &program, unsigned site, const Part &part);
  std::optional<Conflict> write(Program &program, unsigned site, const Part &part, const std::byte *values);

  std::mutex mutex_;
  std::uint64_t time_ = 0;
  std::deque<Program> programs_;   // they do not move
  std::unordered_map<std::uintptr_t, Granule> granules_;
};

}   // namespace tile::simulator
