#!/usr/bin/env bats
# What the Makefile hands to the compiler; nothing is compiled.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || exit 1
    [ -e lib/base/error.c ] || skip "no sources"
}

commands() { # ARGUMENT...
    env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -n B=build/nowhere "$@"
}

@test "make demo and make test compile on all processors, or on as many as make was told" {
    [[ "$(commands demo | grep ' all$')" == *" -j$(nproc) all" ]]
    [[ "$(commands test | grep ' check$')" == *" -j$(nproc) check" ]]
    [[ "$(commands -j7 demo | grep ' all$')" != *"-j$(nproc) all" ]]
}

@test "CPPFLAGS and CFLAGS are handed on, and _FORTIFY_SOURCE is defined once" {
    run commands build/nowhere/lib/base/error.o CPPFLAGS=-Ione CFLAGS=-Otwo
    [[ "$output" == *" -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2 "*" -Ione -Otwo "* ]]
    for where in CPPFLAGS CFLAGS; do
        run commands build/nowhere/lib/base/error.o $where=-D_FORTIFY_SOURCE=3
        [[ "$output" == *" -D_FORTIFY_SOURCE=3 "* ]]
        [[ "$output" != *"_FORTIFY_SOURCE=2"* ]]
    done
}

@test "what the compiler compiles for decides, not the machine it runs on" {
    printf '#!/bin/sh\necho %s\n' aarch64-linux-gnu >"$BATS_TEST_TMPDIR/arm"
    printf '#!/bin/sh\necho %s\n' x86_64-linux-gnu >"$BATS_TEST_TMPDIR/amd"
    chmod +x "$BATS_TEST_TMPDIR"/*
    run commands build/nowhere/lib/tensor/kernels/kernels.o CC="$BATS_TEST_TMPDIR/arm"
    [[ "$output" != *"-mprefer-vector-width"* ]]
    run commands build/nowhere/lib/tensor/kernels/kernels.o CC="$BATS_TEST_TMPDIR/amd"
    [[ "$output" == *"-mprefer-vector-width=512"* ]]
}

@test "the clang of lint and fuzzing is 14 where it is, else the newest" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    for n in 9 16 19 tidy-20; do
        printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/clang-$n"
        chmod +x "$BATS_TEST_TMPDIR/bin/clang-$n"
    done
    for tool in sh grep sed sort tail; do
        ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    [ "$(PATH=$BATS_TEST_TMPDIR/bin scripts/clang-version)" = 19 ]
    cp "$BATS_TEST_TMPDIR/bin/clang-9" "$BATS_TEST_TMPDIR/bin/clang-14"
    [ "$(PATH=$BATS_TEST_TMPDIR/bin scripts/clang-version)" = 14 ]
}

@test "deps says what to type where there is no apt-get, by the names of that system" {
    mkdir "$BATS_TEST_TMPDIR/bin"
    for tool in sh grep sed awk cat head dirname env id tr; do
        ln -s "$(command -v $tool)" "$BATS_TEST_TMPDIR/bin/$tool"
    done
    deps() { # manager, what is typed
        printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/$1"
        chmod +x "$BATS_TEST_TMPDIR/bin/$1"
        PATH=$BATS_TEST_TMPDIR/bin CC=false run /bin/sh scripts/deps build
        rm "$BATS_TEST_TMPDIR/bin/$1"
        [ "$status" -eq 1 ]
        [[ "$output" == *"  $2 "* ]]
    }
    deps dnf 'dnf install'
    [[ "$output" == *" libxml2-devel gmp-devel gnuplot graphviz" ]]
    deps pacman 'pacman -S --needed'
    deps apk 'apk add'
    [[ "$output" == *" musl-dev "*" argp-standalone" ]]
    deps brew 'brew install'
    [[ "$output" != *" - "* ]]
    deps pkg 'pkg install gcc gmake'
    PATH=$BATS_TEST_TMPDIR/bin CC=false run /bin/sh scripts/deps build
    [ "$status" -eq 1 ]
    [[ "$output" == *"The names above are Debian's"* ]]
}
