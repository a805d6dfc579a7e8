// SPDX-License-Identifier: MIT
#pragma once
// The registers in which a thread of the fastest reductions accumulates: one value for each element of a vector.
#include "common/cuda/vector_access.cuh"
#include "kernels/reduce/operators.cuh"

#include <cuda_runtime.h>

namespace BACKEND {

/// One running value for each element of a vector: combining a vector takes independent instructions, not a chain.
template <typename T, typename Operator>
struct RunningVector {
    using Value = ValueOf<Operator>;
    Value running[Vector<T>::length];

    __device__ __forceinline__ explicit RunningVector(Operator op) {
#pragma unroll
        for (Value& value : running) value = op.identity();
    }

    /// Combines with vectors[0], vectors[stride], ...: `loads` of them, all in flight before the first is used.
    template <unsigned loads>
    __device__ void add(const Vector<T>* vectors, unsigned stride, Operator op) {
        Vector<T> loaded[loads];
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) loaded[k] = load_once(vectors + k * stride);
        add_loaded(loaded, op);
    }

    /// The same for vectors[first], vectors[first + stride], ..., without those from vectors[count] on.
    template <unsigned loads, typename Index>
    __device__ void add_before(const Vector<T>* vectors, Index first, unsigned stride, Index count, Operator op) {
        Vector<T> loaded[loads];
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
            const Index i = first + static_cast<Index>(k * stride);
            loaded[k] = i < count ? load_once(vectors + i) : nothing(op);
        }
        add_loaded(loaded, op);
    }

    __device__ __forceinline__ Value total(Operator op) const {
        Value value = running[0];
#pragma unroll
        for (unsigned k = 1; k < Vector<T>::length; ++k) value = op.combine(value, running[k]);
        return value;
    }

private:
    static __device__ __forceinline__ Vector<T> nothing(Operator op) {
        Vector<T> vector;
#pragma unroll
        for (T& value : vector.values) value = op.nothing();
        return vector;
    }

    template <unsigned loads>
    __device__ void add_loaded(const Vector<T> (&loaded)[loads], Operator op) {
#pragma unroll
        for (unsigned k = 0; k < loads; ++k) {
#pragma unroll
            for (unsigned j = 0; j < Vector<T>::length; ++j) {
                running[j] = op.combine(running[j], loaded[k].values[j]);
            }
        }
    }
};

}  // namespace BACKEND
