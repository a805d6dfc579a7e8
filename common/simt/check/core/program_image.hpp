// SPDX-License-Identifier: MIT
// The variables of the modules with kernels, from their symbol tables and segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simt/check/core/access.hpp"
#include "common/simt/check/core/symbols.hpp"

namespace simt::check {

/// The calling thread's shared memory: see SharedWindow. Ends the program if it has another form than that of other
/// threads.
AddressRange shared_window_of_thread();

struct Variable {
    uintptr_t begin = 0;  ///< the address, or a thread-local variable's offset in the shared window
    size_t bytes = 0;
    std::string name;  ///< demangled

    bool contains(uintptr_t address) const { return address - begin < bytes; }
};

class ProgramImage {
public:
    /// Read on the first call.
    static const ProgramImage& instance();

    /// Whether each module has a symbol table. Without one the bounds of its variables are unknown, and any may belong to
    /// the device.
    bool has_symbols() const { return has_symbols_; }

    /// Ordered by offset; of a module without symbols, all its storage as one, without a name.
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
    // `offset`: the distance between the module's addresses and those in its file; `storage`: between its thread-local
    // storage and the shared window. False without a symbol table.
    bool read_symbols(const char* file, size_t bytes, uintptr_t offset, uintptr_t storage);

    std::vector<Variable> thread_local_, unannounced_, others_;
    struct Declaration {
        std::string function;  // that declares the variable, or ""
        uintptr_t address;     // 0 if it is thread-local
    };
    std::multimap<std::string, Declaration> declarations_;  // by variable name
    std::vector<Range> constants_;
    bool has_symbols_ = true;
};

}  // namespace simt::check
