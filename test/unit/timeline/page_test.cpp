// SPDX-License-Identifier: MIT
// The files that a timeline is written to.
#include "runtime/timeline/page.h"
#include "runtime/json.h"
#include "runtime/timeline/events.h"
#include "test/unit/timeline/written_record.h"

#include <gmock/gmock.h>

namespace tile::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

class Files : public testing::Test {
 protected:
  const WrittenRecord written_ = Ring{}.written();
  const Timeline timeline_ = written_.run();
  const Traced traced_{written_.program, written_.record, timeline_, written_.model,
                       1e9};   // a cycle: a nanosecond
};

TEST_F(Files, EventsAreJsonWithATrackForEachWarp) {
  const json::Value events = json::parse(trace_events(traced_));
  const json::Array &all = *events.find("traceEvents")->array();
  std::size_t products = 0, copies = 0;
  double bytes = 0;
  std::vector<std::string> tracks;
  for (const json::Value &event : all) {
    if (*event.find("ph")->string() == "M") {
      tracks.push_back(*event.find("args")->find("name")->string());
      continue;
    }
    EXPECT_GE(*event.find("dur")->number(), 0);
    products += *event.find("name")->string() == "product";
    if (*event.find("name")->string() != "copy")
      continue;
    ++copies;
    bytes += *event.find("args")->find("bytes")->number();
  }
  EXPECT_EQ(products, 32u * 4);
  EXPECT_EQ(copies, 32u);
  EXPECT_EQ(bytes, 32.0 * 32768);
  EXPECT_THAT(tracks, testing::IsSupersetOf({"CTA 0, 0, 0", "warp 0", "warp 4", "warp 7", "copies",
                                             "matrix unit, warps 4 to 7"}));
}

// Of one track, no event begins before the one before it has ended.
TEST_F(Files, EventsOfATrackDoNotOverlap) {
  const json::Value events = json::parse(trace_events(traced_));
  std::map<double, double> ends;
  for (const json::Value &event : *events.find("traceEvents")->array())
    if (*event.find("ph")->string() == "X") {
      double &end = ends[*event.find("tid")->number()];
      const double begin = *event.find("ts")->number();
      EXPECT_GE(begin, end - 1e-6);
      end = begin + *event.find("dur")->number();
    }
}

TEST_F(Files, ThePageNeedsNothingElse) {
  const std::string page = html({"a<b>", {{"config", "x=1 & y=2"}}, {"It is slow."}}, traced_,
                                roles(written_.program, written_.record, timeline_));
  EXPECT_THAT(page, HasSubstr("a&lt;b&gt;: timeline"));
  EXPECT_THAT(page, HasSubstr("x=1 &amp; y=2"));
  EXPECT_THAT(page, HasSubstr("<li>It is slow.</li>"));
  EXPECT_THAT(page, HasSubstr("products, warps 4 to 7"));
  EXPECT_THAT(page, HasSubstr("matrix unit"));
  EXPECT_THAT(page, HasSubstr("copies under way"));
  for (const char *outside : {"http", "<script", "<img", "<link", "@import", "url("})
    EXPECT_THAT(page, Not(HasSubstr(outside))) << outside;
}

// A long timeline is shown as a whole, which merges what is short, and in parts.
TEST_F(Files, APictureOfALongTimelineStaysSmall) {
  const WrittenRecord written = Ring{.rounds = 4000}.written();
  const Timeline timeline = written.run();
  const std::vector<Role> all = roles(written.program, written.record, timeline);
  const std::string page =
      html({"long", {}, {}}, {written.program, written.record, timeline, written.model, 1e9}, all);
  EXPECT_LT(page.size(), std::size_t{2} << 20);
  for (const char *part : {"The whole CTA", "The first part", "A part in the middle", "The last part"})
    EXPECT_THAT(page, HasSubstr(part));
}

}   // namespace
}   // namespace tile::timeline
