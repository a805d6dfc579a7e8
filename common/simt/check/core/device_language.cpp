// SPDX-License-Identifier: MIT
// The functions that the checked flavor of the device language calls: see include/simt/check.hpp.
#include <cstdint>

#include "common/simt/check/core/block_check_inline.hpp"
#include "common/simt/exec/uninterrupted.hpp"

namespace simt::check {

void arrive(Wait kind, unsigned mask, unsigned source, Site site) {
    if (BlockCheck* const check = current_check) check->arrive(kind, mask, source, site);
}

void fence(Reach reach) {
    const Uninterrupted section;
    if (BlockCheck* const check = current_check) check->fence(reach);
}

void early_return() {
    BlockCheck* const check = current_check;
    if (check && check->synchronization()) check->synchronization()->early_return();
}

bool begin_polling() {
    BlockCheck* const check = current_check;
    if (!check || check->is_polling(check->running_lane())) return check != nullptr;
    check->set_polling(true);
    return false;
}

void end_polling() {
    if (BlockCheck* const check = current_check) check->set_polling(false);
}

void begin_atomic(const volatile void* pointer, unsigned bytes, AtomicKind kind, Order order, Reach reach,
                  const void* pc, Site site) {
    BlockCheck* const check = current_check;
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
    if (BlockCheck* const check = current_check) check->end_atomic(reinterpret_cast<uintptr_t>(pointer), has_written);
}

// (The access itself follows.)
extern "C" void simt_misaligned_vector(const void* vector, bool is_write) {
    BlockCheck* const check = current_check;
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
    BlockCheck* const check = current_check;
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
    BlockCheck* const check = current_check;
    if (check && check->races()) check->races()->use(reinterpret_cast<uintptr_t>(object), __builtin_return_address(0));
}

void passes(const volatile void* pointer) {
    BlockCheck* const check = current_check;
    if (!check) return;
    const Uninterrupted section;
    check->passes(reinterpret_cast<uintptr_t>(pointer), __builtin_return_address(0));
}

}  // namespace simt::check
