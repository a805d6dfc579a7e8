// SPDX-License-Identifier: MIT
// A library that is loaded at run time, so that everything builds and runs on a machine without it. Callers declare its
// functions themselves, as its header does: a toolkit may lack the header.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

#include "common/io/text.hpp"

class Library {
public:
    // Loads the first of these that exists: names for the dynamic linker to search for, or paths. If it `stays`, it
    // remains loaded until the process ends, otherwise as long as this object lives.
    explicit Library(const std::vector<std::string>& names, bool stays = false) {
        for (const std::string& name : names)
            if ((handle_ = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (stays ? RTLD_NODELETE : 0)))) break;
    }
    ~Library() {
        if (handle_) dlclose(handle_);
    }
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    explicit operator bool() const { return handle_ != nullptr; }

    // Sets `function` to the address of the function with this name. If there is none, sets it to null and returns
    // false.
    template <typename Function>
    bool find(Function*& function, const char* name) const {
        function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
        return function != nullptr;
    }
    // The same for a function that must exist: otherwise Failure(unavailable) with this message, where {} is the name.
    template <typename Function>
    void need(Function*& function, const char* name, const char* message) const {
        if (!find(function, name)) fail(Exit::unavailable, message, name);
    }

private:
    void* handle_ = nullptr;
};
