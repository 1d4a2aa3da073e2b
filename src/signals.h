/* signals.h - what signals leave behind: flags, read by the prompt and by long work. */
#ifndef TH_SIGNALS_H
#define TH_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/stop.h"

void th_signals_install(void);

/* Non-zero once work should end: Ctrl-C, a time limit or a request to terminate. */
ThStop *th_stop_flag(void);
void th_stop_work(void);     /* sets it, as Ctrl-C does, but is none */
bool th_interrupted(void);   /* it was Ctrl-C, since the last th_signals_clear */
bool th_out_of_time(void);   /* it was the time limit */
int th_terminated(void);     /* the signal that asks to leave (SIGTERM, SIGHUP), or 0 */
void th_signals_clear(void); /* forgets Ctrl-C and the time limit */

/* Sets the stop flag after so many seconds; 0 cancels, and forgets that it was set. */
void th_alarm(double seconds);

/* Taken by the prompt: Ctrl-Z and a resized window. */
bool th_suspend_wanted(void);
bool th_resized(void);

/* While the prompt is up, Ctrl-Z must wait until the terminal is in order. */
void th_hold_suspend(bool hold);

#endif
