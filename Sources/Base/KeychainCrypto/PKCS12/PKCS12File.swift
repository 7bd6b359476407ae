import COpenSSL
import LinuxSystem

/// OpenSSL's object for a PKCS#12 file. Belongs to one thread.
@safe final class PKCS12File {
    private let reference: OpaquePointer

    init(_ bytes: Span<UInt8>) throws(PKCS12.Failure) {
        defer { ERR_clear_error() }
        // The object has our library context, and keeps it when a file is read into it.
        var object = unsafe PKCS12_init_ex(NID_pkcs7_data, PKCS12Library.shared.context, nil)
        let isWhole = unsafe bytes.withUnsafeBufferPointer { bytes in
            var next = bytes.baseAddress
            return unsafe object != nil && d2i_PKCS12(&object, &next, bytes.count) != nil
                && next == bytes.baseAddress.map { unsafe $0 + bytes.count }
        }
        guard let made = unsafe object else { throw .malformed }
        guard isWhole else {
            unsafe PKCS12_free(made)
            throw .malformed
        }
        unsafe reference = made
    }

    deinit { unsafe PKCS12_free(reference) }

    /// Checks the passphrase and reads all keys and certificates.
    func read(_ passphrase: SecretBytes, into bags: inout PKCS12Bags) throws(PKCS12.Failure) {
        defer { ERR_clear_error() }
        let safes = try safes()
        var work = PKCS12Work()
        let text = try PKCS12Passphrase(passphrase, verifying: self, &work)
        try work.add(parts: safes.count)
        for index in 0..<safes.count {
            if let cipher = unsafe cipher(of: safes.pointer(index, as: PKCS7.self)) { try unsafe work.add(cipher) }
        }
        for index in 0..<safes.count {
            let safe = unsafe safes.pointer(index, as: PKCS7.self)
            guard let opened = try unsafe openSafe(safe, text, bags.isLegacyThere) else { continue }
            try read(opened, text, &work, into: &bags)
        }
    }

    private func read(
        _ safe: OwnedStack, _ text: PKCS12Passphrase, _ work: inout PKCS12Work, into bags: inout PKCS12Bags
    ) throws(PKCS12.Failure) {
        try work.add(parts: safe.count)
        let found = (0..<safe.count).map { unsafe PKCS12Bag(OpaquePointer(safe[$0])) }
        for bag in found {
            if let cipher = unsafe bag.cipher { try unsafe work.add(cipher) }
        }
        for bag in found { try bag.read(text, into: &bags) }
    }

    /// Whether the file's MAC matches this passphrase; nil when the file has none.
    ///
    /// - Throws: `Failure.tooLarge` when computing it would take too long.
    func verifyMAC(
        _ text: UnsafePointer<CChar>?, _ count: CInt, _ work: inout PKCS12Work
    ) throws(PKCS12.Failure) -> Bool? {
        guard unsafe PKCS12_mac_present(reference) == 1 else { return nil }
        var iterations: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, nil, nil, &iterations, reference)
        if let iterations = unsafe iterations { try work.add(passes: unsafe ASN1_INTEGER_get(iterations)) }
        return unsafe PKCS12_verify_mac(reference, text, count) == 1
    }

    private func safes() throws(PKCS12.Failure) -> OwnedStack {
        guard let stack = unsafe PKCS12_unpack_authsafes(reference) else { throw .malformed }
        return unsafe OwnedStack(stack) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) }
    }

    /// The safe's cipher with its key derivation; nil when the safe is not encrypted.
    private func cipher(of safe: UnsafeMutablePointer<PKCS7>?) -> UnsafeMutablePointer<X509_ALGOR>? {
        guard let safe = unsafe safe, unsafe OBJ_obj2nid(safe.pointee.type) == NID_pkcs7_encrypted else { return nil }
        return unsafe safe.pointee.d.encrypted?.pointee.enc_data?.pointee.algorithm
    }

    /// The bags of one safe; nil for a kind that has none.
    private func openSafe(
        _ safe: UnsafeMutablePointer<PKCS7>?, _ text: PKCS12Passphrase, _ isLegacyThere: Bool
    ) throws(PKCS12.Failure) -> OwnedStack? {
        guard let safe = unsafe safe else { return nil }
        let bags: OpaquePointer?
        switch unsafe OBJ_obj2nid(safe.pointee.type) {
        case NID_pkcs7_data: unsafe bags = PKCS12_unpack_p7data(safe)
        case NID_pkcs7_encrypted:
            guard unsafe cipher(of: safe) != nil else { throw .malformed }
            unsafe bags = text.with { unsafe PKCS12_unpack_p7encdata(safe, $0, $1) }
            guard unsafe bags != nil else { throw text.failure(isLegacyThere) }
        default: return nil
        }
        guard let bags = unsafe bags else { throw .malformed }
        return unsafe OwnedStack(bags) { unsafe PKCS12_SAFEBAG_free($0.map { OpaquePointer($0) }) }
    }
}

/// A passphrase in the form that the file was made with: an empty passphrase may be no bytes, or no passphrase.
@safe struct PKCS12Passphrase {
    private let bytes: SecretBytes
    private let isAbsent: Bool
    /// Whether the file's MAC proves that the passphrase is right.
    private let isProven: Bool

    init(
        _ bytes: SecretBytes, verifying file: PKCS12File, _ work: inout PKCS12Work
    ) throws(PKCS12.Failure) {
        guard bytes.count <= 4096, bytes.withSpan({ span in span.indices.allSatisfy { span[$0] != 0 } }) else {
            throw .wrongPassphrase
        }
        self.bytes = bytes
        let matches = try bytes.withSpan { (span) throws(PKCS12.Failure) in
            try unsafe withCharacters(of: span) { (text, count) throws(PKCS12.Failure) in
                try unsafe file.verifyMAC(text, CInt(count), &work)
            }
        }
        let mayBeAbsent = matches == false && bytes.count == 0
        isAbsent = mayBeAbsent ? try unsafe file.verifyMAC(nil, 0, &work) == true : false
        guard matches != false || isAbsent else { throw .wrongPassphrase }
        isProven = matches != nil
    }

    /// Lends the passphrase in the type that OpenSSL takes.
    func with<Result>(_ body: (UnsafePointer<CChar>?, CInt) -> Result) -> Result {
        if isAbsent { return body(nil, 0) }
        return bytes.withSpan { span in
            unsafe withCharacters(of: span) { text, count in unsafe body(text, CInt(count)) }
        }
    }

    /// The reason when something does not decrypt.
    func failure(_ isLegacyThere: Bool) -> PKCS12.Failure {
        isProven ? .unknownCipher(legacyIsMissing: !isLegacyThere) : .wrongPassphrase
    }
}

/// A stack of OpenSSL that owns its elements.
@safe final class OwnedStack {
    private let reference: OpaquePointer
    private let free: @convention(c) (UnsafeMutableRawPointer?) -> Void

    init(_ reference: OpaquePointer, _ free: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void) {
        unsafe self.reference = reference
        unsafe self.free = free
    }

    deinit { unsafe OPENSSL_sk_pop_free(reference, free) }

    var count: CInt { unsafe max(0, OPENSSL_sk_num(reference)) }

    subscript(index: CInt) -> UnsafeMutableRawPointer? { unsafe OPENSSL_sk_value(reference, index) }

    func pointer<Element>(_ index: CInt, as _: Element.Type) -> UnsafeMutablePointer<Element>? {
        unsafe self[index]?.assumingMemoryBound(to: Element.self)
    }
}
