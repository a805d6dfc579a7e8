// SPDX-License-Identifier: MIT
// The kernels and device functions that a translation unit declares, by name. Overloads are not resolved here: a name
// that is also declared as anything else does not count as a kernel or a device function.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>

#include "common/simt/rewrite/brackets.hpp"

namespace simcc {

class Functions {
public:
    Functions(const Source& source, const Braces& braces);

    /// The names declared with __global__.
    const std::set<std::string_view>& kernels() const { return kernels_; }
    /// The kernels declared in a namespace or as a friend: a call may find them by the types of its arguments.
    const std::set<std::string_view>& kernels_in_namespaces() const { return kernels_in_namespaces_; }

    /// The kernels that are defined here and have launch bounds in no declaration.
    const std::set<std::string_view>& kernels_without_bounds() const { return kernels_without_bounds_; }

    /// Whether every declaration of this name declares a kernel.
    bool is_only_kernel(std::string_view name) const;
    /// Whether every declaration of this name declares a function with __device__ and without __host__ and constexpr.
    bool is_only_device(std::string_view name) const;
    /// Whether any declaration of this name has __device__ or __global__.
    bool has_device_declaration(std::string_view name) const { return on_device_.count(name) != 0; }

private:
    void collect();
    void collect_other_declarations();
    void collect_kernels_without_bounds();
    std::size_t declared_name(std::size_t i) const;
    bool declares_otherwise(std::size_t i) const;
    bool in_introducer(std::size_t i) const;
    bool is_instantiation(std::size_t i) const;

    const Source& source_;
    const Braces& braces_;
    std::set<std::string_view> kernels_, kernels_in_namespaces_, kernels_without_bounds_, device_, on_device_,
        otherwise_;
    std::set<std::size_t> declarations_;  // the names' tokens
};

/// The first token of the declaration or statement that token i belongs to.
std::size_t statement_begin(const Source& source, std::size_t i);

/// Whether the tokens [first, last) contain the word outside all brackets.
bool has_specifier(const Source& source, std::size_t first, std::size_t last, std::string_view word);

// ---- where a function's code runs, according to its qualifiers

class ExecutionSpaces {
public:
    ExecutionSpaces(const Source& source, const Braces& braces, const Functions& functions)
        : source_(source), braces_(braces), functions_(functions) {}

    /// Whether token i is in code that can run only on the host. Templates and constexpr functions, which may never be
    /// instantiated or run there, and system headers do not count. In doubt the answer is no.
    bool is_host_only(std::size_t i) const;

    /// Whether token i is in the body of a function that may run on the device: its definition, or an earlier
    /// declaration of this member, has __device__ or __global__, or it is constexpr. System headers do not count.
    bool is_device(std::size_t i) const;

    /// Whether token i is in a kernel, or in a function or lambda only for the device. In doubt the answer is no.
    bool is_device_only(std::size_t i) const;

    /// Whether token i is in an unevaluated operand, such as that of decltype or sizeof.
    bool is_unevaluated(std::size_t i) const;

private:
    bool has(std::size_t open, std::string_view word) const;
    bool is_function(std::size_t open) const;
    bool is_generic(std::size_t open) const;
    bool has_device_declaration(std::size_t open) const;
    bool is_device_member(std::size_t open) const;

    const Source& source_;
    const Braces& braces_;
    const Functions& functions_;
};

}  // namespace simcc
