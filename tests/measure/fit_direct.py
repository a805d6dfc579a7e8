# SPDX-License-Identifier: MIT
"""Fits the constants of the cost model of matmul's variant `direct`, and shows what its choices cost.

    python3 tests/measure/fit_direct.py [--types LIST] [--shapes N] [--seed N] [--memory-speed X] [--program FILE]
        [--dry-run]

Every tile and every number of blocks that share k is timed on N random shapes (40), in one process per type, on one
Hopper GPU. The constants are fitted to every second shape; the regret, the time of the model's choice over that of the
fastest, is shown for both halves. The constants are those of DirectCost and direct_tile() in
tools/matmul/hopper/direct_cost.cuh. --memory-speed is that of the GPU, compared with an H200's: 0.7 for an H100.
"""
import argparse
import math
import os
import re
import sys

sys.dont_write_bytecode = True
from matmul_shapes import ROOT, draw_shapes, quantile, rows_of, shape_of  # noqa: E402

MULTIPROCESSORS = 132
CLOCK_GHZ = 1.98  # for products that take a few microseconds
LAUNCH = 3170  # cycles, which the models of all variants leave out, too
SIZES = {"bf16": 2, "f16": 2, "f32": 4, "tf32": 4, "f64": 8}
PEAKS = {"bf16": 1024, "f16": 1024, "f32": 128, "tf32": 512, "f64": 128}  # multiply-adds a cycle
# Clusters of 1 to 16 blocks that run at once, if a multiprocessor holds 1 to 4 of the blocks: cluster_counts() of the
# source, on one H100. (They differ a little from card to card.)
CLUSTERS = ((132, 66, 39, 30, 22, 17, 15, 15, 9, 7, 7, 7, 7, 7, 7, 7),
            (264, 132, 79, 62, 47, 39, 32, 30, 23, 21, 16, 16, 14, 14, 14, 14),
            (396, 198, 124, 92, 69, 62, 47, 45, 37, 30, 28, 28, 23, 21, 21, 21),
            (528, 264, 163, 124, 94, 79, 69, 62, 51, 44, 37, 37, 30, 30, 28, 28))
MOST_STEPS = 2 ** 34
STARTS = {"beginning": 5000, "fixed": 1500, "shortest_stage": 500, "crowding": 300, "unit": 0.06, "shifted": 0.06,
          "sharing": 2500, "sharing_per_block": 30, "between_clusters": 3000,
          "bytes_per_cycle": 15, "visible_part": 0.5, "scattered": 0.2}
MOST_CLUSTER = 16
ADDED_BYTES = 50  # added_bytes_per_cycle of the source
LEAST_READING = 16.6  # bytes a cycle: least_reading_cycles() of the source


def divide_up(count, group):
    return -(-count // group)


def blocks_of_source():
    """Warps and stages of a block, by type and tile, as direct_choices has them."""
    names = {"T, tensor": ("bf16", "f16"), "float, true": ("tf32",), "float, false": ("f32",), "double, true": ("f64",)}
    text = open(os.path.join(ROOT, "tools", "matmul", "hopper", "direct_tiles.cuh")).read()
    rows = re.findall(r"direct_tile<(%s), %s" % ("|".join(names), ", ".join([r"(\d+)"] * 5)), text)
    found = {}
    for name, *numbers in rows:
        tile_m, tile_n, warps_m, warps_n, stages = map(int, numbers)
        for dtype in names[name]:
            found[dtype, (tile_m, tile_n)] = warps_m * warps_n, stages
    return found


BLOCKS = blocks_of_source()


def shared_bytes(dtype, tile):
    """Shared memory of a block, as DirectShape::shared_bytes."""
    size, (tile_m, tile_n) = SIZES[dtype], tile
    tile_k, stages = 128 // size, BLOCKS[dtype, tile][1]
    row_a, row_b = tile_k + (8 if size == 2 else 4), tile_n + (4 if size == 8 else 8)
    sum_bytes = max(4, size)
    return max(size * (tile_m * row_a + tile_k * row_b) * stages, sum_bytes * tile_m * (tile_n + 16 // sum_bytes))


def occupancy(dtype, tile, shape):
    """Blocks that a multiprocessor holds, as DirectShape::resident()."""
    (_, n, k), size, threads = shape, SIZES[dtype], 32 * BLOCKS[dtype, tile][0]
    are_aligned = k * size % 16 == 0 and n * size % 16 == 0
    registers = 128 if dtype == "f32" and are_aligned and tile[0] * tile[1] <= 32 * threads else 168
    return max(1, min(65536 // (threads * registers), 227 * 1024 // (shared_bytes(dtype, tile) + 1024)))


def blocks_at_once(cluster, resident):
    """The same of DeviceModel, with the clusters that an H100 runs at once."""
    return MULTIPROCESSORS * resident if cluster == 1 else CLUSTERS[min(resident, 4) - 1][cluster - 1] * cluster


def cycles(dtype, shape, tile, blocks, constants):
    """direct_cycles() of the source, plus the cycles of the launch."""
    (m, n, k), (tile_m, tile_n), size = shape, tile, SIZES[dtype]
    tile_k, cluster = 128 // size, min(blocks, MOST_CLUSTER)
    steps, most = divide_up(divide_up(k, tile_k), blocks), occupancy(dtype, tile, shape)
    at_once = blocks_at_once(cluster, most)
    occupied = blocks_at_once(cluster, 1)
    all_blocks = divide_up(m, tile_m) * divide_up(n, tile_n) * blocks
    waves, left = divmod(all_blocks, at_once)

    def units(columns, rows):
        row = columns * size
        return 0 if row % 16 == 0 else rows * tile_k * size / (8 if row % 8 == 0 else 4)

    stage = tile_m * tile_n * tile_k / PEAKS[dtype] / constants["reached %dx%d" % tile]
    if dtype == "f32" or size == 2 and n % 2 == k % 2 == 0:
        stage += constants["unit"] * (units(k, tile_m) + units(n, tile_n))
    elif k * size % 16 or n * size % 16:
        stage += constants["shifted"] * (tile_m + tile_n) * tile_k

    def wave(each):
        busy = stage * max(each, constants["alone %dx%d" % tile])
        fixed = constants["fixed"] + constants["crowding"] * (each - 1)
        return fixed + steps * max(busy, constants["shortest_stage"]) if each else 0

    left_each = next((each for each in range(1, most) if blocks_at_once(cluster, each) >= left), most) if left else 0
    computing = waves * wave(most) + wave(left_each)
    adding = 0
    if blocks > 1:
        adding += constants["sharing"] + constants["sharing_per_block"] * cluster
    if blocks > cluster:
        adding += constants["between_clusters"] + blocks // cluster * tile_m * tile_n * max(4, size) / ADDED_BYTES
    speed = constants["memory_speed"] * MULTIPROCESSORS
    memory = max((m * k + k * n + m * n) * size / (constants["bytes_per_cycle"] * speed),
                 (m + n) * k * size / (LEAST_READING * speed))
    memory *= 1 + constants["scattered"] * ((blocks > 1) + (all_blocks > occupied))
    overlapped = max(computing, memory) + constants["visible_part"] * min(computing, memory)
    return LAUNCH + constants["beginning"] + overlapped + adding


def measure(arguments, dtype):
    """Nanoseconds by shape, then by tile and blocks."""
    shapes = [shape for shape in draw_shapes(8 * arguments.shapes, arguments.seed)
              if min(shape) > 8 and math.prod(shape) <= MOST_STEPS][:arguments.shapes]
    options = ["-k", "direct", "--tile", "all", "-r", "5", "--timeout", "0.2"]
    times = {}
    for row in rows_of(arguments, dtype, shapes, options):
        name, _, blocks = row["p_tile"].partition("/")
        tile = tuple(int(extent) for extent in name.split("x")[:2])
        times.setdefault(shape_of(row), {})[tile, int(blocks or 1)] = float(row["median_ns"])
    return times


def error(dtype, times, constants):
    """Mean squared error of the logarithms, weighted so that choices far from the fastest hardly count."""
    total = weights = 0.0
    for shape, choices in times.items():
        fastest = min(choices.values())
        for (tile, blocks), ns in choices.items():
            weight = (fastest / ns) ** 2
            total += weight * math.log(cycles(dtype, shape, tile, blocks, constants) / CLOCK_GHZ / ns) ** 2
            weights += weight
    return total / weights


def fit(dtype, times, memory_speed):
    """Coordinate descent with shrinking factors: the constants, and the root of their error."""
    constants = dict(STARTS, memory_speed=memory_speed)
    for tile in {tile for one in times.values() for tile, _ in one}:
        constants.update({"reached %dx%d" % tile: 0.5, "alone %dx%d" % tile: 1.3})
    least, factor = error(dtype, times, constants), 1.3
    while factor > 1.02:
        improved = False
        for name in [name for name in constants if name != "memory_speed"]:
            for change in (factor, 1 / factor):
                tried = dict(constants)
                tried[name] *= change
                if name.startswith(("reached", "visible_part")) and tried[name] > 1:
                    continue
                found = error(dtype, times, tried)
                if found < least - 1e-6:
                    least, constants, improved = found, tried, True
        if not improved:
            factor = math.sqrt(factor)
    return constants, math.sqrt(least)


def show_regret(dtype, name, times, constants):
    regrets = []
    for shape, choices in times.items():
        chosen = min(choices, key=lambda choice: cycles(dtype, shape, *choice, constants))
        regrets.append(choices[chosen] / min(choices.values()))
    print("    regret on shapes %-18s median %.3f, 99th percentile %.3f, most %.3f" % (
        name + ":", quantile(regrets, 0.5), quantile(regrets, 0.99), max(regrets)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--types", default="bf16,tf32,f32,f64")
    parser.add_argument("--shapes", type=int, default=40)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--memory-speed", type=float, default=1.0)
    parser.add_argument("--program", default=os.path.join(ROOT, "bin", "matmul"))
    parser.add_argument("--dry-run", action="store_true")
    arguments = parser.parse_args()
    for dtype in arguments.types.split(","):
        times = measure(arguments, dtype)
        if not times:
            continue
        halves = [{shape: times[shape] for i, shape in enumerate(sorted(times)) if i % 2 == half} for half in (0, 1)]
        constants, left = fit(dtype, halves[0], arguments.memory_speed)
        print("%s: error of the fit %.0f %%" % (dtype, 100 * left))
        for name, value in constants.items():
            if (name == "unit" and dtype in ("tf32", "f64")) or (name == "shifted" and dtype == "f32"):
                continue
            print("    %-24s %10.3f" % (name, value))
        show_regret(dtype, "of the fit", halves[0], constants)
        show_regret(dtype, "not of the fit", halves[1], constants)


main()
