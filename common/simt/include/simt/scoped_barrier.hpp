// SPDX-License-Identifier: MIT
// The counting behind cuda::barrier: a phase ends when the expected number of arrivals is reached.
//
// One 64-bit word holds the whole state, so that an arrival is one atomic step, even between blocks on several workers:
// bits 0-19 the arrivals missing in this phase, 20-39 the arrivals expected in every later phase, 40-59 the number of
// the phase, 60-63 a mark that init() has been called.
#pragma once

#include "async_copy.hpp"
#include "wait.hpp"

namespace simt {
inline namespace SIMT_FLAVOR {

// The only points at which a lane publishes its writes to the lanes that it meets at a barrier, and sees theirs. With
// one worker they are compiler fences; the atomic steps have their own fences.
SIMT_INLINE void barrier_arrived(const void*) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
SIMT_INLINE void barrier_passed(const void*) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

class PhaseCounter {
public:
    static constexpr unsigned largest = (1u << 20) - 1;

    // A plain store: the other threads must be ordered after it by other means.
    SIMT_INLINE void initialize(unsigned expected) { state_ = begin(expected, 0); }

    // Subtracts `arrivals` from the current phase and `leaving` from every later one. Returns the phase.
    SIMT_INLINE unsigned arrive(unsigned arrivals, unsigned leaving) {
        if constexpr (is_checked) check::use(this);
        finish_copies_of(this);
        barrier_arrived(this);
        expect_initialized();
        if constexpr (is_checked) tell(current_phase(), check::AtomicKind::update, check::Order::release);
        const unsigned phase = step(arrivals, leaving);
        if (phase == none) fail_lane("cuda::barrier: more arrivals than its phase expects");
        return phase;
    }

    // Whether the phase has ended.
    SIMT_INLINE bool has_passed(unsigned phase) const {
        expect_initialized();
        return current_phase() != phase;
    }

    // The lane has seen that the phase has ended.
    SIMT_INLINE void passed(unsigned phase) const {
        if constexpr (is_checked) tell(phase, check::AtomicKind::load, check::Order::acquire);
        barrier_passed(this);
    }

    SIMT_INLINE void wait(unsigned phase, Site site) const {
        if constexpr (is_checked) check::use(this);
        while (!has_passed(phase)) yield(site);
        note_change();
        passed(phase);
    }

    // Waits until a phase of this parity has ended, that is, until the current one has the other parity.
    SIMT_INLINE void wait_parity(bool parity, Site site) const {
        if constexpr (is_checked) check::use(this);
        expect_initialized();
        while ((current_phase() & 1) == parity) yield(site);
        note_change();
        passed(parity);
    }

private:
    typedef unsigned long long Word;
    static constexpr Word initialized = Word{0xb} << 60;
    static constexpr unsigned none = ~0u;

    static SIMT_INLINE Word begin(unsigned expected, unsigned phase) {
        return initialized | Word{phase & largest} << 40 | Word{expected} << 20 | expected;
    }

    // (Here, so that a report names the place in the kernel.)
    SIMT_INLINE void expect_initialized() const {
        if (load() >> 60 != initialized >> 60) fail_lane("cuda::barrier: used before init()");
    }

    // Returns the phase; none if it expects fewer arrivals.
    SIMT_UNCHECKED unsigned step(unsigned arrivals, unsigned leaving) {
        Word before = load();
        for (;;) {
            const unsigned pending = before & largest, expected = before >> 20 & largest;
            const unsigned phase = before >> 40 & largest;
            if (arrivals > pending) return none;
            const Word after = arrivals == pending ? begin(expected - leaving, phase + 1)
                                                   : before - arrivals - (static_cast<Word>(leaving) << 20);
            if (__atomic_compare_exchange_n(&state_, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
                return phase;
            }
        }
    }

    SIMT_UNCHECKED unsigned current_phase() const { return load() >> 40 & largest; }

    // For racecheck, the arrivals of one phase and of the next are atomic operations on two words, half of the state
    // each: a lane that is late leaving a phase has not waited for those that have arrived in the next.
    SIMT_UNCHECKED void tell(unsigned phase, check::AtomicKind kind, check::Order order) const {
        const unsigned* const word = reinterpret_cast<const unsigned*>(&state_) + (phase & 1);
        check::begin_atomic(word, sizeof *word, kind, order, check::Reach::system, __builtin_return_address(0), {});
        check::end_atomic(word, kind != check::AtomicKind::load);
    }

    SIMT_UNCHECKED Word load() const { return __atomic_load_n(&state_, __ATOMIC_ACQUIRE); }

    Word state_;
};

}  // namespace SIMT_FLAVOR
}  // namespace simt
