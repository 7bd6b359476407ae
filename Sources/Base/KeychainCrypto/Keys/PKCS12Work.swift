import COpenSSL
import DER

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
        guard more >= 0, more <= PKCS12.mostIterations - passes else { throw .tooLarge }
        passes += more
    }

    /// Counts the iterations that an algorithm demands.
    ///
    /// - Throws: `PKCS12.Failure.tooLarge`, `.malformed`.
    mutating func add(_ algorithm: UnsafePointer<X509_ALGOR>?) throws(PKCS12.Failure) {
        guard let algorithm = unsafe algorithm else { throw .malformed }
        let bytes: [UInt8]
        do throws(CryptoError) { bytes = try unsafe encoded { unsafe i2d_X509_ALGOR(algorithm, &$0) } } catch {
            throw .malformed
        }
        guard let element = try? DERElement(parsing: bytes.span) else { throw .malformed }
        guard let passes = Self.passes(of: element, bytes.span) else { throw .tooLarge }
        try add(passes: passes)
    }

    /// Computes the work from the numbers in an algorithm's parameters: the number of iterations, and the sizes of
    /// keys, which are small. The numbers of scrypt are factors of its work. Nil for more than is allowed.
    private static func passes(of element: DERElement, _ bytes: Span<UInt8>, areFactors: Bool = false) -> Int? {
        if element.tag == .integer { return try? element.smallInteger(in: bytes) }
        let areFactors = areFactors || element.children.contains { (try? $0.objectIdentifier(in: bytes)) == .scrypt }
        var total = areFactors ? 1 : 0
        for child in element.children {
            guard let number = passes(of: child, bytes, areFactors: areFactors), number <= PKCS12.mostIterations else {
                return nil
            }
            total = areFactors ? total * max(number, 1) : total + number
            guard total <= PKCS12.mostIterations else { return nil }
        }
        return total
    }
}

extension DERObjectIdentifier {
    /// A derivation whose work is the product of its parameters (RFC 7914 section 7).
    fileprivate static let scrypt = Self(1, 3, 6, 1, 4, 1, 11591, 4, 11)
}
