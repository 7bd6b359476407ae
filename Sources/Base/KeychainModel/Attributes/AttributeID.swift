/// A set of attributes, by ``AttributeID/bit``.
@usableFromInline package typealias AttributeSet = UInt128

/// The number of an attribute in frames and sealed rows. Numbers never change: a new attribute gets the next free one.
@usableFromInline package struct AttributeID: RawRepresentable, Hashable, Sendable, Comparable {
    @usableFromInline package let rawValue: UInt16
    @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Its place in an ``AttributeSet``. The companion entries of the encoding have the last eight places. Unused
    /// numbers share the last one.
    @inlinable package var bit: AttributeSet {
        if rawValue < Self.firstCompanion { return 1 << AttributeSet(min(rawValue, 127)) }
        return 1 << AttributeSet(min(rawValue - Self.firstCompanion, 7) + 120)
    }

    @usableFromInline static let firstCompanion: UInt16 = 0xF000

    @inlinable package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    package static let accessible = Self(rawValue: 1)
    package static let accessControl = Self(rawValue: 2)
    package static let accessGroup = Self(rawValue: 3)
    package static let synchronizable = Self(rawValue: 4)
    package static let creationDate = Self(rawValue: 5)
    package static let modificationDate = Self(rawValue: 6)
    package static let label = Self(rawValue: 7)
    package static let description = Self(rawValue: 8)
    package static let comment = Self(rawValue: 9)
    package static let creator = Self(rawValue: 10)
    package static let type = Self(rawValue: 11)
    package static let scriptCode = Self(rawValue: 12)
    package static let alias = Self(rawValue: 13)
    package static let isInvisible = Self(rawValue: 14)
    package static let isNegative = Self(rawValue: 15)
    package static let hasCustomIcon = Self(rawValue: 16)
    package static let protected = Self(rawValue: 17)
    package static let account = Self(rawValue: 18)
    package static let service = Self(rawValue: 19)
    package static let generic = Self(rawValue: 20)
    package static let securityDomain = Self(rawValue: 21)
    package static let server = Self(rawValue: 22)
    package static let `protocol` = Self(rawValue: 23)
    package static let authenticationType = Self(rawValue: 24)
    package static let port = Self(rawValue: 25)
    package static let path = Self(rawValue: 26)
    package static let certificateType = Self(rawValue: 27)
    package static let certificateEncoding = Self(rawValue: 28)
    package static let subject = Self(rawValue: 29)
    package static let issuer = Self(rawValue: 30)
    package static let serialNumber = Self(rawValue: 31)
    package static let subjectKeyID = Self(rawValue: 32)
    package static let publicKeyHash = Self(rawValue: 33)
    package static let keyClass = Self(rawValue: 34)
    package static let isPermanent = Self(rawValue: 35)
    package static let isPrivate = Self(rawValue: 36)
    package static let isModifiable = Self(rawValue: 37)
    package static let applicationLabel = Self(rawValue: 38)
    package static let applicationTag = Self(rawValue: 39)
    package static let keySizeInBits = Self(rawValue: 40)
    package static let effectiveKeySize = Self(rawValue: 41)
    package static let startDate = Self(rawValue: 42)
    package static let endDate = Self(rawValue: 43)
    package static let isSensitive = Self(rawValue: 44)
    package static let wasAlwaysSensitive = Self(rawValue: 45)
    package static let isExtractable = Self(rawValue: 46)
    package static let wasNeverExtractable = Self(rawValue: 47)
    package static let canEncrypt = Self(rawValue: 48)
    package static let canDecrypt = Self(rawValue: 49)
    package static let canDerive = Self(rawValue: 50)
    package static let canSign = Self(rawValue: 51)
    package static let canVerify = Self(rawValue: 52)
    package static let canSignRecover = Self(rawValue: 53)
    package static let canVerifyRecover = Self(rawValue: 54)
    package static let canWrap = Self(rawValue: 55)
    package static let canUnwrap = Self(rawValue: 56)
    package static let tokenID = Self(rawValue: 57)
    package static let syncViewHint = Self(rawValue: 58)
    package static let sharingGroup = Self(rawValue: 59)
    package static let multiUser = Self(rawValue: 60)
    package static let tombstone = Self(rawValue: 61)
    /// One number for all attributes that only Apple's own programs may use.
    package static let restricted = Self(rawValue: 62)
    package static let lookupAttributes = Self(rawValue: 63)

    // Companion entries: they travel with the attributes in the same encoding.
    /// Of an earlier version in whose place another machine's change has come: its number of eight bytes, the least
    /// significant first, and a ``LostVersion``. In a restore, the number of the one that is to be restored.
    package static let lostVersion = Self(rawValue: 0xF000)
    package static let valueData = Self(rawValue: 0xF001)
    package static let persistentReference = Self(rawValue: 0xF002)
    package static let hostOrSubdomain = Self(rawValue: 0xF003)
    /// The certificate of an identity. The value of an identity is that of its key.
    package static let certificateData = Self(rawValue: 0xF004)
    /// A private key that only the enclave can use, in place of a value.
    package static let sealedKey = Self(rawValue: 0xF005)
    /// When a version of an item ended, as a date, and how (``VersionEnd``), as a number.
    package static let versionEnded = Self(rawValue: 0xF006)
    package static let versionEnd = Self(rawValue: 0xF007)
}
