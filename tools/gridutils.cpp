// SPDX-License-Identifier: MIT
// gridutils: runs any program of the suite by its name, whatever it is called where it is installed, and lists them all.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

#include "common/cli/message.hpp"
#include "common/io/failure.hpp"
#include "common/io/output.hpp"
#include "common/io/process.hpp"
#include "common/io/terminal.hpp"
#include "common/io/text.hpp"
#include "common/measure/version.hpp"

namespace {

using Words = std::vector<std::string>;

struct Summary {
    const char *name, *text;
};

// The pages' names and the lines that describe them.
constexpr Summary summaries[] = {
#include "build/summaries.inc"
};

constexpr const char* own_name = "gridutils";

// What env(1), nohup(1) and the shells return when they cannot start a program.
enum NotStarted { cannot_start = 126, not_found = 127 };

bool begins_with(const std::string& word, const std::string& beginning) {
    return word.compare(0, beginning.size(), beginning) == 0;
}

Words names_beginning(const std::string& beginning) {
    Words names;
    for (const Summary& program : summaries)
        if (begins_with(program.name, beginning)) names.push_back(program.name);
    return names;
}

void complain(const std::string& message) { print_message(own_name, message, When::automatic, Weight::error); }

void print(const std::string& words) {
    Output output("");
    output.write(words);
    output.commit();
}

// The programs that are installed, with a line each.
void list_programs() {
    std::string lines, missing;
    for (const Summary& program : summaries) {
        if (path_of_program(program.name).empty()) missing += text("{}{}", missing.empty() ? "" : ", ", program.name);
        else lines += text("{:<12}  {}\n", program.name, program.text);
    }
    print(lines);
    if (!missing.empty()) print_message(own_name, "not installed: " + missing, When::automatic, Weight::notice);
}

std::string help() {
    const std::string name = called(own_name);
    return text("Usage: {} [NAME [ARGUMENT]...]\n", name) +
           wrapped("Runs the program NAME of gridutils with the arguments. Without a name, lists the programs.",
                   help_width()) +
           "\n\n" + "  -h, --help                 print this help\n" +
           "  -V, --version              print the version\n\n" +
           wrapped(text("Exit codes: the program's own; 2 no such program, {} it cannot be started, {} it is not "
                        "installed. See {}(1) and gridutils(7).",
                        static_cast<int>(cannot_start), static_cast<int>(not_found), name),
                   help_width()) +
           "\n";
}

// Completes a name, or asks the program for the rest.
int complete(const Words& words) {
    if (words.size() < 2) {
        std::string lines;
        const std::string word = words.empty() ? "" : words.front();
        for (const char* option : {"--help", "--version"})
            if (begins_with(word, "-") && begins_with(option, word)) lines += std::string(option) + '\n';
        for (const Summary& program : summaries)
            if (begins_with(program.name, word)) lines += text("{}\t{}\n", program.name, program.text);
        print(lines);
        return 0;
    }
    const std::string path = path_of_program(words.front());
    if (path.empty()) return not_found;
    Words command = {path, "--complete"};
    command.insert(command.end(), words.begin() + 1, words.end());
    become_program(path, command);
    return cannot_start;
}

[[noreturn]] void refuse(const std::string& name) {
    const std::string called_as = called(own_name);
    if (begins_with(name, "-"))
        fail(Exit::usage, "unknown option '{}': options of a program follow its name; {} --help shows the usage", name,
             called_as);
    Words near = name.size() < 2 ? Words{} : names_beginning(name);
    if (const std::string nearest = nearest_name(name, names_beginning("")); near.empty() && !nearest.empty())
        near = {nearest};
    fail(Exit::usage, "unknown program '{}'{}; {} alone lists them", name,
         near.empty() ? "" : "; did you mean " + list_text(near, "or") + "?", called_as);
}

int run(const Words& words) {
    if (words.empty()) return list_programs(), 0;
    const std::string& name = words.front();
    if (name == "--complete") return complete({words.begin() + 1, words.end()});
    if (name == "-h" || name == "--help") return print(help()), 0;
    if (name == "-V" || name == "--version")
        return print(text("{} (gridutils) {}\n", called(own_name), gridutils_version)), 0;
    const Words known = names_beginning("");
    if (std::find(known.begin(), known.end(), name) == known.end()) refuse(name);
    const std::string path = path_of_program(name);
    if (path.empty()) {
        complain(text("{} is not installed: it belongs beside {}, or into a folder of PATH", name, called(own_name)));
        return not_found;
    }
    Words command = words;
    command.front() = path.substr(path.rfind('/') + 1);
    become_program(path, command);
    complain(text("cannot start {}: {}", path, std::strerror(errno)));
    return cannot_start;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        hold_standard_descriptors();
        return run({argv + 1, argv + argc});
    } catch (const Failure& failure) {
        complain(failure.what());
        return static_cast<int>(failure.exit());
    }
}
