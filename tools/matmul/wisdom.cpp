// SPDX-License-Identifier: MIT
#include "tools/matmul/wisdom.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>

#include "common/io/text.hpp"

static constexpr std::string_view header = "wisdom,device,dtype,transposed,products,shape,plan,ns\n";
static constexpr std::string_view version = "1,";
static constexpr std::ptrdiff_t commas = 7;  // of a row

static std::string users_file() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    std::string cache = variable("XDG_CACHE_HOME");
    if (cache.empty() || cache.front() != '/') cache = variable("HOME").empty() ? "" : variable("HOME") + "/.cache";
    return cache.empty() ? "" : cache + "/gridutils/matmul-wisdom.csv";
}

Wisdom::Wisdom(const std::string& path) : path_(path.empty() ? users_file() : path), is_named_(!path.empty()) {
    if (!path_.empty()) read();
}

void Wisdom::read() {
    std::error_code error;
    if (!std::filesystem::exists(path_, error)) return;
    std::string whole;
    std::ifstream file;
    if (std::filesystem::is_regular_file(path_, error)) file.open(path_, std::ios::binary);
    if (file.is_open()) whole.assign(std::istreambuf_iterator<char>(file), {});
    if (!file.is_open() || file.bad()) {
        obstacle_ = text("{} cannot be read; give another --wisdom", path_);
        return;
    }
    if (whole.empty()) return;
    const auto refuse = [&](const std::string& why) {
        plans_.clear();
        obstacle_ =
            text("{} is not a wisdom file of this version: {}; remove it, or give another --wisdom", path_, why);
    };
    if (whole.compare(0, header.size(), header) != 0) return refuse("its first line differs");
    std::size_t line = 1;
    for (std::size_t begin = header.size(); begin < whole.size();) {
        ++line;
        const std::size_t end = whole.find('\n', begin);
        const std::string row = whole.substr(begin, end - begin);
        const std::size_t of_ns = row.rfind(','), of_plan = of_ns == row.npos ? row.npos : row.rfind(',', of_ns - 1);
        if (end == whole.npos || row.compare(0, version.size(), version) != 0 ||
            std::count(row.begin(), row.end(), ',') != commas || of_plan <= version.size())
            return refuse(text("line {} is no row of it", line));
        plans_[row.substr(version.size(), of_plan - version.size())] = row.substr(of_plan + 1, of_ns - of_plan - 1);
        begin = end + 1;
    }
}

std::string Wisdom::plan_of(const std::string& key) const {
    const auto found = plans_.find(key);
    return found == plans_.end() ? "" : found->second;
}

// Rows of several processes do not mix: each is one write at the end of the file.
std::string Wisdom::remember(const std::string& key, const std::string& plan, double ns) {
    std::string& known = plans_[key];
    if (known == plan || path_.empty() || !obstacle_.empty()) return "";
    known = plan;
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    if (!is_named_) std::filesystem::create_directories(folder, error);
    const int file = open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    struct stat status {};
    std::string row = text("{}{},{},{:.0f}\n", version, key, plan, ns);
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size == 0) row.insert(0, header);
    const bool written = file >= 0 && write(file, row.data(), row.size()) == static_cast<ssize_t>(row.size());
    const std::string why = written ? "" : text("{} cannot be written: {}", path_, std::strerror(errno));
    if (file >= 0) close(file);
    return is_named_ ? why : "";
}
