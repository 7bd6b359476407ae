import CCounters
import Foundation
import KeychainEngine
import KeychainStore
import SecureEnclave
import Security
import SyncStore

// Counts allocations, statements, round trips and bytes of the keychain's operations: usage: keychain-counts [--check
// FILE]. Without an argument it prints the counts as the file has them; with one it fails when a count is above its
// budget.

func count() throws -> [Operations.Counted] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "keychain-counts-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    counters_watch_statements()
    let store = try ItemStore(folder: folder, prefersExclusive: true)
    let enclave = try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: true)
    let engine = try KeychainEngine(store: store, enclave: enclave, deployment: "counts", quotas: Quotas())
    let connection = try CountingConnection(engine)
    KeychainSession.install(connection)
    defer { KeychainSession.install(nil) }
    let ofItems = try Operations.count(over: connection, enter: CircleRecords(engine).enter)
    return ofItems + (try CircleOperations.count(in: folder))
}

func check(_ path: String) throws -> Bool {
    let (above, below) = try Budgets.differences(count(), from: path)
    if !above.isEmpty {
        print("Above their budgets; make them fit, or give the reason in the commit that changes \(path):")
        print(above.joined(separator: "\n"))
    }
    if !below.isEmpty {
        print("Below their budgets, which can be lowered in \(path):")
        print(below.joined(separator: "\n"))
    }
    return above.isEmpty
}

do {
    switch Array(CommandLine.arguments.dropFirst()) {
    case []: print(try Budgets(count()).text, terminator: "")
    case let arguments where arguments.count == 2 && arguments[0] == "--check": if try !check(arguments[1]) { exit(1) }
    default: throw CountsError("usage: keychain-counts [--check FILE]")
    }
} catch {
    print("keychain-counts: \(error)")
    exit(2)
}
