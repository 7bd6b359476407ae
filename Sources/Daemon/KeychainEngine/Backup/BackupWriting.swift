import EnclaveWire
import Glibc
import KeychainBackup
import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// A backup that is being made of a copy of the store, part by part. One thread at a time goes on with it.
final class BackupWriting: Sendable {
    private let state: Lock<State>
    private let ticket: [UInt8]
    private let header: BackupHeader
    private let enclave: any EnclaveService

    /// Used under the lock alone, which is why its reader may go from thread to thread.
    private struct State: @unchecked Sendable {
        let walk: BackupWalk
        var builder = BackupManifest.Builder()
        var shelves: UInt64 = 0
        var cursor: BackupCursor? = .start
        /// When the manifest was made, in seconds since 1970; nil before.
        var created: Int64?
    }

    init(
        _ copy: ItemReader, _ shelves: ShelfRegistry, _ opened: OpenedBackup, _ shown: AuthenticationFactors
    ) throws(Refusal) {
        do throws(BackupProblem) { header = try BackupHeader(decoding: opened.header) } catch { throw Refusal(error) }
        ticket = opened.ticket
        enclave = copy.sealer.enclave
        let walk = BackupWalk(
            copy, shelves, shown, forBackup: opened.ticket, hasShelves: header.hasShelves)
        state = Lock(State(walk: walk))
    }

    /// When its manifest was made, in seconds since 1970; nil before.
    var created: Int64? { state.withLock { $0.created } }

    /// The next part, and after the last one the manifest.
    func next() throws(Refusal) -> BackupPiece {
        try state.withLock { (state) throws(Refusal) in
            guard state.created == nil else { throw .notUnderWay }
            guard let cursor = state.cursor else { return try manifest(&state) }
            return try part(from: cursor, &state)
        }
    }

    private func part(from cursor: BackupCursor, _ state: inout State) throws(Refusal) -> BackupPiece {
        let page = try state.walk.part(from: cursor)
        let index = state.builder.parts
        guard index < BackupFraming.mostParts else { throw .tooManyParts }
        let box = try seal(page.content, as: .part(index))
        do throws(CryptoError) { try state.builder.add(box) } catch { throw .cryptography(error) }
        state.builder.items += page.items
        state.shelves += page.shelves
        state.builder.left += UInt64(page.staying.count)
        state.cursor = page.next
        return BackupPiece(
            .part, items: page.items, shelves: page.shelves, rows: page.rows, box: box, staying: page.staying)
    }

    private func manifest(_ state: inout State) throws(Refusal) -> BackupPiece {
        let content = SecretBuffer()
        let created = Int64(time(nil))
        state.builder.manifest(created: created).append(to: content)
        let box = try seal(content, as: .manifest)
        state.created = created
        return BackupPiece(
            .manifest, items: state.builder.items, shelves: state.shelves, rows: 0, box: box, staying: [])
    }

    private func seal(_ content: SecretBuffer, as place: BackupBox.Place) throws(Refusal) -> [UInt8] {
        let key = try enclave.backupKey(ticket, place.kind, index: place.index)
        do throws(CryptoError) { return try BackupBox(place, of: header).seal(content, under: key) } catch {
            throw .cryptography(error)
        }
    }
}

extension Refusal {
    fileprivate static let tooManyParts = Refusal(
        .param, .tooLarge, "backup", "The keychain is too large for a backup of \(BackupFraming.mostParts) parts.",
        do: "Delete what is not needed, or copy the store's folder (security snapshot).")
}
