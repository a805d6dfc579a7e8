// SPDX-License-Identifier: MIT
// Which elements each thread reads: used to verify the results, and to compute the textbook's formula.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "common/cli/sizes.hpp"
#include "tools/texture/options.hpp"

// The place of an element, or one beyond the edges, where the nearest element counts.
struct Place {
    long x = 0, y = 0;
};

struct Pattern;

// A pattern on a matrix.
struct Reads {
    const Pattern* pattern;
    MatrixShape shape;
    unsigned width;

    size_t across() const;  // threads along x that have a result
    size_t down() const;    // along y
    size_t results() const { return across() * down(); }
    unsigned most_samples() const;  // of a thread
    double samples() const;         // of all threads together

    Place nearest(Place place) const {
        return {std::clamp(place.x, 0L, long(shape.columns) - 1), std::clamp(place.y, 0L, long(shape.rows) - 1)};
    }
};

using Places = std::vector<Place>;

struct Pattern {
    const char* name;
    // Appends the places that thread (x, y) reads, in order.
    void (*places)(const Reads& reads, size_t x, size_t y, Places& places);
    unsigned (*most_samples)(unsigned width);
    const std::vector<unsigned>& (*widths)(const TextureOptions& options);
    bool by_columns = false;   // a thread's x counts rows
    bool shares_rows = false;  // a thread has `width` columns of a row to itself
    bool is_random = false;    // no textbook knows its sectors
};

inline size_t Reads::across() const {
    if (pattern->by_columns) return shape.rows;
    return pattern->shares_rows ? (shape.columns + width - 1) / width : shape.columns;
}
inline size_t Reads::down() const { return pattern->by_columns ? shape.columns : shape.rows; }
inline unsigned Reads::most_samples() const { return pattern->most_samples(width); }
inline double Reads::samples() const {
    return pattern->shares_rows ? double(shape.elements()) : double(results()) * most_samples();
}

// The sectors that warps ask for, by the textbook's rule: a request of a warp moves every sector of 32 bytes that holds
// at least one byte of it, once. Rows begin at a sector.
struct SectorCount {
    double requests = 0, sectors = 0;

    double per_request() const { return requests > 0 ? sectors / requests : 0; }
};

SectorCount textbook_sectors(const Reads& reads, BlockShape block, size_t element_bytes);
