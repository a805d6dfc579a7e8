// SPDX-License-Identifier: MIT
// threads: who runs where. A launch of any shape, and what each of its threads reports: its indices, its warp, its
// multiprocessor and its time; or the same by warp, block or multiprocessor, and how blocks are assigned to those.
#include <algorithm>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/threads/table.cuh"

#if HOST_PASS
#include <cstdio>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/io/output.hpp"

namespace BACKEND {
namespace {

// The table's title: "...: 12 threads in 3 blocks of 4, on 2 of 132 multiprocessors, 18.4 us".
std::string title_of(const Session& session, const ThreadsOptions& asked, const std::vector<ThreadRecord>& records,
                     const std::vector<Multiprocessor>& multiprocessors, double end_ns) {
    return text("{}: {} threads in {} blocks of {}, on {} of {} multiprocessors, {}", session.device.name,
                records.size(), records.size() / size_t(asked.block.product()), asked.block.name(),
                multiprocessors.size(), session.device.multiprocessors, short_time(end_ns));
}

// Prints a row of `columns` for each of `subjects`.
template <typename Subject, typename Columns>
void print_rows(Session& session, const ThreadsOptions& asked, const std::vector<Subject>& subjects,
                const Columns& columns, unsigned long long end_ns, const std::string& title) {
    Table table(session.output, session.format(), session.options.header, columns_of(columns));
    for (size_t i = 0; i < subjects.size(); ++i)
        table.add(cells_of(columns, RowOf<Subject>{session, asked, subjects[i], i, end_ns}));
    table.flush(title);
}

void draw(Session& session, const ThreadsOptions& asked, const std::vector<Multiprocessor>& multiprocessors,
          const std::string& name, Output* trace) {
    constexpr size_t most_lines = 160;
    if (asked.timeline) {
        const std::string picture = draw_timeline(timeline_of(session, name, multiprocessors, most_lines));
        if (session.format() == Format::human) session.output.write("\n" + picture);
        else std::fputs(picture.c_str(), stderr);
    }
    if (trace) write_trace(*trace, {timeline_of(session, name, multiprocessors, ~size_t{0})});
}

void say_hello(Session& session, const std::vector<ThreadRecord>& records, size_t per_block) {
    std::string lines;
    for (size_t i = 0; i < records.size(); ++i)
        lines += text("hello from thread {} of block {}\n", i % per_block, i / per_block);
    session.output.write(lines);
}

void list_limits(Session& session) {
    Table table(session.output, session.format(), session.options.header, columns_of(limit_columns));
    table.add(cells_of(limit_columns, LimitsOfDevice{session.device, LaunchLimits(session.device.ordinal)}));
    table.flush();
}

void run(Session& session) {
    if (session.options.list) return list_limits(session);
    const auto& asked = session.own<ThreadsOptions>();
    std::unique_ptr<Output> trace;
    if (!asked.trace.empty()) trace = std::make_unique<Output>(asked.trace);
    const std::vector<ThreadRecord> records = run_launch(session, asked);
    const Verdict verdict = check_records(records, asked, asked.steps.on(session.device));
    if (!verdict.right) {
        session.complain(text("wrong result: {}", verdict.detail));
        return session.found_wrong_result();
    }
    const size_t per_block = size_t(asked.block.product());
    const std::vector<Group> blocks = blocks_of(records, per_block);
    const std::vector<Multiprocessor> multiprocessors = multiprocessors_of(blocks);
    unsigned long long end_ns = 0;
    for (const Group& block : blocks) end_ns = std::max(end_ns, block.end_ns);
    const std::string title = title_of(session, asked, records, multiprocessors, double(end_ns));
    const auto print = [&](const auto& subjects, const auto& columns) {
        print_rows(session, asked, subjects, columns, end_ns, title);
    };
    const auto print_table = [&] {
        switch (asked.by) {
            case GroupBy::thread: return print(records, thread_columns);
            case GroupBy::warp: return print(groups_of(records, per_block, lanes_per_warp), warp_columns);
            case GroupBy::block: return print(blocks, block_columns);
            case GroupBy::multiprocessor: return print(multiprocessors, multiprocessor_columns);
        }
    };
    if (asked.hello) say_hello(session, records, per_block);
    else print_table();
    const std::string name = text("threads --grid {} --block {}", asked.grid.name(), asked.block.name());
    draw(session, asked, multiprocessors, name, trace.get());
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(threads_program, run)
#endif
