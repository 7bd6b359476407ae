import FileFormat
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Says why a protected file does not open (`security why FILE`). The file's key is asked for as its program would ask,
/// but nobody is prompted. It proves the header, and goes no further.
struct FileExplainer {
    let engine: KeychainEngine
    /// Whose attempt it is.
    let subject: CallerIdentity
    /// The caller, which sees the shelves of its own groups, or of all if it may look at all.
    let viewer: CallerIdentity

    func explain(_ file: FileToExplain) -> FileExplanation {
        var explanation = FileExplanation(program: subject.program, groups: subject.groups)
        do throws(FileError) {
            let preamble = try FilePreamble(decoding: file.head.span)
            if let header = preamble.claims.first {
                explanation.claim = .init(header.protection, header.shelfSlot.shelf)
                explanation.shelf = shownShelf(header.shelfSlot.shelf)
            }
            explanation.refusal = try refusal(opening: preamble, size: file.size)
        } catch { explanation.refusal = error.refusal }
        return explanation
    }

    private func refusal(opening preamble: FilePreamble, size: UInt64) throws(FileError) -> Refusal? {
        var refusal: Refusal?
        let authentic = try preamble.authenticate { header in
            do throws(Refusal) { return try key(of: header) } catch {
                refusal = refusal ?? error
                return nil
            }
        }
        guard let authentic else { return refusal ?? FileError.damaged(at: 0).refusal }
        _ = try SealedLayout(size: size, authentic.header)
        return nil
    }

    private func key(of header: FileHeader) throws(Refusal) -> SecretBytes {
        let claim = FileKeyClaim(file: header.file, protection: header.protection, slot: header.shelfSlot)
        // The explanation is what the log of decisions has.
        var entry = AuditLog.Entry(subject, .file(.open(claim)))
        let operations = FileOperations(engine: engine, caller: subject, gate: nil)
        guard case .key(let key) = try operations.perform(.open(claim), &entry) else {
            throw .malformed("the key of a file")
        }
        return key
    }

    /// Nil for a shelf that is not there, and for one that is not to be shown.
    private func shownShelf(_ id: ShelfID) -> ShelfDescription? {
        guard let found = try? engine.shelves.shelf(id) else { return nil }
        return viewer.mayUse(shelf: found.shelf) || mayInspect(found.shelf) ? found.description : nil
    }

    private func mayInspect(_ shelf: Shelf) -> Bool {
        let binding = shelf.key.binding
        let isForAnchored =
            AccessConstraint(flags: binding.control).needsAnchor || engine.anchoredGroups.have(binding.group)
        return viewer.seesEverything && (!isForAnchored || viewer.mayShowAnchored)
    }
}
