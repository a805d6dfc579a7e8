// SPDX-License-Identifier: MIT
// banks: what a request to shared memory costs if its lanes want the same bank. Reads, writes or exchanges words.
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/banks/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/banks/results.cuh"

namespace BACKEND {
namespace {

// A row of the table: what it accesses, and what that should cost.
struct BankRow {
    const BankVariant* variant;
    unsigned value;
    std::string operation_name;
    BankAccess access;
    BankCost cost;
};

BankOperation operation_named(const std::string& name) {
    return name == "read" ? BankOperation::read : name == "write" ? BankOperation::write : BankOperation::exchange;
}

BankRequest request_of(BankOperation operation) {
    return operation == BankOperation::read    ? BankRequest::read
           : operation == BankOperation::write ? BankRequest::write
                                               : BankRequest::atomic;
}

// The cross product of the options. Only words of 4 and 8 bytes can be exchanged.
std::vector<BankRow> rows_of(const Session& session) {
    const auto& options = session.own<BanksOptions>();
    const std::vector<size_t> no_option = {0};
    std::vector<BankRow> rows;
    std::vector<std::string> left_out;
    for (size_t word_bytes : options.words)
        for (const std::string& operation : options.operations) {
            if (operation == "atomic" && word_bytes != 4 && word_bytes != 8) {
                left_out.push_back(std::to_string(word_bytes));
                continue;
            }
            for (const BankVariant* variant : session.selected<BankVariant>())
                for (size_t value : variant->option == BankOption::stride    ? options.strides
                                    : variant->option == BankOption::padding ? options.paddings
                                                                             : no_option) {
                    const unsigned blocks = session.device.simulated ? 1 : unsigned(session.device.multiprocessors);
                    const BankAccess access{operation_named(operation), unsigned(word_bytes),
                                            variant->pattern(unsigned(value)),
                                            whole_warps(options.block.on(session.device)), blocks};
                    rows.push_back({variant, unsigned(value), operation, access,
                                    bank_cost(access.bytes(), access.word_bytes, request_of(access.operation))});
                }
        }
    if (rows.empty()) fail(Exit::usage, "--op atomic needs a --word of 4 or 8 bytes");
    if (!left_out.empty())
        session.notice(text("--op atomic is left out for words of {} bytes: only those of 4 and 8 can be exchanged",
                            list_text(left_out, "and")));
    return rows;
}

// "stride 8": for messages.
std::string option_text(const BankRow& row) {
    switch (row.variant->option) {
        case BankOption::stride: return text("stride {}", row.value);
        case BankOption::padding: return text("padding {}", row.value);
        default: return "no padding";
    }
}

class BankCase final : public Case {
public:
    BankCase(const Session& session, const BankRow& row, const BankResults& results, size_t requests)
        : Case(*row.variant,
               {std::nullopt, requests, double(requests) * double(row.access.threads()) * row.access.word_bytes, 0, 0,
                "requests"}),
          is_simulated_(session.device.simulated),
          requests_(requests),
          row_(row),
          access_(row.access),
          results_(results) {}

    void poison(cudaStream_t stream) override { results_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override { return launch(requests_, stream); }
    Verdict check() override {
        Verdict verdict = results_.check(access_, requests_);
        verdict.detail = text("{} of words of {} bytes, {}: {}", row_.operation_name, access_.word_bytes,
                              option_text(row_), verdict.detail);
        return verdict;
    }
    std::vector<Cell> own_cells(double) override {
        const bool counts_cycles = !is_simulated_ && requests_ > 0;
        const double cycles = counts_cycles ? cycles_per_request() : 0;
        return cells_of(bank_columns, BankCells{row_.variant, access_.word_bytes, row_.value,
                                                row_.operation_name.c_str(), row_.cost, cycles});
    }

private:
    LaunchShape launch(size_t requests, cudaStream_t stream) const {
        return banks_launch(access_.operation,
                            access_.word_bytes)({access_.pattern, requests, access_.shared_bytes(), results_.d_parts(),
                                                 results_.d_clocks(), access_.block_size, access_.blocks, stream});
    }

    // Cycles that a multiprocessor takes for one request: the difference between two launches, one with twice as many
    // requests, so that startup and end cancel out.
    double cycles_per_request() const {
        const auto cycles = [&](size_t count) {
            launch(count, nullptr);
            CHECK(cudaGetLastError());
            CHECK(cudaDeviceSynchronize());
            return results_.cycles(access_);
        };
        constexpr int repetitions = 9;
        std::vector<double> differences;
        cycles(requests_);  // brings the code into the caches
        for (int i = 0; i < repetitions; ++i) {
            const double once = cycles(requests_);
            differences.push_back(cycles(2 * requests_) - once);
        }
        const double warps = access_.block_size / lanes_per_warp;
        return summarize(differences).median / (double(requests_) * warps);
    }

    const bool is_simulated_;
    const size_t requests_;
    const BankRow& row_;
    const BankAccess& access_;
    const BankResults& results_;
};

void run(Session& session) {
    Bench bench(session);
    const std::vector<BankRow> rows = rows_of(session);
    size_t parts = 0, warps = 0;
    for (const BankRow& row : rows) {
        parts = std::max(parts, row.access.result_parts());
        warps = std::max(warps, row.access.threads() / lanes_per_warp);
    }
    const BankResults results(parts, warps);
    for (size_t requests : session.sizes()) {
        Cases cases;
        for (const BankRow& row : rows) cases.push_back(std::make_unique<BankCase>(session, row, results, requests));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(banks_program, run)
#endif
