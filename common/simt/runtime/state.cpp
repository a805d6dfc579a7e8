// SPDX-License-Identifier: MIT
#include "common/simt/runtime/state.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>

#include "common/simt/exec/machine.hpp"
#include "common/simt/runtime/events.hpp"
#include "common/simt/runtime/grid.hpp"

// Programs compiled with CUDA_API_PER_THREAD_DEFAULT_STREAM define this symbol (see cuda_runtime_api.h).
extern "C" __attribute__((weak)) const int simt_null_stream_is_per_thread;

namespace simt {
namespace {

constexpr int most_devices = 64;

int configured_device_count() { return static_cast<int>(environment_number("SIMCC_DEVICES", 0, most_devices, 1)); }

// The devices share half of the machine's memory equally: the other half is for the program's own copies.
size_t memory_per_device(int device_count) {
    constexpr size_t largest = size_t{80} << 30;
    const size_t share = machine_memory() / 2 / std::max(device_count, 1);
    return std::min(share, largest) / huge_page_bytes * huge_page_bytes;
}

// Called when the program ends. CUDA does not wait for unfinished work, but a client may have to report on all of it.
// (If a function in a stream ends the program, this does not wait: it would wait for itself.)
void end_all_work() {
    const bool all_is_wanted = events().finishes_work && !inside_host_function();
    unless_short([&] {
        for (int index = 0; index < runtime().device_count(); ++index) {
            Device& device = runtime().device(index);
            all_is_wanted ? device.synchronize() : device.discard_work();
        }
    });
}

int& current_device_slot() {
    static thread_local int index = 0;
    return index;
}

// The calling thread's own default stream on each device it has used.
class PerThreadStreams {
public:
    ~PerThreadStreams() {
        for (const auto& [device, stream] : streams_) device->forget_stream(stream);
    }

    std::shared_ptr<Stream> on(Device& device) {
        auto& stream = streams_[&device];
        if (!stream || stream->closed()) stream = device.create_stream(Stream::Kind::per_thread_default, 0, 0);
        return stream;
    }

private:
    std::map<Device*, std::shared_ptr<Stream>> streams_;
};

std::shared_ptr<Stream> per_thread_stream(Device& device) {
    static thread_local PerThreadStreams streams;
    return streams.on(device);
}

}  // namespace

Runtime::Runtime() : memory(memory_per_device(configured_device_count()), configured_device_count()) {
    for (int index = 0; index < configured_device_count(); ++index) devices_.push_back(std::make_unique<Device>(index));
    std::atexit(end_all_work);
}

Runtime& runtime() {
    static Runtime& the_runtime = *new Runtime;
    symbol_registry().hand_over_to(the_runtime);
    return the_runtime;
}

SymbolRegistry& symbol_registry() {
    static SymbolRegistry& the_registry = *new SymbolRegistry;
    return the_registry;
}

// (It is not an error if the variable is already known.)
static void adopt_symbol(Runtime& owner, const void* address, size_t bytes, MemoryKind kind) {
    constexpr int every_device = 0;  // one storage serves all devices
    owner.memory.adopt(address, bytes, kind, every_device, 0);
}

void SymbolRegistry::remember(const Symbol& symbol) {
    const std::lock_guard lock(mutex_);
    const auto is_same = [&](const Symbol& known) { return known.address == symbol.address; };
    if (std::any_of(symbols_.begin(), symbols_.end(), is_same)) return;
    symbols_.push_back(symbol);
    count_ = symbols_.size();
    if (Runtime* const started = started_) adopt_symbol(*started, symbol.address, symbol.bytes, symbol.kind);
}

std::vector<SymbolRegistry::Symbol> SymbolRegistry::symbols_from(size_t known) {
    if (known == count_) return {};
    const std::lock_guard lock(mutex_);
    return {symbols_.begin() + static_cast<std::ptrdiff_t>(known), symbols_.end()};
}

// A second thread that comes here waits until the first is done.
void SymbolRegistry::hand_over_to(Runtime& started) {
    if (started_) return;
    const std::lock_guard lock(mutex_);
    if (started_ || is_adopting_) return;
    is_adopting_ = true;
    for (const Symbol& symbol : symbols_) adopt_symbol(started, symbol.address, symbol.bytes, symbol.kind);
    started_ = &started;
}

int current_device_index() {
    if (const Grid* const grid = Grid::running()) return grid->device().index();
    return current_device_slot();
}
void set_current_device_index(int index) { current_device_slot() = index; }
Device& current_device() { return runtime().device(current_device_index()); }

std::shared_ptr<Stream> find_stream(const void* handle) {
    const bool null_is_per_thread = &simt_null_stream_is_per_thread != nullptr;
    if (handle == cudaStreamPerThread || (!handle && null_is_per_thread)) return per_thread_stream(current_device());
    if (!handle || handle == cudaStreamLegacy) return current_device().legacy_stream();
    return runtime().streams.find(handle);
}

// ---- descriptions of addresses for messages about faults

bool is_device_address(const void* address) { return runtime().memory.find(address).has_value(); }

std::string describe_address(const void* pointer) {
    constexpr uintptr_t too_far_to_matter = 1 << 20;
    const auto address = reinterpret_cast<uintptr_t>(pointer);
    const auto nearest = runtime().memory.nearest(pointer);
    if (!nearest) return "";
    const uintptr_t end = nearest->base + nearest->bytes;
    const bool near = address < nearest->base ? nearest->base - address <= too_far_to_matter
                                              : address < end || address - end <= too_far_to_matter;
    return near ? describe(address, *nearest) : "";
}

// ---- the events of the client

namespace {

// Initialized before the program's own constructors, which may already launch kernels.
constinit Events installed_events;

}  // namespace

const Events& events() { return installed_events; }

void install_events(const Events& events) { installed_events = events; }

}  // namespace simt
