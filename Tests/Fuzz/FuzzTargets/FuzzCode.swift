import CodeSignature
import Glibc
import KeychainModel
import LinuxSystem

/// Executables of any kind are read or refused, and rewritten so that no signature is left; what they claim is a name.
func fuzzExecutable(_ bytes: Span<UInt8>) {
    let (source, target) = (FuzzFile.source, FuzzFile.target)
    FuzzFile.fill(source, bytes)
    if let signature = try? CodeSignature.read(from: source) {
        let prefix = signature.team.prefix
        precondition(signature.entitlements.groups.allSatisfy { $0.hasPrefix(prefix) || $0 == "com.apple.token" })
    }
    if case .name(let name)? = try? CodeClaim.read(from: source) {
        precondition(AccessGroup.isClaimName(Array(name.utf8)))
    }
    FuzzFile.fill(target, [UInt8]().span)
    do throws(Refusal) { try CodeSigning.removeSignature(from: source, to: target) } catch { return }
    do throws(Refusal) {
        let left = try CodeSignature.read(from: target)
        precondition(left == nil)
    } catch { preconditionFailure("a signature is left: \(error)") }
}

/// Property lists and team statements of any kind are read or refused.
func fuzzEntitlements(_ bytes: Span<UInt8>) {
    let bytes = bytes.array(0, bytes.count)
    if let entitlements = try? Entitlements(plist: bytes) {
        precondition(Set(entitlements.groups).count == entitlements.groups.count)
        precondition(!entitlements.groups.contains { $0 == "*" || AccessGroup.isClaimed($0) })
    }
    if let statement = try? TeamStatement.verify(bytes), let again = try? TeamStatement(verifying: statement.encoded) {
        precondition(again == statement)
    }
}

/// Two files without names, which are used again for every input.
private enum FuzzFile {
    static let source = make()
    static let target = make()

    private static func make() -> FileDescriptor {
        do throws(SystemError) { return try FileReplacement("/dev/shm/keychain-fuzz").file } catch {
            fatalError("\(error)")
        }
    }

    static func fill(_ file: FileDescriptor, _ bytes: Span<UInt8>) {
        precondition(ftruncate(file.number, 0) == 0 && lseek(file.number, 0, SEEK_SET) == 0)
        do throws(SystemError) { try file.writeFully(bytes) } catch { fatalError("\(error)") }
    }
}
