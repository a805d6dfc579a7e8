// SPDX-License-Identifier: MIT
// The problems of a run: of each ladder, one for each value of its options.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "tools/shared/problem.cuh"
#include "tools/shared/table.cuh"

namespace BACKEND {

// What all rows of one problem share.
struct SharedGroup {
    SharedCells cells;
    std::unique_ptr<SharedProblem> problem;
};
using SharedGroups = std::vector<SharedGroup>;

// What the problems of one size are made of.
class SharedInput {
public:
    SharedInput(const Session& session, size_t n) : session(session), n(n), options(session.own<SharedOptions>()) {}

    // Random words, the same for all ladders that want them.
    std::shared_ptr<const SharedWords> words() {
        if (!words_) words_ = std::make_shared<SharedWords>(random_words(n, session.options.seed));
        return words_;
    }

    const Session& session;
    const size_t n;
    const SharedOptions& options;

private:
    std::shared_ptr<const SharedWords> words_;
};

// The largest unsigned of which `part` of all random words are below.
inline unsigned limit_for(double part) {
    const double limit = part * 0x1p32;
    return limit < 0x1p32 ? unsigned(limit) : std::numeric_limits<unsigned>::max();
}

inline SharedGroups one_group(std::unique_ptr<SharedProblem> problem) {
    SharedGroups groups;
    groups.push_back({{}, std::move(problem)});
    return groups;
}

inline SharedGroups search_groups(SharedInput& input) {
    const unsigned limit = limit_for(1.0 / double(input.options.every));
    auto problem = std::make_unique<ElementsProblem>(
        input.words(), grid_for(input.n, search_tile_words),
        [=](const SharedWords& words, size_t tile, unsigned) { return first_find(words, tile, limit); });
    problem->arguments.limit = limit;
    return one_group(std::move(problem));
}

inline SharedGroups indexed_groups(SharedInput& input) {
    SharedGroups groups;
    for (size_t length : input.options.lengths) {
        const auto fold = [=](const SharedWords& words, size_t i, unsigned block_size) {
            return indexed_fold(words[i], unsigned(i % block_size), unsigned(length));
        };
        groups.push_back({{.length = length}, std::make_unique<ElementsProblem>(input.words(), input.n, fold)});
    }
    return groups;
}

inline SharedGroups offsets_groups(SharedInput& input) {
    SharedGroups groups;
    for (size_t keep : input.options.keeps)
        groups.push_back({{.has_keep = true, .keep = keep},
                          std::make_unique<OffsetsProblem>(input.words(), limit_for(double(keep) / 100))});
    return groups;
}

inline SharedGroups histogram_groups(SharedInput& input) {
    SharedGroups groups;
    for (size_t bins : input.options.bins)
        for (size_t skew : input.options.skews) {
            const auto words = std::make_shared<SharedWords>(
                skewed_words(input.n, input.session.options.seed, unsigned(bins), unsigned(skew)));
            groups.push_back({{.bins = bins, .skew = skew}, std::make_unique<HistogramProblem>(words, unsigned(bins))});
        }
    return groups;
}

inline SharedGroups queue_groups(SharedInput& input) {
    const unsigned block = whole_warps(input.session.options.block);
    const unsigned grid = queue_grid(input.n, block, unsigned(input.session.device.multiprocessors));
    return one_group(std::make_unique<QueueProblem>(input.words(), unsigned(input.options.capacity), block, grid));
}

inline SharedGroups spill_groups(SharedInput& input) {
    return one_group(std::make_unique<ElementsProblem>(
        input.words(), input.n, [](const SharedWords& words, size_t i, unsigned) { return spilled_fold(words[i]); }));
}

// How each ladder makes its problems, one for each value of its options.
inline const std::map<std::string_view, SharedGroups (*)(SharedInput&)> groups_of_ladder = {
    {"search", search_groups},       {"indexed", indexed_groups}, {"offsets", offsets_groups},
    {"histogram", histogram_groups}, {"queue", queue_groups},     {"spill", spill_groups},
};

// The problems of one size, each ladder's made when its first variant comes.
class SharedProblems {
public:
    SharedProblems(const Session& session, size_t n) : input_(session, n) {}

    const SharedGroups& of(const SharedVariant& variant) {
        SharedGroups& groups = groups_[variant.ladder];
        if (groups.empty()) groups = groups_of_ladder.at(variant.ladder)(input_);
        return groups;
    }

private:
    SharedInput input_;
    std::map<std::string_view, SharedGroups> groups_;
};

}  // namespace BACKEND
