#!/usr/bin/env bats
# The suites' tasks, typed and drawn from; labels and members against Python (suites.py).

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    CHECK=$(realpath "$BATS_TEST_DIRNAME/suites.py")
    cd "$BATS_TEST_TMPDIR" || return
}

rows() { # NAME TASK LENGTHS COUNT
    "$TAPEHEAD" -f csv -e "task t = $2" -e "sample t length=$3 count=$4" >"$1,$3.csv"
}

@test "what Delétang et al. ask for is answered as Python does" {
    for t in stack_manipulation reverse_string brackets solve_equation duplicate_string \
        missing_duplicate odds_first "odds_first first=evens" binary_addition \
        binary_multiplication compute_sqrt "compute_sqrt order=big" bucket_sort; do
        rows "$t" "$t" 1..40 50
        rows "$t" "$t" 499..500 4
    done
    run python3 "$CHECK" ./*.csv
    [ "$status" -eq 0 ]
    [ "$output" = "26 files right" ]
}

@test "members and near misses are what Python says" {
    for l in anbn anbncn anbncndn shuffle_2 shuffle_4 shuffle_6 dyck_1 dyck_2 dyck_3 boolean_3 boolean_5; do
        rows "$l" "recognize $l outside=near" 1..24 60
        rows "$l" "recognize $l" 1..9 60
    done
    run python3 "$CHECK" ./*.csv
    [ "$status" -eq 0 ]
    [ "$output" = "22 files right" ]
}

@test "Delétang's 15, FLaRe's 18 and Bhattamishra's 27 are typed, drawn and answered as in Python" {
    python3 "$(dirname "$CHECK")/sixty.py" "$TAPEHEAD"
}

@test "a suite is a script, goes on where it was, and prints what is published" {
    run "$TAPEHEAD" -e 'suite deletang models="rnn" tasks="parity odds" seeds=1 steps=2 dim=4 samples=4 into="d"'
    [ "$status" -eq 0 ]
    [[ "$output" == *"parity"*"published"* ]]
    [ "$(cat d/published.csv)" = 'task,kind,published,paper_chance,statistic
"parity",rnn,100,50,max
"odds_first",rnn,51,50,max' ]
    run "$TAPEHEAD" -e 'suite deletang models="rnn gru" tasks="parity odds" seeds=1 steps=2 dim=4 samples=4 into="d"'
    [[ "$(cat d/suite.th)" == *"steps=2 lr=0.001 seed=\$seed "* ]]
    [[ "${lines[0]}" == "4 points: 4 done (2 of them before)" ]]
    run "$TAPEHEAD" -f csv -e 'source "d/suite.th"'
    [ "$status" -eq 0 ]
    "$TAPEHEAD" -q -e 'suite deletang models=rnn tasks=odds seeds=1 steps=2 dim=4 dry=yes train="batch=3 decay=0.5" model="layers=2 activation=tanh" into="e"'
    grep -q 'seed=$seed batch=3 decay=0.5$' e/suite.th
    grep -qx '  model m = $kind dim=4 layers=2 activation=tanh' e/suite.th
    for s in flare bhattamishra; do
        run "$TAPEHEAD" -e "suite $s models=rnn seeds=1 steps=1 dim=2 samples=2 apart=100"
        [ "$status" -eq 0 ]
        [[ "${lines[0]}" != *failed* ]]
        # FLaRe edits words; all 18 of them.
        [ "$s" != flare ] || [ "$(grep -c '^recognize(.*, outside=edited)' <<<"$output")" -eq 18 ]
    done
}

@test "FLaRe's script says which lengths tell the answer, as they do" {
    "$TAPEHEAD" -q -e 'suite flare models=rnn seeds=1 steps=1 dim=2 samples=2 tasks=repeat dry=yes into="f"'
    grep -q 'always to reject is right three times in four' f/suite.th
    "$TAPEHEAD" -f csv -e 'sample recognize(regex "(01)*", outside=edited) length=41..42 count=200' >f.csv
    [ "$(grep -c ,reject f.csv)" -eq 300 ]
}

@test "a point of a suite that failed is said once" {
    run "$TAPEHEAD" -e 'suite deletang models="rnn transformer" tasks=parity seeds=1 steps=1 dim=7 samples=2 apart=400 into="d"'
    [ "$(grep -c "^failed: " <<<"$output")" -eq 1 ]
    [[ "$output" == *"not reached"* ]]
}

@test "the files of MLRegTest are swept by language and set" {
    mkdir files
    for part in Train Dev TestSR TestSA TestLR TestLA; do
        printf 'ab\tTRUE\nba\tFALSE\naabb\tTRUE\nbabb\tFALSE\n' >"files/04.04.SP.2.1.0_$part.txt"
        printf 'abc\tTRUE\nbca\tFALSE\n' >"files/16.07.TLT.4.1.3_$part.txt"
    done
    run "$TAPEHEAD" -e 'suite mlregtest "files" models=rnn seeds=1 steps=2 dim=4 into="m"'
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "8 points: 8 done" ]]
    run "$TAPEHEAD" -f csv -e 'results "m" by class test k tier'
    [[ "$output" == *"SP,LA,2,04"* ]]
    [[ "$output" == *"TLT,SR,4,07"* ]]
}

@test "what is asked of a suite wrongly is one error" {
    bad() {
        run "$TAPEHEAD" -e "$1"
        [ "$status" -ne 0 ]
        [[ "${lines[0]}" == *"$2"* ]]
        [ ! -e suite-deletang ]
    }
    bad 'suite chomsky' "no suite is named 'chomsky'"
    bad 'suite deletang tasks="sorting"' "no task of the suite has such a name"
    bad 'suite mlregtest' "mlregtest needs the folder"
    bad 'suite deletang "x"' "only mlregtest has a folder"
    bad 'suite mlregtest "nowhere"' "cannot read the folder 'nowhere'"
    mkdir empty
    bad 'suite mlregtest "empty"' "'empty' has no files"
}
