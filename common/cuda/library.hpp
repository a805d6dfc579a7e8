// A library that is found at run time, so that everything builds and runs on a machine without it. Whoever calls its
// functions declares them as its header does, which a toolkit may lack.
#pragma once

#include <dlfcn.h>

#include <string>
#include <vector>

#include "common/io/text.hpp"

class Library {
public:
    // The first of these that there is: names for the dynamic linker to look for, or paths. One that `stays` is loaded
    // until the process ends, else until this object's end.
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

    // `function`, a pointer of the function's type, becomes that of this name. False, and null, if there is none.
    template <typename Function>
    bool find(Function*& function, const char* name) const {
        function = handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
        return function != nullptr;
    }
    // The same for a function that must be there: else Failure(unavailable) with this message, in which {} is the name.
    template <typename Function>
    void need(Function*& function, const char* name, const char* message) const {
        if (!find(function, name)) fail(Exit::unavailable, message, name);
    }

private:
    void* handle_ = nullptr;
};
