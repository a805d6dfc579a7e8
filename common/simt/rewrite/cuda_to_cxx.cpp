// SPDX-License-Identifier: MIT
#include "common/simt/rewrite/cuda_to_cxx.hpp"

#include <cstddef>
#include <string>
#include <string_view>

#include "common/simt/rewrite/passes.hpp"

namespace simcc {

namespace {

/// The text with attributes where the passes and g++ expect them, and with groups as the passes know them; empty if
/// nothing changes.
std::string prepared(const Source& source, const DeviceCode& code) {
    if (source.unmatched() != Source::none) return "";
    Edits edits(source);
    rewrite_attributes(source, edits);
    if (!code.checked && code.lanes != LanesRun::on_stacks) rewrite_thread_groups(source, edits);
    return edits.empty() ? "" : edits.apply();
}

/// Whether kernels may wait in CUB's collectives by names that do not say so: `using namespace cub`, or a type outside of
/// functions.
bool hides_collectives(const Source& source, const Braces& braces) {
    for (std::size_t i = 1; i < source.size(); ++i) {
        if (source[i] != "cub" || source.in_system_header(i)) continue;
        if (source[i - 1] == "namespace" && source[i - 2] == "using") return true;
        if (source[i + 1] == "::" && (source[i - 1] == "using" || !braces.in_function(i))) return true;
    }
    return false;
}

Rewritten rewrite_source(const Source& source, const DeviceCode& code) {
    Edits edits(source);
    if (const std::size_t bracket = source.unmatched(); bracket != Source::none) {
        // The structure is unknown then, and g++ would complain about the launches around it, not the bracket.
        const std::string name = "this '" + std::string(source[bracket]) + "' ";
        const bool opens = source[bracket].find_first_of("([{") == 0;
        edits.complain(bracket, name + (opens ? "is never closed" : "closes nothing"));
        return {std::string(source.text()), edits.diagnostics()};
    }
    const Braces braces(source);
    const Functions functions(source, braces);
    const ExecutionSpaces spaces(source, braces, functions);
    const KernelSignatures signatures(source, braces);
    refuse_what_cuda_forbids(source, braces, functions, spaces, edits);
    warn_of_host_names(source, braces, functions, spaces, edits);
    rewrite_builtin_variables(source, braces, spaces, edits);
    rewrite_shared_memory(source, braces, edits);
    rewrite_shared_indices(source, spaces, edits);
    rewrite_qualifiers(source, braces, code, edits);
    rewrite_specifiers(source, edits);
    rewrite_signatures(source, signatures, edits);
    if (code.module) rewrite_module_kernels(source, signatures, edits);
    rewrite_kernel_facts(source, braces, edits, code.checked);
    if (code.checked) rewrite_allocations(source, edits);
    if (code.checked) rewrite_early_returns(source, braces, edits);
    if (code.checked) rewrite_local_arrays(source, braces, spaces, edits);
    if (!code.checked) rewrite_members(source, braces, edits);
    if (!code.checked) rewrite_device_new(source, spaces, edits);
    rewrite_waiting_loops(source, braces, edits);
    rewrite_library_calls(source, functions, spaces, edits);
    rewrite_lenient_names(source, braces, edits);
    rewrite_removed_names(source, braces, functions, edits);
    rewrite_casts(source, braces, spaces, edits);
    rewrite_implicit_conversions(source, braces, spaces, edits);
    rewrite_shifts(source, braces, spaces, edits);
    if (!code.checked) rewrite_lone_additions(source, braces, edits);
    rewrite_inline_assembly(source, spaces, code.permits_any_ptx, edits);  // quotes its operands
    rewrite_kernel_pointers(source, functions, spaces, edits);
    if (!code.checked && code.lanes != LanesRun::on_stacks && !hides_collectives(source, braces)) {
        rewrite_lane_loops(source, braces, code.lanes == LanesRun::explained, edits);
    }
    rewrite_launches(source, braces, functions, signatures, edits);
    return {edits.apply(), edits.diagnostics()};
}

}  // namespace

Rewritten rewrite(std::string_view preprocessed, std::string_view own_headers, const DeviceCode& code) {
    const Source source(preprocessed, own_headers);
    const std::string text = prepared(source, code);
    if (text.empty()) return rewrite_source(source, code);
    return rewrite_source(Source(text, own_headers), code);
}

}  // namespace simcc
