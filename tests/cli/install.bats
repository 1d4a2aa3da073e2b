#!/usr/bin/env bats
# What `make install` puts where, that it can be built against, and that uninstall leaves nothing.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return
    D=$BATS_TEST_TMPDIR/root
}

# The release flavour, whatever is being tested: a sanitized library does not link elsewhere.
put() {
    env -u MAKEFLAGS -u MAKEOVERRIDES make --no-print-directory install FLAVOUR=release \
        DESTDIR="$D" PREFIX=/usr >/dev/null
}

@test "install honours DESTDIR and PREFIX" {
    put
    [ -x "$D/usr/bin/tapehead" ]
    [ -f "$D/usr/lib/libtapehead.a" ]
    [ -f "$D/usr/include/tapehead/lab/train.h" ]
    [ -f "$D/usr/lib/pkgconfig/tapehead.pc" ]
    [ -f "$D/usr/share/man/man1/tapehead.1" ]
    [ -f "$D/usr/share/bash-completion/completions/tapehead" ]
    [ -f "$D/usr/share/doc/tapehead/examples/parity.th" ]
    run "$D/usr/bin/tapehead" --version
    [ "$status" -eq 0 ]
}

@test "a program can be built against what is installed" {
    put
    cat >"$BATS_TEST_TMPDIR/a.c" <<'END'
#include <automata/dfa.h>
#include <models/model.h>
int main(void)
{
    size_t n = 0;
    ThDfa *d = th_dfa_new(2, 1, 2, NULL);
    int ok = d && th_model_kinds(&n) && n > 0;
    th_dfa_free(d);
    return ok ? 0 : 1;
}
END
    libs=$(sed -n 's/^Libs[^:]*: //p' "$D/usr/lib/pkgconfig/tapehead.pc" | tr '\n' ' ' |
        sed 's|-L${libdir}||')
    # shellcheck disable=SC2086
    cc -std=c17 -I"$D/usr/include/tapehead" "$BATS_TEST_TMPDIR/a.c" -L"$D/usr/lib" $libs \
        -o "$BATS_TEST_TMPDIR/a"
    "$BATS_TEST_TMPDIR/a"
}

@test "uninstall leaves no file behind" {
    put
    make --no-print-directory uninstall DESTDIR="$D" PREFIX=/usr >/dev/null
    [ -z "$(find "$D" -type f)" ]
}
