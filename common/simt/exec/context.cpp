// The switch through Boost.Context, for architectures that have none of their own.
#include "common/simt/exec/context.hpp"

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

void prepare_context(Context& context, void (*entry)(Context*)) {
    constexpr size_t any_size = 4096;  // Boost.Context only documents it
    context.resume_address = reinterpret_cast<void*>(entry);
    context.stack_pointer = boost_context::make_fcontext(context.stack_top, any_size, enter_fresh_context);
}

}  // namespace simt

#endif
