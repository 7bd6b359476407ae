package import KeychainModel
import KeychainWire
import LinuxSystem

/// The immediate answer to the question for a caller's identity.
package enum Identification: Sendable {
    case known(IdentifiedCaller)
    /// It has to be found out by a thread that may wait: a large executable is read for the first time.
    case slow(SlowIdentification)
}

/// A caller, and the process that it was found to be.
package struct IdentifiedCaller: Sendable {
    package let identity: CallerIdentity
    package let process: any CallerProcess

    package init(_ identity: CallerIdentity, process: any CallerProcess) {
        (self.identity, self.process) = (identity, process)
    }
}

/// The process that connected.
package protocol CallerProcess: AnyObject, Sendable {
    /// Whether it is what it was when it was identified, so that its number is its own: asked before each of its
    /// requests is performed, and after the request has come. Of an anchored one also whether it has executed nothing
    /// since.
    var isUnchanged: Bool { get }
}

/// Work that ends with an identity.
package struct SlowIdentification: Sendable {
    /// Gets the identity, or the refusal of every request of a caller that cannot be identified.
    package typealias Delivery = @Sendable (Result<IdentifiedCaller, Refusal>) -> Void

    private enum Way: Sendable {
        case work(@Sendable () throws(Refusal) -> IdentifiedCaller)
        case question(@Sendable (@escaping Delivery) -> Void)
    }

    /// Asks whether the caller is known: the answer takes no thread.
    package typealias Recognition = @Sendable (@escaping @Sendable (IdentifiedCaller?) -> Void) -> Void

    private let way: Way
    /// The question that nobody has answered yet; nil for a caller that is not known.
    package let recognition: Recognition?

    /// - Parameter work: does it; may take long.
    package init(_ work: @escaping @Sendable () throws(Refusal) -> IdentifiedCaller) {
        (way, recognition) = (.work(work), nil)
    }

    /// - Parameters:
    ///   - ask: has it done by another process, whose answer is delivered by whatever thread gets it.
    ///   - recognition: has that process asked first whether the caller is known.
    package init(asking ask: @escaping @Sendable (@escaping Delivery) -> Void, recognition: Recognition? = nil) {
        (way, self.recognition) = (.question(ask), recognition)
    }

    /// Does it, which may take long, or has it done, which holds up nobody.
    package func begin(_ deliver: @escaping Delivery) {
        switch way {
        case .work(let work): deliver(Result { () throws(Refusal) in try work() })
        case .question(let ask): ask(deliver)
        }
    }

    /// As ``begin(_:)``, waiting for the outcome.
    ///
    /// - Throws: the refusal.
    package func finish() throws(Refusal) -> IdentifiedCaller {
        if case .work(let work) = way { return try work() }
        let outcome = Monitor<Result<IdentifiedCaller, Refusal>?>(nil)
        begin { found in outcome.update { $0 = found } }
        guard let found = outcome.wait({ $0 }) else { throw .malformed("an identity") }
        return try found.get()
    }
}
