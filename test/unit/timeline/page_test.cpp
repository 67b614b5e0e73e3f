// SPDX-License-Identifier: MIT
// The files that a timeline is written to.
#include "runtime/timeline/page.h"
#include "runtime/json.h"
#include "runtime/timeline/events.h"
#include "runtime/timeline/measured.h"
#include "test/unit/timeline/written_lists.h"
#include "test/unit/timeline/written_record.h"

#include <gmock/gmock.h>

namespace tile::timeline {
namespace {

using testing::HasSubstr;
using testing::Not;

// Of the bars of the first picture.
double widest(const std::string &page) {
  double most = 0;
  const std::string name = "width=\"";
  for (std::size_t at = page.find("<rect"), end = page.find("</svg>"); at < end;
       at = page.find("<rect", at + 1))
    most = std::max(most, std::stod(page.substr(page.find(name, at) + name.size())));
  return most;
}

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

// What is measured says so, with the prediction below it, in the same scale.
TEST_F(Files, APageOfMeasuredTimesHasThePredictionBesideThem) {
  WrittenLists lists(4);
  const unsigned multiply = lists.site(StampKind::product, 20),
                 wait = lists.site(StampKind::product_wait, 21);
  for (unsigned warp = 0; warp < 4; ++warp)
    lists.begin(0, warp).at(10, multiply).at(20, wait).ends(3000, wait).end(4000);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0}, 1e9);
  const Traced traced{m.program, m.record, m.timeline, written_.model, m.hertz, true};
  const std::vector<Role> all = roles(m.program, m.record, m.timeline),
                          expected = roles(written_.program, written_.record, timeline_);
  const std::string alone = html({"gemm", {}, {}}, traced, all);
  EXPECT_THAT(alone, HasSubstr("Times are measured"));
  EXPECT_THAT(alone, HasSubstr("products under way"));
  EXPECT_THAT(alone, HasSubstr("kernel.cpp:20: products until a wait saw them of warps 0 to 3"));
  EXPECT_THAT(alone, Not(HasSubstr("matrix unit")));
  EXPECT_THAT(alone, Not(HasSubstr("Times are predicted")));
  EXPECT_THAT(alone, Not(HasSubstr("As the simulator predicts it")));
  const Predicted predicted{traced_, expected};
  const std::string both = html({"gemm", {}, {}}, traced, all, &predicted);
  EXPECT_THAT(both, HasSubstr("As the simulator predicts it"));
  EXPECT_THAT(both, HasSubstr("matrix unit"));
  // The prediction is longer: what is measured fills a part of the width.
  ASSERT_GT(timeline_.cycles, 2 * m.timeline.cycles);
  EXPECT_LT(widest(both), widest(alone) * 0.6);
}

TEST_F(Files, EventsOfMeasuredProductsAreUnderWay) {
  WrittenLists lists(4);
  const unsigned multiply = lists.site(StampKind::product, 20),
                 wait = lists.site(StampKind::product_wait, 21);
  lists.ctas({0, 5});
  for (const std::int64_t cta : {0, 5})
    for (unsigned warp = 0; warp < 4; ++warp)
      lists.begin(cta, warp).at(100, multiply).at(200, wait).ends(300, wait).end(400);
  const Measured m = measured(lists.launch(), std::vector<std::int64_t>{0, 5}, 1e9);
  const std::string text = trace_events({m.program, m.record, m.timeline, written_.model, m.hertz, true});
  EXPECT_THAT(text, HasSubstr("products under way, warps 0 to 3"));
  EXPECT_THAT(text, HasSubstr("CTA 1, 1, 0"));
  EXPECT_THAT(text, HasSubstr("wait for products"));
  const auto times = [](const std::string &events) {
    return *json::parse(events).find("otherData")->find("times")->string();
  };
  EXPECT_EQ(times(text), "measured on H200");
  EXPECT_EQ(times(trace_events(traced_)), "predicted for H200");
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
