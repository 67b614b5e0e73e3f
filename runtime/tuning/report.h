// SPDX-License-Identifier: MIT
// A sweep for people: a status line while it goes on, a ranked table when it is done.
//
//    #  block_m block_n warps    median    +-     TFLOPS  regs  smem KiB  spill
//    1      128     256     8   201.4 us  0.6%     682.4   168     144.0      0
//    2      128     128     4   229.9 us  0.4%     597.8   128     128.0      0
//    -      256     256     8   failed: needs 256.0 KiB of shared memory, the device has 227.0
//   tuned in 3.1 s, compiled after 1.2 s, finals after 2.2 s (3 configs: 2 timed, 1 failed)
#pragma once

#include "runtime/progress.h"
#include "runtime/tuning/tuning.h"

#include <memory>
#include <string>

namespace tile::tuning {

// "128x256x8 201.4 us": the values of the fields in which configs differ, and a time.
std::string status(const Sweep &sweep, const Progressed &progress);
// Best first, what was not timed last; only fields in which the configs differ have a column. Ends in a
// newline.
std::string table(const Sweep &sweep);
std::string time_text(double seconds);   // "201.4 us"

// Shows both on a stream.
class Printer : public Observer {
 public:
  explicit Printer(Progress::Options options = {}) : options_(options) {}
  void started(const Sweep &sweep) override;
  void progressed(const Sweep &sweep, const Progressed &progress) override;
  void finished(const Sweep &sweep) override;

 protected:
  void end_line() { line_.reset(); }

 private:
  Progress::Options options_;
  std::unique_ptr<Progress> line_;
};

}   // namespace tile::tuning
