# SPDX-License-Identifier: MIT
"""A product of bf16 matrices as a user of Triton writes it for Hopper: programs that stay, and operands that the
tensor copy engine fetches. What tuning_race.py compiles and tunes beside `tile`."""
import triton
import triton.language as tl


@triton.jit
def tma_product(a, b, c, m, n, k, PROGRAMS: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                GROUP: tl.constexpr):
    rows, cols, steps = tl.cdiv(m, BM), tl.cdiv(n, BN), tl.cdiv(k, BK)
    for tile in tl.range(tl.program_id(0), rows * cols, PROGRAMS, flatten=True):
        # So many rows of tiles at a time, so that neighbours share what they read.
        band = tile // (GROUP * cols)
        height = tl.minimum(rows - band * GROUP, GROUP)
        row = (band * GROUP + tile % (GROUP * cols) % height) * BM
        col = tile % (GROUP * cols) // height * BN
        total = tl.zeros((BM, BN), tl.float32)
        for step in range(steps):
            total = tl.dot(a.load([row, step * BK]), b.load([step * BK, col]), total)
        c.store([row, col], total.to(c.dtype))


def meta_of(bm, bn, bk):
    return {"BM": bm, "BN": bn, "BK": bk, "GROUP": 8}


def blocks_of(meta):
    """The blocks that the descriptors of the operands have."""
    return {"a": [meta["BM"], meta["BK"]], "b": [meta["BK"], meta["BN"]], "c": [meta["BM"], meta["BN"]]}


def describe_blocks(arguments):
    """Before each launch of a tuner's: another config, other blocks."""
    for name, block in blocks_of(arguments).items():
        arguments[name].block_shape = block


def configs():
    """24 that fit the shared memory of a Hopper GPU."""
    return [triton.Config(meta_of(bm, bn, bk), num_warps=warps, num_stages=stages, pre_hook=describe_blocks)
            for bm, bn, warps in [(128, 256, 8), (256, 128, 8), (128, 128, 8), (128, 128, 4), (64, 256, 4),
                                  (64, 128, 4), (128, 64, 4), (64, 64, 4)]
            for bk, stages in [(64, 3), (64, 2), (32, 4)]]


tuned_product = triton.autotune(configs=configs(), key=["m", "n", "k"])(tma_product)


def compile_one(bm, bn, bk, warps, stages, capability=90):
    """To machine code, without a GPU and without a launcher."""
    from triton.backends.compiler import GPUTarget
    meta = {**meta_of(bm, bn, bk), "PROGRAMS": 132}
    signature = {name: f"tensordesc<bf16[{block[0]}, {block[1]}]>" for name, block in blocks_of(meta).items()}
    signature |= {name: "i32" for name in ["m", "n", "k"]} | {name: "constexpr" for name in meta}
    names = tma_product.arg_names
    divisible = {(names.index(name),): [["tt.divisibility", 16]] for name in ["m", "n", "k"]}
    source = triton.compiler.ASTSource(fn=tma_product, signature={name: signature[name] for name in names},
                                       constexprs=meta, attrs=divisible)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32),
                          options={"num_warps": warps, "num_stages": stages})
