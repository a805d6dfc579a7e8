// SPDX-License-Identifier: MIT
// reduce's problem: numbers on the host, on a device, or a share of them on each of several. Each reduces its share, and
// an all-reduce of the results, one element each, joins them.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/gang/sweep.cuh"
#include "tools/reduce/reference.cuh"
#include "tools/reduce/selection.cuh"
#include "tools/reduce/table.cuh"
#include "tools/reduce/workspace.cuh"

namespace BACKEND {

inline ncclRedOp_t joined_by(Operation operation) {
    switch (operation) {
        case Operation::minimum: return ncclMin;
        case Operation::maximum: return ncclMax;
        default: return ncclSum;
    }
}

// The numbers of one size on all devices of a gang, and the expected results of one operation or several at once.
template <typename T>
class NumbersOnGang {
public:
    NumbersOnGang(Session& session_, const Gang& gang, const ReduceOperations& operations_, size_t n_)
        : session(session_), operations(operations_), n(n_), own_(own_share(gang, n)), parts_(gang.size()) {
        // (Allocated before the host's array, so that the message for too large a size names the device's free memory.)
        gang.on_each([&](size_t rank) {
            parts_[rank] = std::make_unique<Part>(share_of(n, rank, gang.size()), asked().offset);
        });
        h_values_.reset(new T[own_.size + 1]);
        const ReduceValues values = values_for<T>(asked(), operations);
        session.begin_step(text("generating {} numbers", own_.size));
        fill_values(h_values_.get(), own_.size, values, session.options.seed, own_.begin);
        session.begin_step(text("reducing {} numbers on the host, for the reference", own_.size));
        reference_ = make_reference(h_input(Accuracy::exact), operations, values, *session.options.team);
        gang.on_each([&](size_t rank) {
            const Part& part = *parts_[rank];
            if (part.share.size > 0)
                copy_to_device(part.d_values(), h_values_.get() + part.share.begin - own_.begin,
                               part.share.size * sizeof(T));
        });
    }

    // A rank's share of the numbers, and its results, which in the end are those of all.
    struct Part {
        Part(const Share& share_, size_t offset_)
            : share(share_), offset(offset_), d_memory(share.size + offset), d_result(1), d_found(1) {}
        T* d_values() const { return d_memory.data() + offset; }

        const Share share;
        const size_t offset;
        const DeviceBuffer<T> d_memory, d_result;
        const DeviceBuffer<Found<T>> d_found;
    };
    const Part& part(size_t rank) const { return *parts_[rank]; }

    // A copy of the rank's share for kernels that work in place.
    T* d_scratch(size_t rank) const {
        std::unique_ptr<DeviceBuffer<T>>& scratch = scratch_[rank];
        const Part& part = *parts_[rank];
        if (!scratch) scratch = std::make_unique<DeviceBuffer<T>>(part.share.size + part.offset);
        return scratch->data() + part.offset;
    }

    // This process's numbers.
    HostInput<T> h_input(Accuracy accuracy) const {
        const bool combines = is_combination(operations) && accuracy == Accuracy::plain;
        return {h_values_.get(), own_.size, operation(), !combines, wanted_for(operations), accuracy};
    }
    const ReduceOptions& asked() const { return session.own<ReduceOptions>(); }
    Operation operation() const { return operation_on_device(operations.front()); }  // for variants that know one
    static Problem problem(size_t n) { return {dtype_of<T>, n, double(n) * sizeof(T), double(n)}; }

    // Sets `error`, see compare_with().
    Verdict compare(const Found<T>& found, const ReduceVariant& variant, double& error) const {
        return compare_with(reference_, found, variant.accuracy(asked().accuracy), session.options.tolerance, error);
    }

    Session& session;
    const ReduceOperations operations;
    const size_t n;

private:
    // The shares of this process's ranks, which are contiguous.
    static Share own_share(const Gang& gang, size_t n) {
        Share own = {0, 0};
        gang.on_each([&](size_t rank) {
            const Share share = share_of(n, rank, gang.size());
            if (own.size == 0) own.begin = share.begin;
            own.size += share.size;
        });
        return own;
    }

    const Share own_;
    std::vector<std::unique_ptr<Part>> parts_;  // by rank, those of this process
    mutable std::map<size_t, std::unique_ptr<DeviceBuffer<T>>> scratch_;
    std::unique_ptr<T[]> h_values_;
    Reference<T> reference_;
};

inline std::vector<Cell> cells_of_row(const ReduceOptions& asked, const ReduceOperations& operations,
                                      double error = absent().value) {
    return cells_of(reduce_columns, ReduceRow{asked, operations, error});
}

template <typename T>
class ReductionOnHost final : public Case {
public:
    ReductionOnHost(const ReduceVariant& variant_, const NumbersOnGang<T>& numbers)
        : Case(variant_, numbers.problem(numbers.n)), of_(variant_), numbers_(numbers) {}

    LaunchShape launch(cudaStream_t) override {
        found_ = of_.on_host.template get<T>()(numbers_.h_input(numbers_.asked().accuracy));
        return {};
    }
    Verdict check() override { return numbers_.compare(found_, of_, error_); }
    std::vector<Cell> own_cells(double) override { return cells_of_row(numbers_.asked(), numbers_.operations, error_); }

private:
    const ReduceVariant& of_;
    const NumbersOnGang<T>& numbers_;
    Found<T> found_{};
    double error_ = absent().value;
};

template <typename T>
class ReductionOnDevices final : public GangCase {
public:
    ReductionOnDevices(const ReduceVariant& variant_, Gang& gang_, const NumbersOnGang<T>& numbers)
        : GangCase(variant_, numbers.problem(numbers.n), gang_),
          of_(variant_),
          numbers_(numbers),
          arguments_(gang_.size()),
          workspaces_(gang_.size()) {
        gang.on_each([&](size_t rank) {
            arguments_[rank] = arguments_of(rank);
            workspaces_[rank] = give_workspace(of_, arguments_[rank]);
        });
    }

    void prepare_on(size_t rank) override {
        const auto& part = numbers_.part(rank);
        if (of_.destroys_input && part.share.size > 0)
            CHECK(cudaMemcpyAsync(numbers_.d_scratch(rank), part.d_values(), part.share.size * sizeof(T),
                                  cudaMemcpyDeviceToDevice, gang.stream(rank)));
    }
    LaunchShape launch_on(size_t rank) override { return of_.launch.template get<T>()(arguments_[rank]); }
    void join() override {
        if (gang.size() == 1) return;
        const Communicators& communicators = gang.communicators();
        const Nccl& nccl = gang.nccl();
        nccl.group([&] {
            gang.on_each([&](size_t rank) {
                T* const d_result = arguments_[rank].d_result;
                nccl.expect(nccl.all_reduce(d_result, d_result, 1, nccl_type<T>(), joined_by(numbers_.operation()),
                                            communicators[rank], gang.stream(rank)),
                            "ncclAllReduce", communicators[rank]);
            });
        });
    }
    void poison_on(size_t rank) override {
        CHECK(cudaMemsetAsync(arguments_[rank].d_result, 0xa5, sizeof(T), gang.stream(rank)));
        CHECK(cudaMemsetAsync(arguments_[rank].d_found, 0xa5, sizeof(Found<T>), gang.stream(rank)));
    }
    Verdict check_on(size_t rank) override {
        const auto& part = numbers_.part(rank);
        const Found<T> found = of_.leaves == Leaves::element ? found_of<T>(numbers_.operation(), fetch(part.d_result))
                                                             : fetch(part.d_found);
        return numbers_.compare(found, of_, error_);
    }
    std::vector<Cell> own_cells(double) override { return cells_of_row(numbers_.asked(), numbers_.operations, error_); }

private:
    ReduceArguments<T> arguments_of(size_t rank) const {
        const auto& part = numbers_.part(rank);
        ReduceArguments<T> arguments;
        arguments.d_input = of_.destroys_input ? numbers_.d_scratch(rank) : part.d_values();
        arguments.n = part.share.size;
        arguments.d_result = part.d_result.data();
        arguments.d_found = part.d_found.data();
        arguments.operation = numbers_.operation();
        arguments.wanted = wanted_for(numbers_.operations);
        arguments.block_size = numbers_.session.options.block;
        arguments.grid = numbers_.asked().grid.value_or(0);
        arguments.multiprocessors = unsigned(gang.device(rank).multiprocessors);
        arguments.stream = gang.stream(rank);
        return arguments;
    }

    template <typename Value>
    static Value fetch(const DeviceBuffer<Value>& d_value) {
        Value value{};
        CHECK(cudaMemcpy(&value, d_value.data(), sizeof value, cudaMemcpyDeviceToHost));
        return value;
    }

    const ReduceVariant& of_;
    const NumbersOnGang<T>& numbers_;
    std::vector<ReduceArguments<T>> arguments_;  // by rank
    std::vector<DeviceBuffer<unsigned char>> workspaces_;
    double error_ = absent().value;
};

// n numbers, or with --weak n on each device.
template <typename T>
class Reduction final : public GangProblem {
public:
    Reduction(Session& session, const ReduceOperations& operations, const std::vector<const ReduceVariant*>& variants,
              size_t n)
        : session_(session), operations_(operations), variants_(variants), n_(n) {}

    void with_cases(Gang& gang, size_t ranks, const Use& use) override {
        const size_t n = elements_of_first(gang.size(), ranks, n_, session_.options);
        const NumbersOnGang<T> numbers(session_, gang, operations_, n);
        Cases cases;
        for (const ReduceVariant* variant : variants_)
            if (variant->needs == Needs::host) cases.push_back(std::make_unique<ReductionOnHost<T>>(*variant, numbers));
            else cases.push_back(std::make_unique<ReductionOnDevices<T>>(*variant, gang, numbers));
        use(cases);
    }
    Row describe(const Variant&, size_t ranks, double) const override {
        const size_t n = elements_of_first(ranks, ranks, n_, session_.options);
        return {NumbersOnGang<T>::problem(n), cells_of_row(session_.own<ReduceOptions>(), operations_)};
    }
    std::vector<Exchange> exchanges(size_t) const override { return {{Collective::all_reduce, sizeof(T)}}; }

private:
    Session& session_;
    const ReduceOperations operations_;
    const std::vector<const ReduceVariant*> variants_;
    const size_t n_;
};

}  // namespace BACKEND
