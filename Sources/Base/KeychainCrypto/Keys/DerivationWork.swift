import COpenSSL
import DER

/// The work of deriving a key from a passphrase, as the parameters of an algorithm demand it.
enum DerivationWork {
    enum Failure: Error {
        case malformed
        case tooLarge
    }

    /// The limit of iterations over the passphrase, for all parts of a file together. Files in use have up to 600,000
    /// for each of three parts. More would let a file keep the reader busy for hours.
    static let mostPasses = 5_000_000

    /// The number of iterations that an algorithm demands.
    ///
    /// - Throws: `Failure.malformed`; `.tooLarge` for more than the limit.
    static func passes(of algorithm: UnsafePointer<X509_ALGOR>?) throws(Failure) -> Int {
        guard let algorithm = unsafe algorithm else { throw .malformed }
        let bytes: [UInt8]
        do throws(CryptoError) { bytes = try unsafe encoded { unsafe i2d_X509_ALGOR(algorithm, &$0) } } catch {
            throw .malformed
        }
        guard let element = try? DERElement(parsing: bytes.span) else { throw .malformed }
        guard let passes = passes(of: element, bytes.span) else { throw .tooLarge }
        return passes
    }

    /// Computes the work from the numbers in an algorithm's parameters: the number of iterations, and the sizes of
    /// keys, which are small. The numbers of scrypt are factors of its work. Nil for more than is allowed.
    private static func passes(of element: DERElement, _ bytes: Span<UInt8>, areFactors: Bool = false) -> Int? {
        if element.tag == .integer { return try? element.smallInteger(in: bytes) }
        let areFactors = areFactors || element.children.contains { (try? $0.objectIdentifier(in: bytes)) == .scrypt }
        var total = areFactors ? 1 : 0
        for child in element.children {
            guard let number = passes(of: child, bytes, areFactors: areFactors), number <= mostPasses else {
                return nil
            }
            total = areFactors ? total * max(number, 1) : total + number
            guard total <= mostPasses else { return nil }
        }
        return total
    }
}

extension DERObjectIdentifier {
    /// A derivation whose work is the product of its parameters (RFC 7914 section 7).
    fileprivate static let scrypt = Self(1, 3, 6, 1, 4, 1, 11591, 4, 11)
}
