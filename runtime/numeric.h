// SPDX-License-Identifier: MIT
// All of the language's arithmetic on C++ values: the one implementation that the interpreter,
// the references of tests and the host types share.
#pragma once

#include "tile/numeric_cast.h"
#include "tile/numeric_float.h"
#include "tile/numeric_int.h"
#include "tile/numeric_order.h"
#include "tile/philox.h"
