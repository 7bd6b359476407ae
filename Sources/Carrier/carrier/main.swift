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

do {
    let given = try ProgramArguments(CommandLine.arguments.dropFirst(), table)
    if given.has("--help") {
        print(table.help)
    } else if given.has("--version") {
        print(Release.text("keychain-carrier", "sync 1"))
    } else {
        try ProcessHardening.forbidCores()
        CurrentProcess.ignoreBrokenPipes()
        umask(0o077)
        let founds = given.has("--found")
        let errand: CarrierProgram.Errand = founds || given.has("--once") ? .once(founds: founds) : .stay
        exit(try CarrierProgram(log: say).run(given.has("--pair") ? .pair : errand))
    }
} catch {
    say("\(error)")
    exit(EXIT_FAILURE)
}
