// SPDX-License-Identifier: MIT
// The parts of a program's table of variants, in which a row holds everything about a variant:
//
//     template <typename T> using Launch = LaunchShape(const VecaddArguments<T>&);
//
//     struct VecaddVariant : Variant {
//         FunctionSet<Launch, float, double> launch = {};
//     };
//     inline const VecaddVariant vecadd_variants[] = {
//         {{"grid-stride", "a resident grid strides over the elements"}, ON_ARGUMENTS(launch_vecadd_grid_stride)},
//     };
//     ... program.variants = variants_of(vecadd_variants);
//
//     for (const VecaddVariant* variant : session.selected<VecaddVariant>())
//         const LaunchShape shape = variant->launch.get<T>()(arguments);
#pragma once

#include <tuple>
#include <type_traits>

#include "common/cuda/launch_shape.cuh"
#include "common/measure/variant.hpp"

namespace BACKEND {

// A pointer to a function of type Signature<Type> for each of `Types`, made from one generic lambda without captures.
// The pointer is null for a type that the lambda's parameters do not accept, and if there is no lambda.
template <template <typename> class Signature, typename... Types>
class FunctionSet {
public:
    FunctionSet() = default;

    template <typename Lambda>
    FunctionSet(Lambda lambda) : slots_{Slot<Types>{pointer_for<Types>(lambda)}...} {}

    template <typename Type>
    Signature<Type>* get() const {
        return std::get<Slot<Type>>(slots_).function;
    }

private:
    template <typename Type>
    struct Slot {
        Signature<Type>* function = nullptr;
    };

    template <typename Type, typename Lambda>
    static Signature<Type>* pointer_for(Lambda lambda) {
        if constexpr (std::is_convertible_v<Lambda, Signature<Type>*>) return lambda;
        else return nullptr;
    }

    std::tuple<Slot<Types>...> slots_;
};

}  // namespace BACKEND

// A function template as a generic lambda; its template arguments are deduced from its argument.
#define ON_ARGUMENTS(function) [](const auto& arguments) { return function(arguments); }
