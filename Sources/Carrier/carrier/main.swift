import CircleCarrier
import CommandOptions
import Glibc
import KeychainWire
import LinuxSystem

// keychain-carrier: carries the batches of a circle of machines (docs/formats/sync.md, section 10).
let table = CarrierArguments.table

@Sendable func say(_ text: String) {
    let line = Array("keychain-carrier: \(ForeignText.shown(text))\n".utf8)
    unsafe write(STDERR_FILENO, line, line.count)
}

extension ProgramArguments {
    /// One that goes round, where the command line says nothing else.
    fileprivate var errand: CarrierProgram.Errand {
        if has("--prepare") { return .place(.prepare) }
        if has("--admit") { return .place(.admit) }
        if has("--forget") { return .place(.forget) }
        if has("--recover") { return .place(.recover) }
        if has("--pair") { return .pair }
        return has("--found") || has("--once") ? .once(founds: has("--found")) : .stay
    }
}

do {
    let given = try ProgramArguments(CommandLine.arguments.dropFirst(), table)
    if given.has("--help") {
        print(table.help)
    } else if given.has("--version") {
        print(Release.text("keychain-carrier", "sync 1"))
    } else {
        CarrierSurroundings.reduce()
        try ProcessHardening.forbidCores()
        CurrentProcess.ignoreBrokenPipes()
        umask(0o077)
        let status = try CarrierProgram(log: say, answer: { print($0) }).run(given.errand)
        // Threads may compute for a server still: the libraries that they use are not to end before them.
        fflush(nil)
        _exit(status)
    }
} catch {
    say("\(error)")
    exit(EXIT_FAILURE)
}
