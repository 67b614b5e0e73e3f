// SPDX-License-Identifier: MIT
// How the CTAs of a cluster that share a program wait for each other, in kernels without roles.
//
// A barrier of a cluster has two halves. Between meetings each thread has arrived already, and a meeting
// begins with the wait: whoever comes last has been waited for in the meantime.
//
//    arrive                                        when the kernel begins
//    ...
//    wait; write to all CTAs; fence; arrive        an exchange
//    wait; read; barrier; fence; arrive            whoever has read is known before the next one writes
//    ...
//    wait                                          when it ends
//
// Arrivals publish nothing (`.relaxed`): an arrival that did would wait for all that its thread has stored.
// The fences do, of the threads that write, and of one thread that has met those of its CTA.
#pragma once

#include "compiler/lowering/distribute/distribution.h"

namespace tile::gpu {

// Whether a kernel has meetings.
bool meetsInCluster(mlir::func::FuncOp kernel);
// Around all that the kernel does.
void beginMeetings(mlir::ImplicitLocOpBuilder &b);
void endMeetings(mlir::ImplicitLocOpBuilder &b);

// All threads of the cluster wait for each other, and see what each of them has written.
void meetInCluster(Distribution &distribution);

// Threads may write to the shared memory of all CTAs in `write`, and read their own in `read`.
void exchangeInCluster(Distribution &distribution, mlir::Value writes, llvm::function_ref<void()> write,
                       llvm::function_ref<void()> read);

}   // namespace tile::gpu
