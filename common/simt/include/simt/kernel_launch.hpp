// SPDX-License-Identifier: MIT
// One launch of a kernel, as the compiled launch statement passes it to the runtime, and kernels by address.
#pragma once

#include <stddef.h>

#include <new>

namespace simt {

/// Threads in a block or blocks in a grid, along each axis.
struct Extent {
    unsigned x, y, z;
};

/// A kernel's address and the addresses of its arguments, as cudaLaunchKernel gets them; null for <<<>>>.
struct KernelCall {
    const void* kernel = nullptr;
    void** arguments = nullptr;
};

struct Configuration {
    Extent grid, block;
    size_t dynamic_shared_bytes;
    void* stream;  ///< a cudaStream_t
    bool cooperative = false;
    KernelCall call = {};
};

/// Ends the program with a message; in the runtime.
[[noreturn, gnu::cold]] void end_without_memory();

/// Memory for the simulator's own part of a launch. A failure ends the program instead of throwing: launches in CUDA
/// never throw, so nothing would catch it.
template <typename T>
T* copy_or_end(const T& value) {
    T* const copy = new (std::nothrow) T(value);
    if (!copy) end_without_memory();
    return copy;
}

/// What a worker has yet to add at an address: see pending_sums.hpp.
struct PendingSum {
    void* address;
    unsigned long long bits;                              ///< of the sum
    void (*add)(void* address, unsigned long long bits);  ///< which also tells the type
};

/// The word that a worker's lanes add to, one after the other, and whose sum they use.
struct SharedCounter {
    const void* address;
    unsigned long long next;  ///< its value if no other worker adds to it
    unsigned interruptions;   ///< how often others have
    unsigned turns;           ///< additions that are left while the others wait
    static constexpr unsigned patience = 16;
};

/// Lets this worker alone add to the word, some hundred times, and then the others (exec/shared_counters.cpp).
void begin_turn(SharedCounter& counter);
void end_turn(SharedCounter& counter);

/// Those of a worker: each address has its place.
struct PendingSums {
    static constexpr unsigned places = 16;
    PendingSum sums[places];
    bool are_any;
    SharedCounter counter;
    size_t known_begin, known_end;  ///< an allocation
    bool is_apart;                  ///< and whether no other pointer of the kernel leads there
};

/// Learns of the allocation that holds the address whether any of these pointers leads there, too.
void find_pointers_beside(PendingSums& sums, const void* address, const void* const* pointers, unsigned count);

/// Adds in memory what the lanes of the running block have not added there yet; nothing on the host.
void add_pending_sums();

/// The block that runs on this OS thread: filled by the runtime whenever it enters a block.
struct BlockIdentity {
    unsigned index_x, index_y, index_z;
    unsigned dim_x, dim_y, dim_z;
    unsigned grid_x, grid_y, grid_z;
    unsigned one_worker;   ///< nothing else runs device code: atomics need not be atomic
    unsigned cooperative;  ///< grid.sync() is allowed
    unsigned dynamic_shared_bytes;
    unsigned worker;    ///< the worker that runs it: the multiprocessor
    PendingSums* sums;  ///< null if additions go to memory at once
};

/// Neighboring lanes in x, with threadIdx (first..last-1, y, z).
struct LaneRow {
    unsigned first, last;
    unsigned y, z;
    bool detached;  ///< a single lane with its own stack: see LaneIdentity
};

/// The copied arguments of a launch; only the launch statement knows their type. Copies of this object share them.
class Arguments {
public:
    Arguments() = default;
    Arguments(void* object, void (*destroy)(void*)) : shared_(copy_or_end(Shared{object, destroy, 1})) {}
    Arguments(const Arguments& other) : shared_(other.shared_) {
        if (shared_) __atomic_fetch_add(&shared_->owners, 1, __ATOMIC_RELAXED);
    }
    Arguments(Arguments&& other) noexcept : shared_(other.shared_) { other.shared_ = nullptr; }
    Arguments& operator=(Arguments other) noexcept {
        Shared* mine = shared_;
        shared_ = other.shared_;
        other.shared_ = mine;
        return *this;
    }
    ~Arguments() {
        if (!shared_ || __atomic_sub_fetch(&shared_->owners, 1, __ATOMIC_ACQ_REL) > 0) return;
        shared_->destroy(shared_->object);
        delete shared_;
    }

    const void* get() const { return shared_ ? shared_->object : nullptr; }

private:
    struct Shared {
        void* object;
        void (*destroy)(void*);
        long owners;
    };
    Shared* shared_ = nullptr;
};

struct Launch {
    const char* name = nullptr;  ///< the kernel as written in the source
    Extent grid = {1, 1, 1}, block = {1, 1, 1};
    size_t dynamic_shared_bytes = 0;
    unsigned most_threads = 0;  ///< per block, by the kernel's __launch_bounds__; 0: any number
    bool cooperative = false;   ///< all blocks are resident at once: grid.sync() is allowed
    bool checked = false;       ///< compiled in the checked flavor: its loads and stores report themselves
    KernelCall call;            ///< its arguments live until the launch has been submitted
    Arguments arguments;
    /// Calls the kernel for the lanes of a row, one after the other. Returns early after a lane that has waited: the
    /// lanes after it run elsewhere.
    void (*run_lanes)(const void* arguments, const LaneRow& row) = nullptr;
    /// Sets blockIdx and its relatives to this block.
    void (*enter_block)(const BlockIdentity& block) = nullptr;
    /// Sets threadIdx to this lane, which has its own stack.
    void (*enter_lane)(unsigned x, unsigned y, unsigned z) = nullptr;
    /// The index of the running lane in its block, x fastest.
    unsigned (*running_lane)() = nullptr;
    /// Asks the kernel for its address and its arguments: see KernelListener. Null: the launch cannot ask.
    void (*ask)(void* arguments) = nullptr;
};

/// A pointer to host memory that kernels cannot reach, as a launch passes it: with these bits set, any access faults
/// and the address is still known.
constexpr size_t beyond_reach = 0xffff800000000000;

/// An address as kernels get it: with the bits of beyond_reach if it is in the host's memory, else as it is. As
/// it is, too, in kernels and where memcheck reports such accesses.
size_t address_for_kernels(size_t address);
/// And back.
inline size_t address_for_host(size_t address) {
    return (address & beyond_reach) == beyond_reach ? address & ~beyond_reach : address;
}
/// Whether the address is in memory of a device that the host cannot reach.
bool is_hidden_from_host(const void* address);

/// Some kernel calls a `new` of the program's own, so kernels can reach all of the host's heap. Returns true.
bool let_kernels_use_heap();

/// Kernels can reach this memory of the host's heap, which `new` gave one of them.
void let_kernels_use(const void* memory, size_t bytes);

/// The running lane is in the simulator's own code: nothing that happens there counts as the kernel's. (On the host
/// these do nothing.)
void enter_runtime();
void leave_runtime();

class RuntimeSection {
public:
    RuntimeSection() { enter_runtime(); }
    ~RuntimeSection() { leave_runtime(); }
    RuntimeSection(const RuntimeSection&) = delete;
    RuntimeSection& operator=(const RuntimeSection&) = delete;
};

/// Checks the launch against the limits of the current device and appends it to the stream (a cudaStream_t), in a
/// kernel to one of the running grid's own. Returns a cudaError_t value, which is also what cudaGetLastError() will
/// return.
int submit(Launch&& launch, void* stream);

/// A launch asks its kernel for its __launch_bounds__: see launch.hpp. `call` calls the kernel, and never returns,
/// since the kernel answers.
unsigned ask_for_bounds(void (*call)(void* body), void* body);
[[noreturn, gnu::cold]] void answer_with_bounds(size_t most_threads);
/// Does the same if the kernel is being asked.
void answer_if_asked(size_t most_threads);
bool is_asked();

/// Whether the question is also for the kernel's address and the addresses of its arguments, and their answer.
bool is_kernel_wanted();
void answer_with_kernel(const void* kernel, void** arguments);

/// The program or library with this address has kernels: its thread-local storage, which `use_storage` makes sure that
/// the calling thread has, is shared memory.
void announce_module(const void* address, void (*use_storage)());

// ---- a kernel's address that remembers how to call it

// CUDA passes kernels as void*; a host compiler needs the parameter
// types to launch one, so they are kept with the address for the life of the process.

/// Launches a kernel with the addresses of its arguments in `arguments`, as cudaLaunchKernel receives them.
typedef void KernelTrampoline(const void* kernel, const Configuration& configuration, void** arguments);

/// The size of one parameter and its alignment in memory; after the last parameter both are 0.
struct ParameterLayout {
    size_t bytes, alignment;
};

/// How to call a kernel, and how to copy its arguments.
struct KernelSignature {
    KernelTrampoline* trampoline = nullptr;
    const ParameterLayout* parameters = nullptr;
};

/// Keeps the signature of the kernel at this address; signature_of() finds it again, or returns an empty one.
void remember_kernel(const void* kernel, const KernelSignature& signature);

/// As the program's symbols have it, for messages. It stays for the life of the process.
const char* name_of_kernel(const void* kernel);
KernelSignature signature_of(const void* kernel);

/// Converts from and to void*, so that it can be used wherever CUDA takes the address of a kernel.
class KernelPointer {
public:
    KernelPointer() = default;
    constexpr KernelPointer(const void* kernel) : address_(const_cast<void*>(kernel)) {}
    template <typename... Parameters>
    KernelPointer(void (*kernel)(Parameters...));  ///< in cuda_runtime.h: needs the launch templates

    constexpr operator void*() const { return address_; }

private:
    void* address_;
};

}  // namespace simt
