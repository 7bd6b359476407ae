internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The evaluation of a certificate for one or several policies.
///
/// Any thread may use it. After a change of its parameters the next call evaluates again. Source: Apple, `SecTrust`.
public final class SecTrust: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecTrust.self)
    private let runtimeWord = SecTrust.runtimeType.word

    /// The parameters of an evaluation.
    struct Question: Sendable {
        /// The certificate to evaluate, then others that the chain may use.
        let certificates: [SecCertificate]
        var policies: [SecPolicy]
        /// Anchors that the program set; nil for none.
        var anchors: [SecCertificate]?
        /// Whether the system's anchors count; nil: only when the program has set none.
        var withSystemAnchors: Bool?
        /// The date of the evaluation, in seconds since the reference date; nil is now.
        var date: Double?
        /// The answers of OCSP responders about the certificates.
        var responses: [OCSPResponse] = []
    }

    private struct State: Sendable {
        var question: Question
        var verdict: TrustVerdict?
    }

    private let state: Lock<State>

    init(_ question: Question) { state = Lock(State(question: question)) }

    var question: Question { state.withLock { $0.question } }

    /// Changes the parameters. The old verdict is dropped.
    func change(_ body: (inout Question) -> Void) {
        state.withLock {
            body(&$0.question)
            $0.verdict = nil
        }
    }

    /// The verdict on the present parameters; nil before the first evaluation.
    var known: TrustVerdict? { state.withLock { $0.verdict } }

    /// The verdict on the present parameters, evaluated now if it is not known. Without a date every call evaluates
    /// again.
    func evaluate() -> TrustVerdict {
        let question = question
        let verdict = TrustVerdict(question)
        state.withLock { $0.verdict = verdict }
        return verdict
    }

    /// The certificate to evaluate.
    var leaf: SecCertificate { question.certificates[0] }
}

/// Makes an evaluation of a certificate.
///
/// - Parameters:
///   - certificates: a `SecCertificate`, or an array that begins with the one to evaluate. The chain may use the
///     others, in any order.
///   - policies: a `SecPolicy`, or an array of policies that all must hold; nil is `SecPolicyCreateBasicX509()`.
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
