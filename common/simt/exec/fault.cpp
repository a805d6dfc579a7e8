// SPDX-License-Identifier: MIT
#include "common/simt/exec/fault.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

// ---- integer division by zero, and of the lowest number by -1: x86 processors trap, GPUs go on with some result

namespace {

#if defined(__x86_64__)

/// The general registers by their numbers in instructions.
constexpr int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

template <typename T>
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

/// If the signal's context stopped at a division instruction, gives it the result that a GPU gives, and moves the
/// context past it. Returns whether it did.
bool finish_division(void* signal_context) {
    return Division(static_cast<ucontext_t*>(signal_context)->uc_mcontext.gregs).finish();
}

#else

bool finish_division(void*) { return false; }  // the processor does not trap

#endif

// ---- faults in lanes

constexpr size_t fault_stack_bytes = 64 << 10;
constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE};

int interrupt_signal() { return SIGRTMAX - 3; }

struct sigaction previous_actions[NSIG];
// The runtime's code, which may be a library of its own.
MemoryRange runtime_code;

struct Registers {
    uintptr_t stack_pointer, program_counter;
};

Registers interrupted_registers(const void* context) {
    const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return {static_cast<uintptr_t>(machine.gregs[REG_RSP]), static_cast<uintptr_t>(machine.gregs[REG_RIP])};
#elif defined(__aarch64__)
    return {machine.sp, machine.pc};
#else
#error "say where a signal context keeps the stack pointer and the program counter on this architecture"
#endif
}

// Only a thread on a lane's stack runs device code; the worker itself has its own stack. (On AArch64, g++ probes new
// pages of a stack 1024 bytes above the stack pointer, which is below the lowest stack when that overflows.)
ResidentBlock* interrupted_block(const Registers& registers) {
    constexpr uintptr_t touched_above = 1024;
    ResidentBlock* block = ResidentBlock::current();
    if (!block) return nullptr;
    const bool is_lane = block->is_on_lane_stack(registers.stack_pointer) ||
                         block->is_on_lane_stack(registers.stack_pointer + touched_above);
    return is_lane ? block : nullptr;
}

// (Signal handlers may not allocate.)
template <typename... Values>
void say(const char* format, Values... values) {
    char line[512];
    const int length = std::snprintf(line, sizeof line, format, values...);
    const size_t bytes = length < 0 ? 0 : std::min(static_cast<size_t>(length), sizeof line - 1);
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line, bytes);
}

bool is_beyond_reach(uintptr_t address) { return (address & beyond_reach) == beyond_reach; }

// The first fault of a launch is told, because many programs never ask.
void tell_fault(ResidentBlock& block, int signal, uintptr_t address) {
    const BlockIdentity& at = block.identity();
    // (Which thread it was may only be in a register.)
    char place[256];
    std::snprintf(place, sizeof place, "kernel %.128s, block (%u,%u,%u)", block.running_launch().launch.name,
                  at.index_x, at.index_y, at.index_z);
    if (signal == SIGSEGV && is_beyond_reach(address)) {
        say("simcc: %s: access to host memory at %#lx, which a GPU cannot reach; give kernels memory of cudaMalloc or "
            "cudaMallocManaged\n",
            place, static_cast<unsigned long>(address & ~beyond_reach));
    } else {
        say("simcc: %s: illegal memory access at %#lx; simcc -G says in which line\n", place,
            static_cast<unsigned long>(address));
    }
}

void on_fault(int signal, siginfo_t* information, void* context) {
    const Registers registers = interrupted_registers(context);
    const auto address = reinterpret_cast<uintptr_t>(information->si_addr);
    if (ResidentBlock* block = interrupted_block(registers)) {
        if (signal == SIGFPE && information->si_code == FPE_INTDIV && finish_division(context)) return;
        const bool is_overflow = signal == SIGSEGV && block->is_on_lane_stack(address);
        if (is_overflow) {
            const uintptr_t behind_guard = round_up(address + 1, page_bytes());
            BlockObserver* const observer = block->observer();
            const bool is_reported =
                observer &&
                observer->stack_overflowed(registers.program_counter, reinterpret_cast<const uintptr_t*>(behind_guard));
            if (!is_reported) block->note_overflow();
        }
        const bool is_first = block->running_launch().fail(error_illegal_address);
        if (is_first && !is_overflow) tell_fault(*block, signal, address);
        block->abandon();
    }
    if (signal == SIGSEGV && is_beyond_reach(address)) {
        say("simcc: the host uses a pointer to host memory at %#lx that a kernel has stored: kernels cannot keep such "
            "pointers for the host here\n",
            static_cast<unsigned long>(address & ~beyond_reach));
    }
    // Not ours: the faulting instruction runs again, now with the program's own handler.
    sigaction(signal, &previous_actions[signal], nullptr);
}

bool has_kernels_at(uintptr_t address) {
    for (const KernelModule* module = first_module(); module; module = module->next)
        if (module->code.contains(address)) return true;
    return false;
}

// A lane in the C library may hold one of its locks. So a lane is abandoned only in the program's own code, and never
// in an uninterrupted section.
void on_interrupt(int, siginfo_t*, void* context) {
    const Registers registers = interrupted_registers(context);
    ResidentBlock* block = interrupted_block(registers);
    if (!block || !block->running_launch().failed()) return;
    const bool is_in_program =
        has_kernels_at(registers.program_counter) || runtime_code.contains(registers.program_counter);
    if (interruption.depth > 0) {
        interruption.is_pending = true;
    } else if (is_in_program) {
        block->abandon();
    }
}

}  // namespace

void leave_interrupted_section() { ResidentBlock::current()->abandon(); }

void install_fault_handlers() {
    runtime_code = code_around(reinterpret_cast<const void*>(&install_fault_handlers));
    struct sigaction action = {};
    // The handler leaves by switching to the worker's stack, so the signal must not stay blocked.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    action.sa_sigaction = on_fault;
    for (int signal : faults) sigaction(signal, &action, &previous_actions[signal]);
    // Interrupts queue up while a worker waits for a processor. They must come one after the other: nested, they would
    // fill the stack for signals.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    action.sa_sigaction = on_interrupt;
    sigaction(interrupt_signal(), &action, nullptr);
}

void allow_interrupts() {
    sigset_t interrupts;
    sigemptyset(&interrupts);
    sigaddset(&interrupts, interrupt_signal());
    pthread_sigmask(SIG_UNBLOCK, &interrupts, nullptr);
}

void use_fault_stack() {
    stack_t stack = {};
    stack.ss_sp = std::malloc(fault_stack_bytes);  // for the worker's life, as long as the process
    stack.ss_size = fault_stack_bytes;
    sigaltstack(&stack, nullptr);
}

void interrupt_failed_block(pthread_t worker) { pthread_kill(worker, interrupt_signal()); }

}  // namespace simt
