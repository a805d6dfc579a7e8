# SPDX-License-Identifier: MIT
"""Times every plan of matmul for a few hundred products, fits the costs of plans to the times, and shows the regret.

    python3 tests/measure/matmul_plans.py collect FOLDER [--seconds S] [--types LIST] [--seed N] [--program FILE]
    python3 tests/measure/matmul_plans.py fit FOLDER >tools/matmul/coefficients.inc
    python3 tests/measure/matmul_plans.py check FOLDER
    python3 tests/measure/matmul_plans.py regret [--shapes N] [--types LIST] [--seed N] [--program FILE] [--rows FILE]

collect writes FOLDER/times.csv and FOLDER/work.csv, in about --seconds seconds (400) on one GPU: products of all types
as matmul_shapes.py draws them, then some with operands that are stored transposed, and batches.
fit (NumPy and SciPy) finds, for each kernel and tile, the costs of tools/matmul/estimate.hpp, none of them negative, with
the least squares of relative errors; a time counts less the farther it is from the product's best.
check fits to three quarters of the products, four times, and prints for the others, as geometric means, the time of the
best estimate, and of the fastest of the eight best, over that of the fastest plan.
regret does the same with the program as it is: the plan that `fastest` chose by timing, and with --no-tune, over the
fastest plan of all. Where that was more than 1.03 for the first, the two are timed again, in turns: the least of many
disturbed medians is too small.
"""
import argparse
import collections
import csv
import math
import os
import random
import subprocess
import sys
import time

sys.dont_write_bytecode = True
from matmul_shapes import ROOT, draw_shapes, quantile  # noqa: E402

TUNED = 8                  # plans that `fastest` times
ALL = "thin*,direct*,hopper*"
TILED = ("hopper", "direct", "thin", "async")  # for which a plan's name has a --tile
TEXTBOOK = {"f32": "register-2d*,vectorized*,warp-tile*,async*", "f64": "register-2d*", "tf32": "wmma*", "bf16": "wmma*",
            "f16": "wmma*", "e4m3": "vectorized*"}
FORMS = {"": 0.17, "--transpose b": 0.023, "--transpose a": 0.012, "--transpose a,b": 0.012, "--batch 16": 0.009,
         "--batch 300": 0.009, "--batch 40 --transpose b": 0.005}  # parts of the time, for each type


def name_of(shape):
    return "%dx%dx%d" % shape


def shapes_for(form, dtype, seed):
    most = 2 ** 26 if "batch" in form else 2 ** 31 if form else 2 ** 33
    shapes = [shape for shape in draw_shapes(3000, seed) if math.prod(shape) <= most]
    random.Random(seed).shuffle(shapes)
    if dtype == "e4m3":  # rows of whole pieces
        shapes = [tuple(16 * -(-extent // 16) for extent in shape) for shape in shapes]
    return shapes


def output_of(program, dtype, form, shapes, options):
    command = [program, "-d", "gpu", "-t", dtype] + form.split() + ["-q", "--csv", "-n", ",".join(map(name_of, shapes))]
    done = subprocess.run(command + options, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("%s: %s" % (" ".join(command + options), done.stderr.strip()))
    return done.stdout.splitlines()


def rows_of(arguments, dtype, form, shapes, options):
    timed = ["--max-ci", "0", "--no-verify"]
    return list(csv.DictReader(output_of(arguments.program, dtype, form, shapes, options + timed)))


def shape_of(row):
    return "x".join(row[name] for name in ("p_m", "p_n", "p_k"))


def collect(arguments):
    at_once = 8  # products per process
    with open(os.path.join(arguments.folder, "times.csv"), "w") as times_file, \
            open(os.path.join(arguments.folder, "work.csv"), "w") as work_file:
        times, work = csv.writer(times_file), csv.writer(work_file)  # a form may have a comma
        times.writerow(("form", "dtype", "shape", "plan", "ns"))
        header = None
        for form, part in FORMS.items():
            for dtype in arguments.types.split(","):
                if form and dtype == "e4m3":
                    continue
                end, shapes = time.monotonic() + part * arguments.seconds, shapes_for(form, dtype, arguments.seed)
                textbook = TEXTBOOK[dtype] + (",batched*" if "batch" in form else "")
                kernels = "hopper*" if dtype == "e4m3" else ALL + ",tf32x3*" if dtype == "f32" else ALL
                for first in range(0, len(shapes), at_once):
                    if time.monotonic() > end:
                        break
                    some = shapes[first:first + at_once]
                    lines = output_of(arguments.program, dtype, form, some, ["-k", kernels + "," + textbook,
                                                                             "--tile", "work"])
                    if not header:
                        header = lines[0].split(",")
                        work.writerow(["form"] + header)
                    work.writerows([form] + line.split(",") for line in lines[1:])
                    options = ["-k", kernels + "," + textbook, "--tile", "plans", "-w", "0", "-r", "3"]
                    for row in rows_of(arguments, dtype, form, some, options):
                        times.writerow((form, dtype, shape_of(row), row["p_method"], row["median_ns"]))


def read(folder):
    """For each product, {plan: (ns, row, work)}; and the names of the work's terms."""
    work, products = {}, collections.defaultdict(dict)
    with open(os.path.join(folder, "work.csv")) as file:
        table = csv.reader(file)
        names = next(table)[6:]
        for form, dtype, shape, plan, row, _, *terms in table:
            work[form, dtype, shape, plan] = row, [float(term) for term in terms]
    with open(os.path.join(folder, "times.csv")) as file:
        for row in csv.DictReader(file):
            key = row["form"], row["dtype"], row["shape"]
            if key + (row["plan"],) in work:
                products[key][row["plan"]] = (float(row["ns"]),) + work[key + (row["plan"],)]
    return products, names


def is_one_launch(form, plan, row):
    """Whether a plan's time is that of its kernel alone, without copies or launches for each product of a batch."""
    one_by_one = "batch" in form and ("thin:" in row or "hopper" in row and not row.endswith(":batch"))
    return "copying" not in plan and not one_by_one


def fit(products):
    """The costs of each row's terms, and of how many times they are."""
    import numpy
    from scipy.optimize import nnls
    rows = collections.defaultdict(list)
    for (form, _, _), plans in products.items():
        best = min(ns for ns, _, _ in plans.values())
        for plan, (ns, row, terms) in plans.items():
            if is_one_launch(form, plan, row):
                rows[row].append((best / ns, ns, terms))
    costs = {}
    for row, samples in rows.items():
        weights = numpy.array([weight / ns for weight, ns, _ in samples])
        matrix = numpy.array([terms for _, _, terms in samples]) * weights[:, None]
        scale = matrix.max(axis=0)
        scale[scale == 0] = 1
        found, _ = nnls(matrix / scale, weights * [ns for _, ns, _ in samples], maxiter=10000)
        costs[row] = found / scale, len(samples)
    return costs


def print_coefficients(arguments):
    products, names = read(arguments.folder)
    costs = fit(products)
    print("    // By tests/measure/matmul_plans.py, to %d times of %d products: ns for each unit of" %
          (sum(count for _, count in costs.values()), len(products)))
    print("    // %s." % ", ".join(names))
    print("    // clang-format off")
    for row in sorted(costs):
        print('    {"%s", {%s}},' % (row, ", ".join("%.4g" % cost for cost in costs[row][0])))
    print("    // clang-format on")


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def check(arguments):
    import numpy
    products, _ = read(arguments.folder)
    parts = 4
    keys = sorted(products)
    random.Random(1).shuffle(keys)
    first, best_of_few = collections.defaultdict(list), collections.defaultdict(list)
    for part in range(parts):
        costs = fit({key: products[key] for i, key in enumerate(keys) if i % parts != part})
        for key in keys[part::parts]:
            plans = [(float(numpy.dot(costs[row][0], terms)), ns) for plan, (ns, row, terms) in products[key].items()
                     if row in costs and is_one_launch(key[0], plan, row)]
            if plans:
                plans.sort()
                best = min(ns for _, ns in plans)
                first[key[:2]].append(plans[0][1] / best)
                best_of_few[key[:2]].append(min(ns for _, ns in plans[:TUNED]) / best)
    print("%-5s %-25s %8s %9s %9s %9s" % ("dtype", "form", "products", "estimate", "of eight", "its p99"))
    for form, dtype in sorted(first):
        print("%-5s %-25s %8d %9.4f %9.4f %9.3f" % (
            dtype, form, len(first[form, dtype]), geometric_mean(first[form, dtype]),
            geometric_mean(best_of_few[form, dtype]), quantile(best_of_few[form, dtype], 0.99)))


def regret(arguments):
    at_once, doubtful = 10, 1.03
    drawn = draw_shapes(2 * arguments.shapes, arguments.seed)
    shapes = [shape for shape in drawn if math.prod(shape) <= 2 ** 36][:arguments.shapes]
    rows = open(arguments.rows, "w") if arguments.rows else None
    print("%-5s %-8s %8s %7s %7s %7s %7s" % ("dtype", "choice", "products", "median", "mean", "p99", "most"))
    for dtype in arguments.types.split(","):
        found = {"tuned": {}, "estimate": {}}
        for first in range(0, len(shapes), at_once):
            some, times = shapes[first:first + at_once], collections.defaultdict(dict)
            for row in rows_of(arguments, dtype, "", some, ["-k", ALL, "--tile", "plans", "-w", "0", "-r", "3"]):
                times[shape_of(row)][row["p_method"]] = float(row["median_ns"])
            for choice, options in (("tuned", []), ("estimate", ["--no-tune"])):
                for row in rows_of(arguments, dtype, "", some, ["-k", "fastest", "-w", "1", "-r", "7"] + options):
                    shape = shape_of(row)
                    best = min(times[shape], key=times[shape].get)
                    ratio = times[shape].get(row["p_method"], float(row["median_ns"])) / times[shape][best]
                    if ratio > doubtful and choice == "tuned":
                        ratio = compare(arguments, dtype, shape, row["p_method"], best)
                    found[choice][shape] = max(1.0, ratio)
                    if rows:
                        rows.write(",".join((dtype, choice, shape, row["p_method"], best, "%.4f" % ratio)) + "\n")
        for choice, ratios in found.items():
            values = list(ratios.values())
            print("%-5s %-8s %8d %7.3f %7.3f %7.3f %7.3f" % (
                dtype, choice, len(values), quantile(values, 0.5), geometric_mean(values), quantile(values, 0.99),
                max(values)))
            sys.stdout.flush()


def compare(arguments, dtype, shape, one, other):
    """The ratio of the times of two plans: medians of processes in turns."""
    samples = {one: [], other: []}
    for _ in range(3):
        for plan in samples:
            kernel, key = plan.split(":", 1)
            tile = ["--tile", key] if kernel in TILED else []
            row, = rows_of(arguments, dtype, "", [tuple(map(int, shape.split("x")))],
                           ["-k", kernel, "-w", "2", "-r", "11"] + tile)
            samples[plan].append(float(row["median_ns"]))
    return quantile(samples[one], 0.5) / quantile(samples[other], 0.5)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("collect", "fit", "check", "regret"))
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--types", default="f32,tf32,bf16,f64,e4m3")
    parser.add_argument("--shapes", type=int, default=100)
    parser.add_argument("--seed", type=int, default=31)
    parser.add_argument("--program", default=os.path.join(ROOT, "bin", "matmul"))
    parser.add_argument("--rows")
    arguments = parser.parse_args()
    if arguments.action != "regret" and not arguments.folder:
        parser.error("%s needs a folder" % arguments.action)
    {"collect": collect, "fit": print_coefficients, "check": check, "regret": regret}[arguments.action](arguments)


if __name__ == "__main__":
    main()
