# SPDX-License-Identifier: MIT
"""Fits the constants of matmul's cost model: fit_matmul.py [--dry-run] PROGRAM MULTIPROCESSORS ROOT."""
import csv
import io
import os
import re
import subprocess
import sys

dry_run = "--dry-run" in sys.argv
program, multiprocessors, root = [word for word in sys.argv[1:] if word != "--dry-run"]
blocks = int(multiprocessors)
sample_keys = {  # for a dry run without a GPU: tiles of each kernel
    "bf16": ["128x256x64", "128x256x64:stream-k", "168..256x128x64", "128x64x64", "64x128x64", "64x64x64/4", "16x64x64",
             "64x128x64:cluster-2x1", "128x128x64:cluster-2x2", "16x64x64:stream-k", "64x128x64:stream-k",
             "128x128x64:stream-k", "192x128x64:stream-k"],
    "tf32": ["256x128x32", "64x64x32:stream-k", "16x64x32:stream-k", "64x64x32/2"],
    "f32": ["128x256x32:stream-k", "64x64x32"], "tf32x3": ["128x128x32:stream-k"],
    "f64": ["128x128x16:stream-k", "64x64x16:stream-k"]}


class Tile:
    def __init__(self, dtype, row):
        self.dtype, self.kernel, self.key = dtype, row["kernel"], row["tile"]
        self.m, self.n, self.k, self.split = (int(row[name]) for name in ("tile_m", "tile_n", "tile_k", "split_k"))
        self.stage, self.fixed = float(row["cycles_per_stage"]), float(row["fixed_cycles"])

    def shape(self, rows, columns, stages, less_n=0, less_k=0):
        """The shape with this many rows and columns of tiles; less_n and less_k misalign rows of B and of A."""
        return (self.m * rows, self.n * columns - less_n, self.k * stages * self.split - less_k)


def call(arguments):
    if dry_run:
        print(" ".join([os.path.relpath(program)] + arguments))
        return None
    done = subprocess.run([program] + arguments, capture_output=True, text=True)
    if done.returncode != 0:
        print("fit_matmul: %s: %s" % (" ".join(arguments), done.stderr.strip()), file=sys.stderr)
        return None
    return list(csv.DictReader(io.StringIO(done.stdout)))


def measure(tile, shapes, shares=0, kernel=None, cache="warm"):
    """Cycles of each shape, minus the launch; None if the measurement failed or is a dry run."""
    key = [] if tile is None else ["--tile", tile.key + ("@%d" % shares if shares else "")]
    rows = call(["-d", "gpu", "-t", tile.dtype if tile else "f32", "-k", kernel or tile.kernel] + key +
                ["-n", ",".join("%dx%dx%d" % shape for shape in shapes), "--no-verify", "--cache", cache,
                 "-w", "2", "-r", "11", "--timeout", "2", "-q", "--csv"])
    if rows is None:
        return None
    return [float(row["median_ns"]) * float(row["sm_clock_mhz"] or 0) / 1e3 - launch_cycles for row in rows]


def tiles_of(dtype):
    rows = None if dry_run else call(["-d", "gpu", "-t", dtype, "--tile", "list"])
    if rows is None:  # a dry run does not need the true values
        samples = [("hopper", key) for key in sample_keys[dtype]]
        if dtype == "f32":
            samples += [("tf32x3", key) for key in sample_keys["tf32x3"]]
        rows = [{"kernel": kernel, "tile": key, "split_k": (key.split("/") + ["1"])[1], "cycles_per_stage": 1,
                 "fixed_cycles": 1,
                 **dict(zip(("tile_m", "tile_n", "tile_k"), re.findall(r"\d+", key.split("..")[-1])))}
                for kernel, key in samples]
    seen, tiles = set(), []
    for row in rows:  # the first of two tiles with one key computes aligned products
        if row["tile"].endswith(":groups") or row.get("transposed", "none") != "none":  # those are not fitted
            continue
        if row["kernel"] != "direct" and (row["kernel"], row["tile"]) not in seen:  # fit_direct.py has those
            seen.add((row["kernel"], row["tile"]))
            tiles.append(Tile(dtype, row))
    return tiles


def in_source(path, name, after=None):
    """A constant in the source, the first one after that text. Look it up before measuring, so that a dry run finds
    out that it is gone."""
    text = open(os.path.join(root, path)).read()
    if after:
        text = text[text.index(after):]
    return float(re.search(r"\b%s = ([0-9.]+)" % name, text).group(1))


def members(name):
    """The numbers of a StreamKCost in the source."""
    text = open(os.path.join(root, stream_k_file)).read()
    return [float(word) for word in re.search(r"StreamKCost %s = \{([^}]*)\}" % name, text).group(1).split(",")[:3]]


def show(what, unit, source, fitted):
    change = "" if source == 0 else "%+7.1f %%" % (100 * (fitted / source - 1))
    print("%-52s %-16s %10.3f %10.3f %s" % (what, unit, source, fitted, change))


def line(x, y):
    """Slope and intercept of a least-squares line."""
    slope, intercept = numpy.polyfit(x, y, 1)
    return float(slope), float(intercept)


def one_wave(tile):
    """Rows and columns of tiles that give every multiprocessor one block."""
    # (Not all multiprocessors have room for larger clusters.)
    high, wide = (int(side) for side in (re.findall(r":cluster-(\d)x(\d)", tile.key) or [(1, 1)])[0])
    usable = blocks if tile.split * high * wide < 3 else blocks * 10 // 11
    count = usable // (tile.split * high * wide)
    rows = max(rows for rows in range(1, int(count ** 0.5) + 1) if count % rows == 0)
    rows, columns = max(rows, count // rows) * high, min(rows, count // rows) * wide
    return rows, columns


def fit_stages(tiles):
    """cycles_per_stage and fixed_cycles of every tile: slope and intercept of a full wave's time over its stages."""
    for tile in tiles:
        stages = (24, 48, 96)
        cycles = measure(tile, [tile.shape(*one_wave(tile), count) for count in stages])
        if cycles:
            slope, intercept = line(stages, cycles)
            show("%s %s %s" % (tile.dtype, tile.kernel, tile.key), "cycles/stage", tile.stage, slope)
            show("", "fixed cycles", tile.fixed, intercept)
            tile.measured_stage, tile.measured_fixed = slope, intercept


def slope_of(tile, rows=None, **misaligned):
    stages = (48, 96)
    full_rows, columns = one_wave(tile)
    cycles = measure(tile, [tile.shape(rows or full_rows, columns, count, **misaligned) for count in stages])
    return line(stages, cycles)[0] if cycles else None


def fit_loading(by_key):
    """Cycles per row of a stage, in tiles that take longer to load than to multiply. (The aligned row in the source is
    that of tiles in bands of eight. These lie in bands of three and four, and take less.)"""
    source = {name: in_source(loading_file, name) for name in ("aligned_row", "waiting_part")}
    unaligned = {name: in_source(product_file, name, "cost_of_16_bit = ") for name in ("of_a", "of_b", "shared")}
    tall, wide, shared = by_key["128x64x64"], by_key["64x128x64"], by_key["64x128x64:cluster-2x1"]
    aligned = slope_of(tall)
    half = slope_of(tall, rows=max(1, one_wave(tall)[0] // 2))
    of_a, of_b, of_b_shared = slope_of(tall, less_k=8), slope_of(wide, less_n=8), slope_of(shared, less_n=8)
    if None in (aligned, half, of_a, of_b, of_b_shared):
        return
    row = aligned / (tall.m + tall.n)
    for name, fitted in (("aligned_row", row), ("waiting_part", 2 * (1 - half / aligned))):
        show("LoadingCost::" + name, "1" if name == "waiting_part" else "cycles/row", source[name], fitted)
    for name, fitted in (("of_a", (of_a - tall.n * row) / tall.m), ("of_b", (of_b - wide.m * row) / wide.n),
                         ("shared", (of_b_shared - shared.m * row) / shared.n)):
        show("UnalignedRowCost::" + name, "cycles/row", unaligned[name], fitted)


def fit_memory(by_key):
    """Few rows and a long k: B is read from memory once. Two rows of tiles share it; more rows multiply more."""
    names, units = ("bytes_per_cycle", "read_once_factor", "visible_part"), ("bytes/cycle", "1", "1")
    sources = [in_source(tile_file, name, "struct MemoryCost") for name in names]
    tile = by_key["16x64x64"]
    cases = [(rows, k) for rows in (1, 2, 4) for k in (4096, 8192, 16384)]
    cycles = measure(tile, [(tile.m * rows, tile.n * blocks, k) for rows, k in cases], cache="cold")
    if not cycles:
        return
    stage, fixed = getattr(tile, "measured_stage", tile.stage), getattr(tile, "measured_fixed", tile.fixed)
    rows, k = (numpy.array(column, float) for column in zip(*cases))
    multiplying, bytes_read = rows * k / tile.k * stage, (tile.m * rows * k * 2, tile.n * blocks * k * 2)
    best = None
    for rate in numpy.arange(10, 30, 0.1):
        for once in numpy.arange(0.7, 1.01, 0.01):
            memory = (bytes_read[0] + bytes_read[1] * numpy.where(rows == 1, once, 1)) / (rate * blocks)
            for visible in numpy.arange(0, 0.51, 0.01):
                shorter, longer = numpy.minimum(multiplying, memory), numpy.maximum(multiplying, memory)
                error = float(numpy.sum(((longer + visible * shorter + rows * fixed) / cycles - 1) ** 2))
                if best is None or error < best[0]:
                    best = (error, rate, once, visible)
    for name, unit, source, fitted in zip(names, units, sources, best[1:]):
        show("MemoryCost::" + name, unit, source, fitted)


def shared_cycles(tile, tiles, shares, stages):
    """A partial wave cut into this many shares: the cycles beyond its stages, and the stages of a share."""
    cycles = measure(tile, [tile.shape(1, tiles, stages)], shares)
    per_share = -(-tiles * stages // shares)
    return None if not cycles else (cycles[0] - per_share * tile.measured_stage - tile.measured_fixed, per_share)


def fit_small_sums(tiles):
    """Equal parts of small tiles: the time beyond their stages is that of adding two or three sums one after another,
    and waiting for them; or that of exchanging more."""
    names = ("cycles_of_waiting", "cycles_per_sum", "elements_per_cycle", "cycles_of_exchange",
             "exchange_cycles_per_element")
    units = ("cycles", "cycles", "elements/cycle", "cycles", "cycles/element")
    sources = [in_source(stream_k_file, name, "struct SmallTileSumsCost") for name in names]
    sizes, sums, waits, exchanges = [], [], [], []
    for tile in tiles:
        few, many = (2, 3), (4, 8, 12)
        rest = [shared_cycles(tile, blocks // 12, blocks // 12 * part, 240) for part in few + many]
        if None not in rest:
            per_sum, wait = line(few, [cycles for cycles, _ in rest[:len(few)]])
            sizes.append(tile.m * tile.n)
            sums.append(per_sum)
            waits.append(wait)
            exchanges.append(sum(cycles for cycles, _ in rest[len(few):]) / len(many))
    if len(set(sizes)) > 1:
        (per_element, constant), (exchange_per_element, exchange) = line(sizes, sums), line(sizes, exchanges)
        all_fitted = (sum(waits) / len(waits), constant, 1 / per_element, exchange, exchange_per_element)
        for name, unit, source, fitted in zip(names, units, sources, all_fitted):
            show("SmallTileSumsCost::" + name, unit, source, fitted)


def fit_large_sums(tile, name):
    """Large tiles: equal parts give the cost of waiting and of a sum, unequal ones the slowdown of their stages."""
    source = members(name)
    parts, stages = (2, 3, 4), 240
    rest = [shared_cycles(tile, blocks // 4, blocks // 4 * part, stages) for part in parts]
    unequal = shared_cycles(tile, blocks * 5 // 8, blocks, stages)
    if unequal is None or None in rest:
        return
    per_sum, wait = line(parts, [cycles / tile.measured_stage for cycles, _ in rest])
    sums = 2 * per_sum + wait  # with 5/8 as many tiles as blocks, a tile has at most two or three shares
    show("%s: slowdown" % name, "1", source[0], 1 + (unequal[0] / tile.measured_stage - sums) / unequal[1])
    show("%s: stages_per_sum" % name, "stages", source[1], per_sum)
    show("%s: stages_of_waiting" % name, "stages", source[2] if len(source) > 2 else 0, wait)


def fit_f32_stage(tiles):
    """Transposed tiles of f32: cycles of a stage over the multiply-adds in it."""
    names, units = ("multiply_add_factor", "cycles_per_stage", "fixed_cycles"), ("1", "cycles", "cycles")
    sources = [in_source(stream_k_file, name, "struct F32StageCost") for name in names]
    known = [tile for tile in tiles if "stream-k" in tile.key and tile.kernel == "hopper"]
    if len(known) < 2:
        return
    per_cycle = in_source(stream_k_file, "elements_per_cycle", "struct F32StageCost")
    factor, constant = line([tile.m * tile.n / per_cycle for tile in known], [tile.measured_stage for tile in known])
    fixed = sum(tile.measured_fixed for tile in known) / len(known)
    for name, unit, source, fitted in zip(names, units, sources, (factor, constant, fixed)):
        show("F32StageCost::" + name, unit, source, fitted)


tile_file, stream_k_file = "tools/matmul/tile_cost.cuh", "kernels/matmul/hopper/stream_k_cost.cuh"
loading_file, product_file = "tools/matmul/loading_cost.cuh", "tools/matmul/product_cost.cuh"
launch_cycles = 0
if not dry_run:
    import numpy
    print("%-52s %-16s %10s %10s" % ("constant", "unit", "source", "fitted"))
empty = measure(None, [(1, 1, 1)], kernel="naive")
launch_cycles = empty[0] if empty else 0
tables = {dtype: tiles_of(dtype) for dtype in ("bf16", "tf32", "f32", "f64")}
for table in tables.values():
    fit_stages(table)
    for tile in table:  # if a measurement failed, or there is none
        tile.measured_stage = getattr(tile, "measured_stage", tile.stage)
        tile.measured_fixed = getattr(tile, "measured_fixed", tile.fixed)
keys = {dtype: {(tile.kernel, tile.key): tile for tile in table} for dtype, table in tables.items()}
bf16 = {key: tile for (_, key), tile in keys["bf16"].items()}
fit_loading(bf16)
fit_memory(bf16)
fit_small_sums([bf16["16x64x64:stream-k"], bf16["64x128x64:stream-k"], bf16["128x128x64:stream-k"],
                bf16["192x128x64:stream-k"]])
fit_large_sums(bf16["128x256x64:stream-k"], "tensor_core_stream_k")
fit_large_sums(keys["f32"]["hopper", "128x256x32:stream-k"], "f32_stream_k")
fit_large_sums(keys["f32"]["tf32x3", "128x128x32:stream-k"], "tf32x3_stream_k")
fit_f32_stage(tables["f32"])
