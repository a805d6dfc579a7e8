// SPDX-License-Identifier: MIT
#include "common/simt/exec/division.hpp"

#include <ucontext.h>

#include <cstdint>
#include <cstring>

namespace simt {

#if defined(__x86_64__)

namespace {

/// The general registers by their numbers in instructions.
constexpr int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

template <class T>
T read_at(uintptr_t address) {
    T value;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
}

/// `div` or `idiv` at the program counter: where its operand is, and how wide.
class Division {
public:
    explicit Division(gregset_t& state) : state_(state), at_(static_cast<uintptr_t>(state[REG_RIP])) {
        unsigned char byte = next();
        for (; byte == 0x66 || byte == 0x64 || byte == 0x65 || byte == 0x2e || byte == 0x3e; byte = next()) {
            narrow_ |= byte == 0x66;
            thread_local_ |= byte == 0x64;
        }
        if ((byte & 0xf0) == 0x40) rex_ = byte, byte = next();
        const unsigned char mode = next();
        const int operation = mode >> 3 & 7;
        is_division_ = (byte == 0xf6 || byte == 0xf7) && operation >= 6;
        if (!is_division_) return;
        is_signed_ = operation == 7;
        width_ = byte == 0xf6 ? 8 : (rex_ & 8) ? 64 : narrow_ ? 16 : 32;
        divisor_ = mode >> 6 == 3 ? from_register(mode & 7) : from_memory(mode);
    }

    bool finish() {
        if (!is_division_) return false;
        const uint64_t mask = width_ == 64 ? ~uint64_t{0} : (uint64_t{1} << width_) - 1;
        const bool by_zero = (divisor_ & mask) == 0;
        if (!by_zero && !is_signed_) return false;  // overflow of a double-width dividend: no compiler emits that
        // Division by zero sets all bits of the results; the lowest number by -1 is itself, with remainder 0.
        const uint64_t lowest = uint64_t{1} << (width_ - 1);
        set_result((by_zero ? mask : lowest), (by_zero ? mask : 0));
        state_[REG_RIP] = static_cast<greg_t>(at_);
        return true;
    }

private:
    unsigned char next() { return read_at<unsigned char>(at_++); }
    uint64_t value(int number) const { return static_cast<uint64_t>(state_[registers[number]]); }

    uint64_t from_register(int number) const {
        const bool is_second_byte = width_ == 8 && rex_ == 0 && number >= 4;  // ah, ch, dh, bh
        if (is_second_byte) return value(number - 4) >> 8;
        return value(number | (rex_ & 1) << 3);
    }

    uint64_t from_memory(unsigned char mode) {
        const int form = mode >> 6;
        int base = mode & 7;
        uint64_t address = 0;
        bool has_base = true, relative = form == 0 && base == 5;
        if (base == 4) {
            const unsigned char scaled = next();
            const int index = (scaled >> 3 & 7) | (rex_ & 2) << 2;
            base = scaled & 7;
            has_base = form != 0 || base != 5;
            if (index != 4) address += value(index) << (scaled >> 6);
        }
        if (relative || !has_base || form == 2) {
            address += static_cast<uint64_t>(int64_t{read_at<int32_t>(at_)});
            at_ += 4;
        } else if (form == 1) {
            address += static_cast<uint64_t>(int64_t{static_cast<signed char>(next())});
        }
        if (relative) {
            address += at_;
        } else if (has_base) {
            address += value(base | (rex_ & 1) << 3);
        }
        if (thread_local_) address += reinterpret_cast<uintptr_t>(__builtin_thread_pointer());
        uint64_t divisor = 0;
        std::memcpy(&divisor, reinterpret_cast<const void*>(address), static_cast<size_t>(width_ / 8));
        return divisor;
    }

    void set_result(uint64_t quotient, uint64_t remainder) {
        if (width_ == 8) {
            set_low(REG_RAX, 16, quotient | remainder << 8);
        } else {
            set_low(REG_RAX, width_, quotient);
            set_low(REG_RDX, width_, remainder);
        }
    }

    /// A 32-bit write clears the upper half.
    void set_low(int name, int width, uint64_t bits) {
        const uint64_t kept = width == 16 ? static_cast<uint64_t>(state_[name]) & ~uint64_t{0xffff} : 0;
        state_[name] = static_cast<greg_t>(kept | bits);
    }

    gregset_t& state_;
    uintptr_t at_;
    bool is_division_ = false, is_signed_ = false, narrow_ = false, thread_local_ = false;
    int rex_ = 0, width_ = 0;
    uint64_t divisor_ = 0;
};

}  // namespace

bool finish_division(void* signal_context) {
    return Division(static_cast<ucontext_t*>(signal_context)->uc_mcontext.gregs).finish();
}

#else

bool finish_division(void*) { return false; }  // the processor does not trap

#endif

}  // namespace simt
