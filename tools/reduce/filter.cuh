// SPDX-License-Identifier: MIT
// reduce as a filter: a number per operation for all numbers of an input, which is reduced as it is read.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/cli/session.hpp"
#include "common/gang/shared_input.hpp"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/reduce/accumulator.cuh"
#include "tools/reduce/found_text.cuh"
#include "tools/reduce/found_total.cuh"
#include "tools/reduce/running_total.cuh"
#include "tools/reduce/shared_file.cuh"

namespace BACKEND {

class ReduceFilter {
public:
    explicit ReduceFilter(Session& session) : session_(session), asked_(session.own<ReduceOptions>()) {}

    // Reduces all of the input and writes the results as one line.
    void run(const std::string& path) {
        const ReduceVariant& variant = choose_variant();
        const std::string input = input_name(path);
        const bool is_shared = team().processes() > 1;
        if (is_shared) expect_file(path);
        StepCount& count = session_.begin_step("reading " + input, StepUnit::bytes);
        auto reader = NumberReader::open(path, session_.options.input_format, &count);
        if (is_shared) {
            expect_shared(team(), *reader, path);
            count.total = count.total / team().processes();
            reader = std::make_unique<DealtReader>(std::move(reader), team());
        }
        // An index counts through the rows, whatever the order in the file.
        const ReduceOperations& operations = asked_.operations;
        if (std::any_of(operations.begin(), operations.end(), is_index)) reader = in_row_order(std::move(reader));
        if (is_shared && variant.leaves != Leaves::element)
            fail(Exit::usage,
                 "several processes join results of one element each, and {} finds more: choose another -k",
                 variant.name);
        session_.say_where_filters_compute();
        if (variant.leaves == Leaves::element) {
            ReductionTotal reduction(session_, operation_on_device(asked_.operations.front()));
            if (is_shared) reduction.keep_results();
            accumulate(session_, *reader, reduction);
            if (is_shared)
                for (const PieceResult& one : join_results(team(), reduction.results())) reduction.add(one);
            const RunningTotal& total = reduction.total();
            expect_enough(input, asked_.operations, total.count);
            write({text_of(total)}, total.dtype, total.count);
        } else {
            FoundTotal found(session_, variant, asked_.operations);
            accumulate(session_, *reader, found);
            const FoundTotals& totals = found.totals();
            expect_enough(input, asked_.operations, totals.count);
            std::vector<std::string> results;
            for (const ReduceOperation operation : asked_.operations)
                results.push_back(FoundText(totals, found.is_exact()).of(operation));
            write(results, totals.dtype, totals.count);
        }
    }

private:
    Team& team() const { return *session_.options.team; }

    // A sum needs a variant as accurate as asked for; of other combinations, all methods find the same.
    const ReduceVariant& choose_variant() const {
        const ReduceOperations& operations = asked_.operations;
        const bool adds = std::any_of(operations.begin(), operations.end(), is_of_sum);
        const Accuracy accuracy = adds ? asked_.accuracy : Accuracy::plain;
        const auto& variant = session_.filter_variant<ReduceVariant>(accuracy == Accuracy::exact      ? "exact"
                                                                     : accuracy == Accuracy::accurate ? "accurate"
                                                                     : is_combination(operations)     ? "tagged"
                                                                                                      : "statistics");
        if (!variant.knows(operations) || variant.accuracy(accuracy) < accuracy)
            fail(Exit::usage, "{} does not find {}{}; reduce(1) says which variants do", variant.name,
                 !variant.knows(operations)    ? ""
                 : accuracy == Accuracy::exact ? "exact "
                                               : "accurate ",
                 names_of(operations, ", "));
        return variant;
    }

    std::string text_of(const RunningTotal& total) const {
        const bool mean = asked_.operations.front() == ReduceOperation::mean;
        if (total.floating)
            return mean ? number_text(total.real / double(total.count)) : real_text(total.real, total.dtype);
        return mean ? integer_mean_text(total.integer, total.count) : integer_sum_text(total.integer);
    }

    // Several results are fields separated by tabs, or a list in JSON.
    void write(const std::vector<std::string>& results, DType dtype, size_t count) {
        session_.end_step();
        std::string names, values, fields;
        for (size_t i = 0; i < results.size(); ++i) {
            const char* comma = i == 0 ? "" : ",";
            names += text("{}\"{}\"", comma, name_of(asked_.operations[i]));
            values += comma + json_value(results[i]);
            fields += (i == 0 ? "" : "\t") + results[i];
        }
        const bool is_list = results.size() > 1;
        if (session_.options.format)
            session_.output.write(
                text(is_list ? "{{{},\"op\":[{}],\"result\":[{}]}}\n" : "{{{},\"op\":{},\"result\":{}}}\n",
                     json_members("reduce", dtype, count), names, values));
        else session_.output.write(fields + "\n");
        session_.output.flush();
    }

    Session& session_;
    const ReduceOptions& asked_;
};

}  // namespace BACKEND
