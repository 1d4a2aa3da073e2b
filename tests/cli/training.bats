#!/usr/bin/env bats
# Training as a user sees it from outside: interruption, checkpoints, threads.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    cat >start.th <<'END'
task p = parity
model m = regulargpt dim=16 heads=2
END
}

# The tensors of a model file, weights and moments, without its header.
tensors() {
    tail -c +$(($(od -An -tu8 -N8 "$1") + 9)) "$1"
}

@test "Ctrl-C ends a batch with status 130 and says where the model stands" {
    cp start.th long.th
    echo 'train m on p steps=100000000' >>long.th
    echo 'echo not reached' >>long.th
    run timeout --preserve-status -s INT 1 "$TAPEHEAD" long.th
    [ "$status" -eq 130 ]
    [[ "$output" == *"interrupted; the model is as after step "* ]]
    [[ "$output" != *"not reached"* ]]
}

@test "an evaluation can be interrupted" {
    cp start.th long.th
    echo 'train m on p steps=1 > "train.txt"' >>long.th
    echo 'evaluate m on p length=500..1000 samples=100000' >>long.th
    run timeout --preserve-status -s INT 1 "$TAPEHEAD" long.th
    [ "$status" -eq 130 ]
}

@test "a training that goes on from its checkpoint ends with the same bits" {
    options='length=1..12 curriculum=adaptive full_length=0.2 optimizer=adamw schedule=cosine warmup=5'
    options+=' noise=0.1 validate=13..16 samples=16 keep=best patience=1000'
    cp start.th whole.th
    echo "train m on p steps=400 $options > \"whole.txt\"; save m \"whole.safetensors\"" >>whole.th
    "$TAPEHEAD" whole.th
    cp start.th part.th
    echo "train m on p steps=400 $options checkpoint=\"c.safetensors\" every=7 > \"part.txt\"" >>part.th
    cat >kill.th <<END
$(cat start.th)
train m on p steps=400 $options checkpoint="c.safetensors" every=7
END
    "$TAPEHEAD" kill.th >/dev/null &
    pid=$!
    while [ ! -f c.safetensors ]; do sleep 0.001; done
    kill -KILL $pid && wait $pid || true
    "$TAPEHEAD" part.th
    tensors whole.safetensors >whole
    tensors c.safetensors >part
    cmp whole part
    [ "$(wc -c <whole)" -gt 10000 ]
    # All steps are done: nothing is left to do.
    run "$TAPEHEAD" kill.th
    [ "$status" -eq 0 ]
    [[ "$output" == *"at step 400"* ]]
}

@test "an interrupted training saves its checkpoint" {
    cp start.th long.th
    echo 'train m on p steps=100000000 length=1..5 checkpoint="c.safetensors"' >>long.th
    run timeout --preserve-status -s INT 1 "$TAPEHEAD" long.th
    [ "$status" -eq 130 ]
    step=${output##*after step }
    "$TAPEHEAD" -e 'load "c.safetensors"' -e 'show c' | grep -q "^# training  $step steps"
}

@test "a checkpoint of another model, or beyond the end, is refused and kept" {
    cp start.th save.th
    echo 'train m on p steps=9 checkpoint="c.safetensors" > "x.txt"' >>save.th
    "$TAPEHEAD" save.th
    before=$(cksum <c.safetensors)
    run "$TAPEHEAD" -e 'task p = parity' -e 'model m = lstm' \
        -e 'train m on p steps=9 checkpoint="c.safetensors"'
    [ "$status" -eq 1 ]
    [[ "$output" == *"another model"* ]]
    sed -i 's/steps=9/steps=5/' save.th
    run "$TAPEHEAD" save.th
    [ "$status" -eq 1 ]
    [[ "$output" == *"is at step 9"* ]]
    [ "$(cksum <c.safetensors)" = "$before" ]
}

@test "a checkpoint of another task is refused and kept, whatever its name" {
    for how in 'length=1..5 steps' 'until=proved steps'; do
        rm -f c.safetensors
        train="model m = regulargpt dim=8 heads=2; train m on t $how"
        "$TAPEHEAD" -e 'automaton a = regex "(aa|b)*"; task t = recognize a' \
            -e "$train=9 checkpoint=\"c.safetensors\" > \"x.txt\""
        before=$(cksum <c.safetensors)
        run "$TAPEHEAD" -e 'automaton a = regex "(a|bb)*"; task t = recognize a' \
            -e "$train=12 checkpoint=\"c.safetensors\""
        [ "$status" -eq 1 ]
        [[ "$output" == *"c.safetensors was trained on another task: recognize a"* ]]
        [ "$(cksum <c.safetensors)" = "$before" ]
        run "$TAPEHEAD" -e 'automaton z = regex "(b|aa)*"; task t = recognize z' \
            -e "$train=12 checkpoint=\"c.safetensors\""
        [ "$status" -eq 0 ]
        [[ "$output" == *"continuing from c.safetensors at step 9"* ]]
    done
    rm c.safetensors
    "$TAPEHEAD" -e 'task t = copy; model m = gpt dim=8 heads=2' \
        -e 'train m on t steps=2 checkpoint="c.safetensors" > "x.txt"'
    run "$TAPEHEAD" -e 'task t = reverse; model m = gpt dim=8 heads=2' \
        -e 'train m on t steps=3 checkpoint="c.safetensors"'
    [ "$status" -eq 1 ]
    [[ "$output" == *"trained on another task: copy"* ]]
}

@test "the same seed gives the same bits, another seed others" {
    cp start.th one.th
    echo 'train m on p steps=9 > "x.txt"; save m "m.safetensors"' >>one.th
    for seed in 3 3 4; do
        "$TAPEHEAD" --seed $seed one.th
        cksum <m.safetensors >>sums
    done
    [ "$(sed -n 1p sums)" = "$(sed -n 2p sums)" ]
    [ "$(sed -n 1p sums)" != "$(sed -n 3p sums)" ]
}

@test "scores do not depend on the number of threads" {
    cp start.th scores.th
    cat >>scores.th <<'END'
train m on p steps=9 > "x.txt"
save m "m.safetensors"
END
    "$TAPEHEAD" scores.th
    for threads in 1 3; do
        "$TAPEHEAD" --threads $threads -e 'task p = parity' -e 'load "m.safetensors"' \
            -e "evaluate m on p length=50..60:5 > \"scores$threads.csv\""
    done
    cmp scores1.csv scores3.csv
}

@test "a full disk is reported" {
    cp start.th full.th
    echo 'train m on p steps=2 checkpoint="/dev/full" > "x.txt"' >>full.th
    run "$TAPEHEAD" full.th
    [ "$status" -eq 1 ]
    [[ "$output" == *"error:"* ]]
}

@test "training under a memory limit fails or succeeds, and never hangs" {
    [[ $TAPEHEAD != */@(asan|fuzz)/* ]] || skip "the sanitizers take memory of their own"
    for limit in 1 8 150; do
        run env -u OPENBLAS_NUM_THREADS timeout -s KILL 60 "$TAPEHEAD" -q -e "set limit-memory $limit
set threads 2
task p = parity
model m = regulargpt dim=64
train m on p length=1..30 steps=3"
        [ "$status" -le 1 ]
    done
    [ "$status" -eq 0 ]
    run timeout -s KILL 60 "$TAPEHEAD" -q -e 'set limit-memory 50
set limit-states 100000000
automaton a = regex "[ab]*a[ab]{30}"
minimize a'
    [ "$status" -eq 1 ]
    [[ "$output" == *'out of memory '*' states'* ]]
}

# Without a stop inside a step, the first would take seconds, the second minutes.
@test "the time limit ends a long step and a long check" {
    run timeout -s KILL 20 "$TAPEHEAD" -q -k -e 'set limit-time 0.3
task p = parity
model m = lstm dim=32
train m on p length=1000000 steps=1 batch=4
gradcheck m on p length=1000 batch=300'
    [ "$status" -eq 1 ]
    [[ $output == *"the time limit of 0.3 s is over: interrupted; the model is as after step 0"* ]]
    [[ $output == *":5:"*"the time limit of 0.3 s is over: interrupted"* ]]
}

# Where nearly every tree is a new string, too.
@test "the time limit ends the drawing of lists" {
    run timeout -s KILL 20 "$TAPEHEAD" -q -e 'set limit-time 0.2
task b = list_ops split=lra'
    [ "$status" -eq 1 ]
    [[ $output == *"the time limit of 0.2 s is over: interrupted at "*" strings"* ]]
}

@test "what a model would take is refused before it is taken" {
    run timeout -s KILL 20 "$TAPEHEAD" -q -k -e 'set limit-memory 100
task p = parity
model wide = gru dim=65536
train wide on p steps=1
model m = gru dim=64
train m on p length=1..1000000 batch=1000 steps=1
train m on p length=10000 batch=100 steps=1
train m on p length=10 batch=10 steps=1 > "/dev/null"
assert steps == 1'
    [ "$status" -eq 1 ]
    [[ $output == *":4:"*"the parameters would take"*"there may be 100"* ]]
    [[ $output == *":6:"*"this training would take"* ]]
    [[ $output == *":7:"*"a step needs more memory"* ]]
    [[ $output != *":8:"* && $output != *":9:"* ]]
}
