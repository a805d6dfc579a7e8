// SPDX-License-Identifier: MIT
// What a rank of a gang computes with: products of matrices on its device.
#pragma once

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "common/cli/session.hpp"
#include "tools/matmul/product.cuh"

namespace BACKEND {

// Matrices on one device, which a rank multiplies for a part of its C.
struct LocalProduct {
    ProductShape shape;
    const unsigned char *d_a, *d_b;
    unsigned char* d_c;
    bool beside_exchange = false;  // while NCCL's kernels need multiprocessors, too
};

class Worker {
public:
    // On the current device, which lends so many of its multiprocessors to NCCL.
    Worker(const Session& session, const DeviceInfo& device, DType dtype, unsigned nccl_multiprocessors)
        : block_size_(session.options.block), whole_(session, device, dtype), beside_(whole_, nccl_multiprocessors) {}
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // How a variant computes each of these products, all of which it must support. Equal products share a plan.
    Plans plans(const MatmulVariant& variant, const std::vector<LocalProduct>& products) const {
        std::map<std::tuple<size_t, size_t, bool>, Plan> known;  // k is the same in all
        Plans plans;
        for (const LocalProduct& product : products) {
            Plan& plan = known[{product.shape.m, product.shape.n, product.beside_exchange}];
            if (!plan.launch) plan = find_plan(variant, problem(product));
            plans.push_back(plan);
        }
        return plans;
    }
    ProductProblem problem(const LocalProduct& product) const {
        ProductProblem one = part_for(product).problem;
        one.shape = product.shape;
        return one;
    }

    // Makes room for the workspaces of these plans.
    void make_room(const Plans& plans) {
        size_t most = workspace_.bytes();
        for (const Plan& plan : plans) most = std::max(most, plan.workspace_bytes);
        if (most > workspace_.bytes()) workspace_ = {}, workspace_ = DeviceBuffer<unsigned char>(most);
    }

    // C of a product without steps along k is zero.
    LaunchShape launch(const LocalProduct& product, const Plan& plan, cudaStream_t stream) const {
        const auto& [m, n, k] = product.shape;
        const ProductForm form;
        const DevicePart& part = part_for(product);
        if (k == 0) {
            CHECK(cudaMemsetAsync(product.d_c, 0, m * n * size_of(part.problem.dtype), stream));
            return {};
        }
        MatmulArguments<void> arguments = arguments_of(product.shape, form, ProductStrides::dense(product.shape, form));
        arguments.d_a = product.d_a, arguments.d_b = product.d_b, arguments.d_c = product.d_c;
        arguments.d_workspace = workspace_.data(), arguments.d_partials = part.partials.data();
        arguments.multiprocessors = unsigned(part.device.multiprocessors), arguments.block_size = block_size_;
        arguments.stream = stream;
        return plan.launch(arguments);
    }

private:
    // The device, or what NCCL leaves of it. Each has its own partial sums, laid out by its number of multiprocessors.
    struct DevicePart {
        DevicePart(const Session& session, const DeviceInfo& device_, DType dtype)
            : device(device_), problem(problem_on(session, device, dtype)), partials(make_partials(device)) {}
        DevicePart(const DevicePart& whole, unsigned nccl_multiprocessors)
            : device(whole.device), problem(whole.problem), partials(make_partials(device)) {
            const int left = device.multiprocessors - int(nccl_multiprocessors);
            if (left > 0) device.multiprocessors = left;
            problem.device = &device;
        }
        DeviceInfo device;
        ProductProblem problem;
        DeviceBuffer<unsigned char> partials;
    };
    const DevicePart& part_for(const LocalProduct& product) const { return product.beside_exchange ? beside_ : whole_; }

    const unsigned block_size_;
    const DevicePart whole_, beside_;
    DeviceBuffer<unsigned char> workspace_;
};

}  // namespace BACKEND
