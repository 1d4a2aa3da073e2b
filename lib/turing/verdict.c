#include "turing/verdict.h"

const char *th_tm_verdict_name(ThTmVerdict v)
{
    static const char *const name[] = {"running",        "halted",  "accepted", "rejected",
                                       "edge",           "endless", "steps",    "cells",
                                       "configurations", "seconds"};
    return name[v];
}

bool th_tm_verdict_final(ThTmVerdict v)
{
    return v == TH_TM_HALTED || v == TH_TM_ACCEPTED || v == TH_TM_REJECTED || v == TH_TM_AT_EDGE;
}
