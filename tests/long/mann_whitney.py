#!/usr/bin/env python3
"""Compares the p of tests/units/compare.cpp with scipy's mannwhitneyu on 1000 random pairs of samples; needs scipy.

    python3 tests/long/mann_whitney.py PROGRAM       PROGRAM is tests/units/compare.cpp, compiled
    python3 tests/long/mann_whitney.py --record      prints tests/units/mann_whitney.inc
"""

import random
import subprocess
import sys

from scipy.stats import mannwhitneyu


def pair(draw, longest):
    """Two samples, of sizes that choose both the exact and the normal distribution, with and without ties."""
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
    print("// Pairs of samples, and their p by mannwhitneyu of scipy; tests/long/mann_whitney.py --record writes this.")
    for _ in range(60):
        before, after = pair(draw, 14)
        shown = ["{" + ", ".join(f"{value:g}" for value in side) + "}" for side in (before, after)]
        sides = [[float(f"{value:g}") for value in side] for side in (before, after)]
        print(wrapped(f"    {{{shown[0]}, {shown[1]}, {p_of(*sides)!r}}},"))


def compare(program):
    draw = random.Random(1000)
    pairs = [pair(draw, 200) for _ in range(1000)]
    lines = "\n".join(" ".join(map(repr, before)) + " ; " + " ".join(map(repr, after)) for before, after in pairs)
    seen = subprocess.run([program, "-"], input=lines, text=True, capture_output=True, check=True).stdout.split()
    apart = [abs(float(p) - p_of(*one)) for p, one in zip(seen, pairs)]
    print(f"{len(apart)} pairs of samples, largest difference {max(apart):.1e}")
    return 0 if len(apart) == 1000 and max(apart) <= 1e-9 else 1


if sys.argv[1:] == ["--record"]:
    record()
elif len(sys.argv) == 2:
    sys.exit(compare(sys.argv[1]))
else:
    sys.exit(__doc__)
