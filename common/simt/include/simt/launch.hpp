// SPDX-License-Identifier: MIT
// simcc turns kernel<<<grid, block, shared, stream>>>(arguments) into
//   ::simt::launch([=](auto&&... p) -> decltype(void((kernel)(p...))) { (kernel)(p...); }, "kernel",
//                  ::simt::configure(grid, block, shared, stream))(arguments)
// The kernel is part of the lambda's type, so each launch statement compiles to its own loop over lanes with the kernel
// inlined. A computed kernel, as in table[i]<<<grid, block>>>(arguments), is passed as a pointer instead:
//   ::simt::Launcher{ ::simt::kernel_value(table[i]), "table[i]", ::simt::configure(grid, block)}(arguments)
// A launch asks its kernel for its __launch_bounds__ (launch_bounds.hpp). If simcc sees that there are none, launch()
// is launch_without_bounds().
#pragma once

#include "identity.hpp"
#include "simt/check.hpp"
#include "simt/kernel_launch.hpp"
#include "simt/kernel_parameter.hpp"
#include "simt/launch_bounds.hpp"
#include "simt/warp_state.hpp"
#include "vector_types.h"

struct CUstream_st;

namespace simt {
inline namespace SIMT_FLAVOR {

inline Configuration configure(dim3 grid, dim3 block, size_t dynamic_shared_bytes = 0, CUstream_st* stream = nullptr) {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes, stream, false};
}

// A null pointer constant (0, NULL) loses its special meaning when it is passed on. This type replaces an integer
// argument where the kernel does not take that integer: it converts to any pointer or number.
struct IntegerOrNull {
    long long value;

    IntegerOrNull(long long integer) : value(integer) {}
    template <class T>
    operator T*() const {
        return reinterpret_cast<T*>(value);
    }
    operator decltype(nullptr)() const { return nullptr; }
    template <class T, class = decltype(static_cast<T>(0LL) + 1)>
    operator T() const {
        return static_cast<T>(value);
    }
};

template <class T>
struct WithoutReference {
    using type = T;
};
template <class T>
struct WithoutReference<T&> {
    using type = T;
};
template <class T>
struct WithoutReference<T&&> {
    using type = T;
};
template <class T>
struct WithoutConst {
    using type = T;
};
template <class T>
struct WithoutConst<const T> {
    using type = T;
};

// The type in which an argument is stored: by value, arrays and functions as pointers.
template <class T>
struct Kept {
    using type = typename WithoutConst<T>::type;
};
template <class T, decltype(sizeof 0) n>
struct Kept<T[n]> {
    using type = T*;
};
template <class T, decltype(sizeof 0) n>
struct Kept<const T[n]> {
    using type = const T*;
};
template <class R, class... P>
struct Kept<R(P...)> {
    using type = R (*)(P...);
};
template <class T>
using kept_type = typename Kept<typename WithoutReference<T>::type>::type;

template <class T>
constexpr bool is_pointer = false;
template <class T>
constexpr bool is_pointer<T*> = true;

template <class T>
struct NullFromInteger {
    using type = T;
};
template <>
struct NullFromInteger<int> {
    using type = IntegerOrNull;
};
template <>
struct NullFromInteger<long> {
    using type = IntegerOrNull;
};
template <>
struct NullFromInteger<long long> {
    using type = IntegerOrNull;
};

template <class Kernel, class... P>
constexpr auto accepts(int) -> decltype((*static_cast<const Kernel*>(nullptr))(*static_cast<P*>(nullptr)...), bool()) {
    return true;
}
template <class Kernel, class... P>
constexpr bool accepts(...) {
    return false;
}

template <class Body>
void run_lanes(const void* arguments, const LaneRow& row);

SIMT_UNCHECKED void enter_block(const BlockIdentity& block) { block_identity = block; }
SIMT_UNCHECKED void enter_lane(unsigned x, unsigned y, unsigned z) { lane_identity = {x, y, z, 1}; }
SIMT_UNCHECKED unsigned running_lane() { return thread_rank(); }

// Whether the program's own constructors copy an argument for a lane. They read the host's data, and in CUDA the host
// calls them: the checkers must not take this for the kernel's work.
template <class... P>
constexpr bool is_copied_by_program = is_checked && !(__is_trivially_copyable(P) && ...);

// Calls the kernel. In the checked flavor, checked code begins here: the arguments arrive in registers or in the
// lane's own stack frame, as a GPU kernel finds them in constant memory.
#ifdef SIMT_CHECKED
template <class Kernel, class... P>
__attribute__((flatten, noinline)) void call(const Kernel& kernel, P... arguments) {
    if constexpr (is_copied_by_program<P...>) leave_runtime();
    kernel(arguments...);
}
#else
template <class Kernel, class... P>
SIMT_INLINE void call(const Kernel& kernel, P&... arguments) {
    kernel(arguments...);
}
#endif

// An argument of a launch, if it is a pointer.
template <class T>
struct PassedPointer {
    template <class A>
    static void tell(const A&) {}
};
template <class T>
struct PassedPointer<T*> {
    static void tell(const volatile void* pointer) { check::passes(pointer); }
};
template <class R, class... P>
struct PassedPointer<R (*)(P...)> : PassedPointer<int> {};

#ifdef SIMT_CHECKED
#define SIMT_LAUNCH __attribute__((noinline, no_sanitize_thread, SIMT_WITHOUT_COVERAGE))
#else
#define SIMT_LAUNCH __attribute__((noinline))
#endif

template <class Kernel, bool may_have_bounds = true>
class Launcher {
public:
    Launcher(const Kernel& kernel, const char* name, const Configuration& configuration)
        : configuration_(configuration), name_(name), kernel_(kernel) {}

    template <class... A>
    void operator()(A&&... arguments) const {
        if constexpr (is_checked) (PassedPointer<kept_type<A>>::tell(arguments), ...);
        if constexpr (accepts<Kernel, kept_type<A>...>(0)) {
            start<kept_type<A>...>(static_cast<A&&>(arguments)...);
        } else {
            static_assert(accepts<Kernel, typename NullFromInteger<kept_type<A>>::type...>(0),
                          "the arguments of this launch do not fit the kernel's parameters");
            start<typename NullFromInteger<kept_type<A>>::type...>(static_cast<A&&>(arguments)...);
        }
    }

private:
    // (Out of line, so that it does not enlarge a kernel that launches.)
    template <class... P>
    SIMT_LAUNCH void start(P... arguments) const {
        const RuntimeSection section;
        auto body = [kernel = kernel_, arguments...]() mutable SIMT_UNCHECKED_LAMBDA {
            if constexpr (is_copied_by_program<P...>) enter_runtime();
            call(kernel, arguments...);
        };
        using Body = decltype(body);
        Launch launch;
        launch.name = name_;
        launch.grid = configuration_.grid;
        launch.block = configuration_.block;
        launch.dynamic_shared_bytes = configuration_.dynamic_shared_bytes;
        launch.cooperative = configuration_.cooperative;
        launch.arguments = Arguments(copy_or_end(body), [](void* object) { delete static_cast<Body*>(object); });
        launch.run_lanes = &run_lanes<Body>;
        launch.enter_block = &enter_block;
        launch.enter_lane = &enter_lane;
        launch.running_lane = &running_lane;
        launch.checked = is_checked;
        if constexpr (may_have_bounds) launch.most_threads = most_threads(body);
        submit(static_cast<Launch&&>(launch), configuration_.stream);
    }

    // A launch statement that names its kernel asks once.
    template <class Body>
    unsigned most_threads(Body& body) const {
        if constexpr (__is_empty(Kernel)) {
            constexpr unsigned unknown = ~0u;
            static unsigned known = unknown;
            unsigned most = __atomic_load_n(&known, __ATOMIC_RELAXED);
            if (most == unknown) __atomic_store_n(&known, most = bounds_of(body), __ATOMIC_RELAXED);
            return most;
        } else {
            if constexpr (is_pointer<Kernel>) {
                if (!kernel_) return 0;
            }
            return bounds_of(body);
        }
    }

    Configuration configuration_;
    const char* name_;
    Kernel kernel_;
};

template <class Kernel>
Launcher<Kernel> launch(const Kernel& kernel, const char* name, const Configuration& configuration) {
    return {kernel, name, configuration};
}
template <class Kernel>
Launcher<Kernel, false> launch_without_bounds(const Kernel& kernel, const char* name,
                                              const Configuration& configuration) {
    return {kernel, name, configuration};
}

#undef SIMT_LAUNCH

// The kernel as a pointer, even where the program computes a reference to it.
template <class Kernel>
Kernel kernel_value(Kernel kernel) {
    return kernel;
}

// The lane loop. `flatten` inlines the kernel and what it calls, as a GPU compiler does. The arguments are copied
// first. The compiler then knows that no store in the kernel changes them and keeps them in registers from lane to
// lane.
#ifdef SIMT_CHECKED
#define SIMT_LANE_LOOP __attribute__((noinline, no_sanitize_thread, SIMT_WITHOUT_COVERAGE))
#else
#define SIMT_LANE_LOOP __attribute__((flatten, noinline))
#endif
template <class Body>
SIMT_LANE_LOOP void run_lanes(const void* arguments, const LaneRow& row) {
    if constexpr (is_copied_by_program<Body>) enter_runtime();
    Body body = *static_cast<const Body*>(arguments);
    if constexpr (is_copied_by_program<Body>) leave_runtime();
    const unsigned last = row.last;
    lane_identity.y = row.y;
    lane_identity.z = row.z;
    lane_identity.detached = row.detached;
    for (unsigned x = row.first; x < last; ++x) {
        lane_identity.x = x;
        body();
        if (__builtin_expect(lane_identity.detached, 0)) return;
    }
}
#undef SIMT_LANE_LOOP

}  // namespace SIMT_FLAVOR
}  // namespace simt

// A program with checked kernels checks from the start, unless it starts checking on demand, as programs with both
// flavors do.
#if defined(SIMT_CHECKED) && !defined(SIMT_CHECK_ON_DEMAND)
extern "C" int simt_check_autostart;
static __attribute__((used)) int* const simt_check_reference = &simt_check_autostart;
#endif
