internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The evaluation of whether a certificate is to be believed, for one or several purposes.
///
/// Any thread may use it; a change of its parameters makes the next question evaluate anew.
public final class SecTrust: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecTrust.self)
    private let runtimeWord = SecTrust.runtimeType.word

    /// The question.
    struct Question: Sendable {
        /// The certificate in question first; the chain may be built with the others.
        let certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// Anchors of the caller's own; nil when it has named none.
        var anchors: [SecCertificate]?
        /// Whether the system's anchors count; nil: only when the caller has named none.
        var withSystemAnchors: Bool?
        /// When, in seconds since the reference date; nil is now.
        var date: Double?
        /// What responders have said of the certificates.
        var responses: [OCSPResponse] = []
    }

    private struct State: Sendable {
        var question: Question
        var verdict: TrustVerdict?
    }

    private let state: Lock<State>

    init(_ question: Question) { state = Lock(State(question: question)) }

    var question: Question { state.withLock { $0.question } }

    /// Changes the question; the old verdict does not count any more.
    func change(_ body: (inout Question) -> Void) {
        state.withLock {
            body(&$0.question)
            $0.verdict = nil
        }
    }

    /// The verdict on the question as it stands; nil before the first evaluation.
    var known: TrustVerdict? { state.withLock { $0.verdict } }

    /// The verdict on the question as it stands, found now if it is not known. A question without a date is asked anew.
    func evaluate() -> TrustVerdict {
        let question = question
        let verdict = TrustVerdict(question)
        state.withLock { $0.verdict = verdict }
        return verdict
    }

    /// The certificate in question.
    var leaf: SecCertificate { question.certificates[0] }
}

/// Makes an evaluation of a certificate.
///
/// - Parameters:
///   - certificates: a `SecCertificate`, or an array of them with the one in question first; the chain may be built with the
///     others, in any order.
///   - policies: a `SecPolicy`, or an array of them that all must hold; nil is `SecPolicyCreateBasicX509()`.
///   - trust: receives the evaluation.
/// - Returns: `errSecSuccess`, or `errSecParam` for an empty array or objects of another type.
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef, _ policies: CFTypeRef?, _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    let found: [SecCertificate]? = objects(certificates)
    let wanted: [SecPolicy]? = if let policies { objects(policies) } else { [SecPolicyCreateBasicX509()] }
    guard let found, !found.isEmpty, let wanted else { return errSecParam }
    unsafe trust.pointee = SecTrust(.init(certificates: found, policies: wanted))
    return errSecSuccess
}

/// One object of a type, or an array of nothing else; nil for anything else.
func objects<Object: NSObject>(_ object: CFTypeRef) -> [Object]? {
    if let single = object as? Object { return [single] }
    guard let array = object as? NSArray else { return nil }
    let found = array.compactMap { $0 as? Object }
    return found.count == array.count ? found : nil
}
