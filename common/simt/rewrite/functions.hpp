// SPDX-License-Identifier: MIT
#pragma once
// The kernels and device functions that a translation unit declares, by name. Overloads are not resolved here: a name
// that is also declared as anything else does not count as a kernel or a device function.

#include <cstddef>
#include <set>
#include <string_view>

#include "common/simt/rewrite/braces.hpp"

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

}  // namespace simcc
