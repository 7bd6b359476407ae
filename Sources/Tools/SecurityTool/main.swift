import Glibc
import SecurityCommands

// One call and no variable: what stands here belongs to the main actor, and to look after one takes half the start.
exit(Driver.runThisProcess())
