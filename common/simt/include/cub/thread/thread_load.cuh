// SPDX-License-Identifier: MIT
// Loads with a hint for the caches, of which the simulator has none.
#pragma once

#include <type_traits>

#include "../../simt/cub.hpp"

CUB_NAMESPACE_OPEN

enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };

template <CacheLoadModifier MODIFIER, typename Iterator>
SIMT_INLINE simt_parts::ValueOf<Iterator> ThreadLoad(Iterator iterator) {
    return *iterator;
}
template <CacheLoadModifier MODIFIER, typename T>
SIMT_INLINE T ThreadLoad(T* pointer) {
    if constexpr (MODIFIER == LOAD_VOLATILE && std::is_scalar_v<T>) {
        return *const_cast<volatile T*>(pointer);
    } else {
        return *pointer;
    }
}

CUB_NAMESPACE_CLOSE
