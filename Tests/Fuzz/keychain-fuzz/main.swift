// A program for libFuzzer, with libFuzzer's options; FUZZ_TARGET says what is fuzzed. `make fuzz` runs it.
import FuzzTargets
import Glibc

if let status = CorpusCommand.run(Array(CommandLine.arguments.dropFirst())) { exit(status) }
_ = FuzzTarget.chosen
var (count, arguments) = unsafe (CommandLine.argc, CommandLine.unsafeArgv)
exit(unsafe runDriver(&count, &arguments, tryInput))
