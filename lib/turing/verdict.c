#include "turing/verdict.h"

const char *th_verdict_name(ThVerdict v)
{
    static const char *const name[] = {"running",        "halted",  "accepted", "rejected",
                                       "edge",           "endless", "steps",    "cells",
                                       "configurations", "seconds"};
    return name[v];
}

bool th_verdict_final(ThVerdict v)
{
    return v == TH_HALTED || v == TH_ACCEPTED || v == TH_REJECTED || v == TH_AT_EDGE;
}
