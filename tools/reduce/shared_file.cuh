// SPDX-License-Identifier: MIT
// A file that several processes reduce together. Its pieces, which are the same as for one process, are dealt to them
// in turn, and each adds up the results of all pieces in the order of the file: so they find what one process finds,
// byte for byte.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "common/io/number_reader.hpp"
#include "common/measure/team.hpp"
#include "tools/reduce/running_total.cuh"

namespace BACKEND {

// One process's share of another reader's pieces.
class DealtReader final : public NumberReader {
public:
    DealtReader(std::unique_ptr<NumberReader> all, const Team& team)
        : all_(std::move(all)), process_(team.process()), processes_(team.processes()) {}

    const NumberLayout& layout() const override { return all_->layout(); }
    long long count() const override { return all_->count(); }
    bool take(Slot& slot, size_t most, Cut cut) override {
        while (all_->take(slot, most, cut))
            if (taken_++ % processes_ == process_) return true;
        return false;
    }
    using NumberReader::read;
    void read(Slot& slot) const override { all_->read(slot); }
    void settle(const Slot& slot) override { all_->settle(slot); }

private:
    const std::unique_ptr<NumberReader> all_;
    const size_t process_, processes_;
    size_t taken_ = 0;
};

// The results of all processes, in the order of the file.
inline std::vector<PieceResult> join_results(Team& team, const std::vector<PieceResult>& mine) {
    static_assert(std::is_trivially_copyable_v<PieceResult>);
    const std::vector<std::string> all =
        team.gather({reinterpret_cast<const char*>(mine.data()), mine.size() * sizeof(PieceResult)});
    std::vector<PieceResult> joined;
    for (size_t i = 0;; ++i) {
        const std::string& one = all[i % all.size()];
        const size_t place = i / all.size() * sizeof(PieceResult);
        if (place == one.size()) return joined;
        joined.emplace_back();
        std::memcpy(static_cast<void*>(&joined.back()), &one[place], sizeof(PieceResult));
    }
}

}  // namespace BACKEND
