# SPDX-License-Identifier: MIT
"""The kernels as a user of Triton would write them first: what torch_peers.py times as `triton`."""
import triton
import triton.language as tl


@triton.jit
def add_program(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(out + at, tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside), mask=inside)


@triton.jit
def softmax_program(x, out, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < n
    row = tl.program_id(0).to(tl.int64) * n
    values = tl.load(x + row + at, mask=inside, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + at, (powers / tl.sum(powers, 0)).to(out.dtype.element_ty), mask=inside)


@triton.jit
def layer_norm_program(x, weight, bias, out, n, epsilon, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    inside = at < n
    row = tl.program_id(0).to(tl.int64) * n
    values = tl.load(x + row + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / n
    apart = tl.where(inside, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / n + epsilon)
    w = tl.load(weight + at, mask=inside).to(tl.float32)
    b = tl.load(bias + at, mask=inside).to(tl.float32)
    tl.store(out + row + at, (apart * scale * w + b).to(out.dtype.element_ty), mask=inside)


def product_configs():
    return [triton.Config({"BM": m, "BN": n, "BK": k}, num_warps=warps, num_stages=stages)
            for m, n, k, warps, stages in [(128, 256, 64, 8, 3), (128, 128, 64, 4, 4), (128, 128, 64, 8, 3),
                                           (64, 128, 64, 4, 4), (64, 64, 64, 4, 4), (128, 64, 64, 4, 4)]]


@triton.autotune(configs=product_configs(), key=["m", "n", "k"])
@triton.jit
def product_program(a, b, out, m, n, k, a_row, a_col, b_row, b_col, BM: tl.constexpr, BN: tl.constexpr,
                    BK: tl.constexpr):
    # Eight rows of tiles at a time, so that neighbours share what they read.
    rows, cols = tl.cdiv(m, BM), tl.cdiv(n, BN)
    program = tl.program_id(0)
    band = program // (8 * cols)
    height = tl.minimum(rows - band * 8, 8)
    tile_m, tile_n = band * 8 + program % (8 * cols) % height, program % (8 * cols) // height
    i, j = tile_m * BM + tl.arange(0, BM), tile_n * BN + tl.arange(0, BN)
    l = tl.arange(0, BK)
    left = a + (i % m)[:, None] * a_row + l[None, :] * a_col
    right = b + l[:, None] * b_row + (j % n)[None, :] * b_col
    total = tl.zeros((BM, BN), tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        rest = k - step * BK
        total = tl.dot(tl.load(left, mask=l[None, :] < rest, other=0.0),
                       tl.load(right, mask=l[:, None] < rest, other=0.0), total)
        left += BK * a_col
        right += BK * b_row
    tl.store(out + i[:, None] * n + j[None, :], total.to(out.dtype.element_ty), mask=(i < m)[:, None] & (j < n)[None, :])


def function(torch, kernel):
    """As torch_peers.py calls it: the operands, the result last."""
    def add(x, y, out):
        add_program[(triton.cdiv(x.numel(), 4096),)](x, y, out, x.numel(), BLOCK=4096, num_warps=8)

    def row_block(x):
        block = triton.next_power_of_2(x.shape[1])
        return block, min(16, max(1, block // 512))

    def softmax(x, out):
        block, warps = row_block(x)
        softmax_program[(x.shape[0],)](x, out, x.shape[1], BLOCK=block, num_warps=warps)

    def layer_norm(x, weight, bias, out):
        block, warps = row_block(x)
        layer_norm_program[(x.shape[0],)](x, weight, bias, out, x.shape[1], 1e-5, BLOCK=block, num_warps=warps)

    def product(a, b, out):
        m, n, k = a.shape[0], b.shape[1], a.shape[1]
        grid = lambda config: (triton.cdiv(m, config["BM"]) * triton.cdiv(n, config["BN"]),)
        product_program[grid](a, b, out, m, n, k, *a.stride(), *b.stride())

    return {"vector_add": add, "softmax": softmax, "layer_norm": layer_norm, "gemm": product}[kernel]
