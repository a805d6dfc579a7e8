// SPDX-License-Identifier: MIT
#include "common/simt/driver/foreign_headers.hpp"

#include <charconv>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "common/simt/driver/assembly.hpp"

namespace simcc {
namespace {

namespace fs = std::filesystem;

/// How the names of a library's headers begin.
struct LibraryHeaders {
    std::string_view beginning, library;
};

/// Headers that the simulator has come first, so they are never these.
constexpr LibraryHeaders headers_of_libraries[] = {{"cublas", "cuBLAS"},
                                                   {"cudnn", "cuDNN"},
                                                   {"cufft", "cuFFT"},
                                                   {"cufile", "cuFile"},
                                                   {"cupti", "CUPTI"},
                                                   {"cusolver", "cuSOLVER"},
                                                   {"cusparse", "cuSPARSE"},
                                                   {"cutensor", "cuTENSOR"},
                                                   {"npp", "NPP"},
                                                   {"nvJitLink", "nvJitLink"},
                                                   {"nvPTXCompiler", "the PTX compiler"},
                                                   {"nvjpeg", "nvJPEG"},
                                                   {"nvml.h", "NVML"},
                                                   {"cudaEGL", "EGL interoperability"},
                                                   {"cudaGL", "OpenGL interoperability"},
                                                   {"cudaVDPAU", "VDPAU interoperability"},
                                                   {"cuda_egl_interop", "EGL interoperability"},
                                                   {"cuda_gl_interop", "OpenGL interoperability"},
                                                   {"cuda_vdpau_interop", "VDPAU interoperability"}};

std::string_view library_of(std::string_view file) {
    for (const LibraryHeaders& row : headers_of_libraries) {
        if (file.substr(0, row.beginning.size()) == row.beginning) return row.library;
    }
    return "";
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

std::string message_about_foreign_header(std::string_view preprocessed, const std::string& own_headers) {
    std::string_view file;
    std::size_t number = 0;  // of the line
    for (const std::string_view line : lines_of(preprocessed)) {
        Marker marker;
        if (!read_marker(line, marker)) {
            ++number;
            continue;
        }
        const std::string_view name = marker.file.substr(marker.file.rfind('/') + 1);
        const std::string folder(folder_of(marker.file));
        const std::string_view library = marker.begins ? library_of(name) : "";
        // What headers of a toolkit include of their own accord is theirs.
        if (!library.empty() && folder != own_headers && folder != folder_of(file) && is_cuda_folder(folder)) {
            return std::string(file) + ":" + std::to_string(number) + ": error: " + std::string(name) +
                   ": the simulator does not have " + std::string(library);
        }
        file = marker.file;
        number = marker.line;
    }
    return "";
}

}  // namespace simcc
