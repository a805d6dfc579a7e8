// SPDX-License-Identifier: MIT
// An expression as an integrand for the device: compiled while the program runs, for a GPU together with all kernels,
// for the simulator by itself.
#pragma once

#include "common/cli/session.hpp"
#include "kernels/trapezoid/launch.cuh"
#include "tools/trapezoid/integral.hpp"
#ifdef __SIMCC__
#include "tools/trapezoid/shared_object.hpp"
#else
#include "tools/trapezoid/device_code.hpp"
#include "tools/trapezoid/kernel_sources.hpp"
#endif

namespace BACKEND {

#ifdef __SIMCC__
template <typename T>
class CompiledIntegrand {
public:
    CompiledIntegrand(const Session&, const Integral& integral) : object_(integral.function, dtype_of<T>) {}

    Integrand<T> integrand() const { return {object_.template function<T>()}; }
    const CompiledKernels* kernels() const { return nullptr; }

private:
    SharedObject object_;
};
#else
template <typename T>
class CompiledIntegrand final : public CompiledKernels {
public:
    CompiledIntegrand(const Session& session, const Integral& integral)
        : module_(compile(session, integral), kernel_names()) {}

    Integrand<T> integrand() const { return {}; }
    const CompiledKernels* kernels() const { return this; }

    void launch(const char* kernel, const LaunchShape& shape, void** parameters, cudaStream_t stream) const override {
        const dim3 &grid = shape.grid, &block = shape.block;
        module_.launch(kernel, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shape.dynamic_shared_bytes,
                       stream, parameters);
    }

private:
    static DeviceCode compile(const Session& session, const Integral& integral) {
        CHECK(cudaFree(nullptr));  // makes the context that the driver's library then finds
        return compile_kernels(integral.function, dtype_of<T>, session.device.compute_capability);
    }

    DeviceModule module_;
};
#endif

}  // namespace BACKEND
