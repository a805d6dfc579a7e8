// SPDX-License-Identifier: MIT
// Which device of a grid holds which blocks of A, B and C, and which of them are multiplied when.
#pragma once

#include <algorithm>
#include <cstddef>

#include "tools/matmul/blocks.hpp"
#include "tools/matmul/shape.hpp"

// Blocks begin at multiples of so many rows or columns, so that in memory they begin at multiples of 16 bytes.
constexpr std::size_t block_granule = 8;

constexpr std::size_t whole_granules(std::size_t count) {
    return (count + block_granule - 1) / block_granule * block_granule;
}

// Part number `index` of `count` elements in parts of this length: the last parts may be shorter, or empty.
constexpr IndexRange equal_part(std::size_t count, std::size_t index, std::size_t length) {
    const std::size_t begin = std::min(count, index * length);
    return {begin, std::min(count, begin + length) - begin};
}

// Columns of B, and so of C, that are sent at once: in this round, by the device in this row of the grid.
struct Panel {
    std::size_t round, row;
    IndexRange columns;
};

// The tile of C that the device in a place of the grid computes. Rows and columns are counted within it.
// The devices of a row of the grid hold the rows of A that their tiles need, a part each; those of a column the columns
// of B, a part each, which is cut into panels. A round brings each device one panel of every device of its column.
class Tiling {
public:
    struct Place {
        std::size_t grid_rows, grid_columns, row, column;
    };

    Tiling(const ProductShape& shape, const Place& place_, std::size_t most_panel_columns)
        : place(place_),
          tile{share(shape.m, place.row, place.grid_rows), share(shape.n, place.column, place.grid_columns)},
          part_rows(whole_granules(divide(tile.rows.size, place.grid_columns))),
          part_columns(whole_granules(divide(tile.columns.size, place.grid_rows))),
          panel_columns(std::min(part_columns, whole_granules(most_panel_columns))),
          rounds(part_columns == 0 ? 0 : divide(part_columns, panel_columns)) {}

    // The rows of A that this device holds.
    IndexRange part_of_a() const { return equal_part(tile.rows.size, place.column, part_rows); }

    // Calls action(panel) for each panel that is not empty.
    template <typename Action>
    void for_panels(Action action) const {
        for (std::size_t round = 0; round < rounds; ++round)
            for (std::size_t row = 0; row < place.grid_rows; ++row) {
                const IndexRange part = equal_part(tile.columns.size, row, part_columns);
                const IndexRange within = equal_part(part.size, round, panel_columns);
                if (within.size > 0) action(Panel{round, row, {part.begin + within.begin, within.size}});
            }
    }

    // Calls action(rows, panel) for each block of C that is computed in a stage: in 0 from what the device holds, in 1
    // from the other parts of A and its own panels, then from the others' panels, a round in each stage.
    template <typename Action>
    void for_blocks(std::size_t stage, Action action) const {
        const IndexRange own = part_of_a();
        for_panels([&](const Panel& panel) {
            const auto add = [&](std::size_t begin, std::size_t end) {
                if (begin < end) action(IndexRange{begin, end - begin}, panel);
            };
            const bool is_own = panel.row == place.row;
            if (stage == 0 && is_own) {
                add(own.begin, own.end());
            } else if (stage == 1 && is_own) {
                add(0, own.begin);
                add(own.end(), tile.rows.size);
            } else if (stage == 2 + panel.round && !is_own) {
                add(0, tile.rows.size);
            }
        });
    }

    static std::size_t divide(std::size_t count, std::size_t by) { return (count + by - 1) / by; }

    const Place place;
    const ProductBlock tile;
    const std::size_t part_rows, part_columns;  // of the longest part
    const std::size_t panel_columns;            // of the widest panel
    const std::size_t rounds;

private:
    // Shares differ by a granule at most.
    static IndexRange share(std::size_t count, std::size_t index, std::size_t shares) {
        const std::size_t granules = divide(count, block_granule), least = granules / shares,
                          longer = granules % shares;
        const auto begin = [=](std::size_t i) {
            return std::min(count, (i * least + std::min(i, longer)) * block_granule);
        };
        return {begin(index), begin(index + 1) - begin(index)};
    }
};

// All rounds of a run are enqueued before it begins, and a stream's queue holds about a thousand launches; enqueuing
// more would wait for a run that has yet to begin. A product may take three launches if operands are copied first, so
// this many products with panels of other devices are safe.
constexpr std::size_t most_panel_products = 128;

// The columns of the narrowest panels for which a device stays within that limit.
inline std::size_t least_panel_columns(const ProductShape& shape, std::size_t grid_rows, std::size_t grid_columns) {
    const Tiling largest(shape, {grid_rows, grid_columns, 0, 0}, block_granule);
    const std::size_t others = std::max<std::size_t>(1, grid_rows - 1);
    const std::size_t most_rounds = std::max<std::size_t>(1, most_panel_products / others);
    return whole_granules(Tiling::divide(largest.part_columns, most_rounds));
}
