// SPDX-License-Identifier: MIT
#include "runtime/assembler.h"

#include "runtime/assembler_log.h"
#include "runtime/environment.h"
#include "runtime/process.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <sstream>

namespace tile {
namespace {

constexpr const char *use_the_driver =
    "set TILE_PTXAS to the path of a ptxas that works, or to `driver` for the driver's assembler";

// The first line that is an error.
std::string first_error(std::string_view log) {
  std::string_view rest = log;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.find("error") != std::string_view::npos || line.find("fatal") != std::string_view::npos)
      return std::string(line);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
  }
  return std::string(log.substr(0, log.find('\n')));
}

bool is_too_old(std::string_view log) {
  return log.find("Unsupported .version") != std::string_view::npos ||
         log.find("is not defined for option 'gpu-name'") != std::string_view::npos;
}

}   // namespace

// Size and time tell another version at the same path.
std::string Assembler::identity() const {
  std::error_code none;
  const auto size = std::filesystem::file_size(path, none);
  const auto written = std::chrono::file_clock::to_sys(std::filesystem::last_write_time(path, none));
  const auto seconds = std::chrono::floor<std::chrono::seconds>(written);
  const std::time_t time = std::chrono::system_clock::to_time_t(seconds);
  std::tm parts{};
  char day[32];
  std::strftime(day, sizeof day, "%F %T", gmtime_r(&time, &parts));
  return path + ", " + std::to_string(size) + " bytes, written on " + day + "." +
         std::to_string((written - seconds).count()) + " UTC";
}

std::optional<Assembler> find_assembler() {
  const std::string chosen = environment::ptxas();
  if (chosen == "driver")
    return std::nullopt;
  if (chosen == "auto") {
    constexpr std::array<std::string_view, 1> toolkit{"/usr/local/cuda/bin"};
    std::optional<std::string> path = find_program("ptxas", toolkit);
    return path ? std::optional(Assembler{std::move(*path)}) : std::nullopt;
  }
  std::optional<std::string> path = find_program(chosen);
  if (!path)
    throw Error("TILE_PTXAS=" + chosen + ": there is no such program, or it is not executable", {})
        .add_help(use_the_driver);
  return Assembler{std::move(*path), true};
}

Error refusal(const std::string &who, const std::string &name, std::string_view ptx, const std::string &log) {
  const std::string line = first_error(log);
  Error error(who + " refuses the code of " + name + ": " + line, {});
  error.with_code(ErrorCode::compilation_refused);
  if (const std::optional<unsigned> number = line_named(line))
    if (const std::string_view text = line_of(ptx, *number); !text.empty())
      error.add_context("PTX line " + std::to_string(*number) + ": " + std::string(text));
  return error;
}

static constexpr std::string_view place_of_line = "\t.loc\t";   // in PTX

MachineCode assemble(const Assembler &assembler, std::string_view ptx, const std::string &target,
                     const std::string &name, int limit_seconds) {
  const TemporaryFile source(".ptx", ptx), binary(".cubin");
  std::vector<std::string> command{assembler.path, "-arch=" + target, "-v", source.path(),
                                   "-o",           binary.path()};
  if (ptx.find(place_of_line) != std::string_view::npos)
    command.emplace_back("-lineinfo");
  const Ran ran = run_program(command, limit_seconds);
  std::string log = ran.out + ran.err;
  // The file is gone when its name is read.
  for (std::size_t at; (at = log.find(source.path())) != std::string::npos;)
    log.replace(at, source.path().size(), "PTX");
  if (ran.succeeded()) {
    MachineCode result{binary.contents(), log};
    if (!result.cubin.empty())
      return result;
  } else if (is_too_old(log)) {
    AssemblerIsTooOld error(assembler.path + " is too old for the code of " + name + ": " + first_error(log),
                            {});
    error.add_help(use_the_driver);
    error.with_code(ErrorCode::unsupported);
    throw error;
  } else if (ran.end == Ran::End::exited && !log.empty()) {
    throw refusal("ptxas", name, ptx, log);
  }
  throw Error(
      assembler.path + (ran.succeeded() ? " wrote no code" : " " + ran.how()) + ", assembling " + name, {})
      .add_help(use_the_driver)
      .with_code(ErrorCode::compilation_refused);
}

LoweredKernel assembled(const Assembler &assembler, LoweredKernel kernel, const std::string &target) {
  MachineCode result = assemble(assembler, kernel.text(), target, kernel.symbol);
  take_log(kernel, std::move(result.log));
  kernel.code = std::move(result.cubin);
  kernel.kind = LoweredKernel::Code::cubin;
  kernel.target = target;
  return kernel;
}

LoweredKernel without_lines(LoweredKernel kernel) {
  std::string text;
  std::istringstream lines{std::string(kernel.text())};
  for (std::string line; std::getline(lines, line);)
    if (!line.starts_with(place_of_line) && !line.starts_with("\t.file\t"))
      text += line + "\n";
  kernel.set_text(text);
  return kernel;
}

void take_log(LoweredKernel &kernel, std::string log) {
  kernel.assembler_log = std::move(log);
  kernel.registers = registers_used(kernel.assembler_log).value_or(-1);
  kernel.spill_bytes = spill_bytes(kernel.assembler_log).value_or(-1);
  const std::vector<std::string> losses = lost_speed(kernel.assembler_log);
  if (losses.empty())
    return;
  Location where;
  std::vector<Error::Note> notes;
  for (const std::string &loss : losses) {
    const std::optional<unsigned> number = line_named(loss);
    const Location place = user_line(kernel.text(), number.value_or(0));
    if (!where.known())
      where = place;
    if (loss != losses.front())
      notes.push_back({loss, place});
  }
  Error error("the assembler made this kernel slower than it is written: " + losses.front(), where,
              std::move(notes));
  error.add_context(kernel.title());
  error.with_code(ErrorCode::compilation_refused);
  if (environment::lost_speed() == environment::LostSpeed::error)
    throw std::move(error.add_help("set TILE_LOST_SPEED=warning to run it anyway"));
  std::fprintf(stderr, "%s\n",
               ("warning" + std::string(error.what()).substr(std::string("error").size())).c_str());
}

}   // namespace tile
