# SPDX-License-Identifier: MIT
# Makes build/plant_table.inc from the heads of the plants, kernels/memcheckdemo/ROOM/NAME.cuh: where FAULTY is defined,
# it is the code of all plants, each in a namespace of its own; elsewhere it is the rows of their table, whose columns
# are in tools/memcheckdemo/plant.cuh. kernels/memcheckdemo/plants.cuh describes the keys.

function complain(place, text) {
    print place ": " text >"/dev/stderr"
    failed = 1
}

function has(key) { return (file, key) in values }

# The value of a key, which must have this form.
function value(key, form) {
    if (!has(key)) complain(file, "the key '" key "' is missing")
    else if (values[file, key] !~ "^(" form ")$") complain(file, "the key '" key "' should have the form '" form "'")
    return values[file, key]
}

# As strings of C++.
function quoted(text) {
    gsub(/[\\"]/, "\\\\&", text)
    return "\"" text "\", "
}
function quoted_text(key) { return quoted(value(key, "[^ ].*")) }

# The part of a text that is left when others are taken away.
function without(text, others) {
    gsub(others, "", text)
    return text
}

function row(    name, tool, reported, mark, code) {
    name = without(value("plant", "[a-z0-9-]+, row [0-9]+"), ",.*")
    if (name in owner) complain(file, "the key 'plant' has the name of " owner[name])
    owner[name] = file
    tool = value("tool", "(mem|race|init|sync)check( --.+)?, (since [0-9.]+|in no toolkit)")
    reported = tool !~ /, in no toolkit$/
    if (!reported && has("report")) complain(file, "the key 'report' contradicts 'in no toolkit'")
    mark = value("simulator", "[Y+~]( --.+)?")
    code = without(file, ".*/|[.]cuh")
    return "{" quoted(name) quoted(has("class") ? value("class", "unreported") : without(tool, "[ ,].*")) \
        quoted_text("defect") quoted("--tool " without(tool, ", [^,]*$")) \
        (reported ? quoted_text("report") : quoted("")) quoted_text("bare") \
        quoted(reported ? without(tool, ".*, since ") : "none") \
        "'" substr(mark, 1, 1) "', " quoted(without(tool, "[ ,].*")) quoted(substr(mark, 3)) \
        "{" quoted_text("hint 1") quoted_text("hint 2") quoted_text("hint 3") "}, " quoted_text("cure") \
        "{" quoted(file) "fixed::" code "::input, fixed::" code "::expected, " \
        "faulty::" code "::run, fixed::" code "::run}, " \
        (has("hangs") && value("hangs", "yes") ? "true, " : "false, ") \
        (has("line") && value("line", "not named") ? "false, " : "true, ") \
        (has("finding") || !reported ? quoted_text("finding") : quoted("")) "},"
}

FNR == 1 { files[++count] = FILENAME }
FNR == 2 { in_head = 1 }
!/^\/\/!/ { in_head = 0 }
in_head && /^\/\/!     / { values[FILENAME, key] = values[FILENAME, key] substr($0, 8) }
in_head && !/^\/\/!     / {
    key = without(substr($0, 5), ": .*")
    if (key !~ /^(plant|defect|class|tool|report|line|bare|hangs|simulator|finding|hint [123]|cure|note)$/)
        complain(FILENAME ":" FNR, "'" key "' is not a key")
    if ((FILENAME, key) in values) complain(FILENAME ":" FNR, "the key '" key "' is there twice")
    values[FILENAME, key] = substr($0, length(key) + 7)
}

END {
    print "#ifdef FAULTY"
    for (i = 1; i <= count; ++i) {
        file = files[i]
        print "namespace " without(file, ".*/|[.]cuh") " {\n#include \"" file "\"\n}"
        written = row()
        number = without(values[file, "plant"], ".* ") + 0
        for (j = i; j > 1 && numbers[j - 1] > number; --j) { numbers[j] = numbers[j - 1]; rows[j] = rows[j - 1] }
        numbers[j] = number
        rows[j] = written
    }
    print "#else"
    for (i = 1; i <= count; ++i) print rows[i]
    print "#endif"
    if (failed) print "kernels/memcheckdemo/plants.cuh describes the keys of a plant's head" >"/dev/stderr"
    exit failed
}
