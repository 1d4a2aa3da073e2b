#!/usr/bin/env bats
# Processes that share the folder of a sweep, and those that a launcher starts together.

setup() {
    cd "$BATS_TEST_TMPDIR" || exit 1
    grid 8 0.15
}

# Points that note who runs them, before and after what takes time.
grid() { # POINTS SECONDS
    cat >grid.th <<END
sweep "runs" jobs=1 for n in 1..$1 {
  ! echo \$PPID >>began.txt; sleep $2; echo \$PPID >>ended.txt
  automaton a = cycle(\$n + 1)
}
assert points == $1
END
}

records() {
    find runs/points -name '*.json' | wc -l
}

@test "two processes, begun together, compute no point twice, and both end with all" {
    "$TAPEHEAD" -q grid.th >one.txt &
    "$TAPEHEAD" -q grid.th >two.txt
    wait $!
    [ "$(wc -l <began.txt)" -eq 8 ]
    [ "$(records)" -eq 8 ]
    grep -q "^8 points: 8 done ([1-7] of them by other processes)" one.txt
    grep -q "^8 points: 8 done ([1-7] of them by other processes)" two.txt
    [ -z "$(ls -A runs/claims)" ]
    "$TAPEHEAD" -q grid.th | grep -q "8 points: 8 done (8 of them before"
}

@test "the points of a process that is killed are taken over at once" {
    grid 3 1
    "$TAPEHEAD" -q grid.th >/dev/null 2>&1 &
    while [ ! -e began.txt ]; do sleep 0.05; done
    "$TAPEHEAD" -q grid.th >two.txt &
    two=$!
    sleep 0.3
    kill -9 "$(jobs -p | head -n 1)"
    wait $two
    [ "$(records)" -eq 3 ]
    [ "$(wc -l <began.txt)" -eq 4 ]
    grep -q "^3 points: 3 done$" two.txt
}

@test "a claim of another machine holds while it is renewed" {
    grid 2 0
    mkdir -p runs/claims
    echo "elsewhere.example 1" >runs/claims/n=1
    "$TAPEHEAD" -q grid.th >one.txt &
    sleep 1.5
    kill -0 $!
    [ "$(records)" -eq 1 ]
    [ "$(wc -l <began.txt)" -eq 1 ]
    touch -d '90 seconds ago' runs/claims/n=1
    sleep 0.8
    [ "$(records)" -eq 1 ]
    touch -d '3 minutes ago' runs/claims/n=1
    wait $!
    [ "$(records)" -eq 2 ]
    grep -q "^2 points: 2 done$" one.txt
}

@test "what this machine has left behind is nobody's" {
    grid 2 0
    mkdir -p runs/claims
    echo "$(uname -n) 1" >runs/claims/n=1
    timeout 20 "$TAPEHEAD" -q grid.th | grep -q "^2 points: 2 done$"
    [ -z "$(ls -A runs/claims)" ]
}

@test "retry=yes of two processes runs what failed once more, not twice" {
    sed -i 's/^}/  ! test -e mended\n}/; s/jobs=1/jobs=1 retry=yes/' grid.th
    "$TAPEHEAD" -q grid.th | grep -q "8 points: 0 done, 8 failed"
    rm began.txt
    "$TAPEHEAD" -q grid.th >one.txt &
    "$TAPEHEAD" -q grid.th >two.txt
    wait $!
    [ "$(wc -l <began.txt)" -eq 8 ]
    grep -q "8 points: 0 done, 8 failed" one.txt
    grep -q "8 points: 0 done, 8 failed" two.txt
}

need_mpi() {
    [ -e "$(dirname "$(realpath "$TAPEHEAD")")/tapehead-mpi.so" ] || skip "no MPI"
}

@test "a job of mpirun and a process beside it share the points" {
    need_mpi
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout 60 \
        mpirun --oversubscribe -n 3 "$TAPEHEAD" -q grid.th >ranks.txt &
    timeout 60 "$TAPEHEAD" -q grid.th >one.txt
    wait $!
    [ "$(wc -l <began.txt)" -eq 8 ]
    grep -q "8 points: 8 done" one.txt
    grep -q "8 points: 8 done" ranks.txt
}

# ---- launchers ----------------------------------------------------------------------------------

# Not under a launcher: the variables of one, as it gives them to process 0.
alone() { # VARIABLE=VALUE...
    env "$@" "$TAPEHEAD" -q -e 'echo "I believe to be alone"'
}

@test "processes that MPI does not know of are an error, not each alone" {
    need_mpi
    for variables in "PMI_SIZE=3 PMI_RANK=0" "SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=0" \
        "SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=2" "PMIX_RANK=1" "PMIX_RANK=0 SLURM_NTASKS=3" \
        "SLURM_NTASKS=4 SLURM_PROCID=1 SLURM_LOCALID=1"; do
        # shellcheck disable=SC2086 # several
        run alone $variables
        echo "$variables: $output"
        [ "$status" -ne 0 ]
        [[ "$output" == *"were started together"* ]]
        [[ "$output" != *"I believe"* ]]
    done
}

@test "one process is alone, also in a job of Slurm's, whose script is one process" {
    for variables in "SLURM_STEP_NUM_TASKS=1 SLURM_PROCID=0 PMIX_RANK=0" \
        "SLURM_NTASKS=16 SLURM_PROCID=0 SLURM_LOCALID=0 SLURM_JOB_ID=7" \
        "OMPI_COMM_WORLD_SIZE=1" "SLURM_ARRAY_TASK_ID=3 SLURM_ARRAY_TASK_COUNT=8"; do
        # shellcheck disable=SC2086 # several
        run alone $variables
        echo "$variables: $output"
        [ "$status" -eq 0 ]
        [ "$output" = "I believe to be alone" ]
    done
}

@test "without the plug-in, several processes are an error that says what is missing" {
    mkdir bin
    cp "$(realpath "$TAPEHEAD")" bin/tapehead
    for variables in "OMPI_COMM_WORLD_SIZE=2" "SLURM_STEP_NUM_TASKS=2" "PMIX_RANK=1"; do
        run env "$variables" bin/tapehead -q -e 'echo "I believe to be alone"'
        [ "$status" -ne 0 ]
        [[ "$output" == *"started together"*"MPI is not to be had"* ]]
    done
}

@test "a plug-in that cannot be loaded says why" {
    mkdir bin
    cp "$(realpath "$TAPEHEAD")" bin/tapehead
    echo nonsense >bin/tapehead-mpi.so
    run env OMPI_COMM_WORLD_SIZE=2 bin/tapehead -q -e 'echo "I believe to be alone"'
    [ "$status" -ne 0 ]
    [[ "$output" == *"tapehead-mpi.so: "* ]]
}

# The job script, with an srun that starts three processes in the way that is at hand.
@test "the example's job script runs a grid: as one job, and as an array" {
    need_mpi
    mkdir bin
    ln -s "$(realpath "$TAPEHEAD")" bin/tapehead
    cat >bin/srun <<'END'
#!/bin/sh
[ "$1" = --mpi=pmix ] || exit 9
shift
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 SLURM_STEP_NUM_TASKS=3
exec mpirun --oversubscribe -n 3 "$@"
END
    chmod +x bin/srun
    job=$BATS_TEST_DIRNAME/../../examples/10-sweeps/slurm.sbatch
    sed -i 's/ jobs=1//' grid.th
    PATH=$PWD/bin:$PATH SLURM_NTASKS=3 SLURM_PROCID=0 SLURM_CPUS_PER_TASK=1 timeout 60 \
        "$job" grid.th >said.txt
    grep -q "^8 points: 8 done$" said.txt
    [ "$(wc -l <said.txt)" -eq 1 ]
    rm -r runs began.txt
    for task in 1 2; do
        PATH=$PWD/bin:$PATH SLURM_ARRAY_TASK_ID=$task timeout 60 "$job" grid.th >"said$task.txt" &
    done
    wait
    [ "$(wc -l <began.txt)" -eq 8 ]
    grep -q "^8 points: 8 done" said1.txt
    grep -q "^8 points: 8 done" said2.txt
}
