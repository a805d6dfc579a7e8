// SPDX-License-Identifier: MIT
#include "tools/matmul/estimate.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "common/io/text.hpp"
#include "tools/matmul/element.hpp"

namespace {

struct Row {
    std::string_view name;  // "TYPE VARIANT:TILE"
    WorkTerms ns;           // of each unit of Work
};

// Sorted by name.
constexpr Row rows[] = {
#include "tools/matmul/coefficients.inc"
};

// The terms that a slower memory makes longer.
constexpr bool is_of_memory(std::size_t term) {
    return term * sizeof(double) >= offsetof(Work, read) && term * sizeof(double) <= offsetof(Work, stored_elements);
}

}  // namespace

const char* const names_of_work[work_terms] = {
    "once",          "blocks",          "stages",       "stages_of_block", "read",   "uncached", "stored_sectors",
    "stored_pieces", "stored_elements", "half_sectors", "unaligned",       "copied", "copies",   "parts",
    "shared",        "clusters",        "uneven",       "multiply_adds",   "planned"};

void get_terms(const Work& work, WorkTerms& terms) {
    static_assert(std::is_trivially_copyable_v<Work>);
    std::memcpy(terms, &work, sizeof work);
}

std::string timed_as(DType dtype) {
    if (is_float8(dtype)) return "8";
    return dtype == DType::f16 || dtype == DType::bf16 ? "16" : name_of(dtype);
}

// The row of this name or, if it was not measured, of the kernel in a more usual form: "A:b:batch", "A:b", "A"; or else
// the first of its forms.
static const Row* find_row(std::string name) {
    for (;;) {
        const auto* found = std::lower_bound(std::begin(rows), std::end(rows), name,
                                             [](const Row& one, const std::string& other) { return one.name < other; });
        if (found != std::end(rows) && found->name == name) return found;
        const std::size_t part = name.rfind(':');
        if (part == name.npos) return nullptr;
        const bool is_tile = name.find(':') == part;
        if (is_tile && found != std::end(rows) && found->name.substr(0, name.size() + 1) == name + ":") return found;
        name.erase(part);
    }
}

double estimated_ns(DType dtype, const std::string& row, const Work& work, double memory_speed) {
    const Row* found = find_row(timed_as(dtype) + " " + row);
    if (!found) return 0;
    WorkTerms amounts;
    get_terms(work, amounts);
    double ns = 0;
    for (std::size_t term = 0; term < work_terms; ++term)
        ns += found->ns[term] * amounts[term] / (is_of_memory(term) ? memory_speed : 1);
    return ns;
}
