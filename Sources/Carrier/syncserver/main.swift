import CommandOptions
import Glibc
import KeychainWire
import PostgresTransport
import SyncTransports

// keychain-sync-server: for the administrator of a PostgreSQL server that carries the batches of circles.
func fail(_ message: String) -> Never {
    let line = Array("keychain-sync-server: \(message)\n".utf8)
    unsafe write(STDERR_FILENO, line, line.count)
    exit(EXIT_FAILURE)
}

do {
    let given = try ProgramArguments(CommandLine.arguments.dropFirst(), ServerCommand.table)
    if given.has("--help") {
        print(ServerCommand.table.help)
    } else if given.has("--version") {
        print(Release.text("keychain-sync-server", "keychain_sync schema \(ServerCommand.schemaVersion)"))
    } else {
        for line in try ServerCommand(given).run() { print(line) }
    }
} catch let error as WrongCommandLine {
    fail(error.problem)
} catch let error as TransportProblem {
    fail(error.description)
} catch { fail("\(error)") }
