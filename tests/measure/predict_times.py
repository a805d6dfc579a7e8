#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds predicted times against a GPU's. Each argument is a file of CSV rows from a GPU and the command that wrote it:
    tests/measure/predict_times.py --gpu h200 'reduce -n 64Ki,1Mi,16Mi=reduce.csv' 'banks=banks.csv' [--rows]
Prints, by program, how many rows there are, the median and the 90th percentile of the error (the larger of the two times
over the smaller, less one, in percent), the share within the interval, and Kendall's tau of the variants of one size,
pairs within 5 % left out. --rows: every row, too. Needs no GPU."""
import argparse
import collections
import csv
import math
import os
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("pairs", nargs="+")
parser.add_argument("--gpu", default="h200")
parser.add_argument("--rows", action="store_true")
asked = parser.parse_args()
root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "bin")


def rows_of(lines):
    by_place = collections.defaultdict(list)
    for row in csv.DictReader(lines):
        by_place[row["kernel"], row["dtype"], row["n"]].append(row)
    return by_place


rows = []
for pair in asked.pairs:
    command, path = pair.rsplit("=", 1)
    words = command.split()
    with open(path) as file:
        measured = rows_of(file)
    # The forecast itself: its sizes are a GPU's, and it costs a sample of blocks.
    environment = dict(os.environ, GRIDUTILS_FORECAST=asked.gpu, SIMCC_TIMEOUT="1")
    run = subprocess.run([os.path.join(root, words[0])] + words[1:], env=environment, capture_output=True, text=True,
                         stdin=subprocess.DEVNULL)
    if run.returncode:
        sys.exit(f"{command}: exit status {run.returncode}: {run.stderr.strip()}")
    for place, predicted in rows_of(run.stdout.splitlines()).items():
        for ours, theirs in zip(predicted, measured.get(place, [])):
            if ours["p_predicted_ns"]:
                rows.append((words[0], command, place, float(theirs["median_ns"]), float(ours["p_predicted_ns"]),
                             float(ours["p_predicted_low_ns"]), float(ours["p_predicted_high_ns"]), ours["p_limiter"]))


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def error(row):
    return 100 * (math.exp(abs(math.log(row[4] / row[3]))) - 1)


def tau(chosen):
    same = other = 0
    blocks = collections.defaultdict(list)
    for row in chosen:
        blocks[row[1], row[2][2]].append(row)
    for block in blocks.values():
        for i, a in enumerate(block):
            for b in block[:i]:
                if max(a[3], b[3]) < 1.05 * min(a[3], b[3]):
                    continue
                same += (a[3] - b[3]) * (a[4] - b[4]) > 0
                other += (a[3] - b[3]) * (a[4] - b[4]) < 0
    return (same - other) / max(1, same + other)


if asked.rows:
    for row in rows:
        print(f"{row[0]:10} {row[2][0]:26} {row[2][2]:>10} measured {row[3] / 1e3:10.2f} us, predicted "
              f"{row[4] / 1e3:10.2f} us, {row[4] / row[3]:5.2f} {row[7]}")
print(f"{'program':10} {'rows':>5} {'median %':>9} {'90 of 100 %':>12} {'in interval %':>14} {'tau':>6}")
programs = list(dict.fromkeys(row[0] for row in rows))
for program in programs + ["all"]:
    chosen = [row for row in rows if program in (row[0], "all")]
    errors = [error(row) for row in chosen]
    inside = sum(row[5] <= row[3] <= row[6] for row in chosen)
    print(f"{program:10} {len(chosen):5} {percentile(errors, 0.5):9.1f} {percentile(errors, 0.9):12.1f} "
          f"{100 * inside / len(chosen):14.0f} {tau(chosen):6.2f}")
