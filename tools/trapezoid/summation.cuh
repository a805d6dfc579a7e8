// SPDX-License-Identifier: MIT
// What trapezoid adds up, and the variants as cases over it.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/measure/bench.cuh"
#include "tools/trapezoid/compiled.cuh"
#include "tools/trapezoid/table.cuh"

namespace BACKEND {

// One function, number of trapezoids and element type, and what the variants' sums must be.
template <typename T>
class Summation {
public:
    Summation(Session& session, const Integral& integral, const CompiledIntegrand<T>* compiled, size_t n,
              Convergence& convergence)
        : session_(session), integral_(integral), convergence_(convergence) {
        const double from = T(integral.from), to = T(integral.to);
        width_ = n == 0 ? 0 : (to - from) / double(n);
        rule_ = {n, from, to, double(T(width_))};
        if (!std::isfinite(rule_.step) || !std::isfinite(from) || !std::isfinite(to))
            fail(Exit::usage, "--from and --to are too far apart for {}: choose others{}", name_of(dtype_of<T>),
                 remedy());
        arguments_.rule = {n, T(from), T(to), T(width_)};
        arguments_.block_size = session.options.block;
        arguments_.grid = session.own<TrapezoidOptions>().grid.value_or(0);
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

    const Integral& integral() const { return integral_; }
    const HostRule& rule() const { return rule_; }
    // All but the result and the workspace.
    const TrapezoidArguments<T>& arguments() const { return arguments_; }

    Problem problem() const {
        Problem problem = {dtype_of<T>, rule_.n, sizeof(T),
                           double(rule_.n) * double(integral_.function.operations() + 3)};
        problem.unit = session_.program.unit;
        return problem;
    }

    Verdict check(T sum, const Steps& steps) const {
        const double bound = session_.options.tolerance >= 0
                                 ? session_.options.tolerance * std::fabs(double(reference_.sum))
                                 : reference_.allowed_error(steps.in_all, dtype_of<T>);
        // A message shows integrals; where all of them are 0, it shows the sums.
        const long double width = width_ == 0 ? 1 : width_;
        return compare_value(sum * width, reference_.sum * width, bound * std::fabs(width));
    }

    // Adds the integral to the variant's others.
    std::vector<Cell> cells(const Variant& variant, T sum, const Steps& steps) const {
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
        return cells_of({integral_.function.printed(), integral_.from, integral_.to,
                         std::numeric_limits<T>::max_digits10, integral,
                         integral_.known ? integral - double(integral_.closed_form()) : unknown, off_reference,
                         convergence_.richardson(variant, n), convergence_.order(variant, n), steps});
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

    Session& session_;
    const Integral& integral_;
    Convergence& convergence_;
    HostRule rule_;
    double width_ = 0;  // of a trapezoid, not rounded to T
    Reference reference_;
    TrapezoidArguments<T> arguments_;
};

template <typename T>
class SumOnHost final : public Case {
public:
    SumOnHost(const TrapezoidVariant& variant_, const Summation<T>& summation)
        : Case(variant_, summation.problem()),
          add_(variant_.on_host.get<T>()),
          steps_(variant_.steps(problem.n, {})),
          summation_(summation) {}

    void poison(cudaStream_t) override { sum_ = T(-77); }
    LaunchShape launch(cudaStream_t) override {
        sum_ = add_({summation_.integral(), summation_.rule()});
        return {};
    }
    Verdict check() override { return summation_.check(sum_, steps_); }
    std::vector<Cell> own_cells(double) override { return summation_.cells(*variant, sum_, steps_); }

private:
    AddOnHost<T>* const add_;
    const Steps steps_;
    const Summation<T>& summation_;
    T sum_{};
};

template <typename T>
class SumOnDevice final : public Case {
public:
    SumOnDevice(const TrapezoidVariant& adder, const Summation<T>& summation)
        : Case(adder, summation.problem()),
          variant_(adder),
          summation_(summation),
          arguments_(summation.arguments()),
          d_sum_(1) {
        arguments_.d_result = d_sum_.data();
        if (const auto bytes = adder.workspace.get<T>()) d_workspace_ = DeviceBuffer<unsigned char>(bytes(arguments_));
        if (d_workspace_.size() > 0) CHECK(cudaMemset(d_workspace_.data(), 0, d_workspace_.size()));
        arguments_.d_workspace = d_workspace_.data();
    }

    void poison(cudaStream_t stream) override { CHECK(cudaMemsetAsync(d_sum_.data(), 0xa5, sizeof(T), stream)); }
    LaunchShape launch(cudaStream_t stream) override {
        arguments_.stream = stream;
        return launched_ = variant_.launch.get<T>()(arguments_);
    }
    Verdict check() override { return summation_.check(download(), steps()); }
    std::vector<Cell> own_cells(double) override { return summation_.cells(variant_, download(), steps()); }

private:
    T download() const {
        T sum{};
        CHECK(cudaMemcpy(&sum, d_sum_.data(), sizeof(T), cudaMemcpyDeviceToHost));
        return sum;
    }
    Steps steps() const { return variant_.steps(problem.n, launched_); }

    const TrapezoidVariant& variant_;
    const Summation<T>& summation_;
    TrapezoidArguments<T> arguments_;
    DeviceBuffer<T> d_sum_;
    DeviceBuffer<unsigned char> d_workspace_;
    LaunchShape launched_;
};

}  // namespace BACKEND
