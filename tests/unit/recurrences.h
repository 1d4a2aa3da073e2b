/* recurrences.h - linear recurrences that are tested as wholes: kind and settings. */
#ifndef TEST_UNIT_RECURRENCES_H
#define TEST_UNIT_RECURRENCES_H

static const char *const recurrences[][2] = {
    {"lrnn", "dim=8 block=4 layers=2"},
    {"lrnn", "dim=8 block=2 norm=paper"},
    {"lru", "dim=6 state=5 layers=2"},
    {"s4d", "dim=5 state=6 layers=2"},
    {"s4", "dim=5 state=6 layers=2"},
    {"liquid_s4", "dim=5 state=4 layers=2"},
    {"mamba", "dim=5 state=3 layers=2"},
    {"mamba", "dim=5 state=2 expand=1 eigenvalues=signed"},
    {"mamba", "dim=6 state=2 expand=1 rank=2 decoder=yes mlp_width=3 layers=2"},
    {"deltanet", "dim=6 heads=2 layers=2"},
    {"deltanet", "dim=6 heads=2 decoder=yes mlp_width=4 norm_epsilon=0.01"},
    {"deltanet", "dim=6 heads=1 forget=yes gate=yes eigenvalues=positive convolution=no"},
    {"deltaproduct", "dim=6 heads=2"},
    {"pd_ssm", "dim=6 state=3 dictionary=2 layers=2"},
    {"pd_ssm", "dim=6 state=4 one_hot=row"},
};
enum { RECURRENCES = sizeof recurrences / sizeof *recurrences };

#endif
