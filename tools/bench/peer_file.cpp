// SPDX-License-Identifier: MIT
#include "tools/bench/peer_file.h"

#include "runtime/error.h"
#include "runtime/json.h"
#include "tools/registry/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>

namespace tile::bench {
namespace {

using registry::BadSetting;

std::string as_text(const json::Value &value) {
  if (const std::string *text = value.string())
    return *text;
  if (const double *number = value.number())
    return fmt::format("{}", *number);
  return {};
}

const std::string &text_of(const json::Value &line, const char *member) {
  const json::Value *value = line.find(member);
  if (!value || !value->string())
    throw Error(fmt::format("`{}` is missing or not a string", member), {});
  return *value->string();
}

double number_of(const json::Value &line, const char *member) {
  const json::Value *value = line.find(member);
  if (!value || !value->number() || *value->number() < 0)
    throw Error(fmt::format("`{}` is missing, negative or not a number", member), {});
  return *value->number();
}

PeerFigure figure_of(const json::Value &line) {
  PeerFigure figure{.kernel = text_of(line, "kernel"),
                    .settings = {},
                    .provider = text_of(line, "provider"),
                    .config = "",
                    .seconds = number_of(line, "median"),
                    .spread = 0};
  if (figure.seconds <= 0)
    throw Error("`median` is 0: it must be the seconds of a call", {});
  if (line.find("spread"))
    figure.spread = number_of(line, "spread");
  if (const json::Value *config = line.find("config"); config && config->string())
    figure.config = *config->string();
  const json::Value *settings = line.find("settings");
  if (!settings || !settings->object())
    throw Error("`settings` is missing or not an object: {\"m\": 4096, ...}", {});
  for (const auto &[name, value] : *settings->object())
    figure.settings.emplace_back(name, as_text(value));
  return figure;
}

const std::string *find(const Case::Settings &settings, const std::string &name) {
  for (const auto &[key, value] : settings)
    if (key == name)
      return &value;
  return nullptr;
}

bool is_for(const PeerFigure &figure, const Case &at) {
  if (figure.kernel != at.kernel)
    return false;
  for (const auto &[name, value] : at.sizes)
    if (const std::string *has = find(figure.settings, name); !has || *has != value)
      return false;
  for (const auto &[name, value] : at.choices) {
    const std::string *has = find(figure.settings, name);
    // What is not said is as usual.
    if (has ? *has != value : find(at.unusual, name) != nullptr)
      return false;
  }
  return true;
}

}   // namespace

PeerFile read_peer_file(const std::string &name) {
  std::ifstream file(name);
  std::string line;
  if (!file)
    throw BadSetting(fmt::format("`{}` cannot be read", name));
  PeerFile peer{.name = name, .figures = {}};
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos)
      continue;
    try {
      const json::Value value = json::parse(line);
      const json::Value *type = value.find("type");
      if (!type || !type->string())
        throw Error("not a line of `tile bench --json`: {\"type\": \"row\", ...}", {});
      // Our own figures of another time are peers, too, by another name.
      if (*type->string() == "row" && (!value.find("outcome") || text_of(value, "outcome") == "timed")) {
        PeerFigure figure = figure_of(value);
        if (figure.provider == "tile")
          figure.provider = "tile before";
        peer.figures.push_back(std::move(figure));
      }
    } catch (const Error &wrong) {
      throw BadSetting(fmt::format("{}:{}: {}", name, number, wrong.message()));
    }
  }
  if (peer.figures.empty())
    throw BadSetting(
        fmt::format("{} has no figures: lines of `tile bench --json` or of tools/peers/ are accepted", name));
  return peer;
}

std::vector<PeerFigure> figures_for(const PeerFile &file, const Case &at) {
  std::vector<PeerFigure> found;
  for (const PeerFigure &figure : file.figures) {
    if (!is_for(figure, at))
      continue;
    const auto same = std::ranges::find(found, figure.provider, &PeerFigure::provider);
    if (same == found.end())
      found.push_back(figure);
    else if (figure.seconds < same->seconds)
      *same = figure;
  }
  return found;
}

}   // namespace tile::bench
