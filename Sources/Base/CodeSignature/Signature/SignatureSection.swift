import KeychainModel
import LinuxSystem

/// The section of the signature: an ELF note that is not loaded. Program headers and loaded bytes stay those of the
/// unsigned file.
///
///     section = namesz:u32 descsz:u32 type:u32 "keychain" 00 00 00 00 desc padding  ; numbers in the file's byte order
///
/// `namesz` is 9 and `type` is 1. The padding, zeros, makes the section's size a multiple of four. Everything else is
/// refused, and so is a second such section.
enum SignatureSection {
    static let name = ".note.keychain"
    static let alignment: UInt64 = 4
    private static let owner = Array("keychain".utf8) + [0]
    private static let paddedOwner = 12
    private static let headSize = 12
    private static let type: UInt32 = 1
    private static let overhead = headSize + paddedOwner

    /// The section's content.
    static func encode(_ descriptor: [UInt8], _ format: ELFFormat) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: overhead)
        format.write(UInt32(owner.count), into: &bytes, at: 0)
        format.write(UInt32(truncatingIfNeeded: descriptor.count), into: &bytes, at: 4)
        format.write(type, into: &bytes, at: 8)
        bytes.replaceSubrange(headSize..<headSize + owner.count, with: owner)
        return bytes + descriptor + [UInt8](repeating: 0, count: padding(descriptor.count))
    }

    /// The descriptor of the section's note.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) for anything that is not exactly one note.
    static func decode(_ section: [UInt8], _ format: ELFFormat) throws(Refusal) -> [UInt8] {
        guard section.count >= overhead else { throw .malformedCode("the signature's note is cut off") }
        let count = section.count - overhead
        guard count <= SignatureNote.mostBytes + 3 else { throw .malformedCode("the signature's note is too large") }
        let size = Int(format.integer(UInt32.self, in: section.span, at: 4))
        guard size <= count, size + padding(size) == count else {
            throw .malformedCode("the size of the signature's note is wrong")
        }
        let descriptor = Array(section[overhead..<overhead + size])
        guard encode(descriptor, format) == section else { throw .malformedCode("the note has a wrong head") }
        return descriptor
    }

    private static func padding(_ size: Int) -> Int { (4 - size % 4) % 4 }
}

extension ELFFile {
    /// The descriptor of the file's signature note.
    ///
    /// - Returns: nil when there is none.
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`) when there are two, or one that cannot be read;
    ///   `errSecIO`.
    func signatureDescriptor() throws(Refusal) -> [UInt8]? {
        let sections = try sections()
        let indices = try signatureSections(sections)
        guard let index = indices.first else { return nil }
        guard indices.count == 1 else { throw .malformedCode("there are \(indices.count) signatures") }
        let section = sections[index]
        guard section.size <= UInt64(SignatureNote.mostBytes + 64) else {
            throw .malformedCode("the signature's note is too large")
        }
        return try SignatureSection.decode(try bytes(at: section.offset, Int(section.size), "the signature"), format)
    }

    /// The indices of the sections that are signatures.
    ///
    /// - Throws: `errSecIO`.
    func signatureSections(_ sections: [ELFSection]) throws(Refusal) -> [Int] {
        guard sections.indices.contains(header.nameSection) else { return [] }
        let (names, wanted) = (sections[header.nameSection], Array(SignatureSection.name.utf8) + [0])
        var found: [Int] = []
        for (index, section) in sections.enumerated() where section.type == ELFSection.note {
            let (place, overflow) = names.offset.addingReportingOverflow(UInt64(section.name))
            // The bytes behind the names are not part of one: they change when the file is rewritten.
            guard !overflow, UInt64(section.name) + UInt64(wanted.count) <= names.size,
                contains(place, UInt64(wanted.count))
            else { continue }
            if try bytes(at: place, wanted.count, "a name") == wanted { found.append(index) }
        }
        return found
    }
}
