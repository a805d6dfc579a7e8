// SPDX-License-Identifier: MIT
// Properties of all of matmul's ways to split a product, for any shape, on the host: each tile and each step along k is
// computed exactly once. Usage: properties_matmul CASES [SEED]. A failure prints the seed that makes it the first
// case.
#include "common/measure/random.hpp"
#include "kernels/matmul/generic/tile_order.cuh"
#include "kernels/matmul/hopper/fitted_tiles.cuh"
#include "kernels/matmul/hopper/stream_k.cuh"
#include "kernels/matmul/thin/columns.cuh"
#include "kernels/matmul/thin/dots.cuh"
#include "kernels/matmul/thin/rows.cuh"
#include "kernels/matmul/thin/steps.cuh"
#include "tools/matmul/few_rows.cuh"
#include "tools/matmul/plan/plan.cuh"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace BACKEND {
namespace {

void require(bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(what);
}

// Numbers of one case.
class Random {
public:
    explicit Random(std::uint64_t seed) : seed_(seed) {}
    // From `least` to `most`, uniform in the number of bits: small numbers are as frequent as large ones.
    std::size_t number(std::size_t least, std::size_t most) {
        std::size_t bits = 0;
        while (bits < 63 && (std::size_t{1} << bits) <= most - least) ++bits;
        const std::size_t chosen = bits == 0 ? 0 : random_bits(seed_, index_++) % (bits + 1);
        const std::size_t offset = random_bits(seed_, index_++) % ((std::size_t{1} << chosen) + (chosen == 0));
        return least + std::min(offset, most - least);
    }
    bool coin() { return random_bits(seed_, index_++) % 2 == 0; }

private:
    std::uint64_t seed_, index_ = 0;
};

// Multiprocessors: an H200's, other GPUs', or any number.
unsigned some_blocks(Random& random) {
    constexpr unsigned usual[] = {132, 114, 108, 78, 1, 2};
    return random.coin() ? usual[random.number(0, 5)] : static_cast<unsigned>(random.number(1, 300));
}

struct Piece {
    TileSegment segment;
    unsigned block;
};

// The pieces of a tile cover its steps, in order, without gap or overlap. The one with the first step belongs to the
// share that adds the others' sums; it waits only for blocks that started before its own.
void require_whole(unsigned tile, std::vector<Piece>& pieces, const StreamKSchedule& schedule) {
    const std::string name = "tile " + std::to_string(tile);
    std::sort(pieces.begin(), pieces.end(),
              [](const Piece& one, const Piece& other) { return one.segment.first < other.segment.first; });
    int next = 0;
    for (const Piece& piece : pieces) {
        require(piece.segment.first == next && piece.segment.end > next, name + " has a gap or an overlap along k");
        next = piece.segment.end;
        require(piece.block <= pieces.front().block, name + " waits for a block that starts later");
    }
    require(next == static_cast<int>(schedule.steps), name + " misses its last steps");
    if (tile >> schedule.paired < schedule.whole) return require(pieces.size() == 1, name + " is not one block's");
    std::set<unsigned> shares;
    for (const Piece& piece : pieces) {
        const auto [first, end] = std::pair(piece.segment.first_share, piece.segment.end_share);
        require(end - first == pieces.size(), name + " names other shares than it has");
        const unsigned own = schedule.share_of(piece.block);
        require(first <= own && own < end && shares.insert(own).second, name + " has a share twice, or a wrong one");
        require((piece.segment.first == 0) == (own == first), name + " is not stored by its first share");
        require(schedule.rank_of(piece.block) == (tile & schedule.paired), name + " is at the wrong block of its pair");
    }
}

void check_schedule(const StreamKSchedule& schedule, unsigned multiprocessors) {
    const unsigned blocks = stream_k_grid(schedule, multiprocessors);
    require(blocks <= multiprocessors, "more blocks than multiprocessors");
    std::map<unsigned, std::vector<Piece>> pieces;
    for (unsigned block = 0; block < blocks; ++block) {
        TileSegment segment;
        unsigned stages = 0;
        bool exchanges = false;
        for (unsigned index = 0; segment_of_block(schedule, block, blocks, index, segment); ++index) {
            require(segment.first < segment.end, "a segment is empty");
            stages += static_cast<unsigned>(segment.end - segment.first);
            require(!exchanges, "a block that exchanges sums has more to do");
            exchanges = schedule.exchanged && segment.end_share - segment.first_share > 1;
            pieces[segment.tile].push_back({segment, block});
        }
        require(stages == schedule.stages_of(block, blocks), "stages_of() counts other stages than the segments have");
    }
    require(pieces.size() == size_t{schedule.tiles} << schedule.paired, "a tile is nobody's");
    require(pieces.rbegin()->first == (schedule.tiles << schedule.paired) - 1, "a tile is not of the product");
    for (auto& [tile, of_tile] : pieces) require_whole(tile, of_tile, schedule);
}

// Blocks side by side have the same part of tiles side by side.
void check_neighbors(const StreamKSchedule& schedule) {
    for (unsigned block = 1; block < schedule.shares; ++block) {
        if (block % schedule.shared_tiles() == 0) continue;  // the first tile again
        require(schedule.share_of(block) == schedule.share_of(block - 1) + schedule.parts,
                "blocks side by side have other parts, or other tiles");
    }
}

// Without the code for shares, each tile belongs to one block.
void check_whole_tiles(const StreamKSchedule& schedule, unsigned multiprocessors) {
    const unsigned blocks = stream_k_grid(schedule, multiprocessors), tiles = schedule.tiles << schedule.paired;
    std::vector<int> times(tiles);
    TileSegment segment;
    for (unsigned block = 0; block < blocks; ++block)
        for (unsigned index = 0; segment_of_block<false>(schedule, block, blocks, index, segment); ++index) {
            require(segment.tile < tiles && segment.first == 0 && segment.end == static_cast<int>(schedule.steps),
                    "a segment is not a whole tile");
            ++times[segment.tile];
        }
    require(std::all_of(times.begin(), times.end(), [](int count) { return count == 1; }),
            "a tile is not computed once");
}

std::string stream_k_case(Random& random) {
    const unsigned paired = random.coin(), blocks = std::max(1u, some_blocks(random) >> paired);
    const std::size_t k = random.number(1, 1'000'000), tiles = random.number(1, 3000), tile_k = random.coin() ? 64 : 32,
                      left = tiles % blocks;
    StreamKSharing sharing;
    sharing.shares = static_cast<unsigned>(left > 0 && random.coin() ? left * random.number(1, blocks / left)
                                                                     : random.number(0, blocks));
    sharing.with_wave = random.coin();
    sharing.exchanges = random.coin();
    StreamKSchedule schedule = stream_k_schedule(tiles, k, static_cast<unsigned>(tile_k), blocks, sharing);
    schedule.paired = paired;
    if (random.coin()) schedule = side_by_side(schedule);
    const bool shared = schedule.shares > 0;
    try {
        require(schedule.steps == divide_up(k, tile_k) && schedule.tiles == tiles,
                "the schedule is of another product");
        require(sharing.shares > 0 || !shared, "tiles are shared where they must not be");
        require(schedule.whole == tiles || schedule.whole % blocks == 0, "whole tiles are not whole waves");
        check_schedule(schedule, blocks << paired);
        if (!shared) check_whole_tiles(schedule, blocks << paired);
        if (schedule.parts > 0) check_neighbors(schedule);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("Stream-K: " + std::to_string(tiles) + " tiles, k " + std::to_string(k) +
                                 " in steps of " + std::to_string(tile_k) + ", " + std::to_string(blocks) +
                                 " blocks, " + std::to_string(schedule.shares) + " shares, paired " +
                                 std::to_string(paired) + (schedule.parts > 0 ? ", side by side: " : ": ") +
                                 error.what());
    }
    return schedule.parts > 0 ? "neighbors" : shared ? "shared" : "whole";
}

std::string tile_order_case(Random& random) {
    const auto rows = static_cast<unsigned>(random.number(1, 400)),
               columns = static_cast<unsigned>(random.number(1, 300)),
               highest = static_cast<unsigned>(random.number(1, 12)),
               together = random.coin() ? 1 : static_cast<unsigned>(random.number(1, 2)),
               products = random.coin() ? 1 : static_cast<unsigned>(random.number(2, 5));
    const TileOrder order(rows, columns, highest, together, products);
    const TileOrderAcross across(columns, rows, highest, together, products);
    try {
        require(order.tiles_m >= rows && order.tiles_m < rows + together, "rows of tiles are missing or too many");
        std::vector<bool> seen(order.tiles());
        unsigned first_row = 0, first_column = 0;
        for (unsigned tile = 0; tile < order.tiles(); ++tile) {
            unsigned row = 0, column = 0;
            int product = 0;
            order.place(tile, row, column, product);
            require(row < order.tiles_m && column < order.tiles_n, "a tile lies outside");
            require(static_cast<unsigned>(product) == tile / (order.tiles() / products), "it is of another product");
            const std::size_t place = (std::size_t(product) * order.tiles_m + row) * columns + column;
            require(!seen[place], "two tiles have the same place");
            seen[place] = true;
            if (tile % together == 0) first_row = row, first_column = column;
            require(row == first_row + tile % together && column == first_column, "a set's tiles do not lie together");
            unsigned row_across = 0, column_across = 0;
            int product_across = 0;
            across.place(tile, row_across, column_across, product_across);
            require(row_across == column && column_across == row && product_across == product,
                    "the order across is not that of the exchanged grid");
        }
        const unsigned blocks = some_blocks(random);
        unsigned counted = 0;
        for (unsigned block = 0; block < std::min(blocks, order.tiles()); ++block)
            counted += order.tiles_of(block, blocks);
        require(counted == order.tiles(), "tiles_of() counts other tiles than there are");
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("order of " + std::to_string(rows) + " x " + std::to_string(columns) +
                                 " tiles, bands of " + std::to_string(highest) + ", " + std::to_string(together) +
                                 " together, " + std::to_string(products) + " products: " + error.what());
    }
    return "order";
}

// The tiles of each column of tiles cover all m rows, in order, and there is code for each height.
std::string fitted_case(Random& random) {
    using Shape = FittedShape;
    const std::size_t m = random.number(1, 20000), n = random.number(1, 20000);
    const unsigned blocks = some_blocks(random);
    const FittedTiles tiles = fitted_tiles(m, n, blocks);
    if (!can_fit(tiles)) return "not fitted";
    try {
        std::map<int, std::vector<FittedTile>> columns;
        for (unsigned number = 0; number < tiles.count(); ++number) {
            const FittedTile tile = tiles.tile(number);
            columns[tile.column].push_back(tile);
            require(tile.height >= 0 && tile.height < 4 && static_cast<int>(tiles.rows(tile.height)) == tile.rows,
                    "a tile's height has another number of rows");
            require(tile.rows % Shape::row_step == 0 && tile.rows >= Shape::least_rows && tile.rows <= Shape::most_rows,
                    "there is no code for a tile of " + std::to_string(tile.rows) + " rows");
        }
        require(columns.size() == divide_up(n, Shape::tile_n), "a column of tiles is missing or too many");
        for (auto& [column, of_column] : columns) {
            require(column % Shape::tile_n == 0 && static_cast<std::size_t>(column) < n, "a column lies outside");
            std::sort(of_column.begin(), of_column.end(),
                      [](const FittedTile& one, const FittedTile& other) { return one.row < other.row; });
            int next = 0;
            for (const FittedTile& tile : of_column) {
                require(tile.row == next, "rows have a gap or an overlap");
                next = tile.row + tile.rows;
            }
            require(static_cast<std::size_t>(next) == divide_up(m, Shape::row_step) * Shape::row_step,
                    "rows are missing or too many");
        }
        const std::size_t fewest = divide_up(m, Shape::most_rows) * divide_up(n, Shape::tile_n);
        require(tiles.count() <= divide_up(fewest, blocks) * blocks, "more waves than needed");
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("fitted tiles of " + std::to_string(m) + " x " + std::to_string(n) + " for " +
                                 std::to_string(blocks) + " blocks: " + error.what());
    }
    return "fitted";
}

// Thin products: the classes and tiles cover each row once, and the shares cover all of k once.
template <typename T>
void check_thin_plans(std::size_t m, std::size_t n, std::size_t k, unsigned multiprocessors) {
    const auto require_shares = [](std::size_t shares, std::size_t share, std::size_t all) {
        require((shares - 1) * share < all && shares * share >= all, "a share of k is empty, or some of it nobody's");
    };
    const auto require_rows = [m](unsigned classes, std::size_t tiles, std::size_t class_rows) {
        require(tiles % classes == 0, "a class has fewer tiles than another");
        const std::size_t most = divide_up(m, classes);
        require(tiles / classes * class_rows >= most && (tiles / classes - 1) * class_rows < most,
                "rows are missing, or a tile has none");
    };
    const FewColumnsPlan columns = plan_few_columns<T>(m, n, k, multiprocessors);
    require(columns.k_warps * columns.lanes * columns.block_rows == thin_block * few_columns_rows,
            "lanes are idle, or have two rows");
    require_rows(columns.classes, columns.tiles, columns.block_rows);
    require_shares(columns.shares, columns.share_pieces, columns.pieces);
    require(columns.shares == 1 || columns.tiles <= multiprocessors, "blocks that share k have no ticket");
    for (std::size_t row = 0; row < std::min<std::size_t>(m, 64); ++row) {
        const std::size_t shift = row * k % piece_length<T>;
        require(columns.pieces * piece_length<T> >= k + shift, "pieces do not cover a row");
        require(shift == row % columns.classes * (k % piece_length<T>) % piece_length<T>, "a class has two shifts");
    }
    DeviceInfo device;
    device.multiprocessors = int(multiprocessors);
    device.peak_gbyte_per_s = m % 2 == 0 ? 0 : 3400;
    ProductProblem problem;
    problem.device = &device;
    for (unsigned resident = 1; resident <= ClusterCounts::most_resident; ++resident)
        for (unsigned blocks = 1; blocks <= ClusterCounts::most_blocks; ++blocks)
            problem.clusters.counts[resident - 1][blocks - 1] = multiprocessors * resident / blocks;
    problem.hopper = k % 2 == 0;
    const std::size_t few = m % few_rows + 1, columns_of_few = n % 3 == 0 ? n : n % 5000 + 1;
    problem.shape = {few, columns_of_few, k};
    const FewRowsPlan rows = plan_few_rows<T>(problem);
    require(std::size_t{rows.tiles} * rows.width >= columns_of_few &&
                (rows.tiles - 1) * std::size_t{rows.width} < columns_of_few,
            "columns are missing, or a tile has none");
    const unsigned of_load = few_rows_length<T>(few, columns_of_few);
    require(few_rows_computed(few) * of_load <= few_rows_sums, "a lane has too many sums");
    require(columns_of_few % of_load == 0, "a load reaches beyond a row");
    require_shares(rows.shares, rows.share_k, k);
    require(rows.share_k % (rows.warps / rows.column_warps * few_rows_round) == 0, "a warp has part of a round");
    require(problem.hopper || !rows.clusters, "blocks are a cluster on a device without them");
    if (rows.clusters) require(rows.shares * few * rows.width <= few_rows_gathered<T>, "sums find no place");
    else require(rows.shares == 1 || rows.tiles <= multiprocessors, "blocks that share k have no ticket");
    if (suits_lane_dots(double(m) * double(n), double(k))) {
        const LaneDotsPlan dots = plan_lane_dots(m, n, k, sizeof(T), multiprocessors);
        require(dots.elements == m * n, "an element of C has no lanes");
        require(dots.lanes <= most_dots_lanes && (dots.lanes & (dots.lanes - 1)) == 0, "not a power of two");
        require(std::size_t{dots.elements} * dots.lanes < std::size_t{1} << 31, "32 bits do not number all lanes");
    }
    const FewStepsPlan steps = plan_few_steps<T>(m, n, k, multiprocessors);
    require_rows(steps.classes, steps.row_tiles, steps.rows);
    require(steps.rows % (thin_block / steps.lanes) == 0, "lanes are idle");
    const std::size_t groups = std::size_t{steps.classes} * steps.column_tiles,
                      blocks = steps.row_tiles * std::size_t{steps.column_tiles};
    const std::size_t slots = std::size_t{few_steps_resident} * multiprocessors, waves = k <= 4 ? 4 : 1;
    require(blocks <= std::max(8 * groups, waves * slots), "a wave too many");
    if (4 * groups <= slots) require(blocks <= waves * slots, "the last wave is nearly empty");
    if (m >= 64 * slots * steps.classes) require(2 * blocks >= std::min(slots, 8 * groups), "multiprocessors are idle");
    constexpr std::size_t length = few_steps_columns<T>;
    for (unsigned row = 0; row < steps.classes; ++row)
        require(std::size_t{steps.column_tiles} * steps.lanes * length >= n + row * (n % length) % length,
                "columns are missing");
    const std::size_t last = (std::size_t{steps.column_tiles} - 1) * steps.lanes * length;
    require(last < n + (steps.classes > 1 ? length - 1 : 0), "a tile has no columns");
}

std::string thin_case(Random& random) {
    const std::size_t m = random.number(1, 1'000'000), n = random.number(1, 1'000'000), k = random.number(1, 1'000'000);
    const unsigned multiprocessors = some_blocks(random);
    try {
        const std::size_t bytes = std::size_t{2} << random.number(0, 2);
        if (bytes == 2) check_thin_plans<std::uint16_t>(m, n, k, multiprocessors);  // as all types of 16 bits
        else if (bytes == 4) check_thin_plans<float>(m, n, k, multiprocessors);
        else check_thin_plans<double>(m, n, k, multiprocessors);
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("thin plans of " + std::to_string(m) + " x " + std::to_string(n) + " x " +
                                 std::to_string(k) + " for " + std::to_string(multiprocessors) +
                                 " multiprocessors: " + error.what());
    }
    return "thin";
}

// A product beside which some multiprocessors have other work gets no more blocks than the others hold, in whole
// clusters.
std::string clusters_case(Random& random) {
    DeviceInfo device;
    device.multiprocessors = int(some_blocks(random));
    ProductProblem problem;
    problem.device = &device;
    const unsigned all = unsigned(device.multiprocessors),
                   cluster = unsigned(random.number(1, ClusterCounts::most_blocks)),
                   resident = unsigned(random.number(1, ClusterCounts::most_resident)),
                   fit = unsigned(random.number(0, all * resident / cluster));
    problem.clusters.counts[resident - 1][cluster - 1] = fit;
    device.multiprocessors = int(random.number(1, all));
    const unsigned blocks = blocks_at_once(problem, cluster, resident),
                   free = unsigned(device.multiprocessors) * resident;
    const std::string of = std::to_string(blocks) + " blocks in clusters of " + std::to_string(cluster);
    require(blocks > 0 && blocks % cluster == 0, of + ": not whole clusters");
    require(blocks <= std::max(cluster, free), of + ": more than " + std::to_string(free) + " multiprocessors hold");
    require(cluster == 1 || blocks <= std::max(1U, fit) * cluster, of + ": more than the device runs at once");
    return blocks > cluster && unsigned(device.multiprocessors) < all ? "beside" : "alone";
}

}  // namespace
}  // namespace BACKEND

int main(int count, char** arguments) {
    using namespace BACKEND;
    if (count < 2) return 2;
    const std::uint64_t cases = std::strtoull(arguments[1], nullptr, 10),
                        seed = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 42;
    std::map<std::string, std::uint64_t> kinds;
    for (std::uint64_t i = 0; i < cases; ++i) {
        Random random(seed + i);
        try {
            ++kinds[stream_k_case(random)];
            ++kinds[tile_order_case(random)];
            ++kinds[fitted_case(random)];
            ++kinds[thin_case(random)];
            ++kinds[clusters_case(random)];
        } catch (const std::runtime_error& error) {
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed + i), error.what());
            return 1;
        }
    }
    for (const auto& [kind, times] : kinds)
        std::printf("%s %llu\n", kind.c_str(), static_cast<unsigned long long>(times));
}
