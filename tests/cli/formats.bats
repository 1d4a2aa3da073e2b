#!/usr/bin/env bats
# Automata through other programs and back; files that mean harm.
# shellcheck disable=SC2016  # commands of the program stand in single quotes

setup() {
    TAPEHEAD=$(realpath "${TAPEHEAD:-./tapehead}")
    cd "$BATS_TEST_TMPDIR" || return
    export HOME=$BATS_TEST_TMPDIR/home
    mkdir "$HOME"
}

# The automata that go round, one file each.
names='tomita1 tomita3 tomita5 tomita7 dyck mixed nowhere'
automata() {
    "$TAPEHEAD" -q -e 'automaton tomita1 = tomita(1)
automaton tomita3 = tomita(3)
automaton tomita5 = tomita(5)
automaton tomita7 = tomita(7)
automaton dyck = dyck(2, 3)
automaton mixed {
  alphabet a b c
  start p q
  accept r
  p a,b -> p; p eps -> q; q c -> r; r eps -> p; r a -> q
}
automaton nowhere {
  alphabet a
  start p
}
'"$(for n in $names; do printf 'save %s "%s.att"\n' "$n" "$n"; done)
save $names \"all.th\"" >/dev/null
}

# Does every NAME-back.att have the language of NAME?
same() {
    script='load "all.th"'
    for n in $names; do
        script="$script
load \"$n-back.att\" as again
compare $n again
assert equivalent"
    done
    "$TAPEHEAD" -q -e "$script"
}

@test "automata come back from OpenFST" {
    command -v fstcompile >/dev/null || skip "no OpenFST"
    automata
    for n in $names; do
        fstcompile --isymbols="$n.syms" --osymbols="$n.syms" "$n.att" | fstrmepsilon |
            fstdeterminize | fstminimize |
            fstprint --isymbols="$n.syms" --osymbols="$n.syms" >"$n-back.att"
        cp "$n.syms" "$n-back.syms"
    done
    same
}

@test "automata come back from OpenFST as numbers with a table" {
    command -v fstcompile >/dev/null || skip "no OpenFST"
    automata
    for n in $names; do
        sed 's/^@0@/<eps>/' "$n.syms" >"$n-back.syms"
        fstcompile --isymbols="$n.syms" --osymbols="$n.syms" "$n.att" | fstprint >"$n-back.att"
    done
    # Numbers mean what the table says only where they are no names themselves.
    names='dyck mixed nowhere'
    same
}

@test "automata come back from foma" {
    command -v foma >/dev/null || skip "no foma"
    automata
    names='tomita1 tomita3 tomita5 tomita7 dyck mixed'
    for n in $names; do
        foma -q -e "read att $n.att" -e "minimize net" -e "write att $n-back.att" -s >/dev/null
    done
    same
}

@test "distributions come back from OpenFST, whose log semiring sums them to one" {
    command -v fstcompile >/dev/null || skip "no OpenFST"
    for n in 1 2 3 4 5; do
        "$TAPEHEAD" -q -e "random distribution d states=$n symbols=3 seed=$n; save d \"d$n.att\"; save d \"d$n.th\"" >/dev/null
        fstcompile --arc_type=log --isymbols="d$n.syms" --osymbols="d$n.syms" "d$n.att" >"d$n.fst"
        fstshortestdistance --reverse --delta=1e-7 "d$n.fst" |
            awk '$1 == 0 { exit !($2 < 1e-4 && $2 > -1e-4) }'
        fstprint --isymbols="d$n.syms" --osymbols="d$n.syms" "d$n.fst" >"back$n.att"
        cp "d$n.syms" "back$n.syms"
        "$TAPEHEAD" -q -e "load \"d$n.th\"; load \"back$n.att\" as again; distance d again
assert squares < 1e-12 and divergence < 1e-6"
    done
    # Weights of another semiring are left out, as ever.
    printf '0\t1\ta\ta\t0.5\n1\t0.7\n' >tropical.att
    run "$TAPEHEAD" -q -e 'load "tropical.att"; list'
    [[ $output == *"weights were left out"*"automaton"* ]]
}

@test "distributions come back as graphs of AALpy's" {
    "$TAPEHEAD" -q -e 'random distribution d states=4 seed=3; save d "d.dot"; load "d.dot" as again
distance d again
assert squares < 1e-16'
    grep -q '"next/a:0' d.dot
    # A Markov chain with two digits, and an edge of it that never comes.
    cat >chain.dot <<'END'
digraph chain {
s0 [label=init]; s1 [label=a]; s2 [label=b]; s3 [label=stop];
s1 -> s2 [label="1.0"];
s0 -> s1 [label="0.33"]; s0 -> s2 [label="0.33"]; s0 -> s3 [label="0.33"];
s2 -> s1 [label="0.4"]; s2 -> s3 [label="0.6"]; s2 -> s0 [label="0.0"];
s3 -> s3 [label="1.0"];
__start0 [label="", shape=none];
__start0 -> s0 [label=""];
}
END
    run "$TAPEHEAD" -q -e 'load "chain.dot"; run chain ab'
    [[ $output == *"note: probabilities are rounded there"* ]]
    [[ $output == *"probability 0.2 "* ]]
    # A decision process has inputs: one is none, two are too many.
    sed 's/label="\([01]\)/label="go : \1/g' chain.dot >one.dot
    "$TAPEHEAD" -q -e 'load "chain.dot"; load "one.dot"; distance chain one; assert squares == 0'
    sed 's/label="0.4/label="go : 0.4/' chain.dot >two.dot
    run "$TAPEHEAD" -q -e 'load "two.dot"'
    [ "$status" -ne 0 ]
    [[ $output == *"two.dot:5:1: a distribution has no inputs, and the graph has several"* ]]
    sed 's/label="0.6/label="0.3/' chain.dot >less.dot
    run "$TAPEHEAD" -q -e 'load "less.dot"'
    [ "$status" -ne 0 ]
    [[ $output == *"less.dot:5:1: the probabilities of state s2 add up to 0.7, not to 1"* ]]
    sed '/s3 -> s3/d; s/label="0.6/label="0.6/; s/-> s3/-> s1/' chain.dot >endless.dot
    run "$TAPEHEAD" -q -e 'load "endless.dot"'
    [ "$status" -ne 0 ]
    [[ $output == *"no word ends behind state"* ]]
    run "$TAPEHEAD" -q -e 'distribution w { weights; q a 1.5 -> r; q a -0.5 -> q; accept r 1 }
save w "w.dot"'
    [ "$status" -ne 0 ]
    [[ $output == *"weights below 0 cannot be written"* ]]
    run "$TAPEHEAD" -q -e 'grammar g { S -> a }; save g "g.att"'
    [ "$status" -ne 0 ]
    [[ $output == *"such a file holds an automaton or a distribution"* ]]
}

@test "a picture is one that Graphviz draws" {
    command -v dot >/dev/null || skip "no Graphviz"
    "$TAPEHEAD" -q -e 'automaton m {
  start p
  p "\"" -> p / "x|y"
  p "a,b" -> q / "<"
  q "\\" -> p / "{"
}
save m "m.dot"
automaton c = cycle(3)
save c "c.dot"'
    dot -Tsvg m.dot >m.svg
    dot -Tsvg c.dot >c.svg
    grep -q 'a,b' m.svg
}

# What is read of a file is what is read of the plain list that Graphviz makes of it: every node
# with its shape, every edge with its label.
as_graphviz_reads() {
    cat >sly.dot
    gvpr 'BEG_G { printf("digraph {\n"); }
        N { printf("\"%s\" [shape=\"%s\" style=\"%s\" peripheries=\"%s\"];\n", $.name,
                   aget($, "shape"), aget($, "style"), aget($, "peripheries")); }
        E { printf("\"%s\" -> \"%s\" [label=\"%s\"];\n", $.tail.name, $.head.name,
                   aget($, "label")); }
        END_G { printf("}\n"); }' sly.dot >plain.dot 2>/dev/null
    for n in sly plain; do # the order in which states and symbols are met does not matter
        "$TAPEHEAD" -q -e "load \"$n.dot\" as m; show m" | grep -v 'states\|alphabet' | sort >$n.txt
    done
    grep -q '\->' sly.txt
    diff sly.txt plain.txt
}

@test "DOT is read as Graphviz reads it" {
    command -v gvpr >/dev/null || skip "no Graphviz"
    # What a subgraph says of nodes and edges ends with it, and what was there before does not change.
    as_graphviz_reads <<'END'
digraph { start [shape=none label=""]; start -> p; p -> q [label="a"]
  subgraph s { node [shape=doublecircle]; edge [label="b"]; r; q -> r; { t } }
  r -> u [label=a]; u -> t [label="a, b"]; node [shape=circle]; w; t -> w [label=a]
  subgraph { edge [label=c]; { node [peripheries=2]; w -> x } x -> y }; edge [label=d]; y -> x }
END
    # Comments, keywords in any case, separators and their absence, ports, chains, lists of lists.
    as_graphviz_reads <<'END'
# a line for the preprocessor
/* { */ STRICT DiGraph "a name" { // }
  Node [style=bold][shape="circle",color=red;label="x"] EDGE [] Graph [rankdir=LR];
  i [style=invis]; i -> "p q":n; "p q":n -> -1.5:"port":sw -> "digraph" [label="a\
b"; color=blue]
  rankdir=TB "digraph" -> é[label=c,]; é [peripheries=2
] Subgraph cluster_0 { label=inside "p q" -> é [label = "0" ] }
}
END
}

@test "importers say what they changed" {
    printf '0 1 a 0.5\n1 0 b\n1\n' >w.att
    run "$TAPEHEAD" -q -e 'load "w.att"'
    [ "$status" -eq 0 ]
    [ "$output" = 'note: weights were left out' ]
}

@test "a hostile file is refused with its name and place, and nothing is defined" {
    printf '<?xml version="1.0"?><!DOCTYPE s [<!ENTITY a "aaaaaaaaaa">' >laughs.jff
    for i in b c d e f g h i j; do
        p=$(printf '%s' "$i" | tr b-j a-i)
        printf '<!ENTITY %s "&%s;&%s;&%s;&%s;&%s;&%s;&%s;&%s;&%s;&%s;">' \
            "$i" "$p" "$p" "$p" "$p" "$p" "$p" "$p" "$p" "$p" "$p" >>laughs.jff
    done
    printf ']><structure><type>&j;</type></structure>' >>laughs.jff
    limit=100
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || limit=0 # the sanitizers take memory of their own
    run "$TAPEHEAD" -q -e "set limit-memory $limit" -e 'load "laughs.jff"'
    [ "$status" -eq 1 ]
    [[ "$output" == *'laughs.jff'* ]]
    printf '<!DOCTYPE s SYSTEM "file:///etc/passwd"><structure/>' >read.jff
    run "$TAPEHEAD" -q -e 'load "read.jff"'
    [[ "$output" == *'DOCTYPE is not read'* ]]
    printf 'digraph { a -> ' >cut.dot
    run "$TAPEHEAD" -q -k -e 'load "cut.dot"; list'
    [ "$status" -eq 1 ]
    [[ "$output" == *'cut.dot:1:'*'expected a node'* ]]
    printf 'digraph { s [label=""]; s -> a; a -> b; b -> a }' >bare.dot
    run "$TAPEHEAD" -q -e 'load "bare.dot"'
    [ "$status" -eq 1 ]
    [[ "$output" == *'edges without labels'* ]]
    printf 'digraph { s [shape=none label=""]; s -> a; a -> b; b -> a [label=x] }' >moves.dot
    run "$TAPEHEAD" -q -e 'load "moves.dot" as m; run m x'
    [ "$status" -eq 0 ]
    head -c 100000 /dev/urandom >noise.att
    run "$TAPEHEAD" -q -e 'load "noise.att"'
    [ "$status" -eq 1 ]
}

@test "learning from a file tells the place of a contradiction" {
    printf 'ab 1\nb 1\nab 0\n' >w.txt
    run "$TAPEHEAD" -q -e 'learn a from "w.txt"'
    [ "$status" -eq 1 ]
    [[ "$output" == *'w.txt:3:1: the word has the label reject here and accept in line 1'* ]]
    run "$TAPEHEAD" -q -e 'learn a from "w.txt" noise=0.2; assert disagreement > 0.3'
    [ "$status" -eq 0 ]
    run "$TAPEHEAD" -q -e 'learn a from nothing'
    [[ "$output" == *"no object is named 'nothing'"* ]]
}

@test "a model is learned from by asking" {
    run "$TAPEHEAD" -q -e 'task p = parity
model m = rnn dim=16
train m on p length=1..20 steps=300 seed=1 lr=3e-3
learn a from m accept=even empty=even length=0..15 noise=0.2 states=20 samples=300
assert queries > 0 and high <= 1'
    [ "$status" -eq 0 ]
}

@test "a model that answers with sets is learned from with sets" {
    run "$TAPEHEAD" -q -e 'task t = next_symbols dyck(1, 2)
model m = rnn dim=16
train m on t length=2..12 steps=400 seed=1 lr=5e-3
learn a from m length=0..8 noise=0.3 states=20 samples=300
show a
learn b from m accept=end empty=end length=0..8 noise=0.3 states=20 samples=300
assert states > 0
learn c from m flip=0.1'
    [ "$status" -eq 1 ]
    [[ "$output" == *'output q1 "{(,)}"'* ]]
    [[ "$output" == *'flip= needs accept= where the answers are sets'* ]]
}

@test "Turing machines are told by what their files hold" {
    printf '; up\n0 _ _ l 1\n0 * * r 0\n1 1 0 l 1\n1 0 1 * halt\n1 _ 1 * halt\n' >morphett.dat
    printf 'init: 0\naccept: y\n0,1\n0,1,>\n0,_\ny,_,-\n' >simulator.txt
    printf 'blank: " "\nstart state: a\ntable:\n  a:\n    1: R\n    " ": {R: accept}\n  accept:\n' >v.text
    printf 'https://bbchallenge.org/1RB1LB_1LA1RZ\n' >beaver.txt
    run "$TAPEHEAD" -q -e 'load "morphett.dat" as a; run a 1011; assert steps == 8 and tape == "1100"
load "simulator.txt" as b; run b 11; assert accepted and steps == 3
load "v.text" as c; run c 11; assert accepted
load "beaver.txt"; run beaver; assert steps == 6'
    [ "$status" -eq 0 ]
    printf 'a b c r d\n' >words.txt
    run "$TAPEHEAD" -q -e 'load "words.txt"'
    [ "$status" -eq 1 ]
    [[ "$output" == *'may be a list of words or a program of jsturing'* ]]
    "$TAPEHEAD" -q -e 'load "words.txt" as w format=words; run w abcrd; assert accepted'
}

@test "a hostile file of a machine is refused with its place, and nothing is defined" {
    printf 'blank: _\nstart state: a\ntable:\n  a: &a\n    0: *a\n' >loop.yaml
    printf '<!DOCTYPE s SYSTEM "file:///etc/passwd"><structure><type>turing</type></structure>' >d.jff
    printf '0 a b r 0\n0 a b up 0\n0 b b r 0\n' >bad.tm
    run "$TAPEHEAD" -q -k -e 'load "loop.yaml"; list' -e 'load "d.jff"; list' -e 'load "bad.tm"; list'
    [ "$status" -eq 1 ]
    [[ "$output" == *'loop.yaml:4:6: of YAML only texts, lists and maps of one line are read'* ]]
    [[ "$output" == *'DOCTYPE is not read'* ]]
    [[ "$output" == *'bad.tm:2:7: expected the direction l, r or *'* ]]
    [[ "$output" != *machine* ]]
}

@test "JFLAP's pushdown automata and grammars are languages" {
    cat >pda.jff <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<structure><type>pda</type><automaton>
 <state id="4" name="q0"><x>1</x><y>1</y><initial/></state>
 <state id="1" name="q0"><x>1</x><y>1</y></state>
 <state id="2" name="end"><x>1</x><y>1</y><final/></state>
 <transition><from>4</from><to>4</to><read>a</read><pop/><push>AB</push></transition>
 <transition><from>4</from><to>1</to><read>bc</read><pop>AB</pop><push/></transition>
 <transition><from>1</from><to>1</to><read>b</read><pop>AB</pop><push/></transition>
 <transition><from>1</from><to>2</to><read/><pop>Z</pop><push>Z</push></transition>
</automaton></structure>
END
    cat >g.jff <<'END'
<structure><type>grammar</type>
 <production><left>S</left><right>aSb</right></production>
 <production><left>S</left><right>bc</right></production>
</structure>
END
    run "$TAPEHEAD" -e 'load "pda.jff" as p' -e 'load "g.jff" as g' -e 'run p abc aabcb aab abcb' -e 'run g aabcb' -e 'words p length=0..7'
    [ "$status" -eq 0 ]
    [ "$output" = "accept
accept
reject
reject
reject
abc
aabcb
aaabcbb" ]
    sed -i 's/<left>S/<left>aS/' g.jff
    run "$TAPEHEAD" -e 'load "g.jff" as g'
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *"g.jff:2:1: on the left of a rule"* ]]
    sed -i 's/<initial.>//' pda.jff
    run "$TAPEHEAD" -e 'load "pda.jff" as p'
    [[ "${lines[0]}" == *"pda.jff: no state is initial" ]]
    sed -i 's/<to>1/<to>9/' pda.jff
    run "$TAPEHEAD" -e 'load "pda.jff" as p'
    [ "$status" -eq 1 ]
}
