// What the executable's symbol table and segments say about its variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/simt/check/core/symbols.hpp"

namespace simt::check {

struct Variable {
    uintptr_t begin = 0;  // address; of a thread-local variable its offset in the executable's thread-local storage
    size_t bytes = 0;
    std::string name;     // demangled

    bool contains(uintptr_t address) const { return address - begin < bytes; }
};

class ProgramImage {
public:
    // Read when it is first asked for.
    static const ProgramImage& instance();

    // In the order of their places; none if the executable has been stripped of its symbols.
    const std::vector<Variable>& thread_local_variables() const { return thread_local_; }

    // The variable of static storage that is declared in a function or is an instance of a template, or null: such may
    // be the device's although nobody has announced them (see simt::DeviceVariable).
    const Variable* unannounced_at(uintptr_t address) const;

    // Whether a variable of static or thread-local storage of this name is declared at namespace scope or in one of the
    // functions at that place of the code.
    bool has_variable(const std::string& name, const Symbol& place) const;

    // Constants of the executable and its libraries: tables, string literals.
    bool is_constant(uintptr_t address) const;

private:
    struct Range {
        uintptr_t begin, end;
    };

    ProgramImage();
    void read_symbols(const char* file, size_t bytes);

    std::vector<Variable> thread_local_, unannounced_;
    std::multimap<std::string, std::string> functions_of_;  // by a variable's name: where it is declared, or ""
    std::vector<Range> constants_;
};

}  // namespace simt::check
