# tapehead - automata, machines, RASP and the small sequence models that learn them.
# `make help` lists the targets.  PREFIX, DESTDIR, CC, CFLAGS and LDFLAGS are honoured.

VERSION  = 0.1.0
FLAVOUR ?= release
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
LIBDIR  ?= $(PREFIX)/lib
DATADIR ?= $(PREFIX)/share
MANDIR  ?= $(DATADIR)/man
INCLUDEDIR ?= $(PREFIX)/include
B       := build/$(FLAVOUR)

# -Wconversion without the sign noise catches every real narrowing of the numerical code.
WARN = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
       -Wold-style-definition -Wvla -Wwrite-strings -Wcast-qual -Wpointer-arith -Wformat=2 \
       -Wundef -Wimplicit-fallthrough -Wdouble-promotion -Wconversion -Wno-sign-conversion
OPT.release = -O2 -g -D_FORTIFY_SOURCE=2 -fstack-protector-strong
OPT.asan    = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all \
              -fno-omit-frame-pointer
OPT.fuzz    = -O1 -g -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
CFLAGS  ?=
ALLCFLAGS = -std=c17 -fno-common -pthread -D_XOPEN_SOURCE=700 -DTH_VERSION='"$(VERSION)"' \
            -Ilib -Isrc $(WARN) $(OPT.$(FLAVOUR)) $(CFLAGS)
# Not pkg-config's list for GSL: it adds a slow CBLAS of GSL's own in front of OpenBLAS.
LIBS = -lgsl -lopenblas -ljansson -lutf8proc -lm
Q    = $(if $(V),,@)

LIB_C := $(wildcard lib/*/*.c)
SRC_C := $(wildcard src/*.c src/commands/*.c)
LIB_O := $(LIB_C:%.c=$(B)/%.o)
SRC_O := $(SRC_C:%.c=$(B)/%.o)
UNIT  := $(patsubst tests/unit/%.c,$(B)/%,$(wildcard tests/unit/test_*.c))

all: $(B)/tapehead tapehead            ## build the program

tapehead: $(B)/tapehead
	$(Q)ln -sf $(B)/tapehead $@

$(B)/tapehead: $(SRC_O) $(B)/libtapehead.a
	$(Q)$(CC) $(ALLCFLAGS) $(LDFLAGS) -o $@ $^ -lreadline $(LIBS)

$(B)/libtapehead.a: $(LIB_O)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

# The vector loops: fast-math while compiling only; linking with it would flush denormals to zero
# in the whole process.
$(B)/lib/tensor/kernels.o: ALLCFLAGS += -O3 -ffast-math

$(B)/%.o: %.c Makefile
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP -c -o $@ $<

$(B)/test_%: tests/unit/test_%.c $(B)/libtapehead.a
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALLCFLAGS) -MMD -MP $(LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS) -lcmocka

help:                                  ## this list
	@sed -n 's/^\([a-z][a-z -]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 18

clean:                                 ## remove what was built
	rm -rf build tapehead

.PHONY: all help clean
.DELETE_ON_ERROR:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
