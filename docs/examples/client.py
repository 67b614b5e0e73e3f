# SPDX-License-Identifier: MIT
"""Calls the functions of exported.cpp with NumPy's arrays: docs/c-api.md."""
import sys

import numpy as np
import tvm_ffi

mine = tvm_ffi.load_module(sys.argv[1])   # libmine.so
x, y = np.arange(1, 6, dtype=np.float32), np.full(5, 10, np.float32)
mine.axpy(x, y, 2.0, 5)
print(y)

matrix = np.ones((2, 3), np.float32)
mine.scale_rows(matrix, np.array([2, 3], np.float32))
print(matrix)

try:
    mine.axpy(x.astype(np.float64), y, 2.0, 5)
except ValueError as error:
    print(error)
