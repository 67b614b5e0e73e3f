# SPDX-License-Identifier: MIT
"""The shipped functions on NumPy's arrays, compared with NumPy in float64; and arrays that they refuse."""
import sys

import numpy as np
import tvm_ffi

tile = tvm_ffi.load_module(sys.argv[1])
random = np.random.default_rng(7)


def normal(shape, dtype=np.float16):
    return random.standard_normal(shape).astype(dtype)


def close(found, wanted, bound):
    error = np.abs(found.astype(np.float64) - wanted).max()
    assert error <= bound, f"{error} is more than {bound}"


def refused(kind, text, function, *arguments):
    try:
        function(*arguments)
    except kind as error:
        assert text in str(error), f"{error}\nlacks: {text}"
        return
    raise AssertionError(f"nothing was raised that says: {text}")


a, b = normal((33, 48)), normal((48, 65))
product = a.astype(np.float64) @ b.astype(np.float64)
for out in (np.float16, np.float32):
    c = np.full((33, 65), np.nan, out)
    tile.gemm(a, b, c, "none")
    close(c, product, 0.02)
c = np.empty((33, 65), np.float16)
tile.gemm(a, b, c, "relu")
close(c, np.maximum(product, 0), 0.02)
tile.gemm(a, np.asfortranarray(b), c, "none")            # stored by columns
close(c, product, 0.02)
tile.gemm(np.repeat(a, 2, axis=1)[:, ::2], b, c, "none")   # strides that no descriptor takes
close(c, product, 0.02)
by_columns = np.empty((65, 33), np.float16).T
tile.gemm(a, b, by_columns, "none")
close(by_columns, product, 0.02)
stack = np.empty((3, 20, 30), np.float32)
left, right = normal((3, 20, 16), np.float32), normal((3, 16, 30), np.float32)
tile.gemm(left, right, stack, "none")
close(stack, left.astype(np.float64) @ right.astype(np.float64), 0.02)

x = normal((7, 130), np.float32)
y = np.empty_like(x)
tile.softmax(x, y)
powers = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
close(y, powers / powers.sum(1, keepdims=True), 1e-6)
weight, bias = normal(130, np.float32), normal(130, np.float32)
tile.layer_norm(x, weight, bias, y, 1e-5)
centred = x.astype(np.float64) - x.mean(1, keepdims=True, dtype=np.float64)
close(y, centred / np.sqrt((centred**2).mean(1, keepdims=True) + 1e-5) * weight + bias, 1e-5)

q, k, v = normal((4, 20, 16)), normal((2, 24, 16)), normal((2, 24, 16))
o = np.empty_like(q)
tile.attention(q, k, v, o, False, 0.25)
scores = q.astype(np.float64) @ np.repeat(k, 2, axis=0).astype(np.float64).transpose(0, 2, 1) * 0.25
powers = np.exp(scores - scores.max(2, keepdims=True))
close(o, powers / powers.sum(2, keepdims=True) @ np.repeat(v, 2, axis=0).astype(np.float64), 0.005)

refused(ValueError, "`a` is of f16 and `b` of f32", tile.gemm, a, b.astype(np.float32), c, "none")
refused(RuntimeError, "are f64, and may be f16, bf16, f32", tile.gemm, a.astype(np.float64), b.astype(np.float64), c, "none")
refused(ValueError, "do not multiply", tile.gemm, a, a, c, "none")
refused(ValueError, "may be none, relu or gelu", tile.gemm, a, b, c, "tanh")
refused(ValueError, "may be none where `c` has another element type", tile.gemm, a, b, c.astype(np.float32), "relu")
refused(ValueError, "may be none for stacks", tile.gemm, left, right, stack, "relu")
refused(ValueError, "`a` has 1 axes, and needs 2", tile.gemm, a[0], b, c, "none")
refused(ValueError, "`bias` has 2 axes, and needs 1", tile.layer_norm, x, weight, x, y, 1e-5)
refused(ValueError, "a vector has stride 2", tile.layer_norm, x, np.repeat(weight, 2)[::2], bias, y, 1e-5)
refused(RuntimeError, "are f32, and may be f16, bf16", tile.attention, x[None], x[None], x[None], y[None], True, 0.0)
refused(RuntimeError, "complex64, which no kernel takes", tile.softmax, x.astype(np.complex64), y)
refused(ValueError, "`is_causal` is an integer, and the function takes a bool", tile.attention, q, k, v, o, 1, 0.0)
