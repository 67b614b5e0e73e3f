// SPDX-License-Identifier: MIT
// What the stub libraries do, which the tests set: they are loaded as NVIDIA's are, and compute on the host.
#pragma once

#include <cstddef>

namespace tile::testing {

struct Stub {
  double *clock = nullptr;   // a call moves it on
  // Whether calls compute: a replay only takes its time.
  const bool *computes = nullptr;
  double seconds = 1e-4;
  // Of cublasLt: algorithm i takes seconds * factors[i % 4]; so many for each layout.
  int algorithms = 3;
  double factors[4] = {1, 1, 1, 1};
  int wrong_algorithm = -1;
  int lucky_algorithm = -1, lucky_calls = 0;   // it is twice as fast so often, then four times as slow
  int status = 0;                              // of products, softmax and executions
  int status_of_create = 0;
  bool is_wrong = false;   // results are off by one
  bool writes_nothing = false;
  int calls = 0;
  int finalize_fails = 0;      // of execution plans: so many do
  std::size_t workspace = 0;   // that was set
  int math_mode = -1;
  void *stream = nullptr;
  int open_handles = 0, open_descriptors = 0;
  int weight_type = -1;   // of the last normalisation
};

using StubControl = Stub *();   // extern "C" tile_stub

}   // namespace tile::testing
