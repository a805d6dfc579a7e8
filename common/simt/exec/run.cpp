// SPDX-License-Identifier: MIT
#include "common/simt/exec/run.hpp"

#include <setjmp.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/resident_block.hpp"
#include "common/simt/exec/uninterrupted.hpp"
#include "common/simt/exec/worker_pool.hpp"
#include "common/simt/include/simt/launch.hpp"

// clock() in programs that simcc has built: see device_functions.hpp.
extern "C" clock_t simt_clock() {
    if (!simt::in_kernel()) return clock();
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000L + now.tv_nsec;
}

namespace simt {

namespace {

// Ends the launch of the running lane with this error.
[[noreturn]] void give_up(ResidentBlock& block, LaunchError error) {
    block.running_launch().fail(error);
    block.abandon();
}

// Lanes can only take turns in another order if every access is observed. Without observers, a program would run in its
// usual order and seem to have obeyed.
void refuse_schedule() {
    const char* const wanted = std::getenv("SIMCC_SCHEDULE");
    if (!wanted || !*wanted || std::strcmp(wanted, "independent") == 0) return;
    char what[128];
    std::snprintf(what, sizeof what,
                  "SIMCC_SCHEDULE=%.40s: this program was built without --check, and knows no schedules", wanted);
    end_program(what,
                "build it with simcc --check or --schedule lockstep (a program of gridutils has the option "
                "--schedule), or unset it");
}

}  // namespace

int execute(const Launch& launch, LaunchObserver* observer, LaunchOwner* owner) {
    if (!observer) refuse_schedule();
    WorkerPool& pool = WorkerPool::instance();
    RunningLaunch running(launch, pool.worker_count(), observer, owner);
    if (observer) observer->began();
    pool.run(running);
    return result_of(running);
}

std::unique_ptr<RunningLaunch, void (*)(RunningLaunch*)> prepare(const Launch& launch, LaunchObserver* observer,
                                                                 LaunchOwner& owner) {
    auto* running = new RunningLaunch(launch, worker_count(), observer, &owner, false);
    if (observer) observer->began();
    return {running, [](RunningLaunch* ended) { delete ended; }};
}

void start(const std::vector<RunningLaunch*>& launches) { WorkerPool::instance().start(launches); }

int result_of(const RunningLaunch& running) {
    if (running.ran_too_long && !running.timeout_reported) {  // its lanes only ran briefly between waits
        std::fprintf(stderr, "simcc: kernel %s: the launch was ended: its threads waited and went on, but none ended\n",
                     running.launch.name);
    }
    if (running.error == error_timeout && !running.ran_too_long && !running.timeout_reported) {
        std::fprintf(stderr,
                     "simcc: kernel %s: the launch was ended: its threads waited for others of their warp, which "
                     "lockstep held back\n",
                     running.launch.name);
    }
    return running.observer ? running.observer->ended(running.error) : running.error.load();
}

unsigned worker_count() { return WorkerPool::instance().worker_count(); }

void enter_runtime() {
    if (in_kernel()) Uninterrupted::begin();
}

void leave_runtime() {
    if (in_kernel()) Uninterrupted::end();
}

void end_lane() { ResidentBlock::current()->drop_running_lane(); }

void fail_lane(const char* message) {
    ResidentBlock* block = ResidentBlock::current();
    if (!block) std::abort();
    const Uninterrupted section;
    if (!block->observer() || !block->observer()->misused(message, __builtin_return_address(0))) {
        std::fprintf(stderr, "simcc: %s: %s\n", block->describe_position().c_str(), message);
    }
    give_up(*block, error_launch_failure);
}

void fail_assertion(unsigned x, unsigned y, unsigned z, const char* expression, const char* file, unsigned line,
                    const char* function) {
    ResidentBlock* block = ResidentBlock::current();
    if (!block) __assert_fail(expression, file, line, function);
    const BlockIdentity& at = block->identity();
    std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file, line,
                 function, at.index_x, at.index_y, at.index_z, x, y, z, expression);
    give_up(*block, error_assertion);
}

// ---- how a kernel answers a launch that asks for its bounds: see include/simt/launch.hpp

namespace {

struct Question {
    jmp_buf asker;
    unsigned answer = 0;
};

// The question that waits for its answer on this OS thread, and who also wants to hear of the kernel.
__thread Question* asked = nullptr;
__thread KernelListener* listening = nullptr;

}  // namespace

// The answer comes back by a longjmp, because the destructors of the kernel's parameters must not run for a question:
// they might free memory.
unsigned ask_for_bounds(void (*call)(void*), void* body) {
    Question question;
    asked = &question;
    if (_setjmp(question.asker) == 0) call(body);
    asked = nullptr;
    return question.answer;
}

void answer_with_bounds(size_t most_threads) {
    asked->answer = static_cast<unsigned>(most_threads);
    _longjmp(asked->asker, 1);
}

void answer_if_asked(size_t most_threads) {
    if (asked) answer_with_bounds(most_threads);
}

bool is_asked() { return asked != nullptr; }

void ask_for_kernel(const Launch& launch, KernelListener& listener) {
    if (!launch.ask) return;
    listening = &listener;
    launch.ask(const_cast<void*>(launch.arguments.get()));
    listening = nullptr;
}

bool is_kernel_wanted() { return listening != nullptr; }

void answer_with_kernel(const void* kernel, void** arguments) {
    if (kernel) listening->is_called(kernel, arguments);
}

}  // namespace simt
