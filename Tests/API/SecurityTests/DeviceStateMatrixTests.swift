import KeychainTesting
import Security
import TestSupport
import Testing

/// Every protection class, in every state of the device, under every operation (rules protection.class.states,
/// protection.state.locked).
///
/// `ok` is `errSecSuccess`, `locked` is `errSecInteractionNotAllowed`, `refused` is `errSecAuthFailed`, and `gone` is
/// `errSecItemNotFound`. Deleting requires no class key, so it works while the class is locked. Removing the passcode
/// deletes an `akpu` item, and without a passcode none can be added.
@Suite("States and classes")
struct DeviceStateMatrixTests {
    static let table = """
        class state              add      attributes  value   update  delete
        ak    beforeFirstUnlock  locked   locked      locked  locked  ok
        ak    locked             locked   locked      locked  locked  ok
        ak    unlocked           ok       ok          ok      ok      ok
        ak    noPasscode         ok       ok          ok      ok      ok
        ck    beforeFirstUnlock  locked   locked      locked  locked  ok
        ck    locked             ok       ok          ok      ok      ok
        ck    unlocked           ok       ok          ok      ok      ok
        ck    noPasscode         ok       ok          ok      ok      ok
        dk    beforeFirstUnlock  ok       ok          ok      ok      ok
        dk    locked             ok       ok          ok      ok      ok
        dk    unlocked           ok       ok          ok      ok      ok
        dk    noPasscode         ok       ok          ok      ok      ok
        aku   beforeFirstUnlock  locked   locked      locked  locked  ok
        aku   locked             locked   locked      locked  locked  ok
        aku   unlocked           ok       ok          ok      ok      ok
        aku   noPasscode         ok       ok          ok      ok      ok
        cku   beforeFirstUnlock  locked   locked      locked  locked  ok
        cku   locked             ok       ok          ok      ok      ok
        cku   unlocked           ok       ok          ok      ok      ok
        cku   noPasscode         ok       ok          ok      ok      ok
        dku   beforeFirstUnlock  ok       ok          ok      ok      ok
        dku   locked             ok       ok          ok      ok      ok
        dku   unlocked           ok       ok          ok      ok      ok
        dku   noPasscode         ok       ok          ok      ok      ok
        akpu  beforeFirstUnlock  locked   locked      locked  locked  ok
        akpu  locked             locked   locked      locked  locked  ok
        akpu  unlocked           ok       ok          ok      ok      ok
        akpu  noPasscode         refused  gone        gone    gone    gone
        """

    struct Cell: Sendable, CustomTestStringConvertible {
        let code: String
        let state: String
        let operation: String
        let expected: OSStatus

        var testDescription: String { "\(operation) \(code), \(state)" }
    }

    private static let statuses = [
        "ok": errSecSuccess, "locked": errSecInteractionNotAllowed, "refused": errSecAuthFailed,
        "gone": errSecItemNotFound,
    ]

    static let cells: [Cell] = {
        let rows = table.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
        return rows.dropFirst().flatMap { row in
            zip(rows[0].dropFirst(2), row.dropFirst(2)).compactMap { operation, word in
                statuses[word].map { Cell(code: row[0], state: row[1], operation: operation, expected: $0) }
            }
        }
    }()

    @Test("the table has a cell for each of 7 classes, 4 states and 5 operations")
    func complete() {
        #expect(Self.cells.count == 7 * 4 * 5)
        #expect(Set(Self.cells.map(\.testDescription)).count == 7 * 4 * 5)
    }

    @Test(
        "each operation gives what the state of the device and the class of the item say",
        .rule(
            "protection.class.states", "protection.class.default", "protection.class.always",
            "protection.state.locked"),
        arguments: cells)
    func cell(_ cell: Cell) throws {
        try withKeychain { keychain in
            try Self.enter(cell, keychain.device)
            #expect(Self.perform(cell) == cell.expected)
        }
    }

    /// Brings the device into the state, with an item of the class that was added while everything was open.
    private static func enter(_ cell: Cell, _ device: SimulatedDevice) throws {
        try device.setPasscode("1234")
        try #require(add(item(cell, "there")) == errSecSuccess)
        switch cell.state {
        case "beforeFirstUnlock": try device.restart()
        case "locked": try device.lock()
        case "unlocked":
            try device.restart()
            try device.unlock(passcode: "1234")
        default:
            try device.removePasscode("1234")
            try device.lock()
        }
    }

    private static func perform(_ cell: Cell) -> OSStatus {
        let there = genericPassword("there")
        return switch cell.operation {
        case "add": add(item(cell, "new"))
        case "attributes": find(there + [kSecReturnAttributes: true]).status
        case "value": find(there + [kSecReturnData: true]).status
        case "update": update(there, [kSecValueData: Data("other")])
        default: delete(there)
        }
    }

    private static func item(_ cell: Cell, _ service: String) -> Attributes {
        genericPassword(service) + [kSecAttrAccessible: cell.code, kSecValueData: Data("value")]
    }

    @Test(
        "what is for this device alone does not leave it, in whatever state the device is",
        .rule("protection.device.bound", "protection.device.synchronizable"))
    func deviceBound() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            for code in ["aku", "cku", "dku", "akpu"] {
                try #require(
                    add(genericPassword(code) + [kSecAttrAccessible: code, kSecAttrSynchronizable: true])
                        == errSecSuccess)
                #expect(SecCopyLastItemError()?.problem.isEmpty == false, "a notice that it is never synchronised")
            }
        }
    }
}
