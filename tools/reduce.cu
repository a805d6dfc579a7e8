// SPDX-License-Identifier: MIT
// reduce: sum, extremes, mean, variance and more of many numbers, by every method of the lectures and the best we know.
#include <cstdint>
#include <vector>

#include "common/cuda/passes.hpp"
#include "kernels/reduce/lines.cuh"
#include "tools/reduce/table.cuh"

namespace BACKEND {

// Instantiated for --axis.
#define INSTANTIATE(T)                                                                          \
    template LaunchShape launch_reduce_lines(const T*, const MatrixPiece&, Wanted, Summary<T>*, \
                                             unsigned multiprocessors, cudaStream_t);
INSTANTIATE(float)
INSTANTIATE(double)
INSTANTIATE(std::int32_t)
INSTANTIATE(std::int64_t)
#undef INSTANTIATE

}  // namespace BACKEND

#if HOST_PASS
#include <memory>

#include "common/cli/registration.cuh"
#include "common/cuda/buffers.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "tools/reduce/axis_filter.cuh"
#include "tools/reduce/filter.cuh"
#include "tools/reduce/gang.cuh"
#include "tools/reduce/reference.cuh"
#include "tools/reduce/selection.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {
namespace {

// One element type and operation on one device, or several operations at once: the data of the current size, and the
// variants as cases over it.
template <typename T>
class Reduction {
public:
    Reduction(Session& session, const ReduceOperations& operations, size_t n)
        : session_(session),
          asked_(session.own<ReduceOptions>()),
          operations_(operations),
          n_(n),
          offset_(asked_.offset),
          d_memory_(n + offset_),
          d_result_(1),
          d_found_(1),
          h_memory_(new T[n + 1]) {
        const ReduceValues values = values_for<T>(asked_, operations);
        session.begin_step(text("generating {} numbers", n));
        fill_values(h_memory_.get(), n, values, session.options.seed);
        session.begin_step(text("reducing {} numbers on the host, for the reference", n));
        reference_ = make_reference(h_input(Accuracy::exact), operations, values);
        if (n_ > 0) CHECK(cudaMemcpy(d_input(), h_memory_.get(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    Case case_of(const ReduceVariant& variant) {
        Case one;
        one.variant = &variant;
        one.problem = {dtype_of<T>, n_, double(n_) * sizeof(T), double(n_)};
        const auto error = std::make_shared<double>(absent().value);
        one.own_cells = [this, error](double) {
            return cells_of(reduce_columns, ReduceRow{asked_, operations_, *error});
        };
        const Accuracy accuracy = variant.accuracy(asked_.accuracy);
        const auto compare = [this, error, accuracy](const Found<T>& found) {
            return compare_with(reference_, found, accuracy, session_.options.tolerance, *error);
        };
        if (variant.needs == Needs::host) set_host_work(one, variant, compare);
        else set_device_work(one, variant, compare);
        return one;
    }

private:
    HostInput<T> h_input(Accuracy accuracy) const {
        const bool combines = is_combination(operations_) && accuracy == Accuracy::plain;
        return {h_memory_.get(),         n_,      operation_on_device(operations_.front()), !combines,
                wanted_for(operations_), accuracy};
    }
    T* d_input() const { return d_memory_.data() + offset_; }

    template <typename Compare>
    void set_host_work(Case& one, const ReduceVariant& variant, Compare compare) {
        const auto reduce = variant.on_host.get<T>();
        one.launch = [this, reduce](cudaStream_t) {
            h_found_ = reduce(h_input(asked_.accuracy));
            return LaunchShape{};
        };
        one.check = [this, compare] { return compare(h_found_); };
    }

    template <typename Compare>
    void set_device_work(Case& one, const ReduceVariant& variant, Compare compare) {
        if (variant.destroys_input) {
            if (!d_scratch_) d_scratch_ = std::make_unique<DeviceBuffer<T>>(n_ + offset_);
            one.prepare = [this](cudaStream_t stream) {
                if (n_ == 0) return;
                CHECK(cudaMemcpyAsync(d_scratch_->data() + offset_, d_input(), n_ * sizeof(T), cudaMemcpyDeviceToDevice,
                                      stream));
            };
        }
        ReduceArguments<T> arguments;
        arguments.d_input = variant.destroys_input ? d_scratch_->data() + offset_ : d_input();
        arguments.n = n_;
        arguments.d_result = d_result_.data();
        arguments.d_found = d_found_.data();
        arguments.operation = operation_on_device(operations_.front());
        arguments.wanted = wanted_for(operations_);
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(session_.device.multiprocessors);
        const auto workspace = std::make_shared<DeviceBuffer<unsigned char>>(give_workspace(variant, arguments));
        one.poison = [this](cudaStream_t stream) {
            CHECK(cudaMemsetAsync(d_result_.data(), 0xa5, sizeof(T), stream));
            CHECK(cudaMemsetAsync(d_found_.data(), 0xa5, sizeof(Found<T>), stream));
        };
        one.launch = [workspace, arguments, launch = variant.launch.get<T>()](cudaStream_t stream) {
            ReduceArguments<T> on_stream = arguments;
            on_stream.stream = stream;
            return launch(on_stream);
        };
        one.check = [this, compare, combines = variant.leaves == Leaves::element] {
            return compare(combines ? found_of<T>(operation_on_device(operations_.front()), fetch(d_result_))
                                    : fetch(d_found_));
        };
    }

    template <typename Value>
    static Value fetch(const DeviceBuffer<Value>& d_value) {
        Value value{};
        CHECK(cudaMemcpy(&value, d_value.data(), sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    Session& session_;
    const ReduceOptions& asked_;
    const ReduceOperations operations_;
    size_t n_, offset_;
    // Allocated before the host's arrays, so that the message for too large a size names the device's free memory.
    DeviceBuffer<T> d_memory_, d_result_;
    DeviceBuffer<Found<T>> d_found_;
    std::unique_ptr<T[]> h_memory_;
    std::unique_ptr<DeviceBuffer<T>> d_scratch_;  // the copy that the in-place kernels work on
    Reference<T> reference_;
    Found<T> h_found_{};
};

void run_benchmark(Session& session) {
    refuse_idle_variants(session);
    Bench bench(session);
    for (size_t n : choose_sizes(session))
        for (const ReduceOperations& operations : choose_operations(session)) {
            const std::vector<const ReduceVariant*> variants = choose_variants(session, operations);
            if (variants.empty()) continue;
            with_dtype(session.dtype(), [&](auto zero) {
                Reduction<decltype(zero)> reduction(session, operations, n);
                std::vector<Case> cases;
                for (const ReduceVariant* variant : variants) cases.push_back(reduction.case_of(*variant));
                bench.run(cases);
            });
        }
}

// Refuses operations whose partial results devices, or processes, cannot combine.
void check_operations(const Session& session, const char* who) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    for (const ReduceOperation one : asked.operations)
        if (!is_combination({one}) || asked.accuracy != Accuracy::plain)
            fail(Exit::usage, "{} results of one element each: sum, min, max or mean, neither --accurate nor --exact",
                 who);
}

void run_gang_benchmark(Session& session) {
    check_operations(session, "--gang joins");
    Bench bench(session);
    GangSweep sweep(session, bench, session.gang);
    for (size_t n : choose_sizes(session))
        for (const ReduceOperation one : session.own<ReduceOptions>().operations)
            with_dtype(session.dtype(),
                       [&](auto zero) { sweep.run(gang_problem_of<decltype(zero)>(session, one, n)); });
}

void run(Session& session) {
    const ReduceOptions& asked = session.own<ReduceOptions>();
    if (!session.options.operands.empty() && session.options.team->processes() > 1) {
        const bool is_one = asked.operations.size() == 1 && !asked.axis;
        if (!is_one) fail(Exit::usage, "several processes find one result: give one --op, and no --axis");
        check_operations(session, "several processes join");
    }
    if (session.options.operands.empty()) {
        if (asked.axis) fail(Exit::usage, "--axis is for a matrix in a file: name one, or - for standard input");
        if (session.options.gang) run_gang_benchmark(session);
        else run_benchmark(session);
    } else if (asked.axis) AxisFilter(session).run(session.options.operands.front());
    else ReduceFilter(session).run(session.options.operands.front());
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(reduce_program, run)
#endif
