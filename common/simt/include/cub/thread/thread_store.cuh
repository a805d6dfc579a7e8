// SPDX-License-Identifier: MIT
// Stores with a hint for the caches, of which the simulator has none.
#pragma once

#include <type_traits>

#include "../../simt/cub.hpp"

CUB_NAMESPACE_OPEN

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier MODIFIER, typename Iterator, typename T>
SIMT_INLINE void ThreadStore(Iterator iterator, T value) {
    if constexpr (MODIFIER == STORE_VOLATILE && std::is_pointer_v<Iterator> && std::is_scalar_v<T>) {
        *const_cast<volatile std::remove_pointer_t<Iterator>*>(iterator) = value;
    } else {
        *iterator = value;
    }
}

CUB_NAMESPACE_CLOSE
