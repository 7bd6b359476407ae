// Where a measurement runs.
#include "yardstick.h"
#include <sched.h>

static cpu_set_t usable;

int yardstick_use_one_processor(void) {
    if (sched_getaffinity(0, sizeof usable, &usable) != 0) return -1;
    // The last of them: the first has most of the interrupts.
    int last = CPU_SETSIZE - 1;
    while (last > 0 && !CPU_ISSET(last, &usable)) last--;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(last, &one);
    return sched_setaffinity(0, sizeof one, &one);
}

int yardstick_use_all_processors(void) { return sched_setaffinity(0, sizeof usable, &usable); }
