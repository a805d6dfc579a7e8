// SPDX-License-Identifier: MIT
// Operators of the whole program: what they hand out has a mark in front, and what they get back must have it, too.
#include <atomic>
#include <cstdlib>
#include <new>

std::atomic<int> handed_out{0};

constexpr std::size_t room_for_mark = 16;
constexpr long mark = 0x5157;

void* operator new(std::size_t bytes) {
    ++handed_out;
    char* const memory = static_cast<char*>(std::malloc(bytes + room_for_mark));
    *reinterpret_cast<long*>(memory) = mark;
    return memory + room_for_mark;
}

void operator delete(void* pointer) noexcept {
    if (!pointer) return;
    char* const memory = static_cast<char*>(pointer) - room_for_mark;
    if (*reinterpret_cast<long*>(memory) != mark) std::abort();
    --handed_out;
    std::free(memory);
}

void operator delete(void* pointer, std::size_t) noexcept { operator delete(pointer); }
