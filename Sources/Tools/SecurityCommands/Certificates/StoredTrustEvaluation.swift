import CertificateWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The evaluation of certificates with the system's anchors and the user's settings.
struct StoredTrustEvaluation {
    let stored: StoredCertificates
    var policy: CertificatePolicy
    var name: String?
    var date = Clock.secondsSinceReferenceDate
    /// Certificates that are trusted in place of the system's; nil for the system's and the user's.
    var anchors: [[UInt8]]?
    /// More certificates to build chains with.
    var helpers: [[UInt8]] = []
    /// Whether an authority's certificate is evaluated as one.
    var mayBeAuthority = false
    var needsRevocationCheck = false
    /// Whether the certificates of the chains are returned.
    var returnsChain = false
    /// Whether the keychain's certificates may be part of chains.
    var usesKeychain = true

    /// Evaluates certificates, in their order.
    func evaluate(_ certificates: [[UInt8]]) throws(CommandFailure) -> [CertificateEvaluation] {
        guard !certificates.isEmpty else { return [] }
        var task = EvaluateTrust(certificates, date: date)
        (task.policy, task.name, task.helpers) = (policy, name, helpers)
        (task.mayBeAuthority, task.needsRevocationCheck) = (mayBeAuthority, needsRevocationCheck)
        task.returnsChain = returnsChain
        if usesKeychain { task.helpers += try stored.all().map(\.certificate) }
        task.helpers = Array(task.helpers.prefix(CertificateLimits.certificates))
        for setting in try UserTrustSettings(stored.session, stored.call).all() {
            switch setting.decision(for: policy) {
            case .deny: task.denied.append(setting.certificate)
            case .trustRoot, .trustAsRoot: if anchors == nil { task.anchors.append(setting.certificate) }
            case .unspecified, nil: break
            }
        }
        if let anchors { task.anchors += anchors } else { task.systemAnchors = Self.systemAnchors() }
        let evaluations = try CertificateProgram.perform(task, stored.call).evaluations
        guard evaluations.count == certificates.count else {
            throw .refused(call: stored.call, .malformed("the number of certificates"))
        }
        return evaluations
    }

    /// The system's file of anchors; where it cannot be read, nothing of it is trusted.
    private static func systemAnchors() -> SecretBytes {
        guard let path = try? Configuration.anchorFile(),
            let file = try? AtomicFile.readSecret(path, limit: CertificateLimits.fileBytes)
        else { return SecretBytes(count: 0) }
        return file
    }
}
