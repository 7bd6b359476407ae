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

    /// - Throws: why the store cannot be read: nothing is known of the file then.
    func explain(_ file: FileToExplain) throws(Refusal) -> FileExplanation {
        var explanation = FileExplanation(program: subject.program, groups: subject.groups)
        do throws(FileError) {
            let preamble = try FilePreamble(decoding: file.head.span)
            explanation.claim = preamble.claims.first.map { .init($0.protection, $0.shelfSlot.shelf) }
            explanation.refusal = try refusal(opening: preamble, size: file.size)
        } catch { explanation.refusal = error.refusal }
        if let claim = explanation.claim { explanation.shelf = try shownShelf(claim.shelf) }
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

    /// Nil for a shelf that is not there or damaged, which the refusal says, and for one that is not to be shown.
    private func shownShelf(_ id: ShelfID) throws(Refusal) -> ShelfDescription? {
        let found: KnownShelf?
        do throws(Refusal) { found = try unlessDamaged { () throws(Refusal) in try engine.shelves.shelf(id) } } catch {
            guard error.rule == .noShelf else { throw error }
            return nil
        }
        guard let found, viewer.mayUse(shelf: found.shelf) || mayInspect(found.shelf) else { return nil }
        return found.description
    }

    private func mayInspect(_ shelf: Shelf) -> Bool {
        let binding = shelf.key.binding
        let isForAnchored =
            AccessConstraint(flags: binding.control).needsAnchor || engine.anchoredGroups.have(binding.group)
        return viewer.seesEverything && (!isForAnchored || viewer.mayShowAnchored)
    }
}
