// SPDX-License-Identifier: MIT
// The type of a kernel's parameter, for launches with a braced argument: the rewriter turns the {1, 2} of k<<<1,
// 1>>>({1, 2}) into simt::KernelParameter<decltype(k), 0>{1, 2}.
#pragma once

namespace simt {

template <class Function, unsigned index>
struct ParameterAt;
template <class Function, unsigned index>
struct ParameterAt<Function*, index> : ParameterAt<Function, index> {};
template <class Function, unsigned index>
struct ParameterAt<Function* const, index> : ParameterAt<Function, index> {};
template <class Function, unsigned index>
struct ParameterAt<Function&, index> : ParameterAt<Function, index> {};
template <class First, class... Rest, unsigned index>
struct ParameterAt<void(First, Rest...), index> : ParameterAt<void(Rest...), index - 1> {};
template <class First, class... Rest>
struct ParameterAt<void(First, Rest...), 0> {
    using type = First;
};

template <class Function, unsigned index>
using KernelParameter = typename ParameterAt<Function, index>::type;

}  // namespace simt
