// SPDX-License-Identifier: MIT
#include "tools/trapezoid/shared_object.hpp"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "common/io/process.hpp"
#include "common/io/text.hpp"

namespace {

constexpr const char* name_of_function = "integrand";

// What the compiler said, as one line.
std::string first_line(const std::string& path) {
    std::ifstream log(path);
    std::string line;
    std::getline(log, line);
    return printable(line, 200);
}

void compile(const std::string& source, const std::string& object, const TemporaryFolder& folder) {
    const std::string found = path_of_program("simcc"), simcc = found.empty() ? "simcc" : found;
    ProgramStart how;
    how.log = folder.file("log");
    const pid_t child = start_program({simcc, "-shared", "-cudart", "none", "-O2", "-w", source, "-o", object}, how);
    int status = 0;
    if (child == 0)
        fail(Exit::unavailable,
             "cannot start simcc, which compiles --function for the simulator: {}; install it beside this program or "
             "in a folder of PATH",
             std::strerror(errno));
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) fail(Exit::cuda_error, "lost sight of {}: {}; try again", simcc, std::strerror(errno));
    if (shell_status(status) != 0)
        fail(Exit::unavailable, "{} could not compile --function for the simulator: {}; it needs g++ 11 or later",
             simcc, first_line(how.log));
}

}  // namespace

SharedObject::SharedObject(const Expression& expression, DType dtype) {
    const char* const type = dtype == DType::f32 ? "float" : "double";
    const std::string object = folder_.file("integrand.so");
    compile(folder_.write("integrand.cu", std::string(powers_source) +
                                              text("extern \"C\" __device__ {} {}({} x) {{\n    return {};\n}}\n", type,
                                                   name_of_function, type, expression.source(dtype))),
            object, folder_);
    library_.emplace(std::vector<std::string>{object});
    if (!library_->find(function_, name_of_function))
        fail(Exit::unavailable,
             "cannot load what simcc made of --function: {}; set TMPDIR to a folder whose files may be "
             "executed",
             std::string(dlerror()));
}
