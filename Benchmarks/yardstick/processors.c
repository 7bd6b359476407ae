// Where a measurement runs.
#include "yardstick.h"
#include <sched.h>

static cpu_set_t usable;

// A thread that is woken must not interrupt the one that runs. Otherwise the scheduler weighs at each wake what both
// have used so far, and half a microsecond more of work shows as four, or two as one.
static int take_turns(int policy) {
    struct sched_param none = {0};
    return sched_setscheduler(0, policy, &none);
}

int yardstick_use_one_processor(void) {
    if (take_turns(SCHED_BATCH) != 0) return -1;
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return -1;
    // The last of them: the first has most of the interrupts.
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &usable)) last--;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int yardstick_use_all_processors(void) {
    return take_turns(SCHED_OTHER) == 0 ? sched_setaffinity(0, sizeof usable, &usable) : -1;
}
