// A program for libFuzzer, with libFuzzer's options; FUZZ_TARGET says what is fuzzed. `make fuzz` runs it.
import Glibc

_ = FuzzTarget.chosen
var (count, arguments) = unsafe (CommandLine.argc, CommandLine.unsafeArgv)
exit(unsafe runDriver(&count, &arguments, tryInput))
