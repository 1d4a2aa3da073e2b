#!/usr/bin/env bats
# The suites' tasks, typed and drawn from; labels and members against Python (suites.py).

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    CHECK=$(realpath "$BATS_TEST_DIRNAME/suites.py")
    cd "$BATS_TEST_TMPDIR" || return
}

rows() { # TASK LENGTHS COUNT
    "$TAPEHEAD" -f csv -e "task t = $1" -e "sample t length=$2 count=$3"
}

@test "what Delétang et al. ask for is answered as Python does" {
    for t in stack_manipulation reverse_string brackets solve_equation duplicate_string \
        missing_duplicate odds_first "odds_first first=evens" binary_addition \
        binary_multiplication compute_sqrt "compute_sqrt order=big" bucket_sort; do
        rows "$t" 1..40 50 | python3 "$CHECK" "$t"
        rows "$t" 499..500 4 | python3 "$CHECK" "$t"
    done
}

@test "members and near misses are what Python says" {
    for l in anbn anbncn anbncndn majority marked_copy marked_reversal odds_first bucket_sort \
        unmarked_reversal missing_duplicate stack_manipulation binary_addition \
        binary_multiplication compute_sqrt shuffle_2 shuffle_4 shuffle_6 dyck_1 dyck_2 dyck_3 \
        boolean_3 boolean_5; do
        rows "recognize $l outside=near" 1..24 60 | python3 "$CHECK" "$l"
        rows "recognize $l" 1..9 60 | python3 "$CHECK" "$l"
    done
}
