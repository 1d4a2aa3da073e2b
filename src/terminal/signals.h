/* signals.h - what signals leave behind: flags, read by the prompt and by long work. */
#pragma once

#include "base/stop.h"

void sh_signals_install(void);

/* Non-zero once work should end: Ctrl-C, a time limit or a request to terminate. */
ThStop *sh_stop_flag(void);
void sh_stop_work(void);     /* sets it, as Ctrl-C does, but is none */
void sh_work_on(void);       /* takes that back */
bool sh_interrupted(void);   /* it was Ctrl-C, since the last sh_signals_clear */
bool sh_out_of_time(void);   /* it was the time limit */
int sh_terminated(void);     /* the signal that asks to leave (SIGTERM, SIGHUP), or 0 */
void sh_signals_clear(void); /* forgets Ctrl-C and the time limit */

/* Sets the stop flag after so many seconds; 0 cancels, and forgets that it was set. */
void sh_alarm(double seconds);

/* Taken by the prompt: Ctrl-Z and a resized window. */
bool sh_suspend_wanted(void);
bool sh_resized(void);

/* While the prompt is up, Ctrl-Z must wait until the terminal is in order. */
void sh_hold_suspend(bool hold);
