// SPDX-License-Identifier: MIT
// How the CTAs of a cluster that share a program meet and exchange values, in kernels without roles.
//
// For an exchange, threads send words to the shared memory of all CTAs. No thread waits for what it sends.
// Each CTA has an mbarrier, which counts the bytes that came:
//
//    expect so many bytes (one thread)
//    send the own words to each CTA (the threads that have them)
//    wait for the mbarrier; read
//
// Exchanges alternate between two places, each with its own mbarrier. A CTA sends its words of the third
// exchange after it has received all words of the second. The senders of those had read the first before. So
// the place is free, and no CTA asks. Between reading and sending, the threads of a CTA must have met.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// Makes the mbarriers of a kernel that has exchanges, before anything else.
void beginExchanges(Distribution &distribution, mlir::func::FuncOp kernel);

// All threads of the cluster wait for each other, and see what each of them has written.
void meetInCluster(Distribution &distribution);

// Where the words for a CTA go, as addresses of the cluster.
struct ExchangePlace {
  mlir::Value words, mbarrier;
};
// Each CTA receives so many bytes. `send` is for the threads for which `sends` holds, or for all of them, and
// for each CTA.
void exchangeInCluster(Distribution &distribution, unsigned ctas, std::int64_t bytes, mlir::Value sends,
                       llvm::function_ref<void(const ExchangePlace &)> send,
                       llvm::function_ref<void(mlir::Value)> read);

}   // namespace tile::gpu
