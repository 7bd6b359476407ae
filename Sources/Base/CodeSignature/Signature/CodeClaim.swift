package import KeychainModel
package import LinuxSystem

/// The name that an unsigned program claims. Its maker embeds it at build time, and nothing proves it.
///
///     section ".keychain.claim" = name:1…64 00*      ; name: ASCII letters, digits, '.', '-', no '.' or '-' at an end
///
/// The zeros are a C string's end and a linker's padding. A file with two such sections claims nothing, and neither
/// does a file whose section contains anything else. Neither is a reason to refuse the program.
package enum CodeClaim: Hashable, Sendable {
    case name(String)
    /// The section is there but is no valid claim; the text says why.
    case malformed(String)

    static let section = ".keychain.claim"
    /// Room for a name and zeros.
    private static let mostBytes = 256
    /// More than the section names of any executable need.
    private static let mostNameBytes: UInt64 = 1 << 20

    /// Reads the claim of a file, in three pieces at most.
    ///
    /// - Returns: nil when the file has no such section, or is not an ELF file.
    /// - Throws: `errSecIO` (`code.unreadable`).
    package static func read(from file: FileDescriptor) throws(Refusal) -> CodeClaim? {
        do throws(Refusal) {
            guard let elf = try ELFFile(file) else { return nil }
            let found = try elf.claimSections()
            guard let section = found.first else { return nil }
            guard found.count == 1 else { return .malformed("there are \(found.count) sections \(Self.section)") }
            return try read(section, of: elf)
        } catch {
            guard error.rule == .malformedCode else { throw error }
            return .malformed("its section lies outside of the file")
        }
    }

    private static func read(_ section: ELFSection, of elf: ELFFile) throws(Refusal) -> CodeClaim {
        guard section.type != ELFSection.noBits, section.size > 0 else { return .malformed("its section is empty") }
        guard section.size <= UInt64(mostBytes) else { return .malformed("its section is too large") }
        return CodeClaim(content: try elf.bytes(at: section.offset, Int(section.size), "the claim"))
    }

    init(content: [UInt8]) {
        let name = content.prefix { $0 != 0 }
        guard content.dropFirst(name.count).allSatisfy({ $0 == 0 }), AccessGroup.isClaimName(name) else {
            self = .malformed("a name has 1 to 64 letters, digits, '.' and '-', and none of these two at an end")
            return
        }
        self = .name(String(decoding: name, as: UTF8.self))
    }

    fileprivate static func isName(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.starts(with: section.utf8) && bytes.dropFirst(section.utf8.count).first == 0
    }

    fileprivate static func hasNames(_ section: ELFSection) -> Bool {
        section.type != ELFSection.noBits && section.size <= mostNameBytes
    }
}

extension ELFFile {
    /// The sections with the name of a claim.
    ///
    /// - Throws: `errSecMissingEntitlement` (`code.malformed`), `errSecIO`.
    fileprivate func claimSections() throws(Refusal) -> [ELFSection] {
        let sections = try sections()
        guard sections.indices.contains(header.nameSection) else { return [] }
        let table = sections[header.nameSection]
        guard CodeClaim.hasNames(table), contains(table.offset, table.size) else { return [] }
        let names = try bytes(at: table.offset, Int(table.size), "the section of names")
        return sections.filter { $0.name < names.count && CodeClaim.isName(names[Int($0.name)...]) }
    }
}
