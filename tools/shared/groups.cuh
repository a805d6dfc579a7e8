// SPDX-License-Identifier: MIT
// The problems of a run: of each ladder, one for each value of its options.
#pragma once

#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "tools/shared/problem.cuh"
#include "tools/shared/table.cuh"

namespace BACKEND {

// What all rows of one problem share. The value is that of the ladder's option.
struct SharedGroup {
    SharedUse use;
    size_t value;
    SharedCells cells;
    std::unique_ptr<SharedProblem> problem;
};

// The largest unsigned of which `part` of all random words are below.
inline unsigned limit_for(double part) {
    const double limit = part * 0x1p32;
    return limit < 0x1p32 ? unsigned(limit) : std::numeric_limits<unsigned>::max();
}

// The problems of one size, each made when its first variant comes.
class SharedGroups {
public:
    SharedGroups(const Session& session, size_t n) : session_(session), n_(n) {}

    std::vector<const SharedGroup*> of(SharedUse use) {
        std::vector<const SharedGroup*>& groups = groups_[use];
        if (groups.empty())
            for (SharedGroup& group : made(use)) {
                kept_.push_back(std::make_unique<SharedGroup>(std::move(group)));
                groups.push_back(kept_.back().get());
            }
        return groups;
    }

private:
    std::shared_ptr<const SharedWords> words() {
        if (!words_) words_ = std::make_shared<SharedWords>(random_words(n_, session_.options.seed));
        return words_;
    }
    std::unique_ptr<SharedProblem> elements(size_t count, ElementsProblem::Element element) {
        return std::make_unique<ElementsProblem>(words(), count, std::move(element));
    }

    std::vector<SharedGroup> made(SharedUse use) {
        const auto& options = session_.own<SharedOptions>();
        std::vector<SharedGroup> groups;
        const auto add = [&](size_t value, std::unique_ptr<SharedProblem> problem) -> SharedCells& {
            groups.push_back({use, value, {}, std::move(problem)});
            return groups.back().cells;
        };
        switch (use) {
            case SharedUse::search: add(0, search(limit_for(1.0 / double(options.every)))); break;
            case SharedUse::indexed:
                for (size_t length : options.lengths)
                    add(length, elements(n_,
                                         [=](const SharedWords& words, size_t i, unsigned block_size) {
                                             return indexed_fold(words[i], unsigned(i % block_size), unsigned(length));
                                         }))
                        .length = length;
                break;
            case SharedUse::offsets:
                for (size_t keep : options.keeps) {
                    SharedCells& cells =
                        add(keep, std::make_unique<OffsetsProblem>(words(), limit_for(double(keep) / 100)));
                    cells.has_keep = true;
                    cells.keep = keep;
                }
                break;
            case SharedUse::histogram:
                for (size_t bins : options.bins)
                    for (size_t skew : options.skews) {
                        const auto binned = std::make_shared<SharedWords>(
                            skewed_words(n_, session_.options.seed, unsigned(bins), unsigned(skew)));
                        SharedCells& cells = add(bins, std::make_unique<HistogramProblem>(binned, unsigned(bins)));
                        cells.bins = bins;
                        cells.skew = skew;
                    }
                break;
            case SharedUse::queue: {
                const unsigned block = whole_warps(session_.options.block);
                const unsigned grid = queue_grid(n_, block, unsigned(session_.device.multiprocessors));
                add(0, std::make_unique<QueueProblem>(words(), unsigned(options.capacity), block, grid));
                break;
            }
            case SharedUse::spill:
                add(0,
                    elements(n_, [](const SharedWords& words, size_t i, unsigned) { return spilled_fold(words[i]); }));
                break;
        }
        return groups;
    }

    std::unique_ptr<SharedProblem> search(unsigned limit) {
        std::unique_ptr<SharedProblem> problem =
            elements(grid_for(n_, search_tile_words),
                     [=](const SharedWords& words, size_t tile, unsigned) { return first_find(words, tile, limit); });
        problem->arguments.limit = limit;
        return problem;
    }

    const Session& session_;
    const size_t n_;
    std::shared_ptr<const SharedWords> words_;
    std::map<SharedUse, std::vector<const SharedGroup*>> groups_;
    std::vector<std::unique_ptr<SharedGroup>> kept_;
};

}  // namespace BACKEND
