#!/usr/bin/env bats
# What a point of a sweep is computed from: each thing outside of the body is changed in turn.

known="as far as is known of their shell commands"

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    printf 'ab\nba\n' >words.txt
    echo 'offset = 1;' >inner.th
    printf 'machine inc {\n start s\n accept e\n s 1 -> 0 R s\n s _ -> 1 S e\n}\n' >inc.th
    cat >grid.th <<'END'
steps = 4
rate = 0.25
unused = 7
automaton odd { start e; accept o; e a -> e; e b -> o; o a -> o; o b -> e }
automaton other = cycle(3)
task t = recognize odd
task spare = parity
load "inc.th"
hist = selector_width(select(tokens, tokens, ==));
def twice(x) { return x + x; }
model old = gru dim=3
train old on spare length=1..4 steps=3 seed=1 > "log.txt"
sweep "runs" for n in 2..3, which in [odd, parity] {
  # what is computed
  model m = rnn dim=$n
  train m on t length=1..3 steps=$steps seed=1
  evaluate old on spare length=2 samples=16 > "old-${n}-${which}.csv"
  count $which length=$n
  ! wc -l <words.txt
  source "inner.th"
  run inc "11"
  hist("aba");
  y = twice($n) + offset;
  automaton other = other & regex "(a|b)*"
  mine = $n
  keep mine
}
END
    tell >first.txt
    [ "$(cat first.txt)" = "4 points: 4 done" ]
}

tell() { # ARGUMENT...
    "$TAPEHEAD" -q "$@" grid.th | grep points || true
}

# Runs again: the line says `what` and how many points; then nothing has changed any more.
noticed() { # WHAT [POINTS]
    tell >said.txt
    cat said.txt
    grep -qF "$1: ${2:-4 points are} computed again" said.txt
    grep -q "4 points: 4 done" said.txt
    [ "$(tell)" = "4 points: 4 done (4 of them before, $known)" ]
}

@test "nothing has changed, or only what the body does not reach" {
    [ "$(tell)" = "4 points: 4 done (4 of them before, $known)" ]
    sed -i -e 's/unused = 7/unused = 8/' -e 's/rate = 0.25/rate = 0.5/' grid.th
    sed -i '1i automaton m = cycle(5)\nmine = 3\nset color off\nset threads 2' grid.th
    [ "$(tell)" = "4 points: 4 done (4 of them before, $known)" ]
}

@test "comments and white space in the body are no change" {
    sed -i -e 's/# what is.*/# or not; "quoted/' -e 's/  count/  \n\n    count   /' \
        -e 's/mine = $n/mine   =  $n   # a comment/' -e 's/  keep mine/  keep mine;/' grid.th
    [ "$(tell)" = "4 points: 4 done (4 of them before, $known)" ]
    sed -i 's/twice($n) + offset;/twice( $n )+offset;/' grid.th
    [ "$(tell)" = "4 points: 4 done (4 of them before, $known)" ]
}

@test "the body: a number, a string, what the shell gets, the order" {
    sed -i 's/samples=16/samples=17/' grid.th
    noticed "the body: other commands"
    sed -i 's/wc -l <words/wc -l  <words/' grid.th
    noticed "the body: other commands"
    sed -i 's/run inc "11"/run inc "1 1"/' grid.th
    sed -i 's/run inc "1 1"/run inc "111"/' grid.th
    noticed "the body: other commands"
}

@test "a variable" {
    sed -i 's/steps = 4/steps = 5/' grid.th
    noticed "steps: 5, was 4"
}

@test "-D" {
    sed -i '/^steps = 4/d' grid.th
    tell -D steps=6 >said.txt
    grep -q "^steps: 6, was 4: 4 points are computed again" said.txt
}

@test "a task" {
    sed -i 's/task spare = parity/task spare = even_pairs/' grid.th
    noticed "spare: task even_pairs, was parity"
}

@test "the automaton of a task, and where a name from the grid leads" {
    sed -i 's/o b -> e }/o b -> o }/' grid.th
    noticed "t: task recognize odd, with other contents"
    sed -i -e 's/^task t =/automaton kept = odd\ntask t =/' -e 's/recognize odd/recognize kept/' grid.th
    tell >said.txt
    grep -q "t: task recognize kept, was recognize odd" said.txt
    # now only two points reach odd, by their own value
    sed -i 's/^task spare/automaton odd = cycle(4)\ntask spare/' grid.th
    noticed "odd: automaton 4 states, 12 transitions, was 2 states, 4 transitions" "2 points are"
}

@test "an automaton that the body changes" {
    sed -i 's/other = cycle(3)/other = cycle(5)/' grid.th
    noticed "other: automaton 5 states, 15 transitions, was 3 states, 9 transitions"
}

@test "a machine, by one rule" {
    sed -i 's/s 1 -> 0 R s/s 1 -> 0 L s/' inc.th
    tell >said.txt
    cat said.txt
    grep -q "inc: machine 2 states, 3 symbols, with other contents: 4 points" said.txt
}

@test "a language of a machine, of an s-op, of the library, of another language" {
    count() { # DEFINITIONS...
        printf '%s\n' "$@" 'sweep "words" for n in 1..2 { count l length=$n }' >words.th
        "$TAPEHEAD" -q words.th | grep points || true
    }
    is=$'machine m { start s; accept e; s a -> b R s; s _ -> _ S e }'
    x='x = (tokens == "a")'
    count "$is" 'language l = m alphabet="ab" steps=50' >said.txt
    differs() { # DEFINITIONS...
        count "$@" >said.txt
        cat said.txt
        grep -q '^l: language .*: 2 points are computed again' said.txt
        [[ $(count "$@") == "2 points: 2 done (2 of them before"* ]]
    }
    differs "$is" 'language l = m alphabet="ab" steps=51'
    differs "${is/_ S e/_ R e}" 'language l = m alphabet="ab" steps=51'
    differs "$x" 'language l = x'
    differs "${x/==/!=}" 'language l = x'
    differs "${x/==/!=}" 'language l = x alphabet="ba"'
    differs "$x" 'automaton g = regex "(a|b)*"' 'language l = x from=g'
    differs "$x" 'automaton g = regex "a*b*"' 'language l = x from=g'
    differs 'language l = shuffle_4'
    differs 'language l = shuffle_6'
    differs 'language l = marked_copy'
    differs 'language l = odds_first'
}

@test "an s-op and a function of RASP" {
    sed -i 's/tokens, ==/tokens, !=/' grid.th
    tell >said.txt
    grep -q "^hist: s-op.*: 4 points are computed again" said.txt
    sed -i 's/return x + x/return x + x + 1/' grid.th
    tell >said.txt
    grep -q "^twice: function.*: 4 points are computed again" said.txt
}

@test "a model that was trained otherwise" {
    sed -i 's/steps=3 seed=1 >/steps=3 seed=2 >/' grid.th
    tell >said.txt
    grep -q "^old: model .*, with other contents: 4 points are computed again" said.txt
}

@test "a setting" {
    sed -i '1i set seed 77' grid.th
    noticed "seed: 77, was 1"
}

@test "a file that is read, and one that the sourced script names" {
    echo bb >>words.txt
    noticed "words.txt: other contents"
    echo 'offset = 2;' >inner.th
    noticed "inner.th: other contents"
    echo 'offset = steps;' >inner.th
    tell >/dev/null
    sed -i -e 's/steps=$steps/steps=4/' grid.th
    tell >/dev/null
    sed -i 's/^steps = 4/steps = 9/' grid.th
    noticed "steps: 9, was 4"
}

@test "a file whose name is put together on the way, but none that the body writes" {
    cat >made.th <<'END'
sweep "made" jobs=1 for n in 1..2 {
  base = "words"
  words parity length=$n > "own.txt"
  word = "own"
  learn a from "${base}.txt"
  learn b from "${word}.txt"
}
END
    printf 'ab 1\nba 0\n' >words.txt
    touch -d '1 minute ago' words.txt
    sed -i 's/words parity.*/! echo "a $n" > own.txt/' made.th
    "$TAPEHEAD" -q made.th
    "$TAPEHEAD" -q made.th | grep -q "2 points: 2 done (2 of them before, $known)"
    printf 'ab 0\nba 1\n' >words.txt
    "$TAPEHEAD" -q made.th | grep -q "^words.txt: other contents: 2 points are computed again"
}

@test "what values of RASP are shown on" {
    printf 'set s-op example "abc"\nx = tokens\nsweep "shown" for n in 1..2 { show x }\n' >shown.th
    "$TAPEHEAD" -q shown.th >said.txt
    "$TAPEHEAD" -q shown.th | grep -q "2 points: 2 done (2 of them before)"
    sed -i 's/"abc"/"abd"/' shown.th
    "$TAPEHEAD" -q shown.th | grep -q "^s-op example: a,b,d, was a,b,c: 2 points are computed again"
}

@test "the version of the program" {
    sed -i 's/"tapehead":"[^"]*"/"tapehead":"0.0.9"/' runs/points/n=2*.json
    tell >said.txt
    grep -q "^tapehead: $("$TAPEHEAD" --version | sed -n '1s/^tapehead \([0-9.]*\).*/\1/p'), was 0.0.9: 2 points are" said.txt
}

@test "all that is defined, where the body lists it" {
    cat >list.th <<'END'
automaton a = cycle(3)
sweep "l" for n in 1..2 { list }
END
    "$TAPEHEAD" -q list.th
    sed -i 's/cycle(3)/cycle(4)/' list.th
    "$TAPEHEAD" -q list.th | grep -q "^a: automaton 4 states.*: 2 points are computed again"
}

@test "all, the name of a task that the body defines, is not all that there is" {
    cat >all.th <<'END'
if not defined(most) { most = 2 }
sweep "own" for n in 1..2 { task all = parity; task x = flip_flop; evaluate_of = $n; show all }
END
    "$TAPEHEAD" -q all.th
    run "$TAPEHEAD" -q -D most=3 all.th
    [[ $output != *"computed again"* ]]
    sed -i 's/task all = parity; task x/save all "x.th"; task x/; s/; show all//' all.th
    "$TAPEHEAD" -q all.th
    "$TAPEHEAD" -q -D most=3 all.th | grep -q "computed again"
}

@test "all is everything where the body may not have defined it, or has dropped it" {
    for body in 'if $n > 5 { task all = parity }; save all "o.th"' $'if $n > 5 {\n task all = parity\n}\nsave all "o.th"' 'for k in 1..1 { task all = parity }; save all "o.th"' \
        'echo model all > "junk.txt"; save all "o.th"' 'task all = parity; drop all; save all "o.th"' \
        'save all "o.th"; task all = parity'; do
        rm -rf own o.th
        printf '%s\n' 'if not defined(most) { most = 2 }' "sweep \"own\" for n in 1..2 { $body }" >all.th
        "$TAPEHEAD" -q all.th
        rm -f o.th
        "$TAPEHEAD" -q -D most=3 all.th | grep -q "computed again"
    done
}

@test "a large file that has not changed is not read for each point, one that has is" {
    touch -d '1 hour ago' words.txt
    tell >said.txt
    grep -q "4 points: 4 done (4 of them before, $known)" said.txt
    printf 'ab\nbb\n' >words.txt
    touch -d '1 hour ago' words.txt
    noticed "words.txt: other contents"
}

@test "keep=stale uses what there is, and only what is missing is computed" {
    sed -i -e 's/steps = 4/steps = 5/' -e 's/sweep "runs"/sweep "runs" keep=stale/' grid.th
    rm runs/points/n=3*odd*.json
    tell >said.txt
    grep -q "^steps: 5, was 4: 3 points kept as they were" said.txt
    grep -q "4 points: 4 done (3 of them before, $known)" said.txt
    grep -q '"steps":5' runs/points/n=3*odd*.json
    [ "$(grep -l '"steps":4' runs/points/*.json | wc -l)" -eq 3 ]
}

@test "dry=yes tells what has changed, and moves nothing" {
    sed -i -e 's/steps = 4/steps = 5/' -e 's/sweep "runs"/sweep "runs" dry=yes/' grid.th
    rm runs/points/n=2*
    tell >said.txt
    grep -q "^steps: 5, was 4: 2 points are computed again" said.txt
    grep -q "4 points, " said.txt
}

@test "a folder of an older version is not used unseen" {
    sed -i 's/,"body":"[^"]*"//' runs/sweep.json
    sed -i 's/"inputs":{.*"options"/"options"/' runs/points/*.json
    run "$TAPEHEAD" -q grid.th
    [ "$status" -eq 1 ]
    [[ "$output" == *"'runs' has the records of an older tapehead"*"keep=stale"* ]]
    [ "$(find runs/points -name '*.json' | wc -l)" -eq 4 ]
    sed -i 's/sweep "runs"/sweep "runs" keep=stale/' grid.th
    tell >said.txt
    grep -q "4 points: 4 done (4 of them before)" said.txt
}

@test "results of two bodies in one folder are not shown as those of one" {
    for k in 1 2; do
        "$TAPEHEAD" -q -e "sweep \"r$k\" for n in 1..2 { y = \$n * $k
            keep y }"
    done
    run "$TAPEHEAD" -e 'results "r1" of=y'
    [[ $output != *"note: "* ]]
    cp r2/points/n=2.json r1/points
    run "$TAPEHEAD" -e 'results "r1" of=y'
    [[ $output == *"note: these points are not all of the same commands"* ]]
    run "$TAPEHEAD" -e 'results "r1" of=y > "r1.tex"'
    [[ $(cat r1.tex) != *"note: "* ]]
}

@test "old records go to stale/, those that the grid has no place for too" {
    sed -i -e 's/samples=16/samples=18/' -e 's/n in 2\.\.3/n in 2..2/' grid.th
    tell >said.txt
    grep -q "2 points: 2 done" said.txt
    [ "$(find runs/points -name '*.json' | wc -l)" -eq 2 ]
    [ "$(find runs/stale -name '*.json' | wc -l)" -eq 4 ]
}

@test "no record of other inputs stays beside new ones" {
    sed -i -e 's/steps = 4/steps = 5/' -e 's/which in \[odd, parity\]/which in [parity]/' grid.th
    tell >said.txt
    grep -q "^steps: 5, was 4: 2 points are computed again" said.txt
    grep -q "^2 points of before are not in this grid: runs/stale has them" said.txt
    grep -q "2 points: 2 done" said.txt
    [ "$(find runs/points -name '*.json' | wc -l)" -eq 2 ]
    # a smaller grid alone moves nothing
    sed -i 's/n in 2\.\.3/n in 2..2/' grid.th
    [ "$(tell)" = "1 points: 1 done (1 of them before, $known)" ]
    [ "$(find runs/points -name '*.json' | wc -l)" -eq 2 ]
}

@test "the figures of the command before are not seen in a point" {
    cat >figures.th <<'END'
count parity length=3
sweep "f" for n in 1..2 { x = $total }
assert failed == 2
END
    "$TAPEHEAD" -q figures.th
}

@test "a folder that is read: a file with other contents, another name, one more, one deeper" {
    cat >folder.th <<'END'
sweep "read" for n in 1..2 {
  task t = file "corpus" tokens=bytes
  cd "/"
}
END
    mkdir -p corpus/yes corpus/no other
    echo ab >corpus/yes/1
    echo ba >corpus/no/1
    "$TAPEHEAD" -q folder.th >said.txt
    "$TAPEHEAD" -q folder.th | grep -q "2 points: 2 done (2 of them before)"
    changed() {
        "$TAPEHEAD" -q folder.th | grep -q "^corpus: other contents: 2 points are computed again"
        "$TAPEHEAD" -q folder.th | grep -q "2 points: 2 done (2 of them before)"
    }
    echo bb >corpus/no/1
    changed
    mv corpus/no/1 corpus/no/2
    changed
    echo aa >corpus/yes/3
    changed
    mkdir corpus/no/deep
    echo a >corpus/no/deep/1
    changed
    echo b >corpus/no/deep/1
    changed
    touch other/1 corpus/.hidden
    "$TAPEHEAD" -q folder.th | grep -q "2 points: 2 done (2 of them before)"
    mv corpus elsewhere
    "$TAPEHEAD" -q folder.th | grep -q "^corpus: is not there any more: 2 points are computed again"
}

@test "a folder of records, and one that changes while the point runs" {
    cat >records.th <<'END'
sweep "first" for n in 1..$most { count parity length=$n }
sweep "second" for k in 1..2 { results "first" of=total }
sweep "third" jobs=1 for k in 1..2 {
  task t = file "grown" tokens=bytes
  words parity length=$k > "grown/yes/more-${k}.txt"
}
END
    mkdir -p grown/yes grown/no
    echo ab >grown/yes/1
    echo ba >grown/no/1
    "$TAPEHEAD" -q -D most=2 records.th
    "$TAPEHEAD" -q -D most=2 records.th >said.txt
    grep -q "^grown: its files changed while the point ran: 2 points are computed again" said.txt
    [ "$(grep -c "2 points: 2 done (2 of them before)" said.txt)" -eq 2 ]
    "$TAPEHEAD" -q -D most=3 records.th >said.txt
    grep -q "^first: other contents: 2 points are computed again" said.txt
    grep -q "2 points: 2 done (2 of them before)" said.txt # the same files, written again
}

@test "a folder of too many files is never as before" {
    mkdir -p many/yes many/no
    touch many/{3..9998}
    echo a >many/yes/1
    echo b >many/no/1
    touch many/1
    printf 'sweep "r" for n in 1..2 { task t = file "many" tokens=bytes }
' >many.th
    "$TAPEHEAD" -q many.th
    "$TAPEHEAD" -q many.th >said.txt
    grep -q "^many: too many files to see whether they are as they were: 2 points are" said.txt
    rm many/1 many/3
    "$TAPEHEAD" -q many.th
    "$TAPEHEAD" -q many.th >said.txt
    [ "$(cat said.txt)" = "2 points: 2 done (2 of them before)" ]
}

@test "what a shell command gets: variables, environment, programs" {
    mkdir bin
    printf '#!/bin/sh\necho one\n' >bin/mine
    chmod +x bin/mine
    touch -d '1 minute ago' bin/mine
    export PATH=$PWD/bin:$PATH SEEN=1
    cat >shell.th <<'END'
k = 3
sweep "r" for n in 1..2 {
  ! mine $k ${n} "$SEEN" > "own-$n.txt"
  count parity length=$n | cat
}
END
    shell() { "$TAPEHEAD" -q shell.th; }
    shell
    shell | grep -q "2 points: 2 done (2 of them before, $known)"
    sed -i 's/k = 3/k = 4/' shell.th
    shell | grep -q "^k: 4, was 3: 2 points are computed again"
    SEEN=2 shell | grep -q "^SEEN in the environment of shell commands: another value: 2 points are"
    printf '#!/bin/sh\necho two\n' >bin/mine
    touch -d '1 minute ago' bin/mine
    SEEN=2 shell | grep -q "^$PWD/bin/mine: other contents: 2 points are computed again"
    SEEN=2 PATH=$PATH:/nowhere shell | grep -q "^PATH in the environment of shell commands: another"
    # a pipe alone runs a shell, too
    sed -i '/! mine/d' shell.th
    shell
    shell | grep -q "2 points: 2 done (2 of them before, $known)"
    sed -i 's/| cat/| sed s,x,$k,/' shell.th
    shell
    sed -i 's/k = 4/k = 5/' shell.th
    shell | grep -q "^k: 5, was 4: 2 points are computed again"
    sed -i 's/ | sed.*//' shell.th
    shell
    shell | grep -q "2 points: 2 done (2 of them before)"
}

@test "a body that goes to another folder reads there" {
    mkdir there
    echo 'automaton a = cycle(3)' >there/a.th
    touch -d '1 minute ago' there/a.th
    printf 'sweep "r" for n in 1..2 {\n cd "there"\n load "a.th"\n keep a\n}\n' >going.th
    "$TAPEHEAD" -q going.th | grep -q "2 points: 2 done"
    [ -f r/kept/n=1-a.th ]
    "$TAPEHEAD" -q going.th | grep -q "2 points: 2 done (2 of them before)"
    echo 'automaton a = cycle(4)' >there/a.th
    "$TAPEHEAD" -q going.th | grep -q "there/a.th: other contents: 2 points are computed again"
}
