#include "common/simt/check/counters.hpp"

namespace simt::checking {

std::vector<KernelCounters> take_counters() { return {}; }

const std::vector<CounterColumn>& counter_columns() {
    static const std::vector<CounterColumn> columns = {
        {"gld_requests", "global loads: requests of warps", true,
         [](const Counters& of) { return static_cast<double>(of.global_loads.requests); }},
        {"branch_efficiency", "branches that all lanes took the same way", false,
         [](const Counters& of) { return of.branching.efficiency(); }},
    };
    return columns;
}

std::vector<CounterColumn> used_columns(const std::vector<const Counters*>&) { return counter_columns(); }

std::string annotated_source(const std::vector<KernelCounters>&) { return ""; }

}  // namespace simt::checking
