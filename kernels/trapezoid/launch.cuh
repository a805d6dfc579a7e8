// SPDX-License-Identifier: MIT
#pragma once
// The launch functions, for integrands compiled with the program or at run time.
#include "common/cuda/check.cuh"
#include "kernels/trapezoid/kernels.cuh"

#include <cuda_runtime.h>

#include <cmath>
#include <cstddef>

// ---- the functions that the program knows by name. A kernel gets one as an integrand; its apply(action) calls
// action(f) with the function as an object or pointer, so that the choice is made once, not for every trapezoid.

namespace BACKEND {

/// In the order of the table of functions.
enum class BuiltIn : int { parabola, lorentz, sin, gauss, sqrt };

template <typename T>
struct Parabola {
    __host__ __device__ T operator()(T x) const { return x * x + T(1); }
};

template <typename T>
struct Lorentz {
    __host__ __device__ T operator()(T x) const { return T(4) / (T(1) + x * x); }
};

template <typename T>
struct Sine {
    __host__ __device__ T operator()(T x) const { return sin(x); }
};

template <typename T>
struct Gauss {
    __host__ __device__ T operator()(T x) const { return exp(-(x * x)); }
};

template <typename T>
struct SquareRoot {
    __host__ __device__ T operator()(T x) const { return sqrt(x); }
};

// (The action is a host or a device function, whichever the caller is.)
#pragma nv_exec_check_disable
template <typename T, typename Action>
__host__ __device__ auto apply_built_in(BuiltIn which, Action action) {
    switch (which) {
        case BuiltIn::lorentz: return action(Lorentz<T>{});
        case BuiltIn::sin: return action(Sine<T>{});
        case BuiltIn::gauss: return action(Gauss<T>{});
        case BuiltIn::sqrt: return action(SquareRoot<T>{});
        default: return action(Parabola<T>{});
    }
}

#if defined(__SIMCC__)
/// In the simulator device functions are host functions, so a pointer works, also to one compiled at run time.
template <typename T>
struct Integrand {
    T (*evaluate)(T);

    template <typename Action>
    __device__ auto apply(Action action) const {
        return action(evaluate);
    }
};

template <typename T>
Integrand<T> integrand_of(BuiltIn which) {
    return {apply_built_in<T>(which, [](auto f) -> T (*)(T) { return [](T x) { return decltype(f){}(x); }; })};
}
#else
template <typename T>
struct Integrand {
    BuiltIn which;

    template <typename Action>
    __device__ auto apply(Action action) const {
        return apply_built_in<T>(which, action);
    }
};

template <typename T>
Integrand<T> integrand_of(BuiltIn which) {
    return {which};
}
#endif

/// The kernels of kernels.cuh for an integrand that was compiled at run time.
class CompiledKernels {
public:
    virtual ~CompiledKernels() = default;
    /// parameters: pointers to the kernel's parameters; the one to the integrand is not read.
    virtual void launch(const char* kernel, const LaunchShape& shape, void** parameters, cudaStream_t stream) const = 0;
};

/// block_size: 1 to 1024, rounded up to whole warps by all kernels but trapezoid_atomic and trapezoid_per_thread. grid:
/// the blocks of those that take any grid; 0: what suits the device, which has `multiprocessors`.
/// d_workspace: the bytes that the variant's function asks for, zeroed once; every launch leaves it ready for the next.
/// compiled: if set, its kernels run instead of those for `integrand`.
template <typename T>
struct TrapezoidArguments {
    Trapezoids<T> rule;
    Integrand<T> integrand;
    T* d_result = nullptr;
    void* d_workspace = nullptr;
    unsigned block_size = 256;
    unsigned grid = 0;
    unsigned multiprocessors = 1;
    const CompiledKernels* compiled = nullptr;
    cudaStream_t stream = nullptr;
};

/// A kernel and its name.
template <typename T, typename... More>
struct TrapezoidKernel {
    const char* name;
    void (*kernel)(Trapezoids<T>, Integrand<T>, T*, More...);
};

template <typename T, typename... More>
LaunchShape launch_trapezoid(const TrapezoidKernel<T, More...>& kernel, const LaunchShape& shape,
                             const TrapezoidArguments<T>& arguments, More... more) {
    if (arguments.compiled != nullptr) {
        Trapezoids<T> rule = arguments.rule;
        char integrand = 0;
        T* d_result = arguments.d_result;
        void* parameters[] = {&rule, &integrand, &d_result, &more...};
        arguments.compiled->launch(kernel.name, shape, parameters, arguments.stream);
        return shape;
    }
    const auto run = kernel.kernel;
    run<<<shape.grid, shape.block, shape.dynamic_shared_bytes, arguments.stream>>>(arguments.rule, arguments.integrand,
                                                                                   arguments.d_result, more...);
    return shape;
}

/// Clears the total that the blocks add to, then launches one thread per trapezoid.
template <typename T>
LaunchShape launch_onto_zero(const TrapezoidKernel<T>& kernel, unsigned block, size_t shared_bytes,
                             const TrapezoidArguments<T>& arguments) {
    CHECK(cudaMemsetAsync(arguments.d_result, 0, sizeof(T), arguments.stream));
    return launch_trapezoid(kernel, {dim3(grid_for(arguments.rule.n, block)), dim3(block), shared_bytes}, arguments);
}

template <typename T>
LaunchShape launch_trapezoid_atomic(const TrapezoidArguments<T>& arguments) {
    return launch_onto_zero({"trapezoid_atomic", trapezoid_atomic<T, Integrand<T>>}, arguments.block_size, 0,
                            arguments);
}

/// 1024 threads per multiprocessor, which leaves each 64 registers, but no more than have a few trapezoids each.
template <typename T>
LaunchShape strided_shape(const TrapezoidArguments<T>& arguments, unsigned block) {
    constexpr unsigned threads_per_multiprocessor = 1024, fewest_each = 4;
    const unsigned most_blocks =
        arguments.grid > 0 ? arguments.grid : arguments.multiprocessors * (threads_per_multiprocessor / block);
    const unsigned blocks =
        grid_for(arguments.rule.n, static_cast<size_t>(arguments.grid > 0 ? 1 : fewest_each) * block);
    return {dim3(blocks < most_blocks ? blocks : most_blocks), dim3(block), 0};
}

template <typename T>
LaunchShape launch_trapezoid_per_thread(const TrapezoidArguments<T>& arguments) {
    CHECK(cudaMemsetAsync(arguments.d_result, 0, sizeof(T), arguments.stream));
    return launch_trapezoid({"trapezoid_per_thread", trapezoid_per_thread<T, Integrand<T>>},
                            strided_shape(arguments, arguments.block_size), arguments);
}

template <typename T>
LaunchShape launch_trapezoid_shuffle_xor(const TrapezoidArguments<T>& arguments) {
    return launch_onto_zero({"trapezoid_shuffle_xor", trapezoid_shuffle_xor<T, Integrand<T>>},
                            whole_warps(arguments.block_size), 0, arguments);
}

template <typename T>
LaunchShape launch_trapezoid_shuffle(const TrapezoidArguments<T>& arguments) {
    return launch_onto_zero({"trapezoid_shuffle", trapezoid_shuffle<T, Integrand<T>>},
                            whole_warps(arguments.block_size), 0, arguments);
}

template <typename T>
LaunchShape launch_trapezoid_dissemination(const TrapezoidArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    return launch_onto_zero({"trapezoid_dissemination", trapezoid_dissemination<T, Integrand<T>>}, block,
                            block * sizeof(T), arguments);
}

template <typename T>
LaunchShape launch_trapezoid_block(const TrapezoidArguments<T>& arguments) {
    return launch_onto_zero({"trapezoid_block", trapezoid_block<T, Integrand<T>>}, whole_warps(arguments.block_size), 0,
                            arguments);
}

/// Bytes of workspace: the sums of all launches but the last.
template <typename T>
size_t tree_workspace(const TrapezoidArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    size_t sums = 0;
    for (unsigned grid = grid_for(arguments.rule.n, block); grid > 1; grid = grid_for(grid, block)) sums += grid;
    return sums * sizeof(T);
}

template <typename T>
LaunchShape launch_trapezoid_tree(const TrapezoidArguments<T>& arguments) {
    const unsigned block = whole_warps(arguments.block_size);
    const LaunchShape shape{dim3(grid_for(arguments.rule.n, block)), dim3(block), 0};
    CHECK(cudaMemsetAsync(arguments.d_result, 0, sizeof(T), arguments.stream));
    T* sums = static_cast<T*>(arguments.d_workspace);
    launch_trapezoid({"trapezoid_tree", trapezoid_tree<T, Integrand<T>>}, shape, arguments, sums);
    for (unsigned n = shape.grid.x; n > 1; n = grid_for(n, block)) {
        trapezoid_tree_of_sums<<<grid_for(n, block), block, 0, arguments.stream>>>(sums, n, arguments.d_result,
                                                                                   sums + n);
        sums += n;
    }
    return shape;
}

template <typename T>
LaunchShape grid_stride_shape(const TrapezoidArguments<T>& arguments) {
    return strided_shape(arguments, whole_warps(arguments.block_size));
}

/// Bytes of workspace: a mailbox for every block but the last.
template <typename T>
size_t grid_stride_workspace(const TrapezoidArguments<T>& arguments) {
    return grid_stride_shape(arguments).grid.x * sizeof(Mailbox<T>);
}

template <typename T>
LaunchShape launch_trapezoid_grid_stride(const TrapezoidArguments<T>& arguments) {
    return launch_trapezoid({"trapezoid_grid_stride", trapezoid_grid_stride<T, Integrand<T>>},
                            grid_stride_shape(arguments), arguments, static_cast<Mailbox<T>*>(arguments.d_workspace));
}

}  // namespace BACKEND
