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
        : whole_(session, device, dtype, 0), beside_(session, device, dtype, nccl_multiprocessors) {}
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

    LaunchShape launch(const LocalProduct& product, const Plan& plan, cudaStream_t stream) const {
        const ProductForm form;
        return part_for(product).launcher.launch(
            plan,
            {product.shape, form, ProductStrides::dense(product.shape, form), product.d_a, product.d_b, product.d_c},
            workspace_.data(), stream);
    }

private:
    // The device, or what NCCL leaves of it.
    struct DevicePart {
        DevicePart(const Session& session, const DeviceInfo& whole, DType dtype, unsigned nccl_multiprocessors)
            : device(without(whole, int(nccl_multiprocessors))),
              problem(problem_on(session, whole, dtype)),
              launcher(session, device, dtype) {
            problem.device = &device;
        }
        static DeviceInfo without(DeviceInfo device, int multiprocessors) {
            if (multiprocessors < device.multiprocessors) device.multiprocessors -= multiprocessors;
            return device;
        }
        const DeviceInfo device;
        ProductProblem problem;
        const ProductLauncher launcher;
    };
    const DevicePart& part_for(const LocalProduct& product) const { return product.beside_exchange ? beside_ : whole_; }

    const DevicePart whole_, beside_;
    DeviceBuffer<unsigned char> workspace_;
};

}  // namespace BACKEND
