// SPDX-License-Identifier: MIT
#include "common/simt/check/race/shadow.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>
#include <utility>

#include "common/simt/exec/address_space.hpp"

namespace simt::check {

ShadowMap::ShadowMap(uintptr_t begin, size_t bytes, unsigned cells_per_word)
    : begin_(begin & ~uintptr_t{3}), bytes_(bytes + (begin & 3)), cells_per_word_(cells_per_word) {
    const size_t size = (bytes_ / 4 + 2) * cells_per_word * sizeof(ShadowCell);
    void* const cells = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cells == MAP_FAILED) throw std::bad_alloc();
    cells_ = static_cast<ShadowCell*>(cells);
    origin_ = reinterpret_cast<uintptr_t>(cells) - begin_ * (sizeof(ShadowCell) / 4);
}

ShadowMap::~ShadowMap() {
    if (cells_) munmap(cells_, (bytes_ / 4 + 2) * cells_per_word_ * sizeof(ShadowCell));
}

ShadowMap& ShadowMap::operator=(ShadowMap&& other) noexcept {
    std::swap(begin_, other.begin_);
    std::swap(bytes_, other.bytes_);
    std::swap(cells_per_word_, other.cells_per_word_);
    std::swap(cells_, other.cells_);
    std::swap(origin_, other.origin_);
    return *this;
}

// Whole pages are given back to the system, which is fast for pages never used.
void ShadowMap::clear(uintptr_t begin, size_t bytes) {
    if (!cells_ || bytes == 0) return;
    char* const first = reinterpret_cast<char*>(cells_ + (begin - begin_) / 4 * cells_per_word_);
    char* const last = reinterpret_cast<char*>(cells_ + ((begin + bytes - 1 - begin_) / 4 + 1) * cells_per_word_);
    const auto page = [](char* at) {
        return reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(at), page_bytes()));
    };
    char* const first_page = page(first);
    char* const last_page = page(last) == last ? last : page(last) - page_bytes();
    if (first_page >= last_page) {
        std::memset(first, 0, static_cast<size_t>(last - first));
        return;
    }
    std::memset(first, 0, static_cast<size_t>(first_page - first));
    std::memset(last_page, 0, static_cast<size_t>(last - last_page));
    madvise(first_page, static_cast<size_t>(last_page - first_page), MADV_DONTNEED);
}

}  // namespace simt::check
