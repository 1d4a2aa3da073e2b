#!/usr/bin/env bats
# Inspections, figures and model files from outside: gnuplot missing, failing or abused, damaged
# shellcheck disable=SC2016,SC2094  # commands of the program stand in single quotes
# files, and inputs that do not fit.

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
    export HOME=$BATS_TEST_TMPDIR/home
    mkdir "$HOME"
    unset DISPLAY WAYLAND_DISPLAY XDG_CONFIG_HOME XDG_STATE_HOME
}

# Standard output and error apart: $output, $stderr, $status.
go() {
    local status_
    PATH=${SEARCH-$PATH} "$TAPEHEAD" "$@" >out 2>err </dev/null && status_=0 || status_=$?
    output=$(cat out)
    stderr=$(cat err)
    status=$status_
}

# A small model m, trained for a moment on the task p.
model() {
    go -e 'task p = parity
model m = regulargpt dim=8 heads=2
train m on p length=1..6 steps=5 seed=1 report=0 > "train.txt"
'"$1"
}

need_gnuplot() {
    command -v gnuplot >/dev/null || skip "no gnuplot"
}

# A folder with a program of that name that runs the rest as a script.
fake() { # name, commands
    mkdir -p fake
    printf '#!/bin/sh\n%s\n' "$2" >"fake/$1"
    chmod +x "fake/$1"
}

@test "an automaton is drawn in every format" {
    need_gnuplot
    go -e 'automaton p = parity
plot automaton p > "p.png"
plot automaton p > "p.svg"
plot automaton p > "p.pdf"
plot automaton p > "p.txt"
plot automaton p > "p.gp"'
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$(head -c 4 p.png | tail -c 3)" = PNG ]
    [ "$(head -c 4 p.pdf)" = %PDF ]
    grep -q '</svg>' p.svg
    grep -q even p.txt
    gnuplot -d p.gp | grep -q even
    [ -z "$(find . -name '.tapehead*' -o -name '*.??????')" ]
}

@test "of a model that was compiled a figure names no task of training" {
    go -e 'compile parity as c > "proof.txt"
task p = recognize parity
evaluate c on p length=3 > "scores.txt"
plot accuracy c > "c.gp"'
    [ "$status" -eq 0 ]
    grep -q "^set title 'c' " c.gp
}

@test "without a display a figure is text, however the commands come" {
    need_gnuplot
    printf 'automaton p = parity\nplot automaton p\n' >p.th
    go p.th
    [ "$status" -eq 0 ]
    [[ $output == *even*odd* ]]
    "$TAPEHEAD" <p.th >piped
    cmp out piped
    "$TAPEHEAD" -e "$(cat p.th)" >typed
    cmp out typed
}

@test "a terminal that gnuplot cannot open falls back to text" {
    need_gnuplot
    if gnuplot -d -e 'set print "-"; print GPVAL_TERMINALS' | grep -Eq ' (qt|wxt|x11) '; then
        skip "this gnuplot has windows"
    fi
    DISPLAY=:99 go -e 'automaton p = parity' -e 'plot automaton p'
    [ "$status" -eq 0 ]
    [[ $output == *even*odd* ]]
}

@test "gnuplot missing is one clear error and no file" {
    SEARCH=/nonexistent go -e 'automaton p = parity' -e 'plot automaton p > "p.png"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"error: gnuplot was not found"* ]]
    [[ $stderr == *hint:* ]]
    [ "$(grep -c error: err)" -eq 1 ]
    [ ! -e p.png ]
}

@test "the script needs no gnuplot" {
    SEARCH=/nonexistent go -e 'automaton p = parity' -e 'plot automaton p > "p.gp"'
    [ "$status" -eq 0 ]
    grep -q 'plot \$ARCS' p.gp
}

@test "a failing gnuplot speaks for itself and leaves no file" {
    fake gnuplot 'echo "line 7: I do not feel well" >&2; exit 1'
    SEARCH=$PWD/fake go -e 'automaton p = parity' -e 'plot automaton p > "p.png"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"gnuplot: line 7: I do not feel well"* ]]
    [ ! -e p.png ]
    fake gnuplot 'exit 0'
    SEARCH=$PWD/fake go -e 'automaton p = parity' -e 'plot automaton p > "p.png"'
    [ "$status" -eq 1 ]
    [[ $stderr == *incomplete* ]]
    [ ! -e p.png ]
    # shellcheck disable=SC2016
    fake gnuplot 'kill -9 $$'
    SEARCH=$PWD/fake go -e 'automaton p = parity' -e 'plot automaton p > "p.png"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"status 137"* ]]
    [ ! -e p.png ]
}

@test "a file that was there stays when gnuplot fails" {
    echo old >p.png
    fake gnuplot 'exit 1'
    SEARCH=$PWD/fake go -e 'automaton p = parity' -e 'plot automaton p > "p.png"'
    [ "$status" -eq 1 ]
    [ "$(cat p.png)" = old ]
}

@test "without dot, or with one that fails, states stand on a circle" {
    need_gnuplot
    mkdir only
    ln -s "$(command -v gnuplot)" only/
    SEARCH=$PWD/only go -e 'automaton p = parity' -e 'plot automaton p > "p.txt"'
    [ "$status" -eq 0 ]
    grep -q even p.txt
    fake dot 'echo nonsense; exit 3'
    SEARCH=$PWD/fake:$PWD/only go -e 'automaton p = parity' -e 'plot automaton p > "q.txt"'
    [ "$status" -eq 0 ]
    cmp p.txt q.txt
    fake dot 'echo "node 0 1e999 nan"; echo "edge 0 1 4 a b c d"; echo "edge 9 9 99999999 1 1"'
    SEARCH=$PWD/fake:$PWD/only go -e 'automaton p = parity' -e 'plot automaton p > "q.txt"'
    [ "$status" -eq 0 ]
    cmp p.txt q.txt
}

# A machine whose names are what gnuplot, dot or a shell would act upon.
hostile_machine() {
    cat <<'END'
machine n {
  start "`>two`" ; accept "$(>five)" ; reject "\"];}|>six" ; blank "%s\\"
  "`>two`" "%s\\" -> "';system('>three')#" R "\";system(\">four\")#"
  "\";system(\">four\")#" * -> "$(>seven)" L "`>two`"
  "`>two`" "$(>seven)" -> S "$(>five)"
  "`>two`" "';system('>three')#" -> S "\"];}|>six"
}
END
}

@test "names in a machine's pictures are never executed" {
    need_gnuplot
    hostile_machine >names.th
    for view in run score machine; do
        for type in svg pdf txt gp; do
            echo "plot $view n > \"$view.$type\"" >>names.th
        done
        echo "plot $view n" >>names.th
    done
    go names.th
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -q '&gt;two' machine.svg || grep -q '>two' machine.svg
    for f in two three four five six seven; do [ ! -e $f ]; done
    for view in run score machine; do gnuplot -d $view.gp >/dev/null; done
    for f in two three four five six seven; do [ ! -e $f ]; done
}

@test "the pictures of machines are drawn in every format, and of runs of any length" {
    need_gnuplot
    go -e 'machine bb5 = "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA"
machine counter = "1RB1LA_0LA0RB"
machine stopped { start a ; halt a }
plot run bb5 > "bb5.gp"
plot run bb5 > "bb5.txt"
plot run counter > "counter.svg"
plot run counter steps=0 > "none.svg"
plot run counter steps=1 > "one.svg"
plot run counter steps=40 > "forty.pdf"
plot run stopped > "stopped.svg"
plot score bb5 > "score.txt"
plot score counter axes=linear > "linear.svg"
plot score counter axes=log > "log.svg"
plot score counter steps=0 > "zero.svg"
plot score stopped axes=log > "still.svg"
plot machine bb5 > "machine.png"
plot machine stopped > "machine.txt"'
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    grep -q 'halted after 47176870 steps' bb5.txt
    grep -q 'the first 1000 steps' counter.svg
    grep -q '12289 cells visited, 4098 not blank' score.txt
    for f in counter none one stopped linear log zero still; do grep -q '</svg>' $f.svg; done
    [ "$(head -c 4 forty.pdf)" = %PDF ]
    [ "$(head -c 4 machine.png | tail -c 3)" = PNG ]
}

@test "tapes are drawn side by side; a machine with choices has no one run to draw" {
    need_gnuplot
    go -e 'machine twice {
  tapes 2 ; start c ; halt d
  c 0 | _ -> R | 0 R c
  c 1 | _ -> R | 1 R c
  c _ | _ -> S | S d
}
plot run twice 0110 > "copy.txt"
machine guess {
  nondeterministic ; start g ; accept y
  g 0 -> R g
  g 0 -> S y
}
plot machine guess > "guess.txt"'
    [ "$status" -eq 0 ]
    grep -q 'tape 1.*tape 2' copy.txt
    grep -q '0 .*1 .*1 .*0' copy.txt
    grep -q '0 → S' guess.txt
    for view in run score; do
        go -e "machine guess { nondeterministic ; start g ; accept y ; g 0 -> R g ; g 0 -> S y }
plot $view guess 00 > \"x.txt\""
        [ "$status" -eq 1 ]
        [ "$(grep -c error: err)" -eq 1 ]
        [[ $stderr == *choice* ]]
        [ ! -e x.txt ]
    done
}

# What gnuplot, dot or a shell would act upon must stay text.
@test "names of states and symbols are never executed" {
    need_gnuplot
    cat >names.th <<'END'
automaton n {
  alphabet "`>two`" "';system('>three')#"
  start "\";system(\">four\")#"
  accept "$(>five)"
  "\";system(\">four\")#" "`>two`" -> "$(>five)"
  "$(>five)" "';system('>three')#" -> "\"];}|>six"
}
plot automaton n > "n.svg"
plot automaton n
END
    go names.th
    [ "$status" -eq 0 ]
    grep -q '`&gt;two`' n.svg || grep -q '`>two`' n.svg
    for f in two three four five six; do [ ! -e $f ]; done
}

@test "a file's name is only a name" {
    need_gnuplot
    go -e 'automaton p = parity' -e 'plot automaton p > "|touch one;.svg"' \
        -e 'plot automaton p > "`touch two`.svg"' -e "plot automaton p > \"a'b.svg\""
    [ "$status" -eq 0 ]
    [ -e '|touch one;.svg' ]
    [ -e "a'b.svg" ]
    [ ! -e one ] && [ ! -e two ]
}

@test "figures know their extensions, and are not appended" {
    go -e 'automaton p = parity' -e 'plot automaton p > "p.gif"'
    [ "$status" -eq 1 ]
    [[ $stderr == *p.gif* && $stderr == *hint:*.svg* ]]
    [ ! -e p.gif ]
    go -e 'automaton p = parity' -e 'plot automaton p >> "p.gp"'
    [ "$status" -eq 1 ]
    [[ $stderr == *append* ]]
    [ ! -e p.gp ]
}

@test "a full disk is an error" {
    [ -w /dev/full ] || skip "no /dev/full"
    ln -s /dev/full full.gp
    go -e 'automaton p = parity' -e 'plot automaton p > "full.gp"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"space"* ]]
    ln -s /dev/full full.safetensors
    model 'save m "full.safetensors"'
    [ "$status" -eq 1 ]
    [[ $stderr == *"space"* ]]
}

@test "the inspections answer in text, json and csv" {
    model 'attention m "abbab"
clusters m on p length=40
receptive field m on p length=40 strings=2
assert reach > 0 and reach <= 1'
    [ "$status" -eq 0 ]
    [[ $output == *'m on "abbab": '* ]]
    [[ $output == *"purity"* ]]
    "$TAPEHEAD" -f json -e 'task p = parity' -e 'model m = regulargpt dim=8 heads=2' \
        -e 'train m on p length=1..6 steps=5 seed=1 report=0' -e 'attention m "abbab"' \
        -e 'clusters m on p length=40' -e 'receptive field m on p length=40 strings=2' >json
    grep -q '"extent":' json
    grep -q '"purity":' json
    grep -q '"path":\[' json
    if command -v python3 >/dev/null; then
        python3 -c 'import json, sys
for line in sys.stdin: json.loads(line)' <json
    fi
}

@test "all views of a model can be drawn" {
    need_gnuplot
    model 'evaluate m on p length=7..9 samples=32 > "scores.txt"
plot attention m "abbab" > "attention.svg"
plot clusters m on p length=40 > "clusters.svg"
plot receptive field m on p length=40 strings=2 > "field.svg"
plot loss m > "loss.svg"
plot accuracy m > "accuracy.svg"'
    [ "$status" -eq 0 ]
    for view in attention clusters field loss accuracy; do grep -q '</svg>' $view.svg; done
}

@test "what the inspections show can be had as .npy" {
    model 'attention m "abbab" matrix=a.npy > "a.txt"
clusters m on p length=40 matrix=c.npy > "c.txt"
receptive field m on p length=40 strings=2 matrix=f.npy > "f.txt"'
    [ "$status" -eq 0 ]
    # layers of 3, 2 and 1 vectors; 2 heads, 2 keys
    grep -qa "'shape': (24, 5)" a.npy
    # 20, 10, 5, 3, 2 and 1 vectors
    grep -qa "'shape': (41, 7)" c.npy
    grep -qa "'shape': (40, 1)" f.npy
    model 'receptive field m on p length=40 strings=2 matrix="/nonexistent/f.npy"'
    [ "$status" -eq 1 ]
}

@test "what cannot be looked at is said in one line" {
    model 'attention m "abxa"'
    [ "$status" -eq 1 ]
    [[ $stderr == *x* && $stderr == *hint:* ]]
    model 'attention m ""'
    [ "$status" -eq 1 ]
    model 'task c = cycle_navigation
clusters m on c'
    [ "$status" -eq 1 ]
    model 'plot accuracy m'
    [ "$status" -eq 1 ]
    [[ $stderr == *evaluat* ]]
    model 'model l = lstm dim=8
train l on p length=1..6 steps=1 > "train.txt"
attention l "ab"'
    [ "$status" -eq 1 ]
    [[ $stderr == *attention* ]]
    for command in 'attention n "ab"' 'clusters n on p' 'receptive field n on p' 'plot loss n'; do
        model "model n = regulargpt
$command"
        [ "$status" -eq 1 ]
        [ "$(grep -c error: err)" -eq 1 ]
    done
}

@test "a model comes back from its file as it was" {
    model 'evaluate m on p length=7..9 samples=64
save m "m.safetensors"'
    [ "$status" -eq 0 ]
    before=$output
    go -e 'task p = parity' -e 'load "m.safetensors"' -e 'evaluate m on p length=7..9 samples=64'
    [ "$status" -eq 0 ]
    [ "$output" = "$before" ]
    go -e 'load "m.safetensors"' -e 'save m "n.safetensors"'
    cmp m.safetensors n.safetensors
}

@test "a damaged model file is refused and nothing is defined" {
    model 'save m "m.safetensors"'
    size=$(stat -c %s m.safetensors)
    for n in 0 7 8 100 1000 $((size - 1)); do
        head -c "$n" m.safetensors >bad.safetensors
        go -k -e 'load "bad.safetensors"' -e 'list models'
        [ "$status" -eq 1 ]
        [ "$(grep -c error: err)" -eq 1 ]
        [[ $output != *bad* ]]
    done
    { cat m.safetensors; echo; } >bad.safetensors
    go -e 'load "bad.safetensors"'
    [ "$status" -eq 1 ]
    printf '\377\377\377\377\377\377\377\377{}' >bad.safetensors
    go -e 'load "bad.safetensors"'
    [ "$status" -eq 1 ]
    mkdir dir.safetensors
    for f in missing.safetensors dir.safetensors; do
        go -e "load \"$f\""
        [ "$status" -eq 1 ]
        [[ $stderr == *"$f"* ]]
    done
}

@test "the setting plot says where figures without a file go" {
    mkdir bin
    printf '#!/bin/sh\nif grep -q "wide ="; then echo window; else echo text; fi\n' >bin/gnuplot
    chmod +x bin/gnuplot
    PATH=$PWD/bin:$PATH
    plot() { "$TAPEHEAD" -q -e "set plot $1" -e 'automaton p = parity' -e 'plot automaton p'; }
    [ "$(plot auto)" = text ]
    [ "$(DISPLAY=:99 plot auto)" = window ]
    [ "$(DISPLAY=:99 plot text)" = text ]
    [ "$(plot window)" = window ]
}

@test "an s-op without a head, and a full selector, have pictures, and texts keep all rows apart" {
    go -e 'examples off; x = indices + 1' -e 'draw(x, "abc")' -e 'plot flow tokens abc' \
        -e 'plot selector full_s abc' -e 'plot flow x abc > "x.svg"' \
        -e 'plot selector full_s abc > "f.png"'
    [ "$status" -eq 0 ]
    [ -s x.svg ] && [ -s f.png ]
    go -e 'examples off; hist = selector_width(select(tokens, tokens, ==))' \
        -e 'plot flow hist abca > "hist.txt"'
    [ "$status" -eq 0 ]
    grep -q '_first   *head 2: select' hist.txt
    grep -q '_had_first  1   0   0   1' hist.txt
}

@test "an automaton drawn in text has heads on its arrows" {
    need_gnuplot
    go -e 'plot automaton cycle(3) > "cycle.txt"'
    [ "$status" -eq 0 ]
    [ "$(tr -cd '>' <cycle.txt | wc -c)" -ge 2 ]
    [ "$(tr -cd '<' <cycle.txt | wc -c)" -ge 2 ]
    grep -q v cycle.txt
}

@test "large numbers on axes are powers of ten, and a blank can be seen" {
    need_gnuplot
    go -e 'machine bb5 = "1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA"
machine inc { blank _ ; start r ; halt h ; r 1 -> R r ; r _ -> 1 L h }
plot score bb5 steps=5000000 axes=linear > "line.gp"
plot score bb5 steps=5000000 > "log.gp"
plot machine inc > "inc.gp"
plot run inc 11 > "run.gp"'
    [ "$status" -eq 0 ]
    grep -q "xtics add ('5·10⁶' 5000000)" line.gp
    grep -q "xtics add ('10⁶' 1000000)" log.gp
    grep -q '␣ → 1,L' inc.gp
    grep -q "title 'blank'" run.gp
}

@test "the usual view takes the options of figures; small figures have small texts" {
    need_gnuplot
    go -e 'plot parity title="even b" > "p.gp"
plot growth parity size=6x4 > "small.svg"
plot growth parity > "large.svg"
plot growth parity title=none > "none.svg"'
    [ "$status" -eq 0 ]
    grep -q 'even b' p.gp
    ! grep -qE '>none<|words of' none.svg || false
    small=$(grep -o 'font-size="[0-9]*' small.svg | tr -dc '0-9\n' | sort -n | tail -n 1)
    large=$(grep -o 'font-size="[0-9]*' large.svg | tr -dc '0-9\n' | sort -n | tail -n 1)
    [ "$small" -lt "$large" ]
}

@test "a terminal that says so is sent pictures, others and pipes characters; nothing typed is lost" {
    need_gnuplot
    gnuplot -e 'set terminal sixelgd' 2>/dev/null || skip "gnuplot without sixel"
    ask() { python3 "$BATS_TEST_DIRNAME/terminal.py" "$TAPEHEAD" "$@"; }
    typed=("set plot sixel" "plot parity" "plot parity" "set plot kitty" "plot parity" "echo 7")
    run ask sixel "${typed[@]}"
    [ "$output" = $'status 0\nasked 1\nsixel 2\nkitty 0\nseven 1' ]
    run ask kitty "${typed[@]}"
    [ "$output" = $'status 0\nasked 1\nsixel 0\nkitty 1\npng True\nseven 1' ]
    for says in neither silent; do
        run ask $says "${typed[@]}"
        [ "$output" = $'status 0\nasked 1\nsixel 0\nkitty 0\nseven 1' ]
    done
    run ask sixel "plot parity" "echo 7" # nobody wants any
    [ "$output" = $'status 0\nasked 0\nsixel 0\nkitty 0\nseven 1' ]
    go -e 'set plot sixel' -e 'plot parity'
    [ "$status" -eq 0 ]
    [[ $output == *even* && $output != *$'\033'* ]]
}
