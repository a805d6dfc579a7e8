// SPDX-License-Identifier: MIT
// trapezoid: the integral of a function by the trapezoidal rule, with every way of adding up that many heights.
#include <type_traits>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/trapezoid/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/trapezoid/steps.cuh"
#include "tools/trapezoid/summation.cuh"

namespace BACKEND {
namespace {

using Variants = std::vector<const TrapezoidVariant*>;

// Doubles n for those variants that have not settled yet.
template <typename T, typename Run>
void run_until_settled(Session& session, size_t n, Variants variants, const Convergence& convergence, Run run_size) {
    const size_t most = most_settling_size(session.device.simulated, session.options.block);
    if (n > most)
        fail(Exit::usage, "--settle doubles --size up to {} here, and {} is more: begin with {} or less", most, n,
             most);
    for (; !variants.empty() && n <= most; n *= 2) {
        const std::unique_ptr<Summation<T>> summation = run_size(n, variants);
        const auto is_done = [&](const TrapezoidVariant* variant) {  // a wrong result has been reported
            return !convergence.has(*variant, n) ||
                   summation->has_settled(*variant, session.own<TrapezoidOptions>().settle);
        };
        variants.erase(std::remove_if(variants.begin(), variants.end(), is_done), variants.end());
    }
    for (const TrapezoidVariant* variant : variants) {
        session.complain(text("{}: the integral has not settled at n = {}: allow a larger change by --settle{}",
                              variant->name, n / 2, std::is_same_v<T, float> ? ", or use -t f64" : ""));
        session.exit_with(Exit::wrong_result);
    }
}

// The variants that can compute it; a notice names each one that cannot.
template <typename T>
Variants able_variants(const Session& session, const Integral& integral, const std::vector<size_t>& sizes) {
    const bool is_default = integral.known == size_t{0};
    const bool is_large = std::any_of(sizes.begin(), sizes.end(), [](size_t n) { return n >= size_t{1} << 32; });
    Variants able;
    for (const TrapezoidVariant* variant : session.selected<TrapezoidVariant>()) {
        const char* obstacle = "";
        if (variant->needs != Needs::host && !variant->launch.get<T>()) obstacle = "this build's toolkit lacks it";
        else if (session.own<TrapezoidOptions>().grid && variant->needs != Needs::host && !variant->takes_grid)
            obstacle = "the number of trapezoids decides its grid, not --grid";
        else if (variant->only_default && !is_default) obstacle = "it integrates the parabola only";
        else if (variant->only_default && is_large) obstacle = "it adds fewer than 2^32 trapezoids";
        else able.push_back(variant);
        if (*obstacle != 0) session.notice(text("{} is left out: {}", variant->name, obstacle));
    }
    return able;
}

void refuse_sizes(const Session& session, const std::vector<size_t>& sizes) {
    for (size_t n : sizes) {
        if (divide_up(n, session.options.block) > most_blocks)
            fail(Exit::usage, "--size {} is too large for blocks of {} threads: at most {} blocks are possible", n,
                 session.options.block, most_blocks);
    }
}

template <typename T>
void run_type(Session& session, const Integral& integral) {
    constexpr size_t first_n = 32;  // of --settle
    const TrapezoidOptions& asked = session.own<TrapezoidOptions>();
    const bool settles = asked.settle >= 0;
    const std::vector<size_t> sizes =
        settles && !session.options.sizes.given ? std::vector<size_t>{first_n} : session.sizes();
    if (settles && session.options.checks.trace)
        fail(Exit::usage, "--settle needs many trapezoids, and --steps shows a few: leave one of them out");
    if (settles && sizes.size() != 1)
        fail(Exit::usage, "--settle doubles one number of trapezoids, and --size names {}; name one", sizes.size());
    if (settles && sizes.front() == 0) fail(Exit::usage, "--settle doubles --size, and twice 0 is 0: name at least 1");
    refuse_sizes(session, sizes);
    const Variants variants = able_variants<T>(session, integral, sizes);
    const auto needs_device = [](const TrapezoidVariant* variant) { return variant->needs != Needs::host; };
    std::unique_ptr<CompiledIntegrand<T>> compiled;
    if (!integral.known && std::any_of(variants.begin(), variants.end(), needs_device)) {
        session.begin_step("compiling " + integral.function.printed());
        session.detail("the device computes " + integral.function.source(dtype_of<T>));
        compiled = std::make_unique<CompiledIntegrand<T>>(session, integral);
    }
    if (session.options.checks.trace) return show_steps<T>(session, integral, compiled.get());
    Convergence convergence;
    Bench bench(session);
    const auto run_size = [&](size_t n, const Variants& chosen) {
        auto summation = std::make_unique<Summation<T>>(session, integral, compiled.get(), n, convergence);
        Cases cases;
        for (const TrapezoidVariant* variant : chosen) {
            if (variant->needs == Needs::host) cases.push_back(std::make_unique<SumOnHost<T>>(*variant, *summation));
            else cases.push_back(std::make_unique<SumOnDevice<T>>(*variant, *summation));
        }
        bench.run(cases);
        return summation;
    };
    if (settles) return run_until_settled<T>(session, sizes.front(), variants, convergence, run_size);
    for (size_t n : sizes) run_size(n, variants);
}

void run(Session& session) {
    const TrapezoidOptions& asked = session.own<TrapezoidOptions>();
    const Integral integral = parse_integral(asked.function, asked.from, asked.to);
    with_dtype(session.dtype(), [&](auto zero) {
        if constexpr (std::is_floating_point_v<decltype(zero)>) run_type<decltype(zero)>(session, integral);
    });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(trapezoid_program, run)
#endif
