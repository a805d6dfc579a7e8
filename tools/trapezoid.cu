// SPDX-License-Identifier: MIT
// trapezoid: the integral of a function by the trapezoidal rule, with every way of adding up that many heights.
#include <functional>
#include <type_traits>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/trapezoid/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/cuda/buffers.cuh"
#include "common/measure/bench.cuh"
#include "tools/trapezoid/compiled.cuh"

namespace BACKEND {
namespace {

// One function, number of trapezoids and element type on one device, and the variants as cases over it.
template <typename T>
class Summation {
public:
    Summation(Session& session, const Integral& integral, const CompiledIntegrand<T>* compiled, size_t n,
              Convergence& convergence)
        : session_(session), integral_(integral), convergence_(convergence), d_result_(1) {
        const double from = T(integral.from), to = T(integral.to);
        width_ = n == 0 ? 0 : (to - from) / double(n);
        rule_ = {n, from, to, double(T(width_))};
        if (!std::isfinite(rule_.step) || !std::isfinite(from) || !std::isfinite(to))
            fail(Exit::usage, "--from and --to are too far apart for {}: choose others{}", name_of(dtype_of<T>),
                 remedy());
        arguments_.rule = {n, T(from), T(to), T(width_)};
        arguments_.d_result = d_result_.data();
        arguments_.block_size = session.options.block;
        arguments_.multiprocessors = unsigned(session.device.multiprocessors);
        if (compiled) {
            arguments_.compiled = compiled->kernels();
            arguments_.integrand = compiled->integrand();
        } else if (integral.known) {
            arguments_.integrand = integrand_of<T>(static_cast<BuiltIn>(*integral.known));
        }
        if (!session.options.verify) return;
        session.begin_step(text("adding {} trapezoids on the host, for the reference", n));
        reference_ = reference_sum(integral.function, rule_, dtype_of<T>);
        if (reference_.escaped.empty()) return;
        if (reference_.escaped_type)
            fail(Exit::bad_input, "{}, beyond the range of {}: choose other bounds{}", reference_.escaped,
                 name_of(dtype_of<T>), remedy());
        fail(Exit::bad_input, "{}: choose --from and --to so that the function is finite from end to end",
             reference_.escaped);
    }

    Case case_of(const TrapezoidVariant& variant) {
        Case one;
        one.variant = &variant;
        one.problem = {dtype_of<T>, rule_.n, sizeof(T), double(rule_.n) * double(integral_.function.operations() + 3)};
        one.problem.unit = session_.program.unit;
        const auto shape = std::make_shared<LaunchShape>();
        if (variant.needs == Needs::host) set_host_work(one, variant);
        else set_device_work(one, variant, shape);
        const auto check = [this, &variant, shape](T sum) {
            const double bound = session_.options.tolerance >= 0
                                     ? session_.options.tolerance * std::fabs(double(reference_.sum))
                                     : reference_.allowed_error(variant.steps(rule_.n, *shape).in_all, dtype_of<T>);
            // A message shows integrals; where all of them are 0, it shows the sums.
            const long double width = width_ == 0 ? 1 : width_;
            return compare_value(sum * width, reference_.sum * width, bound * std::fabs(width));
        };
        const auto sum = variant.needs == Needs::host ? std::function<T()>([this] { return h_result_; })
                                                      : std::function<T()>([this] { return download(); });
        one.check = [=] { return check(sum()); };
        one.own_cells = [this, &variant, shape, sum](double) { return cells_of(cells(variant, *shape, sum())); };
        return one;
    }

    // Whether the last doubling changed a variant's integral by at most `tolerance` times the integral of |f|, or of f
    // without a reference.
    bool has_settled(const Variant& variant, double tolerance) const {
        const double magnitude = session_.options.verify ? reference_.magnitude * std::fabs(width_)
                                                         : std::fabs(convergence_.richardson(variant, rule_.n));
        return std::fabs(convergence_.change(variant, rule_.n)) <= tolerance * magnitude;
    }

private:
    static const char* remedy() { return dtype_of<T> == DType::f32 ? ", or use -t f64" : ""; }

    T download() const {
        T sum{};
        CHECK(cudaMemcpy(&sum, d_result_.data(), sizeof(T), cudaMemcpyDeviceToHost));
        return sum;
    }

    void set_host_work(Case& one, const TrapezoidVariant& variant) {
        one.poison = [this](cudaStream_t) { h_result_ = T(-77); };
        one.launch = [this, add = variant.on_host.get<T>()](cudaStream_t) {
            h_result_ = add({integral_, rule_});
            return LaunchShape{};
        };
    }

    void set_device_work(Case& one, const TrapezoidVariant& variant, const std::shared_ptr<LaunchShape>& shape) {
        const auto bytes = variant.workspace.get<T>();
        const auto workspace = std::make_shared<DeviceBuffer<unsigned char>>(bytes ? bytes(arguments_) : 0);
        if (workspace->size() > 0) CHECK(cudaMemset(workspace->data(), 0, workspace->size()));
        one.poison = [this](cudaStream_t stream) { CHECK(cudaMemsetAsync(d_result_.data(), 0xa5, sizeof(T), stream)); };
        one.launch = [this, workspace, shape, launch = variant.launch.get<T>()](cudaStream_t stream) {
            TrapezoidArguments<T> arguments = arguments_;
            arguments.d_workspace = workspace->data();
            arguments.stream = stream;
            return *shape = launch(arguments);
        };
    }

    TrapezoidCells cells(const TrapezoidVariant& variant, const LaunchShape& shape, T sum) {
        const size_t n = rule_.n;
        const double integral = double(sum) * width_;
        if (!std::isfinite(integral))
            fail(Exit::bad_input,
                 "{}: the sum of {} is {}: choose --from and --to so that the function is finite from "
                 "end to end{}",
                 variant.name, integral_.function.printed(), sum, remedy());
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const double off_reference =
            session_.options.verify ? double(std::fabs(sum - reference_.sum)) * std::fabs(width_) : unknown;
        convergence_.add(variant, n, integral, off_reference);
        return {integral_.function.printed(),
                integral_.from,
                integral_.to,
                std::numeric_limits<T>::max_digits10,
                integral,
                integral_.known ? integral - double(integral_.closed_form()) : unknown,
                off_reference,
                convergence_.richardson(variant, n),
                convergence_.order(variant, n),
                variant.steps(n, shape)};
    }

    Session& session_;
    const Integral& integral_;
    Convergence& convergence_;
    HostRule rule_;
    double width_ = 0;  // of a trapezoid, not rounded to T
    Reference reference_;
    DeviceBuffer<T> d_result_;
    TrapezoidArguments<T> arguments_;
    T h_result_{};
};

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
    Convergence convergence;
    Bench bench(session);
    const auto run_size = [&](size_t n, const Variants& chosen) {
        auto summation = std::make_unique<Summation<T>>(session, integral, compiled.get(), n, convergence);
        std::vector<Case> cases;
        for (const TrapezoidVariant* variant : chosen) cases.push_back(summation->case_of(*variant));
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
