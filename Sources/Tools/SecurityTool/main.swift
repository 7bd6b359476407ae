import Glibc
import SecurityCommands

// One call and no variable: it would belong to the main actor, for which the static program would start libdispatch.
exit(Driver.runThisProcess())
