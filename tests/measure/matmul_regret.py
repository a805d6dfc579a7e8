# SPDX-License-Identifier: MIT
"""Times every tile of matmul's fast variants on random shapes, and shows what the choice of `fastest` costs.

    python3 tests/measure/matmul_regret.py [--shapes N] [--types LIST] [--seed N] [--most-steps N] [--samples N]
        [--transpose LIST] [--program FILE] [--worst N] [--rows FILE] [--dry-run]

The shapes are drawn as by matmul_shapes.py, up to --most-steps multiply-adds (2^36). Regret is the time of the choice
over that of the fastest tile. Where it is above 1.05, all are timed again, in turns and with more samples, and only the
second regret counts: the least of many disturbed medians was too small. --rows FILE keeps the first times.
"""
import argparse
import os
import sys

sys.dont_write_bytecode = True
from matmul_shapes import ROOT, draw_shapes, quantile, rows_of, shape_of  # noqa: E402

MEDIAN_GOAL, MOST_GOAL = 1.03, 1.12  # of the median and of the 99th percentile
PART = 10  # shapes per process
# (A pattern leaves out a variant that cannot compute a shape; a name would be refused.)
VARIANTS = "thin*,direct*,hopper*"


def time_all(arguments, dtype, shapes):
    """For each shape, a list of (ns, variant, tile), the choice first."""
    samples = ["-r", str(arguments.samples), "--max-ci", "0"]
    times = {}
    for row in rows_of(arguments, dtype, shapes, ["-k", "fastest"] + samples, arguments.transpose):
        times[shape_of(row)] = [(float(row["median_ns"]), "fastest", row["p_tile"])]
    for row in rows_of(arguments, dtype, shapes, ["-k", VARIANTS, "--tile", "all"] + samples, arguments.transpose):
        times[shape_of(row)].append((float(row["median_ns"]), row["kernel"], row["p_tile"]))
    return times


def time_again(arguments, dtype, shape):
    """The regret by samples in turns."""
    rows = rows_of(arguments, dtype, [shape], ["-k", "fastest," + VARIANTS, "--versus", "fastest", "--tile", "all",
                                               "-r", str(4 * arguments.samples), "--max-ci", "0"], arguments.transpose)
    return max([1.0] + [float(row["versus_ratio"]) for row in rows if row["kernel"] != "fastest"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shapes", type=int, default=100)
    parser.add_argument("--types", default="bf16,f16,tf32,f32,f64")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--most-steps", type=float, default=2.0 ** 36)
    parser.add_argument("--samples", type=int, default=5)
    parser.add_argument("--transpose", choices=("a", "b", "a,b"))
    parser.add_argument("--program", default=os.path.join(ROOT, "bin", "matmul"))
    parser.add_argument("--worst", type=int, default=10)
    parser.add_argument("--rows")
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args()
    shapes = [shape for shape in draw_shapes(arguments.shapes, arguments.seed)
              if shape[0] * shape[1] * shape[2] <= arguments.most_steps]
    rows = open(arguments.rows, "w") if arguments.rows else None
    for dtype in arguments.types.split(","):
        found = []
        for first in range(0, len(shapes), PART):
            for shape, times in time_all(arguments, dtype, shapes[first:first + PART]).items():
                best = min(times)
                regret = times[0][0] / best[0]
                if regret > 1.05:
                    regret = time_again(arguments, dtype, shape)
                found.append((regret, shape, times[0], best))
                if rows:
                    rows.writelines("%s,%d,%d,%d,%s,%s,%.0f\n" % ((dtype,) + shape + (variant, tile, ns))
                                    for ns, variant, tile in times)
        if not found:
            continue
        regrets = [one[0] for one in found]
        for name, part, goal in (("median", 0.5, MEDIAN_GOAL), ("99th percentile", 0.99, MOST_GOAL)):
            value = quantile(regrets, part)
            print("%-5s %4d shapes: regret, %-16s %.3f, goal %.2f: %s" % (
                dtype, len(regrets), name, value, goal, "met" if value <= goal else "MISSED"))
        for regret, shape, choice, best in sorted(found, reverse=True)[:arguments.worst]:
            print("    %-20s %.3f  chosen %s %.2f us, fastest %s %s %.2f us" % (
                "%dx%dx%d" % shape, regret, choice[2], choice[0] / 1e3, best[1], best[2], best[0] / 1e3))
        sys.stdout.flush()


if __name__ == "__main__":
    main()
