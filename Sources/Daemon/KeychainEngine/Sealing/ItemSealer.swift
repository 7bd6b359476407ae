import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Seals items into rows and opens rows (rule protection.storage.two-parts). Belongs to one thread.
///
///     meta  = version:u8 box(metadata key of the class, row metadata key) box(row metadata key, list tamper:16)
///     data  = version:u8 box(row secret key, value *zero padding:u8 present:u8 tamper:16)
///                                                                      ; version 2 for a sealed key
///
/// Both parts of a row carry the same fresh tamper-check bytes and have the row's identity as associated data. An old
/// value therefore opens neither with new attributes nor in another row.
final class ItemSealer {
    /// Why a row did not open.
    enum Failure: Error {
        /// The device state keeps the class closed, or the enclave cannot be reached.
        case refused(Refusal)
        /// The row is not what was written; the text says which part, never what is in it.
        case damaged(String)
    }

    /// The kind of a row's value; its number is sealed with it.
    enum Presence: UInt8 {
        case none = 0
        case value = 1
        /// A ``SealedKey``: never given out as a value.
        case sealedKey = 2

        /// The version of the part: who does not know sealed keys must not take the row for one without a value.
        var version: UInt8 { self == .sealedKey ? 2 : ItemSealer.version }
    }

    static let tamperSize = 16
    static let version: UInt8 = 1
    static let wrappedKeySize = AESGCM.overhead + 32

    let enclave: any EnclaveService
    private let keyring: MetadataKeyring
    /// Taken out and put in, and nothing else in between, which the run time need not check.
    @exclusivity(unchecked) private var contexts: [AESGCM?] = Array(
        repeating: nil, count: Accessibility.allCases.count + 1)
    private var epoch: UInt32
    let rowContext: OneTimeAESGCM
    let scratch = SecretBuffer(capacity: 128)

    init(enclave: any EnclaveService, keyring: MetadataKeyring) throws(Refusal) {
        self.enclave = enclave
        self.keyring = keyring
        epoch = keyring.epoch
        do throws(CryptoError) { rowContext = try OneTimeAESGCM() } catch { throw .cryptography(error) }
    }

    /// Drops what was made of keys that the device has closed since.
    func forgetClosedKeys() {
        let now = keyring.epoch
        guard epoch != now else { return }
        epoch = now
        for index in unsafe contexts.indices { unsafe contexts[index] = nil }
    }

    /// Takes the metadata key of a class into use, which the enclave gave since ``context(for:)`` was last asked.
    func use(_ key: SecretBytes, for accessibility: Accessibility) throws(Refusal) {
        keyring.keep(key, for: accessibility, from: epoch)
        unsafe contexts[Int(accessibility.rawValue)] = try context(key)
    }

    /// The context for the metadata key of a class, if the class is open and its key known.
    func context(for accessibility: Accessibility) throws(Refusal) -> AESGCM? {
        forgetClosedKeys()
        if let ready = unsafe contexts[Int(accessibility.rawValue)] { return ready }
        guard let key = keyring[accessibility] else { return nil }
        let made = try context(key)
        unsafe contexts[Int(accessibility.rawValue)] = made
        return made
    }

    /// The context for the metadata key of a class, asking the enclave when it is not known yet.
    func context(for accessibility: Accessibility, in reader: StoreReader) throws(Refusal) -> AESGCM? {
        if let ready = try context(for: accessibility) { return ready }
        guard let wrapped = try reader.wrappedMetadataKey(for: accessibility) else { return nil }
        try use(try enclave.unwrapMetadataKey(wrapped, for: accessibility), for: accessibility)
        return unsafe contexts[Int(accessibility.rawValue)]
    }

    private func context(_ key: SecretBytes) throws(Refusal) -> AESGCM {
        do throws(CryptoError) {
            return try key.withSpan { (span) throws(CryptoError) in try AESGCM(key: span) }
        } catch { throw .cryptography(error) }
    }
}
