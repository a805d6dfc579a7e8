#include "common/simt/context.hpp"

#ifdef SIMT_BOOST_CONTEXT

#include <boost/context/detail/fcontext.hpp>

namespace simt {

namespace boost_context = boost::context::detail;

namespace {

// What travels with a switch: who was suspended, so that the resumed side can keep its handle, and who starts.
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

void prepare_context(Context& context, char* stack_top, size_t stack_bytes, void (*entry)(Context*)) {
    context.resume_address = reinterpret_cast<void*>(entry);
    context.stack_pointer = boost_context::make_fcontext(stack_top, stack_bytes, enter_fresh_context);
}

}  // namespace simt

#else

namespace simt {

void prepare_context(Context& context, char* stack_top, size_t, void (*entry)(Context*)) {
    // As after a call: the stack pointer is 8 bytes off its 16-byte alignment, and the return address is null.
    void** frame = reinterpret_cast<void**>(stack_top) - 1;
    *frame = nullptr;
    context.stack_pointer = frame;
    context.frame_pointer = nullptr;
    context.resume_address = reinterpret_cast<void*>(entry);
}

}  // namespace simt

#endif
