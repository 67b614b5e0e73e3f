#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times PyTorch, torch.compile and Triton at the shapes of `tile bench`, in the same way, and writes lines of JSON
that `tile bench --peer FILE` takes:

    python3 tools/peers/torch_peers.py gemm --shapes 1024,4096,64x4096x4096 --dtype f16 --json torch.jsonl
    tile bench gemm --shapes 1024,4096,64x4096x4096 --compare cublas,torch.jsonl

Graphs of many calls, replayed in turn, in every second round the other way round; inputs of a normal distribution that
rotate through three times the last cache; medians. Every result is compared with float64 before it is timed.
"""
import argparse
import json
import math
import statistics
import sys
import time

KERNELS = {"vector_add": ["n"], "softmax": ["m", "n"], "layer_norm": ["m", "n"], "gemm": ["m", "n", "k"],
           "batched_gemm": ["batch", "m", "n", "k"], "grouped_gemm": ["groups", "m", "n", "k"],
           "attention": ["heads", "m", "n", "sharing"], "attention_backward": ["heads", "m", "n", "sharing"],
           "sequence_attention": ["sequences", "heads", "m", "n", "sharing"]}
CHOICES = {"gemm": ["trans"], "batched_gemm": ["trans"], "attention": ["head_dim", "causal"],
           "attention_backward": ["head_dim", "causal"],
           "sequence_attention": ["head_dim", "causal", "page", "lengths"]}
USUAL = {"trans": "nn", "head_dim": "64", "causal": "no", "page": "none", "lengths": "equal"}
COUNTS = {"batch": 5, "groups": 5}   # how many products there are, where one number is given for all sizes
DTYPES = ["f16", "bf16", "f32"]
PROVIDERS = ["torch", "compile", "triton", "loop"]
SAMPLE_SECONDS, SETTLE_SECONDS, MOST_CALLS, MOST_SETS, TIMES_CACHE = 5e-3, 2.0, 1000, 4096, 3


def dealt(rows, groups):
    """So many rows cut as `tile bench` cuts them (tools/registry/group_rows.cpp)."""
    bits = 2**64 - 1
    ends = []
    for i in range(1, groups):
        x = i * 0x9E3779B97F4A7C15 & bits
        x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9 & bits
        ends.append((x ^ x >> 32) % (rows + 1))
    ends = [0] + sorted(ends) + [rows]
    return [end - begin for begin, end in zip(ends, ends[1:])]


def is_size(text, kernel, name):
    if kernel == "grouped_gemm" and name == "m":   # 8192u: rows of all groups, dealt unevenly
        text = text.removesuffix("u")
    return text.isdigit() and int(text) > 0


def parse_shapes(text, kernel):
    names = KERNELS[kernel]
    shapes = []
    for part in text.split(","):
        sizes = part.split("x")
        if len(sizes) == 1:
            sizes = [str(COUNTS.get(name, part)) for name in names]
        if len(sizes) != len(names) or not all(is_size(size, kernel, name) for size, name in zip(sizes, names)):
            example = "x".join("8" if name in COUNTS else "1024" for name in names)
            uneven = " or 8x1024ux1024x1024, with 1024 rows of all dealt unevenly" if kernel == "grouped_gemm" else ""
            sys.exit(f"torch_peers.py: `{part}` is not a shape; a shape of {kernel} is {'x'.join(names)}, as in "
                     f"{example}{uneven}, or one number for all")
        shapes.append({name: int(size) if size.isdigit() else size for name, size in zip(names, sizes)})
    return shapes


def choose(text, accepted, what):
    names = text.split(",")
    for name in names:
        if name not in accepted:
            sys.exit(f"torch_peers.py: no {what} `{name}`; accepted are {', '.join(accepted)}")
    return names


# --- what is computed: functions of a set of operands, which write into the last of them where they can -------------

def operands(torch, kernel, shape, dtype, chosen, sets):
    kind = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}[dtype]

    def normal(*extents):
        return torch.randn(*extents, device="cuda", dtype=torch.float32).to(kind)

    all_sets = []
    for _ in range(sets):
        if kernel in ("gemm", "batched_gemm"):
            m, n, k, trans = shape["m"], shape["n"], shape["k"], chosen["trans"]
            stack = [shape["batch"]] if kernel == "batched_gemm" else []
            a = normal(*stack, m, k) if trans[0] == "n" else normal(*stack, k, m).mT
            b = normal(*stack, k, n) if trans[1] == "n" else normal(*stack, n, k).mT
            all_sets.append((a, b, torch.empty(*stack, m, n, device="cuda", dtype=kind)))
        elif kernel == "grouped_gemm":   # the library takes b by columns alone
            groups, n, k = shape["groups"], shape["n"], shape["k"]
            rows = [sum(rows_of_groups(shape))] if is_uneven(shape) else [groups, shape["m"]]
            all_sets.append((normal(*rows, k), normal(groups, n, k).transpose(1, 2),
                             torch.empty(*rows, n, device="cuda", dtype=kind)))
        elif "attention" in kernel:   # keys that lie in pages for tile are contiguous for PyTorch
            heads, m, n, length = shape["heads"], shape["m"], shape["n"], int(chosen["head_dim"])
            batch = shape.get("sequences", 1)
            keys, values = (normal(batch, heads // shape["sharing"], n, length) for _ in range(2))
            all_sets.append((normal(batch, heads, m, length), keys, values,
                             torch.empty(batch, heads, m, length, device="cuda", dtype=kind)))
            if kernel == "attention_backward":   # the gradient by the result in front of grad_q
                all_sets[-1] = (*all_sets[-1][:3], normal(1, heads, m, length), all_sets[-1][3])
        elif kernel == "vector_add":
            n = shape["n"]
            all_sets.append((normal(n), normal(n), torch.empty(n, device="cuda", dtype=kind)))
        else:
            m, n = shape["m"], shape["n"]
            weights = (normal(n), normal(n)) if kernel == "layer_norm" else ()
            all_sets.append((normal(m, n), *weights, torch.empty(m, n, device="cuda", dtype=kind)))
    return all_sets


def is_uneven(shape):
    return isinstance(shape["m"], str)


def rows_of_groups(shape):
    return dealt(int(shape["m"].removesuffix("u")), shape["groups"]) if is_uneven(shape) else [shape["m"]] * shape["groups"]


def attend(torch, q, k, v, chosen):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=chosen["causal"] == "yes",
                                                            enable_gqa=q.shape[1] != k.shape[1])


class Backward:
    """The gradients by cuDNN, as PyTorch calls it. A forward pass of each set is made once. The check sees grad_q."""

    def __init__(self, torch, chosen):
        self.torch, self.causal, self.passes = torch, chosen["causal"] == "yes", {}

    def __call__(self, q, k, v, grad, out):
        aten = self.torch.ops.aten
        if q.data_ptr() not in self.passes:
            self.passes[q.data_ptr()] = aten._scaled_dot_product_cudnn_attention(q, k, v, None, True, 0.0, self.causal)
        result, sums, ends_q, ends_k, most_q, most_k, seed, offset = self.passes[q.data_ptr()][:8]
        return aten._scaled_dot_product_cudnn_attention_backward(
            grad, q, k, v, result, sums, seed, offset, None, ends_q, ends_k, most_q, most_k, 0.0, self.causal)[0]

    def in_float64(self, q, k, v, grad):
        wanted = q.double().requires_grad_()
        with self.torch.enable_grad():
            result = attend(self.torch, wanted, k.double(), v.double(), {"causal": "yes" if self.causal else "no"})
        return self.torch.autograd.grad(result, wanted, grad.double())[0]


def plain(torch, kernel, shape, chosen):
    """As PyTorch computes it, and in float64."""
    f = torch.nn.functional
    if kernel == "gemm":
        return lambda a, b, out: torch.mm(a, b, out=out), lambda a, b: a.double() @ b.double()
    if kernel == "batched_gemm":
        return lambda a, b, out: torch.bmm(a, b, out=out), lambda a, b: a.double() @ b.double()
    if kernel == "grouped_gemm" and is_uneven(shape):   # groups one below the other, each up to its end
        rows = rows_of_groups(shape)
        ends = torch.tensor(rows, device="cuda").cumsum(0).to(torch.int32)
        return (lambda a, b, out: torch._grouped_mm(a, b, offs=ends),
                lambda a, b: torch.cat([x.double() @ y.double() for x, y in zip(a.split(rows), b)]))
    if kernel == "grouped_gemm":
        return (lambda a, b, out: torch._grouped_mm(a, b),
                lambda a, b: torch.stack([x.double() @ y.double() for x, y in zip(a, b)]))
    if kernel in ("attention", "sequence_attention"):   # of what is there, PyTorch takes what it holds for the fastest
        return (lambda q, k, v, out: attend(torch, q, k, v, chosen),
                lambda q, k, v: attend(torch, q.double(), k.double(), v.double(), chosen))
    if kernel == "attention_backward":
        backward = Backward(torch, chosen)
        return backward, backward.in_float64
    if kernel == "vector_add":
        return lambda x, y, out: torch.add(x, y, out=out), lambda x, y: x.double() + y.double()
    if kernel == "softmax":
        return lambda x, out: torch.ops.aten._softmax.out(x, 1, False, out=out), lambda x: torch.softmax(x.double(), 1)

    def layer_norm(x, weight, bias, out):
        return f.layer_norm(x, (x.shape[1],), weight, bias)

    return layer_norm, lambda x, w, b: f.layer_norm(x.double(), (x.shape[1],), w.double(), b.double())


def compiled(torch, kernel, shape):
    """As torch.compile makes it for this one shape; products are left to the libraries there."""
    if kernel in ("gemm", "batched_gemm", "grouped_gemm", "attention", "attention_backward", "sequence_attention"):
        return None
    torch._dynamo.reset()
    f = torch.nn.functional
    functions = {
        "vector_add": lambda x, y: x + y,
        "softmax": lambda x: torch.softmax(x, 1),
        "layer_norm": lambda x, w, b: f.layer_norm(x, (shape["n"],), w, b),
    }
    made = torch.compile(functions[kernel], dynamic=False)
    return lambda *all_operands: made(*all_operands[:-1])


def in_a_loop(torch, kernel, shape, sets):
    """Grouped products one after another, b by rows, as `tile bench` has cuBLAS do them: beside it, figures of two
    programs tell which is faster though the clock of the GPU was not the same."""
    if kernel != "grouped_gemm":
        return None
    by_rows = {b.data_ptr(): b.contiguous() for _, b, _ in sets}

    def multiply(a, b, out):
        apart = (a.split(rows_of_groups(shape)), out.split(rows_of_groups(shape))) if is_uneven(shape) else (a, out)
        for left, right, product in zip(apart[0], by_rows[b.data_ptr()], apart[1]):
            torch.mm(left, right, out=product)

    return multiply


def in_triton(torch, kernel):
    import triton_peers
    return triton_peers.function(torch, kernel)


# --- measuring -------------------------------------------------------------------------------------------------------

def record(torch, function, sets, calls):
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        function(*sets[0])
    torch.cuda.current_stream().wait_stream(side)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in range(calls):
            function(*sets[call % len(sets)])
    return graph


def replay(torch, graph):
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    graph.replay()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) * 1e-3


def is_steady(rounds):
    """Those of the last 0.3 seconds, five at least, take the same time but for a part of 0.01."""
    count = 0
    while sum(rounds[len(rounds) - count:]) < 0.3 and count < len(rounds):
        count += 1
    last = rounds[-max(count, 5):]
    return sum(last) >= 0.3 and len(last) >= 5 and max(last) <= 1.01 * min(last)


def measure(torch, functions, sets, rounds):
    """Samples by name, each the seconds of a call."""
    graphs = {}
    for name, function in functions.items():
        once = replay(torch, record(torch, function, sets, 4)) / 4
        calls = max(1, min(MOST_CALLS, math.ceil(SAMPLE_SECONDS / once)))
        calls = -(-calls // len(sets)) * len(sets)
        graphs[name] = record(torch, function, sets, calls), calls
    recent = []
    while sum(recent) < SETTLE_SECONDS and not is_steady(recent):
        recent.append(sum(replay(torch, graph) for graph, _ in graphs.values()))
    samples = {name: [] for name in graphs}
    for number in range(rounds):
        names = list(graphs) if number % 2 == 0 else list(graphs)[::-1]
        for name in names:
            graph, calls = graphs[name]
            samples[name].append(replay(torch, graph) / calls)
    return samples


def is_right(torch, function, reference, one_set, dtype):
    one_set[-1].fill_(float("nan"))
    given = function(*one_set)
    result = (one_set[-1] if given is None else given).double()
    expected = reference(*one_set[:-1])
    error = ((result - expected).norm() / expected.norm()).item()
    return error < {"f16": 5e-3, "bf16": 2e-2, "f32": 5e-3}[dtype], error


def spread(samples, median):
    ordered = sorted(samples)
    at = [ordered[int(q * (len(ordered) - 1) + 0.5)] for q in (0.2, 0.8)]
    return (at[1] - at[0]) / 2 / median


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kernel", choices=list(KERNELS))
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--dtype", default="f16", choices=DTYPES)
    parser.add_argument("--trans", choices=["nn", "nt", "tn", "tt"])
    parser.add_argument("--head_dim", choices=["16", "32", "64", "128", "256"])
    parser.add_argument("--causal", choices=["no", "yes"])
    parser.add_argument("--page", help="as for `tile bench sequence_attention`; PyTorch's keys are contiguous")
    parser.add_argument("--lengths", choices=["equal", "mixed"])
    parser.add_argument("--providers", default="torch", help="a list of " + ", ".join(PROVIDERS))
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--json", help="file for the lines; standard output by default")
    arguments = parser.parse_args()
    shapes = parse_shapes(arguments.shapes, arguments.kernel)
    chosen = {}
    for name, usual in USUAL.items():
        given = getattr(arguments, name)
        if name in CHOICES.get(arguments.kernel, []):
            chosen[name] = given or usual
        elif given:
            sys.exit(f"torch_peers.py: {arguments.kernel} has no --{name}")
    if chosen.get("causal") == "yes" and any(shape["m"] != shape["n"] for shape in shapes):
        sys.exit("torch_peers.py: PyTorch's causal attention differs from tile's if there are more keys than queries: "
                 "m and n must be the same")
    if chosen.get("lengths") == "mixed":
        sys.exit("torch_peers.py: PyTorch's attention takes sequences of equal lengths")
    providers = choose(arguments.providers, PROVIDERS, "provider")
    try:
        import torch
    except ImportError as error:
        sys.exit(f"torch_peers.py: PyTorch is needed: {error}")
    if not torch.cuda.is_available():
        sys.exit("torch_peers.py: PyTorch sees no GPU")
    for name in ("allow_fp16_reduced_precision_reduction", "allow_bf16_reduced_precision_reduction"):
        setattr(torch.backends.cuda.matmul, name, False)

    properties = torch.cuda.get_device_properties(0)
    out = open(arguments.json, "w", encoding="utf-8") if arguments.json else sys.stdout
    print(json.dumps({"type": "run", "date": time.strftime("%Y-%m-%d"), "device": properties.name,
                      "toolchain": f"PyTorch {torch.__version__}", "command": " ".join(sys.argv)}), file=out)
    failed = False
    for shape in shapes:
        settings = {**shape, **chosen, "dtype": arguments.dtype}
        one = operands(torch, arguments.kernel, shape, arguments.dtype, chosen, 1)
        size = sum(operand.numel() * operand.element_size() for operand in one[0][:-1])
        count = max(2, min(MOST_SETS, math.ceil(TIMES_CACHE * properties.L2_cache_size / size)))
        sets = operands(torch, arguments.kernel, shape, arguments.dtype, chosen, count)
        function, reference = plain(torch, arguments.kernel, shape, chosen)
        functions = {}
        for name in providers:
            try:
                made = {"torch": lambda: function, "compile": lambda: compiled(torch, arguments.kernel, shape),
                        "triton": lambda: in_triton(torch, arguments.kernel),
                        "loop": lambda: in_a_loop(torch, arguments.kernel, shape, sets)}[name]()
                if made is None:
                    continue
                good, error = is_right(torch, made, reference, sets[0], arguments.dtype)
                if not good:
                    raise RuntimeError(f"wrong: off by {error:.2g} of the norm")
                functions[name] = made
            except Exception as error:   # another provider may work
                failed = True
                reason = str(error).split("\n")[0]
                print(json.dumps({"type": "row", "kernel": arguments.kernel, "settings": settings, "provider": name,
                                  "outcome": "failed", "reason": reason}), file=out)
        for name, samples in measure(torch, functions, sets, arguments.rounds).items():
            median = statistics.median(samples)
            print(json.dumps({"type": "row", "kernel": arguments.kernel, "settings": settings, "provider": name,
                              "outcome": "timed", "median": median, "spread": spread(samples, median),
                              "samples": samples}), file=out)
            print(f"{arguments.kernel} {settings} {name}: {median * 1e6:.2f} us", file=sys.stderr)
        out.flush()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
