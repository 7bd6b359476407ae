import COpenSSL

/// The work that a file demands before it opens. It is summed over all parts of the file before any of it is done.
struct PKCS12Work {
    private var parts = 0
    private var passes = 0

    /// Counts safes or bags.
    ///
    /// - Throws: `PKCS12.Failure.tooLarge` when there are more than the limit.
    mutating func add(parts more: CInt) throws(PKCS12.Failure) {
        parts += Int(more)
        guard parts <= PKCS12.mostParts else { throw .tooLarge }
    }

    /// Counts iterations over the passphrase.
    ///
    /// - Throws: `PKCS12.Failure.tooLarge` when there are more than the limit.
    mutating func add(passes more: Int) throws(PKCS12.Failure) {
        guard more >= 0, more <= DerivationWork.mostPasses - passes else { throw .tooLarge }
        passes += more
    }

    /// Counts the iterations that an algorithm demands.
    ///
    /// - Throws: `PKCS12.Failure.tooLarge`, `.malformed`.
    mutating func add(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(PKCS12.Failure) {
        let demanded: Int
        do throws(DerivationWork.Failure) { demanded = try unsafe DerivationWork.passes(of: algorithm) } catch {
            throw error == .malformed ? .malformed : .tooLarge
        }
        try add(passes: demanded)
    }
}
