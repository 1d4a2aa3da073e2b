/* guides.c - help regex, logic, variables and keys: short topics; other guides stand in files of
 * their own.
 */
#include "help/help.h"

const char *const sh_regex_guide[] = {
    "automaton A = regex \"(a|b)*ab\" makes an automaton; regex \"...\" stands wherever an "
    "automaton may: words regex \"a*b\".  show A as regex writes one back.",
    "  a b: the symbols a and b; 'w0': one symbol of that name\n"
    "  xy: one behind the other; blanks mean nothing\n"
    "  x|y: either\n"
    "  x* x+ x?: any number, at least one, at most one\n"
    "  x{3} x{3,} x{3,5}: so many\n"
    "  (x): together; (): the empty word; []: no word at all\n"
    "  .: any symbol; [a-z] [abc]: one of these; [^ab]: one of the others\n"
    "  [[:digit:]]: also alpha, alnum, lower, upper, xdigit, punct, blank\n"
    "  x&y: both; x-y: the first and not the second; ~x: everything else\n"
    "  \\: takes the next character's meaning away; \\n, \\t, \\u{3b1}",
    "From tight to loose: repetitions, ~, juxtaposition, &, and | and -.  The alphabet is what is "
    "mentioned, in the order of the characters; regex \"...\" over \"ab\" puts others in front.",
    NULL};

const char *const sh_logic_guide[] = {
    "automaton A = ltl \"G (a -> X b)\" makes an automaton of a formula of linear temporal logic "
    "over finite words; ltl \"...\" stands wherever an automaton may: classes ltl \"F (a & X F "
    "b)\".  A word is accepted if the formula is true at its first position; the empty word never "
    "is.",
    "  a 'w0': the letter here; first last: the first, last position; true false\n"
    "  X x, N x: x at the next position; N also if there is none\n"
    "  F x, G x: x at some, at every position from here on\n"
    "  x U y, x R y: y at some position from here on, x until then; y until x lets it go, or "
    "always\n"
    "  Y x, Z x: x at the position before; Z also if there is none\n"
    "  P x, H x: x at some, at every position up to here\n"
    "  x S y, x T y: as U and R, backwards\n"
    "  !x   x & y   x | y   x -> y   x <-> y",
    "From tight to loose: one-sided operators, then U R S T from the right, &, |, -> from the "
    "right, <->.  Letters are single characters but capitals, others stand in single quotes; the "
    "alphabet is what is mentioned, ltl \"...\" over \"abc\" puts others in front.  Past and "
    "future may be mixed: F (last & (!b S a)) is that no b is behind the last a.",
    "s1 = a & Y b; in front of a formula names a part of it, by two small letters or digits at "
    "least; empty is true of the empty word, which formulas with it may accept.  show A as ltl "
    "writes a star-free automaton as a formula.",
    "logic \"forall x. Qa(x) -> exists y. y = x + 1 & Qb(y)\" is the same of a sentence of "
    "first-order logic, or monadic second-order logic, about the positions of a word, small "
    "letters, and sets of positions, capitals.  The empty word is judged, too: exists x. true is "
    "false of it.",
    "  Qa(x) Q'w0'(x): the letter at a position; first(x) last(x)\n"
    "  x < y <= = != >= >, x + 1 = y: where positions are; x in X, X(x): in which sets\n"
    "  exists x Y. ..., forall x Y. ...: also ex, all; as far to the right as they can reach\n"
    "  !x   x & y   x | y   x -> y   x <-> y   true   false: as above",
    "exists and forall inside each other, in turn, may cost an exponential each: limit-states "
    "bounds the automaton of every part.",
    NULL};

const char *const sh_variables_guide[] = {
    "x = 3, lr = 1e-3, sizes = [32, 64], name = \"lstm\" define variables: they are constants of "
    "RASP.  A name alone shows its value, list shows all, drop x forgets one.",
    "$x or ${x} in a word or a string inserts one: steps=$n, \"c-${n}.csv\".  What stands for "
    "nothing is an error; $$, and \\$ in a string, is a dollar sign.",
    "Every command leaves results, until another one sets its own: help COMMAND names them, "
    "$accuracy inserts one, best = $accuracy keeps it, assert accuracy > 0.9 asks.",
    "tapehead -D n=5 FILE sets one from outside; $1, $2, ..., $args and $nargs are the arguments "
    "of a script.  for n in 1..5 { ... } and for kind in [rnn, lstm] { ... } set one in turn.  "
    "Commands of the system's shell find variables in their environment.",
    NULL};

const char *const sh_keys_guide[] = {
    "  Tab: completes commands, names, options and their values, files; twice lists them\n"
    "  Meta-h (or Esc, h): explains the word at the cursor: a command, a kind, an option\n"
    "  Up, Down: what was typed before; Ctrl-R searches it\n"
    "  Enter: on an empty line makes the next step of a machine that is run by hand\n"
    "  Ctrl-C: stops what is running, which keeps what it has; forgets a line that is typed\n"
    "  Ctrl-L: clears the screen\n"
    "  Ctrl-D: leaves, on an empty line",
    "Others are those of GNU readline, as ~/.inputrc says: Ctrl-A and Ctrl-E go to the ends of the "
    "line, Ctrl-W and Ctrl-K cut, Ctrl-Y puts back, Ctrl-_ takes back.  In the pager that shows "
    "long answers q leaves and / searches.",
    NULL};
