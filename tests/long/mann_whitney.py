#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the p of tools/compare with scipy's mannwhitneyu on 1000 random pairs of samples; needs scipy.

    python3 tests/long/mann_whitney.py               compiles tests/units/compare.cpp and compares
    python3 tests/long/mann_whitney.py --record      prints tests/units/mann_whitney.inc
"""

import os
import random
import subprocess
import sys
import tempfile

from scipy.stats import mannwhitneyu


def pair(draw, longest):
    """Two samples, of sizes that select the exact or the normal distribution, with and without ties."""
    sizes = [draw.randint(1, draw.choice([8, 9, longest])) for _ in range(2)]
    shift, digits = draw.choice([0, 0.3, 1, 5]), draw.choice([0, 1, 6])
    return [[round(draw.gauss(100 + side * shift, 1), digits) for _ in range(size)] for side, size in enumerate(sizes)]


def p_of(before, after):
    return float(mannwhitneyu(before, after).pvalue)


def wrapped(text):
    lines, line = [], ""
    for word in text.split(" "):
        if len(line) + len(word) > 118:
            lines.append(line.rstrip())
            line = "     "
        line += word + " "
    return "\n".join(lines + [line.rstrip()])


def record():
    draw = random.Random(60)
    print("// SPDX-License-Identifier: MIT")
    print("// Pairs of samples, and their p by mannwhitneyu of scipy; tests/long/mann_whitney.py --record writes this.")
    for _ in range(60):
        before, after = pair(draw, 14)
        shown = ["{" + ", ".join(f"{value:g}" for value in side) + "}" for side in (before, after)]
        sides = [[float(f"{value:g}") for value in side] for side in (before, after)]
        print(wrapped(f"    {{{shown[0]}, {shown[1]}, {p_of(*sides)!r}}},"))


def compiled(folder):
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    program = os.path.join(folder, "compare")
    sources = ["tests/units/compare.cpp", "tools/compare/statistics.cpp", "common/measure/statistics.cpp"]
    compiler = os.environ.get("CXX", "g++")
    subprocess.run([compiler, "-std=c++20", "-O1", "-I.", *sources, "-o", program], cwd=root, check=True)
    return program


def compare():
    draw = random.Random(1000)
    pairs = [pair(draw, 200) for _ in range(1000)]
    lines = "\n".join(" ".join(map(repr, before)) + " ; " + " ".join(map(repr, after)) for before, after in pairs)
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([compiled(folder), "-"], input=lines, text=True, capture_output=True, check=True)
    apart = [abs(float(p) - p_of(*one)) for p, one in zip(run.stdout.split(), pairs)]
    print(f"{len(apart)} pairs of samples, largest difference {max(apart):.1e}")
    return 0 if len(apart) == 1000 and max(apart) <= 1e-9 else 1


if sys.argv[1:] == ["--record"]:
    record()
elif len(sys.argv) == 1:
    sys.exit(compare())
else:
    sys.exit(__doc__)
