// SPDX-License-Identifier: MIT
// The switch by Boost.Context, for architectures without one of their own, and AddressSanitizer's calls around any
// switch.
#include "common/simt/exec/context.hpp"

#ifdef __SANITIZE_ADDRESS__

#include <pthread.h>
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

#include "common/simt/exec/lane_stacks.hpp"

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
