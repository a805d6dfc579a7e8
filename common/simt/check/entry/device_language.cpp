// SPDX-License-Identifier: MIT
// The functions that the checked flavor of the device language calls (see include/simt/check.hpp), and g++.
#include <cstdint>

#include "common/simt/check/entry/checked_block.hpp"
#include "common/simt/check/memory/local_bounds.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

void arrive(Wait kind, unsigned mask, unsigned source, Site site) {
    if (CheckedBlock* const check = CheckedBlock::current()) check->arrive(kind, mask, source, site);
}

void fence(Reach reach) {
    const Uninterrupted section;
    if (CheckedBlock* const check = CheckedBlock::current()) check->fence(reach);
}

void early_return() {
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->synchronization()) check->synchronization()->early_return();
}

bool begin_polling() {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || check->is_polling(check->running_lane())) return check != nullptr;
    check->set_polling(true);
    return false;
}

void end_polling() {
    if (CheckedBlock* const check = CheckedBlock::current()) check->set_polling(false);
}

void begin_atomic(const volatile void* pointer, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    check::Access event{address, bytes, check->running_lane(), check->space_of(address), kind != AtomicKind::load};
    event.is_atomic = true;
    event.kind = kind;
    event.order = order;
    event.reach = reach;
    event.pc = pc;
    event.file = site.file;
    event.line = site.line;
    check->begin_atomic(event);
}

void end_atomic(const volatile void* pointer, bool has_written) {
    if (CheckedBlock* const check = CheckedBlock::current())
        check->end_atomic(reinterpret_cast<uintptr_t>(pointer), has_written);
}

// (The access itself follows.)
extern "C" void simt_misaligned_vector(const void* vector, bool is_write) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || !check->memory()) return;
    const void* const pc = __builtin_return_address(0);
    const Uninterrupted section;
    check->check_room_on_stack(pc);
    const auto address = reinterpret_cast<uintptr_t>(vector);
    check::Access event{address, 16, check->running_lane(), check->space_of(address), is_write};
    event.is_vector = true;
    event.pc = pc;
    check->memory()->access(event);
}

static void access_texel(const volatile void* texel, unsigned bytes, Texture texture, bool is_write, const void* pc) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const Uninterrupted section;
    check->check_room_on_stack(pc);
    const auto address = reinterpret_cast<uintptr_t>(texel);
    check::Access event{address, bytes, check->running_lane(), check->space_of(address), is_write};
    event.texture = texture;
    event.pc = pc;
    check->access(event);
}

void fetch(const volatile void* texel, unsigned bytes, bool of_array, const void* pc) {
    access_texel(texel, bytes, of_array ? Texture::array : Texture::linear, false, pc);
}

void access_surface(const volatile void* texel, unsigned bytes, bool is_write, const void* pc) {
    access_texel(texel, bytes, Texture::array, is_write, pc);
}

void use(const volatile void* object) {
    const Uninterrupted section;
    CheckedBlock* const check = CheckedBlock::current();
    if (check && check->races()) check->races()->use(reinterpret_cast<uintptr_t>(object), __builtin_return_address(0));
}

void passes(const volatile void* pointer) {
    CheckedBlock* const check = CheckedBlock::current();
    if (!check) return;
    const Uninterrupted section;
    check->passes(reinterpret_cast<uintptr_t>(pointer), __builtin_return_address(0));
}

}  // namespace simt::check

// What g++ calls where an index is outside its array.
extern "C" void __ubsan_handle_out_of_bounds(void* place, void*) {
    using namespace simt::check;
    CheckedBlock* const check = CheckedBlock::current();
    if (!check || !check->memory()) return;
    const simt::Uninterrupted section;
    index_out_of_bounds(*check->memory(), check->running_lane(), *static_cast<const OutOfBounds*>(place),
                        __builtin_return_address(0));
}
