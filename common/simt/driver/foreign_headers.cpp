// SPDX-License-Identifier: MIT
#include "common/simt/driver/foreign_headers.hpp"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "common/simt/driver/assembly.hpp"
#include "common/simt/driver/libraries.hpp"

namespace simcc {
namespace {

namespace fs = std::filesystem;

/// Whether a header of the simulator only stands for a library that it lacks.
bool is_stub(const std::string& file) {
    std::ifstream text(file);
    for (std::string line; std::getline(text, line);) {
        if (line == "#include \"simt/absent.h\"") return true;
        if (line.substr(0, 2) != "//" && line.substr(0, 7) != "#pragma") return false;
    }
    return false;
}

std::string_view folder_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return path.substr(0, slash == path.npos ? 0 : slash);
}

/// A line marker of the preprocessor: # LINE "FILE" FLAGS; flag 1 means that the file begins.
struct Marker {
    std::size_t line = 0;
    std::string_view file;
    bool begins = false;
};

bool read_marker(std::string_view text, Marker& marker) {
    if (text.substr(0, 2) != "# ") return false;
    const std::size_t quote = text.find('"'), end = text.rfind('"');
    if (quote == text.npos || end == quote) return false;
    std::from_chars(text.data() + 2, text.data() + quote, marker.line);
    marker.file = text.substr(quote + 1, end - quote - 1);
    marker.begins = text.substr(end).find(" 1") != text.npos;
    return true;
}

/// The toolkit's folder of headers that a file is in, at any depth; empty if it is in none.
std::string toolkit_around(std::string_view file) {
    for (std::string folder(folder_of(file)); !folder.empty(); folder = folder_of(folder)) {
        if (is_cuda_folder(folder)) return folder;
    }
    return "";
}

/// Why `file` is refused where `includer` includes it; empty if it is not.
std::string refusal_of(std::string_view file, std::string_view includer, const std::string& own_headers) {
    const std::size_t cub = file.rfind("/cub/");
    const std::string_view name = file.substr((cub == file.npos ? file.rfind('/') : cub) + 1);
    if (name == "cub/version.cuh") return "";  // of Thrust
    const std::string refusal = refusal_of_header(name);
    if (refusal.empty()) return "";
    if (folder_of(file) == own_headers) return is_stub(std::string(file)) ? refusal : "";
    // What headers of a toolkit include of their own accord is theirs.
    const std::string toolkit = toolkit_around(file);
    const bool is_programs = !toolkit.empty() && toolkit != own_headers && toolkit_around(includer) != toolkit &&
                             toolkit_around(includer) != own_headers;
    return is_programs ? refusal : "";
}

}  // namespace

bool is_cuda_folder(const std::string& folder) {
    std::error_code ignored;
    return fs::exists(fs::path(folder) / "cuda_runtime.h", ignored);
}

void hide_toolkits() {
    const char* const folders = std::getenv("CPATH");
    if (!folders) return;
    std::istringstream list(folders);
    std::string kept;
    for (std::string folder; std::getline(list, folder, ':');) {
        if (!is_cuda_folder(folder)) kept += (kept.empty() ? "" : ":") + folder;
    }
    if (kept.empty()) {
        unsetenv("CPATH");
    } else {
        setenv("CPATH", kept.c_str(), 1);
    }
}

std::string messages_about_absent_headers(std::string_view preprocessed, const std::string& own_headers) {
    std::string_view file;
    std::string messages;
    std::size_t number = 0;  // of the line
    for (const std::string_view line : lines_of(preprocessed)) {
        Marker marker;
        if (!read_marker(line, marker)) {
            ++number;
            continue;
        }
        if (marker.begins && file != marker.file) {
            // (clang++ spells headers as they were reached: cub/block/../util_type.cuh.)
            const std::string refusal = refusal_of(fs::path(marker.file).lexically_normal().string(),
                                                   fs::path(file).lexically_normal().string(), own_headers);
            if (!refusal.empty())
                messages += std::string(file) + ":" + std::to_string(number) + ":1: error: " + refusal + "\n";
        }
        file = marker.file;
        number = marker.line;
    }
    return messages;
}

std::string with_origin_of_missing_header(const std::string& messages) {
    constexpr std::string_view fatal = ": fatal error: ";
    std::istringstream lines(messages);
    for (std::string line; std::getline(lines, line);) {
        const std::size_t at = line.find(fatal);
        if (at == line.npos) continue;
        const std::string name = line.substr(at + fatal.size(), line.find(':', at + fatal.size()) - at - fatal.size());
        for (const std::string_view origin : {"thrust/", "cuda/", "cub/"}) {
            if (name.substr(0, origin.size()) != origin) continue;
            return line.substr(0, at) + ": error: " + name +
                   " comes with a CUDA toolkit, and none is found: set CUDA_HOME to its folder\n";
        }
    }
    return messages;
}

}  // namespace simcc
