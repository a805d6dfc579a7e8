// SPDX-License-Identifier: MIT
#include "tools/transfer/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/io/table.hpp"

std::string BreakEven::sentence() const {
    const std::string largest = human_bytes(double(largest_bytes));
    const char* counted = rivals.with_allocation ? ", allocation included," : "";
    if (from_bytes > 0)
        return text("{}{} is faster than {} from {} on: {:.2f} times at {}.", rivals.way, counted, rivals.versus,
                    human_bytes(double(from_bytes)), counted_ratio, largest);
    if (copies > 1)
        return text("{} pays its allocation after {:.0f} copies of {}, and is then {:.2f} times {}.", rivals.way,
                    copies, largest, ratio, rivals.versus);
    return text("{}{} is not faster than {} at {}: {:.2f} times.", rivals.way, counted, rivals.versus, largest, ratio);
}

std::vector<BreakEven> find_break_evens(const CopyCosts& costs) {
    std::vector<BreakEven> found;
    for (const Rivals& rivals : all_rivals) {
        const auto way = costs.find(rivals.way), versus = costs.find(rivals.versus);
        if (way == costs.end() || versus == costs.end()) continue;
        BreakEven result{rivals};
        std::size_t sizes = 0;
        bool faster_up_to_here = true;
        for (auto point = way->second.rbegin(); point != way->second.rend(); ++point) {
            const auto& [bytes, cost] = *point;
            const auto other = versus->second.find(bytes);
            if (other == versus->second.end() || bytes == 0) continue;
            const double ns = cost.ns + (rivals.with_allocation ? cost.allocate_ns : 0);
            if (sizes++ == 0) {
                result.largest_bytes = bytes;
                result.ratio = other->second.ns / cost.ns;
                result.counted_ratio = other->second.ns / ns;
                result.allocate_ns = cost.allocate_ns;
                const double gain = other->second.ns - cost.ns;
                if (gain > 0) result.copies = std::ceil(std::max(1.0, cost.allocate_ns / gain));
            }
            faster_up_to_here = faster_up_to_here && ns <= other->second.ns;
            if (faster_up_to_here) result.from_bytes = bytes;
        }
        if (sizes >= 2) found.push_back(result);
    }
    return found;
}

namespace {

const ColumnOf<BreakEven> break_even_columns[] = {
    {{"tool"}, [](const BreakEven&) -> Cell { return "transfer"; }},
    {{"device"}, [](const BreakEven& of) -> Cell { return of.device; }},
    {{"timer"}, [](const BreakEven& of) -> Cell { return of.timer; }},
    {{"way", "way"}, [](const BreakEven& of) -> Cell { return of.rivals.way; }},
    {{"versus", "versus"}, [](const BreakEven& of) -> Cell { return of.rivals.versus; }},
    {{"allocation_counted"}, [](const BreakEven& of) -> Cell { return whole(of.rivals.with_allocation); }},
    {{"from_bytes", "from KiB", 1.0 / 1024, 1}, [](const BreakEven& of) { return whole_if_any(of.from_bytes); }},
    {{"largest_bytes", "largest KiB", 1.0 / 1024, 1},
     [](const BreakEven& of) -> Cell { return whole(of.largest_bytes); }},
    {{"ratio_at_largest", "times as fast there", 1, 2},
     [](const BreakEven& of) -> Cell { return computed(of.ratio, 3); }},
    {{"alloc_ns", "allocation us", 1e-3, 1},
     [](const BreakEven& of) -> Cell {
         return Fixed{of.allocate_ns, 1};
     }},
    {{"copies_to_pay", "copies to pay it"}, [](const BreakEven& of) { return whole_if_any(std::size_t(of.copies)); }},
};

void say(Session& session, const std::vector<BreakEven>& found) {
    if (session.device.simulated) session.output.write_wrapped("Copies of the simulation on this CPU, not a GPU's:");
    for (const BreakEven& one : found) session.output.write_wrapped(one.sentence());
    session.output.flush();
}

}  // namespace

void print_break_evens(Session& session, const CopyCosts& costs) {
    std::vector<BreakEven> found = find_break_evens(costs);
    for (BreakEven& one : found) {
        one.device = session.device.name;
        if (session.device.simulated) one.timer = "sim";
    }
    if (found.empty()) fail(Exit::usage, "--break-even needs two sizes or more; give -n a range, as in -n 64Ki:1Gi:x2");
    if (session.format() == Format::human) return say(session, found);
    Table table(session.output, session.format(), session.options.header, columns_of(break_even_columns));
    for (const BreakEven& one : found) table.add(cells_of(break_even_columns, one));
    table.flush();
}

void say_break_evens(Session& session, const CopyCosts& costs) {
    if (session.format() == Format::human && !session.device.simulated) say(session, find_break_evens(costs));
}
