// SPDX-License-Identifier: MIT
#include "common/simt/exec/lane_stacks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <vector>

#include "common/simt/exec/address_space.hpp"

namespace simt {

namespace {

// Since Linux 6.13 a page can become a guard without splitting its mapping. Older C libraries have no name for this.
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

// A guard made by mprotect splits a mapping in two, and the system limits the number of mappings of a process. Two
// fifths of them may be for guards; the rest is for device memory and the program.
long guards_at_most() {
    constexpr long usual_limit = 65530;
    long limit = 0;
    if (!(std::ifstream("/proc/sys/vm/max_map_count") >> limit)) limit = usual_limit;
    return limit / 5;
}

// How many more such guards may be made. Workers make and remove stacks at the same time.
std::atomic<long>& guards_left() {
    static std::atomic<long> left{guards_at_most()};
    return left;
}

}  // namespace

LaneStacks::LaneStacks(unsigned lanes) : lanes_(lanes) {
    void* memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return;
    memory_ = static_cast<char*>(memory);
    while (guarded_ < lanes && madvise(guard(guarded_), page_bytes(), MADV_GUARD_INSTALL) == 0) ++guarded_;
    if (guarded_ == lanes) return;
    // Without guards of that kind, the lowest lane always gets one, and the others only if enough are left for all.
    const long wanted = guards_left().fetch_sub(lanes) >= static_cast<long>(lanes) ? lanes : 1;
    if (wanted == 1) guards_left() += lanes - 1;
    while (guarded_ < wanted && mprotect(guard(guarded_), page_bytes(), PROT_NONE) == 0) ++guarded_;
    guards_left() += wanted - guarded_;
    counted_ = guarded_;
    // A huge page would commit the unused pages as well, and overflowed() checks that these are untouched.
    if (guarded_ < lanes) madvise(memory_, bytes(), MADV_NOHUGEPAGE);
}

LaneStacks::~LaneStacks() {
    if (!memory_) return;
    forget_frames(memory_, bytes());
    munmap(memory_, bytes());
    guards_left() += counted_;
}

bool LaneStacks::overflowed() const {
    if (guarded_ == lanes_) return false;
    const size_t pages_per_lane = bytes_per_lane / page_bytes();
    std::vector<unsigned char> resident(lanes_ * pages_per_lane);
    if (mincore(memory_, bytes(), resident.data()) != 0) return false;
    for (unsigned lane = guarded_; lane < lanes_; ++lane) {
        if (resident[lane * pages_per_lane] & 1) return true;
    }
    return false;
}

void LaneStacks::clear() {
    // (Guards of either kind survive this.)
    madvise(memory_, bytes(), MADV_DONTNEED);
}

char* LaneStacks::top(unsigned lane) const {
    // Stacks are a power of two apart: without an offset, their tops would all compete for the same few sets of the
    // cache. 29 offsets of two cache lines spread them; the factor 3 gives neighbors distant offsets.
    const size_t offset = lane * 3 % 29 * 128;
    return memory_ + (lane + 1) * bytes_per_lane - offset;
}

}  // namespace simt

// ---- AddressSanitizer's calls around any switch

#ifdef __SANITIZE_ADDRESS__

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace simt {

namespace {

struct StackBounds {
    void* bottom = nullptr;
    size_t bytes = 0;
};

StackBounds own_stack_of_thread() {
    StackBounds bounds;
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return bounds;
    pthread_attr_getstack(&attributes, &bounds.bottom, &bounds.bytes);
    pthread_attr_destroy(&attributes);
    return bounds;
}

}  // namespace

void announce_switch(const Context* next, void** kept) {
    thread_local const StackBounds own = own_stack_of_thread();
    // Only the worker has no lane stack.
    if (!next->stack_top) return __sanitizer_start_switch_fiber(kept, own.bottom, own.bytes);
    // 16 KiB allow for the guard page, and for the offset of the stack's top.
    constexpr size_t reach = LaneStacks::bytes_per_lane - (16 << 10);
    __sanitizer_start_switch_fiber(kept, next->stack_top - reach, reach + sizeof(void*));
}

void announce_arrival(void* kept) { __sanitizer_finish_switch_fiber(kept, nullptr, nullptr); }

void forget_frames(const void* stacks, size_t bytes) { __asan_unpoison_memory_region(stacks, bytes); }

}  // namespace simt

#endif

// ---- the switch by Boost.Context, for architectures without one of their own

#ifdef SIMT_BOOST_CONTEXT

#include <boost/context/detail/fcontext.hpp>

namespace simt {

namespace boost_context = boost::context::detail;

namespace {

// Passed along with a switch: the suspended context, so that the resumed side can store its handle, and the new one.
struct Passage {
    Context* suspended;
    Context* started;
};

void enter_fresh_context(boost_context::transfer_t transfer) {
    const Passage passage = *static_cast<Passage*>(transfer.data);
    passage.suspended->stack_pointer = transfer.fctx;
    reinterpret_cast<void (*)(Context*)>(passage.started->resume_address)(passage.started);
}

}  // namespace

Context* switch_by_boost(Context* self, Context* next) {
    if (self == next) return self;
    Passage passage{self, next};
    const auto transfer = boost_context::jump_fcontext(next->stack_pointer, &passage);
    static_cast<Passage*>(transfer.data)->suspended->stack_pointer = transfer.fctx;
    return self;
}

void prepare_context(Context& context, void (*entry)(Context*)) {
    constexpr size_t any_size = 4096;  // Boost.Context only documents it
    context.resume_address = reinterpret_cast<void*>(entry);
    context.stack_pointer = boost_context::make_fcontext(context.stack_top, any_size, enter_fresh_context);
}

}  // namespace simt

#endif
