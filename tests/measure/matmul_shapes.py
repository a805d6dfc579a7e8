# SPDX-License-Identifier: MIT
"""Times matmul's `fastest` against a peer on random shapes, for every type, and shows where it is slower.

    python3 tests/measure/matmul_shapes.py [--shapes N] [--types LIST] [--seed N] [--seconds S] [--samples N]
        [--layers] [--transpose LIST] [--peer NAME] [--program FILE] [--worst N] [--rows FILE] [--dry-run]

m, n and k are drawn log-uniformly from 1 to 16384, m n k up to 2^40; in every second shape all three are multiples of
64. With --layers, which ignores --shapes and --seed, they are those of a language model's linear layers: 1 to 128 rows
and a large B, which random shapes hardly ever have; --transpose b stores B as such layers do.
Each type is one process, in which samples of fastest and its peer take turns. A ratio is the peer's time over ours;
shapes below 0.95 are timed again with more samples, so that a disturbed sample does not count.
--seconds S ends a type's run after a fifth of that (or its part of the types given). --rows FILE keeps all rows.
400 shapes of five types take about four minutes on one GPU, half of that to make the inputs; --shapes 80 a minute.
"""
import argparse
import csv
import math
import os
import random
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MOST_EXTENT, MOST_STEPS, MULTIPLE = 16384, 2 ** 40, 64
LAYER_ROWS = (1, 4, 8, 16, 32, 64, 128)
LAYERS = ((768, 768), (3072, 768), (2048, 2048), (1024, 8192),
          (4096, 4096), (5120, 5120), (4096, 11008), (11008, 4096))  # n, k
PART = 100  # shapes per call: a time budget is checked between calls


def log_uniform(draw, most):
    """A whole number from 1 to `most`; every octave is equally likely."""
    return min(most, int(math.exp(draw.random() * math.log(most + 1))))


def draw_shapes(count, seed):
    draw, shapes = random.Random(seed), []
    while len(shapes) < count:
        multiple = MULTIPLE if len(shapes) % 2 else 1
        shape = tuple(multiple * log_uniform(draw, MOST_EXTENT // multiple) for _ in range(3))
        if math.prod(shape) <= MOST_STEPS:
            shapes.append(shape)
    return shapes


def layer_shapes():
    return [(rows,) + layer for rows in LAYER_ROWS for layer in LAYERS]


def rows_of(arguments, dtype, shapes, options, transpose=None):
    """The rows that one process of matmul prints for these shapes, as dictionaries; a dry run prints its command."""
    stored = ["--transpose", transpose] if transpose else []
    command = [arguments.program, "-d", "gpu", "-t", dtype] + stored + options
    command += ["--no-verify", "-w", "1", "-q", "--csv", "-n", ",".join("%dx%dx%d" % shape for shape in shapes)]
    if arguments.dry_run:
        print(" ".join([os.path.relpath(command[0])] + command[1:]))
        return []
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s: %s" % (os.path.basename(sys.argv[0]), dtype, done.stderr.strip()))
    return list(csv.DictReader(done.stdout.splitlines()))


def shape_of(row):
    return tuple(int(row[name]) for name in ("p_m", "p_n", "p_k"))


def time_shapes(arguments, dtype, shapes, samples):
    """For each shape the ratio, our time and the peer's in ns, and our tile."""
    times, results = {}, {}
    for row in rows_of(arguments, dtype, shapes, ["-k", "fastest", "--versus", arguments.peer, "-r", str(samples),
                                                  "--max-ci", "0.5", "--timeout", "1"], arguments.transpose):
        shape = shape_of(row)
        if row["kernel"] == arguments.peer:
            times[shape] = float(row["median_ns"])
        else:
            results[shape] = [float(row["versus_ratio"]), float(row["median_ns"]), 0.0, row["p_tile"]]
    for shape, result in results.items():
        result[2] = times.get(shape, result[0] * result[1])
    return results


def quantile(values, part):
    ordered = sorted(values)
    place = part * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def summary(name, ratios):
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    print("%-12s %6d %7.3f %7.3f %7.3f %9.3f %9.1f %9.1f" % (
        name, len(ratios), min(ratios), quantile(ratios, 0.01), quantile(ratios, 0.5), mean,
        100 * sum(ratio < 0.9 for ratio in ratios) / len(ratios),
        100 * sum(ratio < 0.8 for ratio in ratios) / len(ratios)))


def regime(shape):
    """The kind of product: the first that applies."""
    m, n, k = shape
    if n <= 8:
        return "n <= 8"
    if m <= 8:
        return "m <= 8"
    if k <= 16:
        return "k <= 16"
    if m * n <= 256 * 256 and k >= 2048:
        return "long k"
    return "small" if math.prod(shape) <= 2 ** 28 else "large"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=int, default=400)
    parser.add_argument("--types", default="bf16,f16,tf32,f32,f64")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=math.inf)
    parser.add_argument("--samples", type=int, default=7)
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--transpose", choices=("a", "b", "a,b"))
    parser.add_argument("--peer", default="cublas")
    parser.add_argument("--program", default=os.path.join(ROOT, "bin", "matmul"))
    parser.add_argument("--worst", type=int, default=20)
    parser.add_argument("--rows")
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args()
    shapes = layer_shapes() if arguments.layers else draw_shapes(arguments.shapes, arguments.seed)
    types = arguments.types.split(",")
    rows = open(arguments.rows, "w") if arguments.rows else None
    for dtype in types:
        end, results = time.monotonic() + arguments.seconds / len(types), {}
        for first in range(0, len(shapes), PART):
            if time.monotonic() > end:
                break
            results.update(time_shapes(arguments, dtype, shapes[first:first + PART], arguments.samples))
        again = [shape for shape, result in results.items() if result[0] < 0.95]
        for first in range(0, len(again), PART):
            if time.monotonic() > end:
                break
            results.update(time_shapes(arguments, dtype, again[first:first + PART], 4 * arguments.samples))
        if not results:
            continue
        print("\n%-12s %6s %7s %7s %7s %9s %9s %9s" % (
            dtype, "shapes", "min", "p1", "median", "geo.mean", "% < 0.9", "% < 0.8"))
        summary("all", [result[0] for result in results.values()])
        groups = {}
        for shape, result in results.items():
            groups.setdefault(regime(shape), []).append(result[0])
            if rows:
                rows.write("%s,%d,%d,%d,%.3f,%.0f,%.0f,%s\n" % ((dtype,) + shape + tuple(result)))
        for name in sorted(groups):
            summary("  " + name, groups[name])
        for shape, result in sorted(results.items(), key=lambda one: one[1][0])[:arguments.worst]:
            print("    %-20s %6.3f  ours %9.2f us  %s %9.2f us  tile %s" % (
                "%dx%dx%d" % shape, result[0], result[1] / 1e3, arguments.peer, result[2] / 1e3, result[3]))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
