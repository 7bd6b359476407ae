import CodeSignature
import Glibc
package import KeychainModel
package import LinuxSystem

/// Finds out what an executable says of itself, once for every version of the file.
package final class SignatureReader: Sendable {
    /// Verifies an open file, which may take long; nil when it is not signed and claims nothing.
    package typealias Verify = @Sendable (_ file: FileDescriptor) throws(Refusal) -> ProgramMark?

    private let cache: SignatureCache
    private let mounts = MountTable()
    private let verify: Verify

    package init(
        cache: SignatureCache = SignatureCache(), verify: @escaping Verify = SignatureReader.verifyByNote
    ) {
        (self.cache, self.verify) = (cache, verify)
    }

    /// The facts about an executable; nil when it has to be read first.
    package func known(_ version: FileVersion) -> SignatureCache.Outcome? {
        let outcome = cache.find(version)
        if case .success(nil)? = outcome { return outcome }
        // Groups rest on anything else, so it must still be the same file system.
        cache.follow(mounts.generation)
        return cache.find(version)
    }

    /// Reads an executable's signature, or remembers it.
    ///
    /// - Parameters:
    ///   - version: what the caller took the file for; a file that has changed since is refused.
    ///   - isCommon: whether it lies in the file system that everybody sees.
    /// - Returns: nil when it is not signed and claims nothing, or lies where that says nothing because a user's
    ///   process serves the content.
    /// - Throws: the refusals of ``CodeSignature/CodeSignature/read(from:)``; `errSecNotAvailable` when the file
    ///   changed meanwhile.
    package func read(
        _ file: FileDescriptor, _ version: FileVersion, isCommon: Bool
    ) throws(Refusal) -> ProgramMark? {
        cache.follow(mounts.generation)
        if let outcome = cache.find(version) { return try outcome.get() }
        let outcome = Result { () throws(Refusal) in try verified(file, version, isCommon) }
        if case .failure(let refusal) = outcome, refusal.status != .missingEntitlement { throw refusal }
        guard let now = try? FileVersion(of: file), now == version else { throw .changedMeanwhile }
        cache.keep(outcome, for: version)
        return try outcome.get()
    }

    /// The server of a file's file system; nil where the table of mounts does not say.
    func server(of version: FileVersion) -> MountTable.Server? { mounts.server(of: version.status.device) }

    private func verified(
        _ file: FileDescriptor, _ version: FileVersion, _ isCommon: Bool
    ) throws(Refusal) -> ProgramMark? {
        // A file that a user's process serves is not even read: that could take for ever.
        isDependable(version.status, file, isCommon) ? try verify(file) : nil
    }

    /// Whether a later execution runs the bytes that are read now. The file system must be one that root has mounted
    /// and serves. Users mount anything they like in namespaces of their own.
    private func isDependable(_ status: FileStatus, _ file: FileDescriptor, _ isCommon: Bool) -> Bool {
        switch mounts.server(of: status.device) {
        case .system: return true
        case .user: return false
        case nil:
            // A subvolume of Btrfs has a number of its own, which the table does not show.
            return isCommon && (try? FileSystem(of: file).kind) == FileSystem.btrfs
        }
    }

    /// The signature in the note of an ELF file; in one without, the name that it claims.
    @Sendable package static func verifyByNote(_ file: FileDescriptor) throws(Refusal) -> ProgramMark? {
        guard let signature = try CodeSignature.read(from: file) else {
            return try CodeClaim.read(from: file).map(ProgramMark.claim)
        }
        let (team, granted) = (signature.team.text, signature.entitlements)
        return .signature(
            ProgramSignature(
                team: team, identifier: signature.identifier,
                granted: GrantedGroups(granted.groups, requiresAnchor: granted.requiresAnchor)))
    }
}

extension Refusal {
    fileprivate static let changedMeanwhile = Refusal(
        .notAvailable, .unidentifiedCaller, "program", "The program's file was changed while it was being verified.",
        do: "Start the program again.")
}
