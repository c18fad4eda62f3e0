/* Time: what libc and the engine ask for comes from the mailbox, in whole milliseconds. */

double cell_clock_ms(void)
{
    return __builtin_floor(cell_mailbox.clock_ms);
}

double cell_start_ms(void)
{
    return __builtin_floor(cell_mailbox.start_ms);
}

int gettimeofday(struct timeval *restrict tv, void *restrict tz)
{
    double ms = cell_clock_ms();
    (void)tz;
    tv->tv_sec = (time_t)(ms / 1000);
    tv->tv_usec = (suseconds_t)(ms - (double)tv->tv_sec * 1000) * 1000;
    return 0;
}

int clock_gettime(clockid_t id, struct timespec *ts)
{
    double ms = cell_clock_ms();
    (void)id;
    ts->tv_sec = (time_t)(ms / 1000);
    ts->tv_nsec = (long)(ms - (double)ts->tv_sec * 1000) * 1000000;
    return 0;
}
