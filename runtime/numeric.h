// SPDX-License-Identifier: MIT
// The arithmetic of the language on C++ values. The interpreter, the references of tests and the host types
// share this one implementation.
#pragma once

#include <tile/numeric_cast.h>
#include <tile/numeric_float.h>
#include <tile/numeric_int.h>
#include <tile/numeric_order.h>
#include <tile/philox.h>
