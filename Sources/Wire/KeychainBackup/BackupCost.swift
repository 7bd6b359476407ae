package import KeychainCrypto
import KeychainModel
import KeychainWire

/// The cost of a guess at the passphrase of a backup (Argon2id, RFC 9106). A backup lies where nobody counts guesses,
/// so that one costs more than at a keychain's password.
package enum BackupCost: Sendable {
    /// 256 MiB and 3 passes: about half a second on a machine of 2024.
    case calibrated
    /// The least that a reader accepts, for tests.
    case least

    package var derivation: Argon2id {
        get throws(CryptoError) {
            switch self {
            case .calibrated: try Argon2id(memory: 256 << 10, passes: 3)
            case .least: try Argon2id(memory: Self.leastMemory, passes: Self.leastWork / Self.leastMemory)
            }
        }
    }

    /// KiB. A file that asks for less was not made by us: its passphrase would be guessed quickly.
    private static let leastMemory: UInt32 = 64 << 10
    /// KiB times passes.
    private static let leastWork: UInt32 = 192 << 10
    /// KiB. A file that asks for more would take the memory of the machine it is read on.
    private static let mostMemory: UInt32 = 512 << 10
    private static let mostPasses: UInt32 = 8

    /// Reads `memory:u32 passes:u32 lanes:u32`, within the bounds.
    static func read(from reader: inout WireReader) throws(BackupProblem) -> Argon2id {
        let memory, passes, lanes: UInt32
        do throws(Refusal) {
            (memory, passes) = (try reader.integer(UInt32.self), try reader.integer(UInt32.self))
            lanes = try reader.integer(UInt32.self)
        } catch { throw .notABackup }
        guard (leastMemory...mostMemory).contains(memory), (1...mostPasses).contains(passes),
            memory * passes >= leastWork
        else { throw .cost }
        do throws(CryptoError) { return try Argon2id(memory: memory, passes: passes, lanes: lanes) } catch {
            throw .cost
        }
    }
}
