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
                                            whole_warps(options.block.on(session.device.simulated)), blocks};
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

LaunchShape launch(const BankRow& row, const BankResults& results, size_t requests, cudaStream_t stream) {
    const BankAccess& access = row.access;
    return banks_launch(access.operation,
                        access.word_bytes)({access.pattern, requests, access.shared_bytes(), results.d_parts(),
                                            results.d_clocks(), access.block_size, access.blocks, stream});
}

// Cycles that a multiprocessor takes for one request: the difference between two launches, one with twice as many
// requests, so that startup and end cancel out.
double cycles_per_request(const BankRow& row, const BankResults& results, size_t requests) {
    const auto cycles = [&](size_t count) {
        launch(row, results, count, nullptr);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        return results.cycles(row.access);
    };
    constexpr int repetitions = 9;
    std::vector<double> differences;
    cycles(requests);  // brings the code into the caches
    for (int i = 0; i < repetitions; ++i) {
        const double once = cycles(requests);
        differences.push_back(cycles(2 * requests) - once);
    }
    const double warps = row.access.block_size / lanes_per_warp;
    return summarize(differences).median / (double(requests) * warps);
}

// "stride 8": for messages.
std::string option_text(const BankRow& row) {
    switch (row.variant->option) {
        case BankOption::stride: return text("stride {}", row.value);
        case BankOption::padding: return text("padding {}", row.value);
        default: return "no padding";
    }
}

Case case_of(const Session& session, const std::shared_ptr<BankRow>& row, const std::shared_ptr<BankResults>& results,
             size_t requests) {
    Case one;
    one.variant = row->variant;
    one.problem = {
        std::nullopt, requests, double(requests) * double(row->access.threads()) * row->access.word_bytes, 0, 0,
        "requests"};
    one.poison = [=](cudaStream_t stream) { results->poison(stream); };
    one.launch = [=](cudaStream_t stream) { return launch(*row, *results, requests, stream); };
    one.check = [=] {
        Verdict verdict = results->check(row->access, requests);
        verdict.detail = text("{} of words of {} bytes, {}: {}", row->operation_name, row->access.word_bytes,
                              option_text(*row), verdict.detail);
        return verdict;
    };
    one.own_cells = [=, &session](double) {
        const bool counts_cycles = !session.device.simulated && requests > 0;
        const double cycles = counts_cycles ? cycles_per_request(*row, *results, requests) : 0;
        return cells_of(bank_columns, BankCells{row->variant, row->access.word_bytes, row->value,
                                                row->operation_name.c_str(), row->cost, cycles});
    };
    return one;
}

void run(Session& session) {
    Bench bench(session);
    const std::vector<BankRow> rows = rows_of(session);
    size_t parts = 0, warps = 0;
    for (const BankRow& row : rows) {
        parts = std::max(parts, row.access.result_parts());
        warps = std::max(warps, row.access.threads() / lanes_per_warp);
    }
    const auto results = std::make_shared<BankResults>(parts, warps);
    for (size_t requests : session.sizes()) {
        std::vector<Case> cases;
        for (const BankRow& row : rows)
            cases.push_back(case_of(session, std::make_shared<BankRow>(row), results, requests));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(banks_program, run)
#endif
