// SPDX-License-Identifier: MIT
#include "common/simt/exec/fault.hpp"

#include <signal.h>
#include <ucontext.h>

#include <cstdint>
#include <cstdlib>

#include "common/simt/exec/address_space.hpp"
#include "common/simt/exec/division.hpp"
#include "common/simt/exec/executable.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt {

namespace {

constexpr size_t fault_stack_bytes = 64 << 10;
constexpr int faults[] = {SIGSEGV, SIGBUS, SIGFPE};

int interrupt_signal() { return SIGRTMAX - 3; }

struct sigaction previous_actions[NSIG];
// Where the program's own code is: in the executable, and in the runtime, which may be a library of its own.
MemoryRange program_code, runtime_code;

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

void on_fault(int signal, siginfo_t* information, void* context) {
    const Registers registers = interrupted_registers(context);
    if (ResidentBlock* block = interrupted_block(registers)) {
        if (signal == SIGFPE && information->si_code == FPE_INTDIV && finish_division(context)) return;
        const auto address = reinterpret_cast<uintptr_t>(information->si_addr);
        if (signal == SIGSEGV && block->is_on_lane_stack(address)) {
            const uintptr_t behind_guard = round_up(address + 1, page_bytes());
            BlockObserver* const observer = block->observer();
            const bool is_reported =
                observer &&
                observer->stack_overflowed(registers.program_counter, reinterpret_cast<const uintptr_t*>(behind_guard));
            if (!is_reported) block->note_overflow();
        }
        block->running_launch().fail(error_illegal_address);
        block->abandon();
    }
    // Not ours: the faulting instruction runs again, now with the program's own handler.
    sigaction(signal, &previous_actions[signal], nullptr);
}

// A lane in the C library may hold one of its locks. So a lane is abandoned only in the program's own code, and never
// in an uninterrupted section.
void on_interrupt(int, siginfo_t*, void* context) {
    const Registers registers = interrupted_registers(context);
    ResidentBlock* block = interrupted_block(registers);
    if (!block || !block->running_launch().failed()) return;
    const bool is_in_program =
        program_code.contains(registers.program_counter) || runtime_code.contains(registers.program_counter);
    if (interruption.depth > 0) {
        interruption.is_pending = true;
    } else if (is_in_program) {
        block->abandon();
    }
}

}  // namespace

void leave_interrupted_section() { ResidentBlock::current()->abandon(); }

void install_fault_handlers() {
    program_code = executable().code;
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
