// SPDX-License-Identifier: MIT
// The passes of the rewriter. Each reads the tokens and adds its replacements, independently of the others. Only
// launches come last, since they quote the kernel with its built-in variables already replaced.
#pragma once

#include <cstddef>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/cuda_to_cxx.hpp"
#include "common/simt/rewrite/functions.hpp"
#include "common/simt/rewrite/signatures.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {

/// Attributes of declarations go ahead of all other specifiers. The other passes read the text with this done.
void rewrite_attributes(const Source& source, Edits& edits);

/// Cooperative groups that are the block or a warp become CUDA's built-in functions; in fast code, ahead of the others.
void rewrite_thread_groups(const Source& source, Edits& edits);

/// `threadIdx` and the other three become calls, unless the program declares a variable, parameter or member of that
/// name. On the host they are errors.
void rewrite_builtin_variables(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits);

/// `extern __shared__ T s[];` is bound to the block's window of dynamic shared memory, and arrays of classes in static
/// shared memory to bytes without constructors.
void rewrite_shared_memory(const Source& source, const Braces& braces, Edits& edits);

/// Unsigned indices of shared memory wrap at 32 bits.
void rewrite_shared_indices(const Source& source, const ExecutionSpaces& spaces, Edits& edits);

/// CUDA's qualifiers are removed; unless device code is relocatable, device variables become static. Their addresses
/// are announced to the runtime, and copies that mistake a variable's name for its device address get the host's shadow
/// of it.
void rewrite_qualifiers(const Source& source, const Braces& braces, const DeviceCode& code, Edits& edits);

/// Specifiers that nvcc accepts and g++ does not: a bare `__noinline__`, a repeated `inline`.
void rewrite_specifiers(const Source& source, Edits& edits);

/// Kernels keep what cudaFuncGetAttributes says about them: their launch bounds, and which functions with shared
/// variables they call.
void rewrite_kernel_facts(const Source& source, const Braces& braces, Edits& edits, bool counts_lines = false);

/// Kernels tell launches the types of their parameters.
void rewrite_signatures(const Source& source, const KernelSignatures& signatures, Edits& edits);

/// In a module, kernels are announced to the runtime, which launches them by name.
void rewrite_module_kernels(const Source& source, const KernelSignatures& signatures, Edits& edits);

/// Whether the program's own text names CUDA's graphs. Then its kernels can tell a node of a graph their address and
/// their arguments.
bool uses_graphs(const Source& source);

/// In checked code `new`, and the compiler's built-in copies and fills, go through the simulator.
void rewrite_allocations(const Source& source, Edits& edits);

/// In checked code, threads that leave a function early report it.
void rewrite_early_returns(const Source& source, const Braces& braces, Edits& edits);

/// In checked code, arrays that a GPU keeps in local memory are announced to the counters.
void rewrite_local_arrays(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits);

/// Inline PTX becomes calls. What is not simulated is an error where it is compiled; with `permits_any` it ends the
/// kernel that reaches it.
void rewrite_inline_assembly(const Source& source, const ExecutionSpaces& spaces, bool permits_any, Edits& edits);

/// Loops that only read until another thread writes let that thread run.
void rewrite_waiting_loops(const Source& source, const Braces& braces, Edits& edits);

/// Kernels whose barriers stand in control flow that is the same for the whole block run their lanes in loops. Comes
/// after the passes that change expressions. With `explained`, a note says which kernels do, or why not.
void rewrite_lane_loops(const Source& source, const Braces& braces, bool explained, Edits& edits);

/// C library functions with other results on a GPU become the simulator's own in device code.
void rewrite_library_calls(const Source& source, const Functions& functions, const ExecutionSpaces& spaces,
                           Edits& edits);

/// Atomic additions whose results and sums a kernel does not read may be put together. Comes after the passes that put
/// something behind an argument.
void rewrite_lone_additions(const Source& source, const Braces& braces, Edits& edits);

/// In fast code, classes show launches their members, among which may be pointers to host memory.
void rewrite_members(const Source& source, const Braces& braces, Edits& edits);

/// In fast code, what `new` takes of the host's heap in kernels is theirs.
void rewrite_device_new(const Source& source, const ExecutionSpaces& spaces, Edits& edits);

/// Texture and surface references, and warp functions without a mask, become the simulator's.
void rewrite_removed_names(const Source& source, const Braces& braces, const Functions& functions, Edits& edits);

/// Names that nvcc accepts and g++ does not: member templates without `template`, and `using X = X<T>` in classes.
void rewrite_lenient_names(const Source& source, const Braces& braces, Edits& edits);

/// Casts to integers in device code saturate.
void rewrite_casts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits);

/// So do conversions to integers without a cast.
void rewrite_implicit_conversions(const Source& source, const Braces& braces, const ExecutionSpaces& spaces,
                                  Edits& edits);

/// Shifts in device code clamp their amounts.
void rewrite_shifts(const Source& source, const Braces& braces, const ExecutionSpaces& spaces, Edits& edits);

/// Kernels passed as void* keep their type.
void rewrite_kernel_pointers(const Source& source, const Functions& functions, const ExecutionSpaces& spaces,
                             Edits& edits);

/// The place of a launch: the kernel's first token, and the first `<` and the first `>` of the brackets around the
/// configuration; none where it cannot be parsed.
struct Launch {
    std::size_t kernel, open, close;
};
std::vector<Launch> find_launches(const Source& source);

/// `k<<<grid, block>>>(arguments)` becomes a call of simt::launch.
void rewrite_launches(const Source& source, const Braces& braces, const Functions& functions,
                      const KernelSignatures& signatures, Edits& edits);

/// Errors for code that CUDA forbids and plain C++ allows: kernels that return something or are called like functions,
/// device functions called on the host, functions of the runtime API that kernels do not have.
void refuse_what_cuda_forbids(const Source& source, const Braces& braces, const Functions& functions,
                              const ExecutionSpaces& spaces, Edits& edits);

/// Warnings for variables and functions of the host that device code uses.
void warn_of_host_names(const Source& source, const Braces& braces, const Functions& functions,
                        const ExecutionSpaces& spaces, Edits& edits);

// ---- what several passes need to know of a declaration

/// Whether an attribute such as [[nodiscard]] begins at token i.
bool begins_attribute(const Source& source, std::size_t i);

/// The first token at or behind token i that belongs to no [[...]] and no alignas(...).
std::size_t skip_attributes(const Source& source, std::size_t i);

/// The last token of the type that begins with `struct` or a relative at token i: of its body, if it has one, else of its
/// own attributes.
std::size_t end_of_type(const Source& source, std::size_t i);

}  // namespace simcc
