#!/usr/bin/env bats
# scripts/claims: verdicts about claims, from records made here, whose figures are known.

setup() {
    claims=$(realpath "$BATS_TEST_DIRNAME/../../scripts/claims")
    cd "$BATS_TEST_TMPDIR" || exit 1
    echo "paper;claim;sweep;of;higher;lower;learned" >claims.csv
}

# A point of sweep s, of two seconds: variables as "name":"value", seed, figure, chance.
point() { # VARIABLES SEED ACCURACY CHANCE [STRINGS]
    mkdir -p s/points
    printf '{"point":{%s,"seed":%s},"index":%s,"seconds":2,"status":"done","results":[{"command":"train","accuracy":0.9},{"command":"evaluate","accuracy":%s,"chance":%s,"strings":%s}]}' \
        "$1" "$2" "$(ls s/points | wc -l)" "$3" "$4" "${5:-400}" >"s/points/$(ls s/points | wc -l).json"
}

# The columns seeds … verdict of the one claim about figure accuracy.
judged() { # HIGHER LOWER LEARNED
    echo "P;c;${sweep:-s};accuracy;$1;$2;$3" >>claims.csv
    "$claims" . claims.csv | tail -n 1 | cut -d'|' -f4-10 | sed 's/$/|/'
}

seconds() { # HIGHER LOWER
    judged "$1" "$2" "" >/dev/null
    "$claims" . claims.csv | tail -n 1 | cut -d'|' -f11
}

kinds() { # KIND FIGURE...
    local kind=$1 seed=0
    shift
    for x; do
        seed=$((seed + 1))
        point "\"kind\":\"$kind\",\"far\":2" $seed "$x" 0.25
    done
}

@test "higher in all of three seeds, and by much, is reproduced, in all the other way contradicted" {
    kinds a 0.9 0.8 0.7
    kinds b 0.75 0.66 0.57
    [ "$(judged kind=a kind=b train)" = " 3 | 3 | 80 | 66 | 14 | 0.25 | reproduced |" ]
    [ "$(judged kind=b kind=a train)" = " 3 | 0 | 66 | 80 | -14 | 0.25 | contradicted |" ]
}

@test "seeds that agree by chance, for their differences differ, are inconclusive" {
    kinds a 0.9 0.8 0.7
    kinds b 0.5 0.79 0.6  # differences .4 .01 .1: t = 1.44, where 4.3 is asked
    kinds c 0.8 0.78 0.64 # .1 .02 .06: 2.6
    kinds d 0.8 0.75 0.63 # .1 .05 .07: 5.05
    [ "$(judged kind=a kind=b train)" = " 3 | 3 | 80 | 63 | 17 | 0.25 | inconclusive |" ]
    [ "$(judged kind=b kind=a train)" = " 3 | 0 | 63 | 80 | -17 | 0.25 | inconclusive |" ]
    [ "$(judged kind=a kind=c train)" = " 3 | 3 | 80 | 74 | 6 | 0.25 | inconclusive |" ]
    [ "$(judged kind=a kind=d train)" = " 3 | 3 | 80 | 72.67 | 7.333 | 0.25 | reproduced |" ]
}

@test "one seed the other way, or two seeds, are inconclusive" {
    kinds a 0.9 0.8 0.7
    kinds b 0.5 0.79 0.71
    kinds c 0.3 0.3
    [ "$(judged kind=a kind=b train)" = " 3 | 2 | 80 | 66.67 | 13.33 | 0.75 | inconclusive |" ]
    [ "$(judged kind=a kind=c train)" = " 2 | 2 | 85 | 30 | 55 | 0.5 | inconclusive |" ]
    [ "$(judged kind=a kind=d train)" = " 0 |  |  |  |  |  | not run |" ]
}

@test "a number is reached, missed by some, by all, or by all at chance" {
    kinds a 0.95 0.97 0.99
    kinds b 0.27 0.23 0.25
    [ "$(judged kind=a 0.95 train)" = " 3 | 3 | 95, 97, 99 | 95 | 2 |  | reproduced |" ]
    [ "$(judged kind=a 0.96 train)" = " 3 | 2 | 95, 97, 99 | 96 | 1 |  | inconclusive |" ]
    [ "$(judged kind=a 0.995 train)" = " 3 | 0 | 95, 97, 99 | 99.5 | -2.5 |  | not reached |" ]
    echo "P;c, goal 95 (mine);s;accuracy;kind=a;0.95;train" >>claims.csv
    [[ $("$claims" . claims.csv | tail -n 1) == *"| reached | 6 |" ]]
    [ "$(judged kind=b 0.5 train)" = " 3 | 0 | 27, 23, 25 | 50 | -25 |  | not extended |" ]
}

@test "what is at chance on the lengths of training says nothing, on either side" {
    kinds a 0.9 0.8 0.7
    kinds b 0.3 0.3 0.3
    for seed in 1 2 3; do
        point '"kind":"a","far":1' $seed 1 0.25
        point '"kind":"b","far":1' $seed 0.26 0.25
    done
    [ "$(judged "kind=a far=2" "kind=b far=2" far=1)" = " 3 | 3 | 80 | 30 | 50 | 0.25 | not learned |" ]
    [ "$(judged "kind=b far=2" 0.5 far=1)" = " 3 | 0 | 30, 30, 30 | 50 | -20 |  | not learned |" ]
}

@test "cells of a seed are averaged, and values may be alternatives" {
    for seed in 1 2 3; do
        point '"kind":"a","far":1' $seed 0.9 0.25
        point '"kind":"a","far":2' $seed 0.5 0.25
        point '"kind":"b","far":1' $seed 0.6 0.25
        point '"kind":"c","far":1' $seed 0.7 0.25
    done
    [ "$(judged kind=a "kind=b|c" "")" = " 3 | 3 | 70 | 65 | 5 | 0.25 | reproduced |" ]
}

@test "points that failed do not count, and the arguments are checked" {
    kinds a 0.9 0.9 0.9
    sed -i 's/"done"/"failed"/' s/points/0.json
    [ "$(judged kind=a 0.5 train)" = " 2 | 2 | 90, 90 | 50 | 40 |  | inconclusive |" ]
    run "$claims"
    [ "$status" -eq 1 ]
    [[ "$output" == *"usage"* ]]
}

@test "the other side may stand in another sweep" {
    kinds a 0.9 0.8 0.7
    mv s other
    kinds a 0.95 0.85 0.75
    [ "$(judged kind=a "other: kind=a" train)" = " 3 | 3 | 85 | 80 | 5 | 0.25 | reproduced |" ]
}

@test "seconds are those of the points that count, and of their models, each once" {
    kinds a 0.9 0.8 0.7
    kinds b 0.7 0.6 0.5
    kinds c 0.7 0.6 0.5
    mv s t-models-small
    kinds a 0.9 0.8 0.7
    kinds b 0.7 0.6 0.5
    kinds b 0.7 0.6 0.5
    mv s t-small
    sed -i 's/"far":2/"far":3/' t-small/points/[678].json
    sweep=t-small
    [ "$(seconds kind=a 0.5)" = " 12 " ]
    [ "$(seconds kind=a kind=b)" = " 30 " ]
    [ "$(seconds "kind=b far=2" "kind=b far=4")" = "  " ]
    [ "$(seconds "kind=b far=2" "kind=b far=3")" = " 18 " ]
}

# A script whose sweep s the points of s are of, as far as its name says.
script() { # COMMAND
    printf '# a script\nseeds = 3\nsweep "s" for seed in 1..$seeds {\n  %s\n}\nresults "s"\n' "$1" >s.th
}

@test "rows that were kept count with those of the folder, which go before them" {
    script 'model m = rnn'
    kinds a 0.9 0.8
    "$claims" --records . claims.csv >none
    [ "$(wc -l <none)" -eq 1 ]
    [ "$(judged kind=a 0.75 train)" = " 2 | 2 | 90, 80 | 75 | 10 |  | inconclusive |" ]
    "$claims" --records . claims.csv >records.csv
    [ "$(wc -l <records.csv)" -eq 3 ]
    [[ $(sed -n 2p records.csv) == 's;kind=a far=2 seed=1;'*';2;0.25;400;accuracy=0.9 train=0.9' ]]
    rm -r s
    [ "$(judged kind=a 0.75 train)" = " 2 | 2 | 90, 80 | 75 | 10 |  | inconclusive |" ]
    [ "$(seconds kind=a 0.75)" = " 4 " ]
    point '"kind":"a","far":2' 3 0.99 0.25
    point '"kind":"a","far":2' 2 0.95 0.25
    [ "$(judged kind=a 0.85 train)" = " 3 | 3 | 90, 95, 99 | 85 | 9.667 |  | reproduced |" ]
    "$claims" --records . claims.csv >records.new
    mv records.new records.csv
    rm -r s
    [ "$(judged kind=a 0.85 train)" = " 3 | 3 | 90, 95, 99 | 85 | 9.667 |  | reproduced |" ]
}

@test "rows of a script that does something else by now do not count" {
    script 'model m = rnn'
    kinds a 0.9 0.8 0.7
    judged kind=a 0.5 train >/dev/null
    "$claims" --records . claims.csv >records.csv
    rm -r s
    sed -i 's/a script/a script, explained/; s/results .*/results "s" show=max/' s.th
    [ "$("$claims" . claims.csv 2>&1 | tail -n 1 | cut -d'|' -f4)" = " 3 " ]
    for change in 's/rnn/gru/' 's/seeds = 3/seeds = 4/'; do
        cp s.th before.txt
        sed -i "$change" s.th
        [ "$("$claims" . claims.csv 2>err | tail -n 1 | cut -d'|' -f4,10)" = " 0 | not run " ]
        [ "$(cat err)" = "claims: 3 rows of s in records.csv are of another recipe: not used" ]
        mv before.txt s.th
    done
}

@test "no rows are made of a folder whose commands are not those of the script" {
    script 'model m = rnn'
    kinds a 0.9 0.8 0.7
    judged kind=a 0.5 train >/dev/null
    echo '{"commands": "\n model  m = rnn # as it was\n"}' >s/sweep.json
    "$claims" --records . claims.csv >records.csv
    echo '{"commands": "model m = gru"}' >s/sweep.json
    run "$claims" --records . claims.csv
    [ "$status" -eq 1 ]
    [ "$output" = "claims: s in . has another body than its script" ]
}
