import CTSS2

/// Why a TPM command failed. The module throws it inside; its border turns it into a refusal (``TPMFailure/refusal``).
enum TPMFailure: Error, Equatable {
    /// The TPM answered with this response code, without what tells the parameter or session it is about.
    case response(UInt32)
    /// There is no TPM at the other end, or no more: nothing can be asked over this connection.
    case gone(String)
    /// The TPM did not answer in time.
    case silent
    /// The library refused; also when an answer was changed on its way (the session's HMAC is not right).
    case library(UInt32)
    /// It is another TPM than the one that made the object, or the same after it was cleared.
    case otherTPM(OtherTPM)
    /// The bytes to load are no record of this module.
    case malformed

    /// The state of the TPM that made an object.
    enum OtherTPM: Equatable {
        /// The chip is the same, its storage seed is new.
        case cleared
        /// It is another chip.
        case exchanged
        /// The object does not say which chip it is of.
        case unknown
    }

    /// Sorts a return code of the library by the layer it comes from (TSS 2.0 Overview, "Response Code Format").
    init(_ code: UInt32) {
        switch (code >> 16) & 0xff {
        // The TPM itself, and resource managers that answer in its place.
        case 0, 11, 12: self = .response(ResponseCode.reduced(code & 0xffff))
        case 10: self = .gone(Self.text(code))
        default: self = .library(code)
        }
    }

    /// Whether nothing more can be asked over the connection that this came from.
    var endsConnection: Bool {
        switch self {
        case .gone, .silent, .library: true
        // Handles that were there are gone: the TPM has been restarted.
        case .response(let code): ResponseCode.referencesToNothing.contains(code)
        case .otherTPM, .malformed: false
        }
    }

    /// The library's text for a code.
    static func text(_ code: UInt32) -> String {
        guard let text = unsafe Tss2_RC_Decode(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }
}

/// Response codes of the TPM that lead to something else than "the TPM refused" (TPM 2.0 Library, part 2, 6.6).
enum ResponseCode {
    static let authFail: UInt32 = 0x08e
    static let integrity: UInt32 = 0x09f
    static let badAuth: UInt32 = 0x0a2
    static let eccPoint: UInt32 = 0x0a7
    static let notStarted: UInt32 = 0x100
    static let objectMemory: UInt32 = 0x902
    static let sessionMemory: UInt32 = 0x903
    static let sessionHandles: UInt32 = 0x905
    static let lockout: UInt32 = 0x921

    /// The first or second handle, or a session, is not loaded.
    static let referencesToNothing: Set<UInt32> = [0x910, 0x911, 0x918, 0x919, 0x91a]
    /// There is no room for another object or session.
    static let full: Set<UInt32> = [objectMemory, sessionMemory, sessionHandles]

    /// A code without the number of the parameter, handle or session it is about, which format-one codes carry.
    static func reduced(_ code: UInt32) -> UInt32 { code & 0x80 == 0 ? code & 0xfff : code & 0x0bf }
}
