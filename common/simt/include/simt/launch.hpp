// SPDX-License-Identifier: MIT
// simcc turns kernel<<<grid, block, shared, stream>>>(arguments) into
//   ::simt::launch_told<false>(static_cast<__typeof__(simt_signature_of_kernel(arguments))>(nullptr),
//       [=](auto&&... p) -> void { (kernel)(p...); }, [=](auto pick) { return pick(kernel); },
//       "kernel", ::simt::configure(grid, block, shared, stream))(arguments)
// The function in __typeof__, which simcc declares beside the kernel, returns the types of the kernel's parameters. Where
// the source does not show them, a simpler ::simt::launch stores the arguments as they are.
// The kernel is part of the lambda's type, so each launch statement compiles to its own loop over lanes with the kernel
// inlined. A computed kernel, as in table[i]<<<grid, block>>>(arguments), is passed as a pointer instead:
//   ::simt::Launcher{ ::simt::kernel_value(table[i]), "table[i]", ::simt::configure(grid, block)}(arguments)
// A launch asks its kernel for its __launch_bounds__ (see below). If simcc sees that there are none, launch() is
// launch_without_bounds().
#pragma once

#include "simt/check.hpp"
#include "simt/identity.hpp"
#include "simt/kernel_launch.hpp"
#include "simt/warp_state.hpp"
#include "vector_types.h"

namespace simt {

// ---- the type of a kernel's parameter

// It is for launches with a braced argument: the rewriter turns the {1, 2} of k<<<1, 1>>>({1, 2}) into
// simt::KernelParameter<decltype(k), 0>{1, 2}.

template <typename Function, unsigned index>
struct ParameterAt;
template <typename Function, unsigned index>
struct ParameterAt<Function*, index> : ParameterAt<Function, index> {};
template <typename Function, unsigned index>
struct ParameterAt<Function* const, index> : ParameterAt<Function, index> {};
template <typename Function, unsigned index>
struct ParameterAt<Function&, index> : ParameterAt<Function, index> {};
template <typename First, typename... Rest, unsigned index>
struct ParameterAt<void(First, Rest...), index> : ParameterAt<void(Rest...), index - 1> {};
template <typename First, typename... Rest>
struct ParameterAt<void(First, Rest...), 0> {
    using type = First;
};

template <typename Function, unsigned index>
using KernelParameter = typename ParameterAt<Function, index>::type;

// ---- __launch_bounds__ at a launch

// Only the call itself determines which kernel a launch statement means, and with which
// template arguments. So the launch asks: it calls the kernel once, as no thread of a grid, and the kernel answers with
// its bound instead of running. simcc begins every kernel with
//     ::simt::tell_bounds(256);
// (0: no bound). In the fast flavor this costs nothing: the loop over lanes is inlined, and the compiler sees that no
// lane is asked.
//
// A stream that is being captured asks a launch for more: cudaGraphKernelNodeGetParams returns the kernel's address and
// its arguments, converted to the types of its parameters. In files that use graphs, kernels begin with
//     ::simt::tell_kernel(256, [](auto pick) -> decltype(pick(k<T>)) { return pick(k<T>); }, first, second);
// (or `::simt::referred(first)`, if it is a reference) where `pick` selects the overload with these parameters.

inline namespace SIMT_FLAVOR {

/// A kernel's parameter that is a reference.
template <typename T>
struct Referred {
    T* address;
};
template <typename T>
SIMT_INLINE Referred<T> referred(T& object) {
    return {__builtin_addressof(object)};
}
template <typename T>
struct Declared {
    using type = T;
};
template <typename T>
struct Declared<Referred<T>> {
    using type = T&;
};

template <typename... P>
struct KernelPicker {
    KernelPointer operator()(void (*kernel)(typename Declared<P>::type...)) const { return kernel; }
};

template <typename Choice, typename Picker>
auto kernel_chosen_by(const Choice& choice, const Picker& picker, int) -> decltype(choice(picker)) {
    return choice(picker);
}
template <typename Choice, typename Picker>
KernelPointer kernel_chosen_by(const Choice&, const Picker&, long) {
    return nullptr;  // the kernel's name means something else in its body
}

/// (The arguments come by value, so that those of the kernel stay in registers.)
template <typename Choice, typename... P>
SIMT_OUT_OF_LINE void answer_fully(size_t most_threads, const Choice& choice, P... arguments) {
    if (is_kernel_wanted()) {
        void* addresses[] = {static_cast<void*>(&arguments)..., nullptr};
        answer_with_kernel(kernel_chosen_by(choice, KernelPicker<P...>(), 0), addresses);
    }
    answer_with_bounds(most_threads);
}

#ifdef SIMT_CHECKED
/// No branch in the kernel: the counters would count it.
SIMT_INLINE void tell_bounds(size_t most_threads) { answer_if_asked(most_threads); }

template <typename Choice, typename... P>
SIMT_OUT_OF_LINE void answer_fully_if_asked(size_t most_threads, const Choice& choice, P... arguments) {
    if (is_asked()) answer_fully(most_threads, choice, arguments...);
}

template <typename Choice, typename... P>
SIMT_INLINE void tell_kernel(size_t most_threads, const Choice& choice, const P&... arguments) {
    if constexpr ((__is_trivially_copyable(P) && ...)) {
        answer_fully_if_asked<Choice, P...>(most_threads, choice, arguments...);
    } else {
        answer_if_asked(most_threads);
    }
}

template <typename Body>
SIMT_UNCHECKED void ask_kernel(void* body) {
    (*static_cast<Body*>(body))();
}
#else
constexpr unsigned asked_lane = ~0u;  // the threadIdx.x of no thread

SIMT_INLINE void tell_bounds(size_t most_threads) {
    if (__builtin_expect(lane_identity.x == asked_lane, 0)) answer_with_bounds(most_threads);
}

template <typename Choice, typename... P>
SIMT_INLINE void tell_kernel(size_t most_threads, const Choice& choice, const P&... arguments) {
    if constexpr ((__is_trivially_copyable(P) && ...)) {
        if (__builtin_expect(lane_identity.x == asked_lane, 0)) {
            answer_fully<Choice, P...>(most_threads, choice, arguments...);
        }
    } else {
        tell_bounds(most_threads);
    }
}

/// (`flatten`, as for the loop over lanes: here everything in the kernel but the answer vanishes.)
template <typename Body>
__attribute__((flatten, noinline)) void ask_kernel(void* body) {
    lane_identity.x = asked_lane;
    (*static_cast<Body*>(body))();
}
#endif

/// The most threads per block of the kernel that `body` calls; 0: any number.
template <typename Body>
SIMT_UNCHECKED unsigned bounds_of(Body& body) {
    const LaneIdentity lane = lane_identity;
    const unsigned most_threads = ask_for_bounds(&ask_kernel<Body>, &body);
    lane_identity = lane;
    return most_threads;
}

template <typename Body>
SIMT_UNCHECKED void ask_again(void* body) {
    bounds_of(*static_cast<Body*>(body));
}

/// In files that ask for the space of an address, simcc begins kernels that have parameters with __grid_constant__ with
/// a call of this.
template <typename... P>
SIMT_INLINE void note_grid_constants(const P&... parameters) {
    (note_grid_constant(__builtin_addressof(parameters), sizeof parameters), ...);
}

}  // namespace SIMT_FLAVOR
}  // namespace simt

// ---- the launch

struct CUstream_st;

namespace simt {
inline namespace SIMT_FLAVOR {

inline Configuration configure(dim3 grid, dim3 block, size_t dynamic_shared_bytes = 0, CUstream_st* stream = nullptr) {
    return {{grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, dynamic_shared_bytes, stream, false};
}

/// A null pointer constant (0, NULL) loses its special meaning when it is passed on. This type replaces an integer
/// argument where the kernel does not take that integer: it converts to any pointer or number.
struct IntegerOrNull {
    long long value;

    IntegerOrNull(long long integer) : value(integer) {}
    template <typename T>
    operator T*() const {
        return reinterpret_cast<T*>(value);
    }
    operator decltype(nullptr)() const { return nullptr; }
    template <typename T, typename = decltype(static_cast<T>(0LL) + 1)>
    operator T() const {
        return static_cast<T>(value);
    }
};

template <typename T>
struct WithoutReference {
    using type = T;
};
template <typename T>
struct WithoutReference<T&> {
    using type = T;
};
template <typename T>
struct WithoutReference<T&&> {
    using type = T;
};
template <typename T>
struct WithoutConst {
    using type = T;
};
template <typename T>
struct WithoutConst<const T> {
    using type = T;
};

/// The type in which an argument is stored: by value, arrays and functions as pointers.
template <typename T>
struct Kept {
    using type = typename WithoutConst<T>::type;
};
template <typename T, decltype(sizeof 0) n>
struct Kept<T[n]> {
    using type = T*;
};
template <typename T, decltype(sizeof 0) n>
struct Kept<const T[n]> {
    using type = const T*;
};
template <typename R, typename... P>
struct Kept<R(P...)> {
    using type = R (*)(P...);
};
template <typename T>
using kept_type = typename Kept<typename WithoutReference<T>::type>::type;

template <typename T>
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

template <typename Kernel, typename... P>
constexpr auto accepts(int) -> decltype((*static_cast<const Kernel*>(nullptr))(*static_cast<P*>(nullptr)...), bool()) {
    return true;
}
template <typename Kernel, typename... P>
constexpr bool accepts(...) {
    return false;
}

template <bool condition>
struct VoidIf {};
template <>
struct VoidIf<true> {
    using type = void;
};

template <typename Body>
void run_lanes(const void* arguments, const LaneRow& row);

SIMT_UNCHECKED void enter_block(const BlockIdentity& block) { block_identity = block; }
SIMT_UNCHECKED void enter_lane(unsigned x, unsigned y, unsigned z) { lane_identity = {x, y, z, 1}; }
SIMT_UNCHECKED unsigned running_lane() { return thread_rank(); }

/// Whether the program's own constructors copy an argument for a lane. They read the host's data, and in CUDA the host
/// calls them: the checkers must not take this for the kernel's work.
template <typename... P>
constexpr bool is_copied_by_program = is_checked && !(__is_trivially_copyable(P) && ...);

/// Whether a kernel known only at run time is a null pointer.
template <typename Kernel>
constexpr bool is_null(const Kernel&) {
    return false;
}
template <typename R, typename... P>
bool is_null(R (*kernel)(P...)) {
    return !kernel;
}

// Calls the kernel. In the checked flavor, checked code begins here: the arguments arrive in registers or in the
// lane's own stack frame, as a GPU kernel finds them in constant memory.
#ifdef SIMT_CHECKED
template <typename Kernel, typename... P>
__attribute__((flatten, noinline)) void call(const Kernel& kernel, P... arguments) {
    if constexpr (is_copied_by_program<P...>) leave_runtime();
    kernel(arguments...);
}
#else
template <typename Kernel, typename... P>
SIMT_INLINE void call(const Kernel& kernel, P&... arguments) {
    kernel(arguments...);
}
#endif

/// An argument of a launch, if it is a pointer.
template <typename T>
struct PassedPointer {
    template <typename A>
    static void tell(const A&) {}
};
template <typename T>
struct PassedPointer<T*> {
    static void tell(const volatile void* pointer) { check::passes(pointer); }
};
template <typename R, typename... P>
struct PassedPointer<R (*)(P...)> : PassedPointer<int> {};

/// Goes through the members of a class that simcc has shown (rewrite/host_pointers.cpp), in a launch's copy of it.
struct HostPointers {
    bool shows_again = false;

    template <typename Declared, typename T>
    void hide(T& member) const;
};

/// Whether simcc has shown the members of a class, and the launch's copy of it has no destructor that needs them.
template <typename T>
constexpr auto shows_members(int) -> decltype(static_cast<T*>(nullptr)->simt_members(HostPointers()), bool()) {
    return __is_trivially_copyable(T);
}
template <typename T>
constexpr bool shows_members(long) {
    return false;
}

template <typename Declared>
struct HiddenIn {
    template <typename T>
    SIMT_INLINE static void hide(T& object, HostPointers how) {
        if constexpr (shows_members<T>(0)) object.simt_members(how);
    }
};
template <typename T>
struct HiddenIn<T*> {
    SIMT_INLINE static void hide(T* const& pointer, HostPointers how) {
        const auto address = reinterpret_cast<size_t>(pointer);
        const_cast<T*&>(pointer) =
            reinterpret_cast<T*>(how.shows_again ? address_for_host(address) : address_for_kernels(address));
    }
};
template <typename T>
struct HiddenIn<T* const> : HiddenIn<T*> {};
template <typename T, size_t n>
struct HiddenIn<T[n]> {
    SIMT_INLINE static void hide(T (&list)[n], HostPointers how) {
        for (T& element : list) HiddenIn<T>::hide(element, how);
    }
};
template <typename T>
struct HiddenIn<T&> {
    SIMT_INLINE static void hide(const volatile T&, HostPointers) {}
};

template <typename Declared, typename T>
SIMT_INLINE void HostPointers::hide(T& member) const {
    HiddenIn<Declared>::hide(member, *this);
}

/// A kernel that follows a pointer to host memory fails, as on a GPU.
template <typename T>
SIMT_INLINE void hide_host_memory(T& argument) {
    HostPointers().hide<T>(argument);
}

#ifdef SIMT_CHECKED
#define SIMT_LAUNCH __attribute__((noinline, no_sanitize_thread, SIMT_WITHOUT_COVERAGE))
#else
#define SIMT_LAUNCH __attribute__((noinline))
#endif

template <typename Kernel, bool may_have_bounds = true>
class Launcher {
public:
    Launcher(const Kernel& kernel, const char* name, const Configuration& configuration)
        : configuration_(configuration), name_(name), kernel_(kernel) {}

    template <typename... A>
    static constexpr bool fits =
        accepts<Kernel, kept_type<A>...>(0) || accepts<Kernel, typename NullFromInteger<kept_type<A>>::type...>(0);

    template <typename... A>
    typename VoidIf<fits<A...>>::type operator()(A&&... arguments) const {
        if constexpr (is_checked) (PassedPointer<kept_type<A>>::tell(arguments), ...);
        if constexpr (accepts<Kernel, kept_type<A>...>(0)) {
            start<kept_type<A>...>(static_cast<A&&>(arguments)...);
        } else {
            start<typename NullFromInteger<kept_type<A>>::type...>(static_cast<A&&>(arguments)...);
        }
    }
    /// (The compiler reports a call of this at the launch, while an assertion would be reported here.)
    template <typename... A>
    __attribute__((noinline, error("the arguments of this launch do not fit the kernel's parameters")))
    typename VoidIf<!fits<A...>>::type
    operator()(A&&...) const {
        asm volatile("");  // so that no call is optimized away
    }

    /// Launches with arguments as they are stored.
    // (Out of line, so that it does not enlarge a kernel that launches.)
    template <typename... P>
    SIMT_LAUNCH void start(P... arguments) const {
        const RuntimeSection section;
        (hide_host_memory(arguments), ...);
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
        launch.call = configuration_.call;
        launch.arguments = Arguments(copy_or_end(body), [](void* object) { delete static_cast<Body*>(object); });
        launch.run_lanes = &run_lanes<Body>;
        launch.enter_block = &enter_block;
        launch.enter_lane = &enter_lane;
        launch.running_lane = &running_lane;
        launch.checked = is_checked;
        if constexpr (may_have_bounds) {
            launch.most_threads = most_threads(body);
            launch.ask = &ask_again<Body>;
            if (is_null(kernel_)) launch.ask = nullptr;
        }
        submit(static_cast<Launch&&>(launch), configuration_.stream);
    }

private:
    // A launch statement that names its kernel asks once.
    template <typename Body>
    unsigned most_threads(Body& body) const {
        if constexpr (__is_empty(Kernel)) {
            constexpr unsigned unknown = ~0u;
            static unsigned known = unknown;
            unsigned most = __atomic_load_n(&known, __ATOMIC_RELAXED);
            if (most == unknown) __atomic_store_n(&known, most = bounds_of(body), __ATOMIC_RELAXED);
            return most;
        } else {
            return is_null(kernel_) ? 0 : bounds_of(body);
        }
    }

    Configuration configuration_;
    const char* name_;
    Kernel kernel_;
};

template <typename Kernel>
Launcher<Kernel> launch(const Kernel& kernel, const char* name, const Configuration& configuration) {
    return {kernel, name, configuration};
}
template <typename Kernel>
Launcher<Kernel, false> launch_without_bounds(const Kernel& kernel, const char* name,
                                              const Configuration& configuration) {
    return {kernel, name, configuration};
}

#undef SIMT_LAUNCH

// ---- launches that know the types of the kernel's parameters

// As in nvcc's host functions, the parameters are made once, on the host, from the arguments, and destroyed once the
// launch is submitted. The device gets their bytes: no constructor and no destructor runs there, and each thread has a
// copy of its own. A reference refers to the object itself.

#ifdef __clang__
template <typename T>
constexpr bool is_trivially_destructible = __is_trivially_destructible(T);
#else
template <typename T>
constexpr bool is_trivially_destructible = __has_trivial_destructor(T);
#endif

enum class Passing {
    copied,   ///< by a trivial constructor
    moved,    ///< by a trivial constructor that takes no constants
    opaque,   ///< its constructors or its destructor do something, so the kernel takes the address of its bytes
    by_name,  ///< a reference
};

template <typename T>
constexpr Passing passing_of() {
    if constexpr (!is_trivially_destructible<T>) {
        return Passing::opaque;
    } else if constexpr (__is_trivially_constructible(T, const T&)) {
        return Passing::copied;
    } else {
        return __is_trivially_constructible(T, T) ? Passing::moved : Passing::opaque;
    }
}

template <typename T>
struct Bytes {
    alignas(T) unsigned char bytes[sizeof(T)];
};

/// A parameter of type T: how a launch stores it, and what the kernel's call gets of what is stored.
template <typename T, Passing how = passing_of<T>()>
struct Parameter {
    using Stored = T;
    static constexpr Passing passing = Passing::copied;
    static Stored store(const T& value) { return value; }
    static Stored load(const void* address) { return *static_cast<const T*>(address); }
    static SIMT_INLINE const T& pass(const T& stored) { return stored; }
};
template <typename T>
struct Parameter<T, Passing::opaque> {
    using Stored = Bytes<T>;
    static constexpr Passing passing = Passing::opaque;
    static Stored store(const T& value) { return load(__builtin_addressof(value)); }
    static Stored load(const void* address) {
        Stored stored;
        __builtin_memcpy(stored.bytes, address, sizeof(T));
        return stored;
    }
    static SIMT_INLINE T& pass(Stored& stored) { return *reinterpret_cast<T*>(stored.bytes); }
};
template <typename T>
struct Parameter<T, Passing::moved> : Parameter<T, Passing::opaque> {
    static constexpr Passing passing = Passing::moved;
    static SIMT_INLINE T&& pass(Bytes<T>& stored) { return reinterpret_cast<T&&>(stored.bytes); }
};
template <typename T>
struct Parameter<T&, Passing::by_name> {
    using Stored = T*;
    static constexpr Passing passing = Passing::by_name;
    static Stored store(T& value) { return __builtin_addressof(value); }
    static Stored load(const void* address) { return *static_cast<T* const*>(address); }
    static SIMT_INLINE T& pass(T* stored) { return *stored; }
};
template <typename T>
constexpr bool is_reference = false;
template <typename T>
constexpr bool is_reference<T&> = true;
template <typename T, bool refers = is_reference<T>>
struct ParameterOf : Parameter<T> {};
template <typename T>
struct ParameterOf<T, true> : Parameter<T, Passing::by_name> {};

/// What a kernel takes in the place of a parameter, as the processors' calling conventions have it.
template <typename T, Passing how>
struct Taken {
    using type = T;
};
template <typename T>
struct Taken<T, Passing::opaque> {
    using type = T&;
};

template <typename... P>
struct Signature {
    constexpr Signature(decltype(nullptr)) {}
};
template <typename... P>
using SignatureOf = Signature<typename WithoutConst<P>::type...>;

/// The overload of the kernel that has these parameters.
template <typename... P>
struct KernelWith {
    constexpr auto operator()(void (*kernel)(P...)) const { return kernel; }
};

/// Whether the kernel can be called by its name, with constants.
template <typename... P>
constexpr bool are_plain =
    ((ParameterOf<P>::passing == Passing::copied || ParameterOf<P>::passing == Passing::by_name) && ...);

/// Calls a kernel with parameters that their bytes stand for. `stored` is the thread's own copy of them.
template <typename... P, typename... S>
SIMT_INLINE void call_with_bytes(void (*kernel)(P...), S&... stored) {
    using Kernel = void (*)(typename Taken<P, ParameterOf<P>::passing>::type...);
    reinterpret_cast<Kernel>(reinterpret_cast<void*>(kernel))(ParameterOf<P>::pass(stored)...);
}
template <typename... P, typename... S>
SIMT_INLINE void call_with_copies(void (*kernel)(P...), S... stored) {
    call_with_bytes(kernel, stored...);
}

/// A kernel that a launch names. Takes the parameters as they are stored.
template <typename Call, typename Pick, typename... P>
struct NamedKernel : Call, Pick {
    NamedKernel(const Call& call, const Pick& pick) : Call(call), Pick(pick) {}

    template <typename... S>
    SIMT_INLINE void operator()(S&... stored) const {
        if constexpr (are_plain<P...>) {
            static_cast<const Call&> (*this)(ParameterOf<P>::pass(stored)...);
        } else if constexpr (is_checked) {
            call_with_bytes<P...>(static_cast<const Pick&>(*this)(KernelWith<P...>()), stored...);
        } else {
            call_with_copies<P...>(static_cast<const Pick&>(*this)(KernelWith<P...>()), stored...);
        }
    }
};

/// A kernel known at run time.
template <typename... P>
struct PointedKernel {
    void (*kernel)(P...);

    template <typename... S>
    SIMT_INLINE void operator()(S&... stored) const {
        if constexpr (are_plain<P...>) {
            kernel(ParameterOf<P>::pass(stored)...);
        } else if constexpr (is_checked) {
            call_with_bytes<P...>(kernel, stored...);
        } else {
            call_with_copies<P...>(kernel, stored...);
        }
    }
};
template <typename... P>
bool is_null(const PointedKernel<P...>& kernel) {
    return !kernel.kernel;
}

template <typename... P>
class Launcher<void (*)(P...), true> {
public:
    Launcher(void (*kernel)(P...), const char* name, const Configuration& configuration)
        : launcher_(PointedKernel<P...>{kernel}, name, configuration) {}

    void operator()(P... parameters) const {
        if constexpr (is_checked)
            (PassedPointer<typename ParameterOf<P>::Stored>::tell(ParameterOf<P>::store(parameters)), ...);
        start(ParameterOf<P>::store(parameters)...);
    }

    void start(typename ParameterOf<P>::Stored... stored) const {
        launcher_.template start<typename ParameterOf<P>::Stored...>(stored...);
    }

private:
    Launcher<PointedKernel<P...>> launcher_;
};

/// Signature<P...> of the first `count` types.
template <unsigned count, typename Done, typename... P>
struct FirstTypes {
    using type = Done;
};
template <unsigned count, typename... Done, typename First, typename... P>
struct FirstTypes<count, Signature<Done...>, First, P...> : FirstTypes<count - 1, Signature<Done..., First>, P...> {};
template <typename... Done, typename First, typename... P>
struct FirstTypes<0, Signature<Done...>, First, P...> {
    using type = Signature<Done...>;
};
template <unsigned count, typename Done, typename... P>
using FirstOf = typename FirstTypes<count, Done, P...>::type;

template <bool wanted>
struct OnlyIf {};
template <>
struct OnlyIf<true> {
    using type = void;
};

template <typename Told, bool may_have_bounds, typename Call, typename Pick>
class ToldLauncher;
template <typename... P, bool may_have_bounds, typename Call, typename Pick>
class ToldLauncher<Signature<P...>, may_have_bounds, Call, Pick> {
public:
    ToldLauncher(const Call& call, const Pick& pick, const char* name, const Configuration& configuration)
        : call_(call), pick_(pick), name_(name), configuration_(configuration) {}

    void operator()(P... parameters) const {
        if constexpr (is_checked)
            (PassedPointer<typename ParameterOf<P>::Stored>::tell(ParameterOf<P>::store(parameters)), ...);
        Launcher<NamedKernel<Call, Pick, P...>, may_have_bounds>({call_, pick_}, name_, configuration_)
            .template start<typename ParameterOf<P>::Stored...>(ParameterOf<P>::store(parameters)...);
    }

    /// The kernel has default arguments; or the arguments are too many, which has been reported.
    template <typename... A, typename = typename OnlyIf<sizeof...(A) != sizeof...(P)>::type>
    void operator()(A&&... arguments) const {
        if constexpr (sizeof...(A) < sizeof...(P))
            start(FirstOf<sizeof...(A), Signature<>, P...>(nullptr), arguments...);
    }

private:
    template <typename... First, typename... A>
    void start(Signature<First...>, A&... arguments) const {
        if constexpr (are_plain<First...>) {
            const ToldLauncher<Signature<First...>, may_have_bounds, Call, Pick> launcher(call_, pick_, name_,
                                                                                          configuration_);
            if constexpr (accepts<decltype(launcher), A...>(0)) {
                launcher(arguments...);
            } else {
                launcher(static_cast<typename NullFromInteger<kept_type<A>>::type>(arguments)...);
            }
        } else {
            Launcher<Call, may_have_bounds>(call_, name_, configuration_)(arguments...);
        }
    }

    Call call_;
    Pick pick_;
    const char* name_;
    Configuration configuration_;
};
template <bool may_have_bounds, typename Told, typename Call, typename Pick>
ToldLauncher<Told, may_have_bounds, Call, Pick> launch_told(Told, const Call& call, const Pick& pick, const char* name,
                                                            const Configuration& configuration) {
    return {call, pick, name, configuration};
}

/// The types become known with the arguments.
template <bool may_have_bounds, typename Call, typename Pick, typename Teller>
class DeducedLauncher {
    template <typename... A>
    static constexpr auto is_told(int) -> decltype((*static_cast<const Teller*>(nullptr))(static_cast<A&&>(
                                                       *static_cast<typename WithoutReference<A>::type*>(nullptr))...),
                                                   bool()) {
        return true;
    }
    template <typename... A>
    static constexpr bool is_told(...) {
        return false;
    }
    template <typename... A>
    static constexpr bool fits = is_told<A...>(0) || Launcher<Call, may_have_bounds>::template fits<A...>;

public:
    DeducedLauncher(const Call& call, const Pick& pick, const char* name, const Configuration& configuration)
        : call_(call), pick_(pick), name_(name), configuration_(configuration) {}

    template <typename... A>
    typename VoidIf<fits<A...>>::type operator()(A&&... arguments) const {
        if constexpr (is_told<A...>(0)) {
            using Told = decltype((*static_cast<const Teller*>(nullptr))(
                static_cast<A&&>(*static_cast<typename WithoutReference<A>::type*>(nullptr))...));
            ToldLauncher<Told, may_have_bounds, Call, Pick>(call_, pick_, name_,
                                                            configuration_)(static_cast<A&&>(arguments)...);
        } else {
            Launcher<Call, may_have_bounds>(call_, name_, configuration_)(static_cast<A&&>(arguments)...);
        }
    }
    template <typename... A>
    __attribute__((noinline, error("the arguments of this launch do not fit the kernel's parameters")))
    typename VoidIf<!fits<A...>>::type
    operator()(A&&...) const {
        asm volatile("");
    }

private:
    Call call_;
    Pick pick_;
    const char* name_;
    Configuration configuration_;
};
template <bool may_have_bounds, typename Call, typename Pick, typename Teller>
DeducedLauncher<may_have_bounds, Call, Pick, Teller> launch_deduced(const Call& call, const Pick& pick, const Teller&,
                                                                    const char* name,
                                                                    const Configuration& configuration) {
    return {call, pick, name, configuration};
}

/// The kernel as a pointer, even where the program computes a reference to it.
template <typename Kernel>
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
template <typename Body>
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

namespace simt {
inline namespace SIMT_FLAVOR {
namespace {

const struct ModuleAnnouncement {
    ModuleAnnouncement() {
        announce_module(this, []() SIMT_UNCHECKED_LAMBDA { asm volatile("" : : "r"(lane_identity.x)); });
    }
} module_announcement;

}  // namespace
}  // namespace SIMT_FLAVOR
}  // namespace simt

// A program with checked kernels checks from the start, unless it starts checking on demand, as programs with both
// flavors do.
#if defined(SIMT_CHECKED) && !defined(SIMT_CHECK_ON_DEMAND)
extern "C" int simt_check_autostart;
static __attribute__((used)) int* const simt_check_reference = &simt_check_autostart;
// What such a program does unless SIMCC_CHECK and SIMCC_SCHEDULE say otherwise.
#ifdef SIMT_WANTS_CHECKS
extern "C" __attribute__((weak)) int simt_wants_checks;
int simt_wants_checks = 1;
#endif
#ifdef SIMT_WANTS_LOCKSTEP
extern "C" __attribute__((weak)) int simt_wants_lockstep;
int simt_wants_lockstep = 1;
#endif
#endif
