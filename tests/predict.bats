#!/usr/bin/env bats
# --predict and what it rests on: the model of collectives, its terms, and what is said of gangs that are not there.
# shellcheck disable=SC2154  # helpers.bash sets $device and $output

load helpers

@test "the model's terms are found again in times that follow from them, with noise and without" {
    unit_program units/gang_model
    holds ./gang_model
}
