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

exact = x.astype(np.float64)
shares = powers / powers.sum(1, keepdims=True)
tile.log_softmax(x, y)
close(y, np.log(shares), 1e-5)
grad = normal((7, 130), np.float32)
found = np.empty_like(x)
tile.log_softmax_backward(y, grad, found)
close(found, grad - shares * grad.sum(1, keepdims=True, dtype=np.float64), 1e-5)
tile.softmax_backward(shares.astype(np.float32), grad, found)
close(found, shares * (grad - (shares * grad).sum(1, keepdims=True)), 1e-6)
tile.rms_norm(x, weight, y, 1e-6)
close(y, exact / np.sqrt((exact**2).mean(1, keepdims=True) + 1e-6) * weight, 1e-5)

targets = np.array([3, 129, 0, -100, 64, 5, 100])
loss, wanted = np.empty(7, np.float32), -np.log(shares)[np.arange(7), targets]
wanted[3] = 0
for kind in (np.int32, np.int64):
    loss.fill(np.nan)
    tile.cross_entropy(x, targets.astype(kind), loss, -100, 0.0)
    close(loss, wanted, 1e-5)
loss.fill(np.nan)
tile.cross_entropy_with_gradient(x, targets, loss, found, -100, 0.0, 0.5)
close(loss, wanted, 1e-5)
slope = shares.copy()
slope[np.arange(7), targets] -= 1
slope[3] = 0
close(found, 0.5 * slope, 1e-6)

order = np.argsort(-exact, axis=1, kind="stable")[:, :4]
largest, columns = np.empty((7, 4), np.float32), np.empty((7, 4), np.int32)
tile.top_k(x, largest, columns, "none")
close(columns, order, 0)
close(largest, np.take_along_axis(exact, order, 1), 0)
tile.top_k(x, largest, columns, "over_row")
close(largest, np.take_along_axis(shares, order, 1), 1e-6)

up, sigmoid = normal((7, 130), np.float32), 1 / (1 + np.exp(-exact))
tile.gated_activation(x, up, y, "silu")
close(y, exact * sigmoid * up, 1e-5)
of_gate, of_up = np.empty_like(x), np.empty_like(x)
tile.gated_activation_backward(x, up, grad, of_gate, of_up, "silu")
close(of_up, grad * exact * sigmoid, 1e-5)
close(of_gate, grad * up * (sigmoid + exact * sigmoid * (1 - sigmoid)), 1e-5)

angles = np.arange(40).reshape(10, 4) * 0.1
cos, sin = np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)
heads = normal((3, 2, 8), np.float32)
turned, back = np.empty_like(heads), np.empty_like(heads)
for positions in (np.arange(5, 8), np.array([9, 0, 4], np.int32)):
    cosine, sine = (np.concatenate([table[positions]] * 2, 1)[:, None] for table in (cos, sin))
    rotated = heads * cosine + np.concatenate([-heads[:, :, 4:], heads[:, :, :4]], 2) * sine
    if positions[0] == 5:
        tile.rotary_embedding(heads, cos, sin, turned, "halves", 5, False)
        close(turned, rotated, 1e-5)
    tile.rotary_embedding_at(heads, cos, sin, positions, turned, "halves", False)
    close(turned, rotated, 1e-5)
    tile.rotary_embedding_at(turned, cos, sin, positions, back, "halves", True)
    close(back, heads, 1e-5)

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
refused(ValueError, "`softmax` is `row`, and may be none, over_chosen, over_row", tile.top_k, x, largest, columns, "row")
refused(ValueError, "`activation` is `tanh`, and may be silu, gelu, gelu_tanh", tile.gated_activation, x, up, y, "tanh")
refused(ValueError, "`pairs` is `thirds`, and may be halves, interleaved", tile.rotary_embedding, heads, cos, sin, turned, "thirds", 0, False)
refused(RuntimeError, "the elements of `targets` are f32, and may be i32, i64", tile.cross_entropy, x, loss, loss, -100, 0.0)
refused(ValueError, "`y` is of f32 and `grad_x` of f16", tile.softmax_backward, x, grad, x.astype(np.float16))
refused(RuntimeError, "complex64, which no kernel takes", tile.softmax, x.astype(np.complex64), y)
refused(ValueError, "`is_causal` is an integer, and the function takes a bool", tile.attention, q, k, v, o, 1, 0.0)
