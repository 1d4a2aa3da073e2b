#include "terminal/signals.h"

#include <pthread.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t stop, interrupts, out_of_time, terminated, suspend, resized;
static pthread_t main_thread;

/* Threads of the libraries are given the signals that the main thread holds back while it edits a
 * line, and then nothing wakes it: they hand them on. */
static bool handed_on(int sig)
{
    if (pthread_equal(pthread_self(), main_thread))
        return false;
    pthread_kill(main_thread, sig);
    return true;
}

static void on_interrupt(int sig)
{
    if (handed_on(sig))
        return;
    stop = 1;
    interrupts = interrupts + 1;
    if (interrupts >= 3) /* work that does not listen */
        _exit(130);
}

static void on_alarm(int sig)
{
    if (handed_on(sig))
        return;
    stop = 1;
    out_of_time = 1;
}

static void on_terminate(int sig)
{
    if (handed_on(sig))
        return;
    stop = 1;
    terminated = sig;
}

static void on_suspend(int sig)
{
    if (handed_on(sig))
        return;
    suspend = 1;
}

static void on_resize(int sig)
{
    if (handed_on(sig))
        return;
    resized = 1;
}

/* Without SA_RESTART: a read must return, so that the flag is seen. */
static void handle(int sig, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    sigaction(sig, &action, NULL);
}

void sh_signals_install(void)
{
    main_thread = pthread_self();
    handle(SIGINT, on_interrupt);
    handle(SIGALRM, on_alarm);
    handle(SIGTERM, on_terminate);
    handle(SIGHUP, on_terminate);
    handle(SIGWINCH, on_resize);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* the write fails instead */
}

ThStop *sh_stop_flag(void)
{
    return &stop;
}

void sh_stop_work(void)
{
    stop = 1;
}

void sh_work_on(void)
{
    stop = interrupts > 0 || out_of_time || terminated;
}

bool sh_interrupted(void)
{
    return interrupts > 0;
}

bool sh_out_of_time(void)
{
    return out_of_time != 0;
}

int sh_terminated(void)
{
    return terminated;
}

void sh_signals_clear(void)
{
    interrupts = 0;
    out_of_time = 0;
    stop = terminated != 0;
}

void sh_alarm(double seconds)
{
    struct itimerval timer = {0};
    timer.it_value.tv_sec = (time_t)seconds;
    timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_REAL, &timer, NULL);
    if (seconds <= 0) { /* it may have rung in the meantime */
        out_of_time = 0;
        stop = interrupts > 0 || terminated;
    }
}

bool sh_suspend_wanted(void)
{
    bool wanted = suspend != 0;
    suspend = 0;
    return wanted;
}

bool sh_resized(void)
{
    bool was = resized != 0;
    resized = 0;
    return was;
}

void sh_hold_suspend(bool hold)
{
    handle(SIGTSTP, hold ? on_suspend : SIG_DFL);
}
