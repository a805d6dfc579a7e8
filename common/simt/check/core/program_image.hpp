// SPDX-License-Identifier: MIT
// The executable's variables, from its symbol table and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simt/check/core/symbols.hpp"

namespace simt::check {

struct Variable {
    uintptr_t begin = 0;  ///< the address, or a thread-local variable's offset in thread-local storage
    size_t bytes = 0;
    std::string name;  ///< demangled

    bool contains(uintptr_t address) const { return address - begin < bytes; }
};

class ProgramImage {
public:
    /// Read on the first call.
    static const ProgramImage& instance();

    /// Whether the executable has a symbol table. Without one the bounds of variables are unknown, and any of its
    /// variables may belong to the device.
    bool has_symbols() const { return has_symbols_; }

    /// Ordered by offset; none without symbols.
    const std::vector<Variable>& thread_local_variables() const { return thread_local_; }

    /// The static variable at this address if it is declared in a function or is an instance of a template, else null.
    /// Such variables may belong to the device although nothing has announced them (see simt::DeviceVariable).
    const Variable* unannounced_at(uintptr_t address) const;

    /// The static variable of the host at this address, or null.
    const Variable* host_variable_at(uintptr_t address) const;

    /// What a name means there: the variables, with static or thread-local storage, that are declared at namespace scope
    /// or in one of the functions at that place in the code. Constants, unless one of them can be written; without
    /// symbols, variables.
    enum class Meaning { neither, variable, constant };
    Meaning meaning_of(const std::string& name, const Symbol& place) const;

    /// Whether it is a constant of the executable or its libraries: a table, a string literal.
    bool is_constant(uintptr_t address) const;
    /// Whether a constant's address is in the space between constants that have names (driver/assembly.hpp).
    bool is_between_constants(uintptr_t address) const;

private:
    struct Range {
        uintptr_t begin, end;
    };

    ProgramImage();
    void read_symbols(const char* file, size_t bytes);
    void allow_all_variables();

    std::vector<Variable> thread_local_, unannounced_, others_;
    struct Declaration {
        std::string function;  // that declares the variable, or ""
        uintptr_t address;     // 0 if it is thread-local
    };
    std::multimap<std::string, Declaration> declarations_;  // by variable name
    std::vector<Range> constants_;
    bool has_symbols_ = false;
};

}  // namespace simt::check
