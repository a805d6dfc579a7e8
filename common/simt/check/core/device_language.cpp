// What the checked flavour of the device language tells: see include/simt/watch.hpp.
#include "common/simt/check/core/block_watch_inline.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::watching {

using checking::BlockWatch;
using checking::current_watch;

void arrive(Wait kind, unsigned mask, unsigned source, Site site) {
    if (BlockWatch* const watch = current_watch) watch->arrive(kind, mask, source, site);
}

void fence(Reach reach) {
    const Uninterrupted section;
    if (BlockWatch* const watch = current_watch) watch->fence(reach);
}

void early_return() {
    BlockWatch* const watch = current_watch;
    if (watch && watch->synchronization()) watch->synchronization()->early_return();
}

void begin_polling() {
    if (BlockWatch* const watch = current_watch) watch->set_polling(true);
}

void end_polling() {
    if (BlockWatch* const watch = current_watch) watch->set_polling(false);
}

void begin_atomic(const volatile void* pointer, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site) {
    BlockWatch* const watch = current_watch;
    if (!watch) return;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    checking::Access event{address, bytes, watch->running_lane(), watch->space_of(address), kind != AtomicKind::load};
    event.is_atomic = true;
    event.kind = kind;
    event.order = order;
    event.reach = reach;
    event.pc = pc;
    event.file = site.file;
    event.line = site.line;
    watch->begin_atomic(event);
}

void end_atomic(const volatile void* pointer, bool has_written) {
    if (BlockWatch* const watch = current_watch) watch->end_atomic(reinterpret_cast<uintptr_t>(pointer), has_written);
}

void use(const volatile void* object) {
    const Uninterrupted section;
    BlockWatch* const watch = current_watch;
    if (watch && watch->races()) watch->races()->use(reinterpret_cast<uintptr_t>(object), __builtin_return_address(0));
}

}  // namespace simt::watching
