// SPDX-License-Identifier: MIT
// The language. This header is enough to write, trace and launch kernels. docs/language.md lists what the
// language contains.
#pragma once

#include <tile/atomics.h>
#include <tile/control_flow.h>
#include <tile/debug.h>
#include <tile/descriptor.h>
#include <tile/host_only.h>
#include <tile/kernel.h>
#include <tile/memory.h>
#include <tile/operations.h>
#include <tile/random.h>
#include <tile/reductions.h>
#include <tile/sorting.h>
