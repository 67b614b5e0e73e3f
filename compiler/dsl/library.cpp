// SPDX-License-Identifier: MIT
#include "tile/library.h"

namespace tile::library::detail {

LaunchFace face_of(const Launch &launch) {
  return {launch.num_warps, launch.num_stages,    launch.num_ctas,
          launch.ping_pong, launch.max_registers, launch.fp_fusion};
}

int tell(const Receiver &to) {
  try {
    throw;
  } catch (const Error &error) {
    auto say = [&](Receiver::Part part, const std::string &text, const Location &where) {
      to.error(to.self, part, text.c_str(), where.file.c_str(), where.line, where.column);
    };
    say(Receiver::message, error.message(), error.where());
    for (const Error::Note &more : error.notes())
      say(Receiver::note, more.text, more.where);
    for (const std::string &line : error.context())
      say(Receiver::context, line, {});
  } catch (const std::exception &error) {
    to.error(to.self, Receiver::message, error.what(), "", 0, 0);
  } catch (...) {
    to.error(to.self, Receiver::message, "it threw something that is no std::exception", "", 0, 0);
  }
  return 1;
}

}   // namespace tile::library::detail
