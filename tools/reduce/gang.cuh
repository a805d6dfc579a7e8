// SPDX-License-Identifier: MIT
// reduce on several devices: each reduces its share, and an all-reduce of the results, one element each, joins them.
#pragma once

#include <memory>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/gang/sweep.cuh"
#include "tools/reduce/reference.cuh"
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

// Whether a variant can reduce shares: it leaves an element, which devices can combine, and its input as it was.
inline bool works_in_gang(const ReduceVariant& variant) {
    return variant.needs != Needs::host && variant.leaves == Leaves::element && !variant.destroys_input;
}

inline Case describe_gang(const Session& session, const Variant& variant, ReduceOperation operation, DType dtype,
                          size_t n, const std::shared_ptr<double>& error) {
    Case one;
    one.variant = &variant;
    one.problem = {dtype, n, double(n) * size_of(dtype), double(n)};
    one.own_cells = [&asked = session.own<ReduceOptions>(), operation, error](double) {
        return cells_of(reduce_columns, ReduceRow{asked, {operation}, *error});
    };
    return one;
}

// The data of one size on all devices of a gang, and the variants as cases over it.
template <typename T>
class GangReduction {
public:
    GangReduction(Session& session, Gang& gang, ReduceOperation operation, size_t n)
        : session_(session),
          asked_(session.own<ReduceOptions>()),
          gang_(gang),
          operation_(operation),
          n_(n),
          own_(own_share(gang, n)),
          h_values_(new T[own_.size + 1]) {
        const ReduceOperations operations = {operation};
        const ReduceValues values = values_for<T>(asked_, operations);
        session.begin_step(text("generating {} numbers", own_.size));
        fill_values(h_values_.get(), own_.size, values, session.options.seed, own_.begin);
        session.begin_step(text("reducing {} numbers on the host, for the reference", own_.size));
        HostInput<T> own;
        own.values = h_values_.get(), own.n = own_.size, own.operation = operation_on_device(operation);
        own.wanted = wanted_for(operations), own.accuracy = Accuracy::exact, own.finds = true;
        reference_ = make_reference(own, operations, values, *session.options.team);
        parts_.resize(gang.size());
        gang.on_each([&](size_t rank) { parts_[rank] = std::make_unique<Part>(*this, rank); });
    }

    Case case_of(const ReduceVariant& variant) {
        const auto workspaces = std::make_shared<std::vector<DeviceBuffer<unsigned char>>>(gang_.size());
        const auto arguments = std::make_shared<std::vector<ReduceArguments<T>>>(gang_.size());
        gang_.on_each([&](size_t rank) {
            (*arguments)[rank] = arguments_of(rank);
            (*workspaces)[rank] = give_workspace(variant, (*arguments)[rank]);
        });
        const auto error = std::make_shared<double>(absent().value);
        Case one = describe_gang(session_, variant, operation_, dtype_of<T>, n_, error);
        GangWork work;
        work.launch = [workspaces, arguments, launch = variant.launch.get<T>()](size_t rank) {
            return launch((*arguments)[rank]);
        };
        if (gang_.size() > 1) work.join = [this] { join(); };
        work.poison = [this](size_t rank) {
            CHECK(cudaMemsetAsync(parts_[rank]->d_result.data(), 0xa5, sizeof(T), gang_.stream(rank)));
        };
        work.check = [this, error](size_t rank) {
            T result{};
            CHECK(cudaMemcpy(&result, parts_[rank]->d_result.data(), sizeof result, cudaMemcpyDeviceToHost));
            const Found<T> found = found_of<T>(operation_on_device(operation_), result);
            return compare_with(reference_, found, Accuracy::plain, session_.options.tolerance, *error);
        };
        set_work(one, gang_, work);
        return one;
    }

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

    // A rank's share of the numbers, and its result, which in the end is the result of all.
    struct Part {
        Part(const GangReduction& of, size_t rank)
            : share(share_of(of.n_, rank, of.gang_.size())), d_values(share.size + of.asked_.offset), d_result(1) {
            if (share.size == 0) return;
            copy_to_device(d_values.data() + of.asked_.offset, of.h_values_.get() + share.begin - of.own_.begin,
                           share.size * sizeof(T));
        }
        Share share;
        DeviceBuffer<T> d_values, d_result;
    };

    ReduceArguments<T> arguments_of(size_t rank) const {
        const Part& part = *parts_[rank];
        ReduceArguments<T> arguments;
        arguments.d_input = part.d_values.data() + asked_.offset;
        arguments.n = part.share.size;
        arguments.d_result = part.d_result.data();
        arguments.operation = operation_on_device(operation_);
        arguments.block_size = session_.options.block;
        arguments.multiprocessors = unsigned(gang_.device(rank).multiprocessors);
        arguments.stream = gang_.stream(rank);
        return arguments;
    }

    void join() {
        const Communicators& communicators = gang_.communicators();
        const Nccl& nccl = gang_.nccl();
        nccl.group([&] {
            gang_.on_each([&](size_t rank) {
                T* const d_result = parts_[rank]->d_result.data();
                const ncclRedOp_t operation = joined_by(operation_on_device(operation_));
                nccl.expect(nccl.all_reduce(d_result, d_result, 1, nccl_type<T>(), operation, communicators[rank],
                                            gang_.stream(rank)),
                            "ncclAllReduce", communicators[rank]);
            });
        });
    }

    Session& session_;
    const ReduceOptions& asked_;
    Gang& gang_;
    const ReduceOperation operation_;
    const size_t n_;
    const Share own_;
    std::unique_ptr<T[]> h_values_;
    Reference<T> reference_;
    std::vector<std::unique_ptr<Part>> parts_;  // by rank, those of this process
};

// n numbers, or with --weak n on each device.
template <typename T>
GangProblem gang_problem_of(Session& session, ReduceOperation operation, size_t n) {
    GangProblem problem;
    problem.with_cases = [=, &session](Gang& gang, size_t ranks, const GangProblem::Use& use) {
        GangReduction<T> reduction(session, gang, operation, elements_of_first(gang.size(), ranks, n, session.options));
        std::vector<Case> cases;
        for (const ReduceVariant* variant : session.selected<ReduceVariant>())
            if (works_in_gang(*variant)) cases.push_back(reduction.case_of(*variant));
        use(cases);
    };
    problem.describe = [=, &session](const Variant& variant, size_t ranks) {
        return describe_gang(session, variant, operation, dtype_of<T>,
                             elements_of_first(ranks, ranks, n, session.options),
                             std::make_shared<double>(absent().value));
    };
    problem.exchanges = [](size_t) { return std::vector<Exchange>{{Collective::all_reduce, sizeof(T)}}; };
    return problem;
}

}  // namespace BACKEND
