#!/usr/bin/env bats
# The scripts of examples/11-papers: each trains one point for a few steps and says what all would take,
# and the shortest are run whole, up to the report.

setup() {
    paper=$(realpath "$BATS_TEST_DIRNAME/../../examples/11-papers")
    cd "$BATS_TEST_TMPDIR" || exit 1
}

# What the scripts whose names begin so say of their cost.
dry() { # PREFIX
    for script in "$paper/$1"*[0-9].th; do
        grep -q begin.th "$script" || continue
        "$TAPEHEAD" -q --threads=1 -D dry=yes -D "book=$paper/../../LICENSE" "$script" >said.txt
        grep -q "size=small: [0-9]* points, about [0-9.]* hours" said.txt
        [ "$(grep -l '"status":"failed"' ./*/points/* | wc -l)" -eq 0 ]
        # what is compared is there; loss is of a second sweep
        figure=$(sed -n 's/.*results .* of=\([a-z_]*\) published.*/\1/p' "$script" | head -1)
        [ "$figure" = loss ] || grep -q "\"${figure:-accuracy}\":" ./*/points/*
    done
}

@test "the scripts of RegularGPT's tables say what they take" {
    dry regular
}

@test "the script of the linear recurrences' table says what it takes" {
    dry linear
}

@test "the script of the Chomsky hierarchy's table says what it takes" {
    dry deletang
}

@test "the scripts of the Turing Programs' figures say what they take" {
    dry turing
}

@test "the scripts of the halting models' tables say what they take" {
    dry halt
}

@test "the longer scripts of halting models say what they take" {
    for name in lo-small logic-small; do
        "$TAPEHEAD" -q --threads=1 -D dry=yes "$paper/../slow/$name.th" >said.txt
        grep -q "about [0-9]* minutes of processor time a seed" said.txt
        [ ! -e "$name-models" ]
    done
}

@test "a size that there is not is an error" {
    run "$TAPEHEAD" -q -D size=huge "$paper/regular-table1.th"
    [ "$status" -eq 1 ]
    [[ "$output" == *"the assertion does not hold"* ]]
}

@test "the report has the tables, counts their verdicts, and says what failed" {
    REPRODUCTION=$PWD/all "$paper/../../scripts/reproduce" regular-fig1 turing-fig4
    printf '%s\n' 'task,kind,published,found,verdict' 'sum,lrnn,1,0.5,not reached' 'even_pair,s4d,1,0.7,not learned' \
        'even_pair,s4d,1,0.7,too noisy' 'even_pair,s4dx,1,0.7,not learned' '' 'point,error' \
        '"kind=lrnn, seed=3","it is 1, not ""2"""' 'seed=4,no number' '' 'n,m' '1,2' >all/linear-table2.out
    # Ranks by task are no means.
    printf '%s\n' 'task,kind,published,verdict' 'parity,rnn,1,not reached' '' 'task,rows,spearman,kendall,p' \
        'parity,4,0.5,0.25,1' >all/regular-table1.out
    sed 's/same value$/not reached/' all/turing-fig4.out >all/x && mv all/x all/turing-fig4.out
    "$paper/../../scripts/reproduction" "$PWD/all" >again.md
    grep -q "^| regular-fig1 | $(date +%F) | 11 | 0 | 0 | 0 " again.md
    grep -q "^| turing-fig4 | $(date +%F) | 0 | 0 | 0 | 1 " again.md
    grep -q "^| 500 | 9 | 1 | 0 | 9 .* same value |$" again.md
    # What points that failed said.
    grep -qF -- '- failed: kind=lrnn, seed=3: it is 1, not "2"' again.md
    grep -qxF -- '- failed: seed=4: no number' again.md
    [ "$(awk '/^## / { on = /linear-table2/ } on && /^- failed/' again.md | wc -l)" -eq 2 ]
    grep -qxF '| sum | lrnn | 1 | 0.5 | not reached |' again.md
    # What was not reached, with what was seen, or that nobody looked.
    grep -qxF '| linear-table2 | sum lrnn | 1 | 0.5 | not reached | not looked into |  |' again.md
    grep -q '^| linear-table2 | even_pair s4d | 1 | 0.7 | not learned | the best of 40 guesses .* | lrnn' again.md
    [ "$(grep -c '^| linear-table2 | even_pair s4d ' again.md)" -eq 1 ]
    grep -q '^| linear-table2 | even_pair s4dx | .* | not looked into |' again.md
    # And all claims but those that are reproduced or reached.
    awk -F ' *[|] *' '/^## / { on = /Claims/ } on && $4 ~ /^[0-9]+$/ && $10 !~ /^(reproduced|reached)$/ { print $3 }' \
        again.md >open.txt
    awk -F ' *[|] *' '$2 == "claims" { print $3 }' again.md | diff open.txt -
    [ "$(wc -l <open.txt)" -gt 10 ]
    awk '/^## .*[(]regular-table1[)]/ { on = 1; next } /^## / { on = 0 } on' again.md >ranks.md
    grep -qxF '| parity | 4 | 0.5 | 0.25 | 1 |' ranks.md
    ! grep -q '^### Means' ranks.md
}

@test "of every row and claim that is not reached a reason is known" {
    [ "$(awk -F ';' 'NF != 4' "$paper/reasons.csv" | wc -l)" -eq 0 ]
    ! grep "not looked into" "$paper/../../REPRODUCTION.md"
    grep -q '^## What was not reached, and why' "$paper/../../REPRODUCTION.md"
}

# Heads with a window, rate and steps of each program: section 4 of the paper, and its appendix.
@test "size=paper of the Turing Programs is the paper's, for each program" {
    script=$BATS_TEST_DIRNAME/../../examples/11-papers/turing-models.th
    {
        grep '^if size == ' "$script"
        echo 'for program in [addition, times1, times3, sgd] {'
        grep -E '^  (heads = |if size == "paper" )' "$script"
        echo 'echo "$program $heads $peak $all"'
        echo '}'
    } >"$BATS_TEST_TMPDIR/paper.th"
    run "$TAPEHEAD" --quiet -D size=paper -D dry=no "$BATS_TEST_TMPDIR/paper.th"
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "addition 6 7e-05 200000" ]
    [ "${lines[1]}" = "times1 7 0.0003 200000" ]
    [ "${lines[2]}" = "times3 7 0.0003 200000" ]
    [ "${lines[3]}" = "sgd 7 7e-05 400000" ]
}

@test "budget= says size and seeds, and each may be said beside it" {
    folder=$BATS_TEST_DIRNAME/../../examples/11-papers
    for name in regular-table1 linear-table2 deletang-table2; do
        { sed -n '/^if not defined/p; /^source "begin.th"/p' "$folder/$name.th"; echo 'echo "$size $seeds"'; } >"$BATS_TEST_TMPDIR/$name.th"
        cp "$folder/begin.th" "$BATS_TEST_TMPDIR"
        while read -r size seeds options; do
            # shellcheck disable=SC2086 # words
            [ "$("$TAPEHEAD" -q $options "$BATS_TEST_TMPDIR/$name.th")" = "$size $seeds" ]
        done <<'END'
small 1 -D budget=minutes
small 5 -D budget=hours
medium 3 -D budget=night
small 2 -D budget=minutes -D seeds=2
paper 1 -D budget=minutes -D size=paper
END
    done
    run "$TAPEHEAD" -q -D budget=days "$BATS_TEST_TMPDIR/regular-table1.th"
    [ "$status" -eq 1 ]
}
