// reduce: the sum, minimum, maximum or mean of many numbers, by every method of the lectures and the best we know.
#include <algorithm>
#include <memory>

#include "common/cli/registration.cuh"
#include "common/cuda/buffers.cuh"
#include "common/measure/bench.cuh"
#include "common/measure/random.hpp"
#include "tools/reduce/filter.cuh"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {
namespace {

// One element type and operation on one device: the data of the current size, and the variants as cases over it.
template <typename T>
class Reduction {
public:
    Reduction(Session& session, size_t n)
        : session_(session),
          asked_(session.own<ReduceOptions>()),
          operation_(operation_on_device(asked_.operation)),
          n_(n),
          offset_(asked_.offset),
          d_memory_(n + offset_),
          d_result_(1),
          h_memory_(new T[n + 1]) {
        const std::uint64_t seed = session.options.seed;
        const bool adds = operation_ == Operation::sum;
        session.begin_step(text("generating {} numbers", n));
        if (adds) fill(h_memory_.get(), n, [=](size_t i) { return exact_summand<T>(seed, i); });
        else fill(h_memory_.get(), n, [=](size_t i) { return uniform<T>(seed, i); });
        session.begin_step(text("reducing {} numbers on the host, for the reference", n));
        expected_ = reduce_on_all_cores(h_input());
        bound_ = session.options.tolerance >= 0 ? session.options.tolerance * std::fabs(double(expected_))
                 : adds                         ? summand_error_bound<T>(n)
                                                : 0;
        if (n_ > 0) CHECK(cudaMemcpy(d_input(), h_memory_.get(), n_ * sizeof(T), cudaMemcpyHostToDevice));
    }

    Case case_of(const ReduceVariant& variant) {
        Case one;
        one.variant = &variant;
        one.problem = {dtype_of<T>, n_, double(n_) * sizeof(T), double(n_)};
        one.own_cells = [this](double) { return cells_of(reduce_columns, asked_); };
        if (variant.needs == Needs::host) set_host_work(one, variant);
        else set_device_work(one, variant);
        return one;
    }

private:
    HostInput<T> h_input() const { return {h_memory_.get(), n_, operation_}; }
    T* d_input() const { return d_memory_.data() + offset_; }

    void set_host_work(Case& one, const ReduceVariant& variant) {
        const auto reduce = variant.on_host.get<T>();
        one.launch = [this, reduce](cudaStream_t) {
            h_result_ = reduce(h_input());
            return LaunchShape{};
        };
        one.check = [this] { return compare(h_result_); };
    }

    void set_device_work(Case& one, const ReduceVariant& variant) {
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
        arguments.operation = operation_;
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(session_.device.multiprocessors);
        const auto workspace = std::make_shared<DeviceBuffer<unsigned char>>(give_workspace(variant, arguments));
        one.poison = [this](cudaStream_t stream) { CHECK(cudaMemsetAsync(d_result_.data(), 0xa5, sizeof(T), stream)); };
        one.launch = [workspace, arguments, launch = variant.launch.get<T>()](cudaStream_t stream) {
            ReduceArguments<T> on_stream = arguments;
            on_stream.stream = stream;
            return launch(on_stream);
        };
        one.check = [this] {
            T result{};
            CHECK(cudaMemcpy(&result, d_result_.data(), sizeof(T), cudaMemcpyDeviceToHost));
            return compare(result);
        };
    }

    Verdict compare(long double result) const {  // holds an int64_t and a double exactly
        const double divisor = asked_.operation == ReduceOperation::mean && n_ > 0 ? double(n_) : 1;
        return compare_value(result / divisor, expected_ / static_cast<long double>(divisor), bound_ / divisor);
    }

    Session& session_;
    const ReduceOptions& asked_;
    const Operation operation_;
    size_t n_, offset_;
    // Allocated before the host's, so that the message for a size that is too large names the device's free memory.
    DeviceBuffer<T> d_memory_, d_result_;
    std::unique_ptr<T[]> h_memory_;
    std::unique_ptr<DeviceBuffer<T>> d_scratch_;  // the copy that the in-place kernels work on
    Wide<T> expected_{}, h_result_{};
    double bound_ = 0;  // absolute, on the undivided result
};

// With --ladder and no choice of kernels: the ladder that was published for this element type, then ours.
std::vector<const ReduceVariant*> choose_variants(const Session& session) {
    std::vector<const ReduceVariant*> chosen = session.selected<ReduceVariant>();
    if (!session.options.ladder || !session.options.kernels.empty()) return chosen;
    const std::string published = session.dtype() == DType::i32 ? "course" : "tutorial";
    const auto of_another = [&](const ReduceVariant* variant) {
        return *variant->ladder != 0 && variant->ladder != published;
    };
    chosen.erase(std::remove_if(chosen.begin(), chosen.end(), of_another), chosen.end());
    return chosen;
}

// --ladder without sizes reproduces the tutorial's table: 2^28 floats. (The simulator keeps its own small default.)
std::vector<size_t> choose_sizes(const Session& session) {
    const bool published = session.options.ladder && !session.options.sizes.given && !session.device.simulated;
    return published ? std::vector<size_t>{size_t{1} << 28} : session.sizes();
}

void run_benchmark(Session& session) {
    Bench bench(session);
    const std::vector<const ReduceVariant*> variants = choose_variants(session);
    for (size_t n : choose_sizes(session))
        with_dtype(session.dtype(), [&](auto zero) {
            Reduction<decltype(zero)> reduction(session, n);
            std::vector<Case> cases;
            for (const ReduceVariant* variant : variants) cases.push_back(reduction.case_of(*variant));
            bench.run(cases);
        });
}

void run(Session& session) {
    if (session.options.operands.empty()) run_benchmark(session);
    else ReduceFilter(session).run(session.options.operands.front());
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(reduce_program, run)
