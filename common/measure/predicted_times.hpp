// SPDX-License-Identifier: MIT
// The times that a GPU would take for the variants of a run in the simulator.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/simt/check/counters/results.hpp"

// Of one row. Nothing here was measured.
struct PredictedTime {
    std::string gpu;                 // "NVIDIA H200"
    std::string dtype;               // of the row
    std::size_t n = 0;               // the size it is for, which may be another than the simulator's own
    double bytes = 0, flop = 0;      // compulsory traffic and operations at that size
    double ns = 0;                   // all kernels of the variant,
    double low_ns = 0, high_ns = 0;  // and an interval that holds 80 % of what is measured
    std::string limiter;             // what limits the kernel that takes the most of it,
    double occupancy_percent = 0;    // and the occupancy that this kernel achieves
    // What the GPU can do at most: of its memory, and of arithmetic of the row's type; 0 if that is not known.
    double peak_gbyte_per_s = 0, peak_gflop_per_s = 0;
    std::vector<simt::check::KernelCounters> costs = {};  // if they are wanted: of each kernel's lines
};

// From now on, the times of kernels are predicted for this GPU: a model by its name, or a file; "": the newest that comes
// with the simulator. Failure(usage) if there is no such model.
void predict_for(const std::string& gpu);
// Its name, as in "NVIDIA H200".
std::string name_of_gpu(const std::string& gpu);

class PredictedTimes {
public:
    // A variant's next row, in the order in which a run comes to its rows. A row without a time is kept as none.
    void add(const std::string& variant, std::optional<PredictedTime> time) { rows_[variant].times.push_back(time); }
    // The variant's last row; null if its time is not known.
    PredictedTime* last(const std::string& variant) {
        Rows& rows = rows_[variant];
        return rows.times.empty() || !rows.times.back() ? nullptr : &*rows.times.back();
    }
    // Takes the variant's next row; none if its time is not known.
    std::optional<PredictedTime> next(const std::string& variant) {
        Rows& rows = rows_[variant];
        return rows.taken < rows.times.size() ? rows.times[rows.taken++] : std::nullopt;
    }
    // The size of the variant's next row; 0 if its time is not known.
    std::size_t next_size(const std::string& variant) const {
        const auto found = rows_.find(variant);
        if (found == rows_.end() || found->second.taken >= found->second.times.size()) return 0;
        const std::optional<PredictedTime>& time = found->second.times[found->second.taken];
        return time ? time->n : 0;
    }
    // What the title of a table says: the GPU; "" if no time is known.
    const std::string& gpu() const { return gpu_; }
    void set_gpu(const std::string& gpu) { gpu_ = gpu; }

private:
    struct Rows {
        std::vector<std::optional<PredictedTime>> times;
        std::size_t taken = 0;
    };
    std::map<std::string, Rows> rows_;
    std::string gpu_;
};
