import EnclaveWire
import Foundation
import KeychainModel
import Testing

/// The table of the channel's operations.
struct EnclaveCallTests {
    /// Number of an operation → how many descriptors travel with it. A row of a release never changes.
    private static let promised: [UInt8: Int] = [
        1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 6: 0, 7: 0, 8: 0, 9: 1, 10: 1, 11: 2, 12: 1, 13: 0, 14: 0, 15: 0, 16: 0, 17: 0,
        20: 1, 21: 1, 22: 0, 23: 0, 24: 1, 25: 0, 26: 0, 27: 0, 28: 0, 29: 0, 30: 0, 31: 0,
        40: 0, 41: 1, 42: 2, 43: 1, 44: 2, 45: 1, 46: 0, 47: 1,
        50: 0, 51: 1, 64: 1, 70: 2, 71: 1, 72: 0, 73: 0, 74: 0, 75: 0, 76: 0, 77: 0,
        80: 0, 81: 0, 82: 1, 83: 2, 84: 2, 87: 1,
        89: 0, 90: 0, 91: 0, 92: 0, 93: 0, 94: 0, 95: 0, 96: 0, 97: 0, 98: 0, 99: 0, 100: 0, 105: 2, 106: 2, 107: 2,
        108: 0, 109: 0, 110: 1, 111: 0, 112: 0, 113: 1, 116: 2, 117: 2, 118: 2,
    ]

    @Test("no two operations have one number, and each has the number and the descriptors that it always had")
    func numbers() {
        let all = EnclaveCalls.all
        #expect(Set(all.map(\.number)).count == all.count)
        #expect(Dictionary(all.map { ($0.number, $0.descriptors) }, uniquingKeysWith: { $1 }) == Self.promised)
    }

    @Test("the table names every call that is declared")
    func complete() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        let declared = try ["EnclaveCalls", "EnclaveCircleCalls", "CircleLists", "EnclavePairingCalls"].flatMap {
            name in
            let file = root.appending(path: "Sources/Wire/EnclaveWire/Channel/\(name).swift")
            return try String(contentsOf: file, encoding: .utf8).matches(
                of: #/static let (\w+) = Enclave(?:Call|Operation)\b/#
            ).map(\.1)
        }
        #expect(declared.count == EnclaveCalls.all.count)
    }

    @Test("a word is read as the operation, class and descriptors that it was written with")
    func words() throws {
        for operation in EnclaveCalls.all {
            for accessibility in [nil, Accessibility.always, .whenUnlocked] {
                let read = try EnclaveOperation.reading(word: operation.word(for: accessibility))
                #expect(read.operation.number == operation.number && read.accessibility == accessibility)
            }
        }
    }
}
