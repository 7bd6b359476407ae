import CTSS2
import KeychainModel
import LinuxSystem

/// Properties of a TPM that we ask for (TPM 2.0 Library, part 2, 6.13).
enum TPMProperty {
    static let manufacturer: UInt32 = 0x105
    static let vendorTexts: ClosedRange<UInt32> = 0x106...0x109
    static let transientObjectsAvailable: UInt32 = 0x207
    static let failedTries: UInt32 = 0x20e
    static let mostFailedTries: UInt32 = 0x20f
    static let secondsPerTry: UInt32 = 0x210
}

/// The first handle of each kind.
enum HandleKind: UInt32 {
    case session = 0x0200_0000
    case object = 0x8000_0000

    static let all: [HandleKind] = [.session, .object]
}

extension TPMConnection {
    /// TPM2_GetCapability, for one property.
    ///
    /// - Returns: nil when the TPM does not have it.
    func property(_ property: UInt32) throws(TPMFailure) -> UInt32? {
        let data = try capability(6, property, 1)
        let properties = unsafe data.data.tpmProperties
        guard properties.count > 0, properties.tpmProperty.0.property == property else { return nil }
        return properties.tpmProperty.0.value
    }

    /// The handles of a kind that are loaded now.
    func handles(_ kind: HandleKind) throws(TPMFailure) -> [UInt32] {
        let data = try capability(1, kind.rawValue, 254)
        var list = unsafe data.data.handles
        let count = min(Int(list.count), MemoryLayout.size(ofValue: list.handle) / MemoryLayout<UInt32>.size)
        return unsafe withUnsafeBytes(of: &list.handle) { unsafe Array($0.bindMemory(to: UInt32.self).prefix(count)) }
    }

    private func capability(_ kind: UInt32, _ first: UInt32, _ count: UInt32) throws(TPMFailure) -> TPMS_CAPABILITY_DATA
    {
        var more: UInt8 = 0
        var data: UnsafeMutablePointer<TPMS_CAPABILITY_DATA>?
        try run(
            { unsafe Esys_GetCapability_Async(context, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE, kind, first, count) },
            { unsafe Esys_GetCapability_Finish(context, &more, &data) })
        return unsafe try take(data) { $0 }
    }

    /// Seconds until the TPM accepts an authorisation again; 0 when it does now.
    ///
    /// One failed try is forgiven after each interval. How much of it is over the TPM does not say, so this is the most
    /// it can be.
    func lockout() throws(TPMFailure) -> UInt32 {
        let tries = try property(TPMProperty.failedTries) ?? 0
        let most = try property(TPMProperty.mostFailedTries) ?? .max
        guard tries >= most else { return 0 }
        return max(1, try property(TPMProperty.secondsPerTry) ?? 1)
    }

    /// This TPM's name for people: its manufacturer and model.
    func title() throws(TPMFailure) -> String {
        var words = [try property(TPMProperty.manufacturer)]
        for number in TPMProperty.vendorTexts { words.append(try property(number)) }
        let texts = words.map { word in
            (word ?? 0).bigEndianBytes.filter { (0x20..<0x7f).contains($0) }.map { String(UnicodeScalar($0)) }.joined()
        }
        // Vendors fill their four characters up with blanks.
        let title = "\(texts[0]) \(texts.dropFirst().joined())".split(separator: " ").joined(separator: " ")
        return "TPM 2.0 (\(title))"
    }
}

extension UInt32 {
    var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * UInt32($0))) } }
}
