/* analyzer.h - what the analyser must know of functions in files that it does not see together:
 * these return false, always. */
#include "base/error.h"

#define th_fail(...)    ((th_fail)(__VA_ARGS__), false)
#define th_fail_at(...) ((th_fail_at)(__VA_ARGS__), false)
#define th_hint(...)    ((th_hint)(__VA_ARGS__), false)

#include "command.h"

#define sh_fail_operand(...) ((sh_fail_operand)(__VA_ARGS__), false)
#define sh_error_inside(...) ((sh_error_inside)(__VA_ARGS__), false)
