// SPDX-License-Identifier: MIT
// The types of a kernel's parameters, which a launch needs before it calls the kernel: it makes the parameters once,
// from its arguments, as a call of nvcc's host function does. See signatures.cpp.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "common/simt/rewrite/brackets.hpp"
#include "common/simt/rewrite/source.hpp"

namespace simcc {

class KernelSignatures {
public:
    KernelSignatures(const Source& source, const Braces& braces);

    /// Whether every kernel of this name has a function that tells its parameters: name_of() is its name.
    bool has(std::string_view kernel) const { return told_.count(kernel) != 0 && others_.count(kernel) == 0; }
    /// Whether the kernel's plain name is found at token i without looking into the namespaces of the arguments' types.
    bool is_visible(std::string_view kernel, std::size_t i) const;
    static std::string name_of(std::string_view kernel) { return "simt_signature_of_" + std::string(kernel); }

    /// A function to declare before the declaration of `kernel` whose first token is `first`.
    struct Declaration {
        std::size_t first;
        std::string_view kernel;
        std::string text;
        std::size_t body;        ///< its `{`; none if the kernel is defined elsewhere, or is a template or a member
        std::string parameters;  ///< without default values: `(int* p, float)`
    };
    const std::vector<Declaration>& declarations() const { return declarations_; }

private:
    void read(std::size_t qualifier);
    std::string parameters(std::size_t open, std::string& types, std::string& plain) const;
    std::string parameter(std::size_t first, std::size_t end, std::size_t number, std::string& name) const;
    bool in_unnamed_namespace(std::size_t i) const;
    bool in_linkage_block(std::size_t i) const;
    std::string_view namespace_around(std::size_t i) const;
    bool uses_namespace(std::string_view name) const;

    const Source& source_;
    const Braces& braces_;
    std::set<std::string_view> told_, others_, imported_;
    std::vector<Declaration> declarations_;
};

}  // namespace simcc
