internal import CSecurity
internal import KeychainModel
internal import Security

// The functions that call back, for C with blocks. The arguments of a block live as long as its call.

@_cdecl("SecTrustEvaluateAsync")
public func secTrustEvaluateAsync(
    _ trust: Reference?, _ queue: UnsafeMutableRawPointer?,
    _ result: (@convention(block) @Sendable (Reference?, UInt32) -> Void)?
) -> Int32 {
    unsafe evaluate(trust, queue) { () throws(Refusal) in
        guard let result = unsafe result else { throw .unusable("NULL", "a block") }
        return { trust in
            var verdict = SecTrustResultType.invalid
            unsafe SecTrustEvaluate(trust, &verdict)
            unsafe lend(trust) { unsafe result($0, verdict.rawValue) }
        }
    }
}

@_cdecl("SecTrustEvaluateAsyncWithError")
public func secTrustEvaluateAsyncWithError(
    _ trust: Reference?, _ queue: UnsafeMutableRawPointer?,
    _ result: (@convention(block) @Sendable (Reference?, Bool, Reference?) -> Void)?
) -> Int32 {
    unsafe evaluate(trust, queue) { () throws(Refusal) in
        guard let result = unsafe result, unsafe queue != nil else { throw .unusable("NULL", "a queue and a block") }
        return { trust in
            var reason: CFError?
            let isTrusted = unsafe SecTrustEvaluateWithError(trust, &reason)
            unsafe lend(trust) { trust in unsafe lend(reason) { unsafe result(trust, isTrusted, $0) } }
        }
    }
}

@_cdecl("SecAddSharedWebCredential")
public func secAddSharedWebCredential(
    _ fqdn: Reference?, _ account: Reference?, _ password: Reference?,
    _ completionHandler: (@convention(block) @Sendable (Reference?) -> Void)?
) {
    SecAddSharedWebCredential("", "", nil) { error in unsafe lend(error) { unsafe completionHandler?($0) } }
}

@_cdecl("SecRequestSharedWebCredential")
public func secRequestSharedWebCredential(
    _ fqdn: Reference?, _ account: Reference?,
    _ completionHandler: (@convention(block) @Sendable (Reference?, Reference?) -> Void)?
) {
    SecRequestSharedWebCredential(nil, nil) { _, error in unsafe lend(error) { unsafe completionHandler?(nil, $0) } }
}

@_cdecl("SecCreateSharedWebCredentialPassword")
public func secCreateSharedWebCredentialPassword() -> Reference? {
    unsafe retained(SecCreateSharedWebCredentialPassword())
}

/// Lends C an object for the duration of a call.
private func lend(_ object: AnyObject?, _ body: (Reference?) -> Void) {
    let reference = unsafe retained(object)
    unsafe body(reference)
    if let reference = unsafe reference { unsafe Unmanaged<AnyObject>.fromOpaque(reference).release() }
}

/// An evaluation that waits in a queue.
private final class TrustEvaluation {
    let trust: SecTrust
    let work: (SecTrust) -> Void

    init(_ trust: SecTrust, _ work: @escaping (SecTrust) -> Void) { (self.trust, self.work) = (trust, work) }
}

private func evaluate(
    _ trust: Reference?, _ queue: UnsafeMutableRawPointer?, _ work: () throws(Refusal) -> (SecTrust) -> Void
) -> Int32 {
    unsafe status(try enqueue(TrustEvaluation(borrowed(trust), work()), queue))
}

private func enqueue(_ evaluation: TrustEvaluation, _ queue: UnsafeMutableRawPointer?) -> Int32 {
    unsafe CSecurityDispatch(queue, Unmanaged.passRetained(evaluation).toOpaque()) { context in
        guard let context = unsafe context else { return }
        let evaluation = unsafe Unmanaged<TrustEvaluation>.fromOpaque(context).takeRetainedValue()
        evaluation.work(evaluation.trust)
    }
    return errSecSuccess
}
