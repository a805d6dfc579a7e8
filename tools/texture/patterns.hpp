// SPDX-License-Identifier: MIT
// Which elements each thread reads: used to verify the results, and to compute the textbook's formula.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "common/cli/sizes.hpp"
#include "tools/texture/options.hpp"

// The place of an element, or one beyond the edges, and its weight in the result.
struct Place {
    long x = 0, y = 0;
    double weight = 1;
};
using Places = std::vector<Place>;

struct Pattern;

// A pattern on a matrix.
struct Reads {
    const Pattern* pattern;
    MatrixShape shape;
    unsigned width = 1;
    BlockShape block = {32, 8};
    Addressing beyond = Addressing::clamp;
    bool rounds_weights = false;  // to 8 fractional bits, as textures do

    size_t across() const;  // threads along x that have a result
    size_t down() const;    // along y
    size_t results() const { return across() * down(); }
    unsigned most_samples() const;                     // of a thread
    double samples() const;                            // of all threads together
    std::optional<Place> resolved(Place place) const;  // the element that is read there; none: the border
};

// The tutorial's tables have these paths: for kernels of one dimension, and of two.
enum class Tutorial { none, one_dimension, two_dimensions };

struct Pattern {
    const char* name;
    // Appends the places that thread (x, y) reads, in order.
    void (*places)(const Reads& reads, size_t x, size_t y, Places& places);
    unsigned (*most_samples)(const Reads& reads);
    const std::vector<unsigned>& (*widths)(const TextureOptions& options);
    Tutorial tutorial = Tutorial::none;
    bool by_columns = false;    // a thread's x counts rows
    bool shares_lines = false;  // a thread has `width` elements of a line to itself
    bool slides = false;        // a thread has every element of a line that is a block's height from the one before
    bool looks_beyond = false;  // the edges
    bool is_random = false;     // no textbook knows its sectors
    bool interpolates = false;
    bool copies = false;  // the matrix, before it reads the copy
};

inline size_t Reads::across() const {
    const size_t extent = pattern->by_columns ? shape.rows : shape.columns;
    return pattern->shares_lines ? (extent + width - 1) / width : extent;
}
inline size_t Reads::down() const {
    const size_t extent = pattern->by_columns ? shape.columns : shape.rows;
    return pattern->slides ? std::min(extent, size_t{block.y}) : extent;
}
inline unsigned Reads::most_samples() const { return pattern->most_samples(*this); }
inline double Reads::samples() const {
    return pattern->shares_lines || pattern->slides ? double(shape.elements()) : double(results()) * most_samples();
}

inline std::optional<Place> Reads::resolved(Place place) const {
    const auto resolve = [this](long& coordinate, size_t size) {
        const long extent = long(size);
        if (coordinate >= 0 && coordinate < extent) return true;
        if (beyond == Addressing::border) return false;
        if (beyond == Addressing::clamp) {
            coordinate = coordinate < 0 ? 0 : extent - 1;
            return true;
        }
        const long period = beyond == Addressing::wrap ? extent : 2 * extent;
        coordinate = (coordinate % period + period) % period;
        if (coordinate >= extent) coordinate = period - 1 - coordinate;
        return true;
    };
    if (!resolve(place.x, shape.columns) || !resolve(place.y, shape.rows)) return std::nullopt;
    return place;
}

// The sectors that warps ask for, by the textbook's rule: a request of a warp moves every sector of 32 bytes that holds
// at least one byte of it, once.
struct SectorCount {
    double requests = 0, sectors = 0;

    double per_request() const { return requests > 0 ? sectors / requests : 0; }
};

// stride: elements from one row to the next. The first row begins at a sector.
SectorCount textbook_sectors(const Reads& reads, size_t stride, size_t element_bytes);
