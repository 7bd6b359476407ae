import LinuxSystem

extension UntrustedFile {
    /// Refuses a link by which another user chooses the file: one that is theirs, one in a folder that they may write,
    /// and one to a file that they may change. Such a file is read where the command line names it itself.
    ///
    /// - Throws: ``CommandFailure`` that names the file.
    func checkLinks(_ followed: FollowedLinks, for verb: String) throws(CommandFailure) {
        let found: String?
        do throws(SystemError) { found = try placeOfOthers(followed) } catch { found = name }
        guard let place = found else { return }
        throw .failed(
            "\(verb): \(name) is not followed",
            cause: "It leads to \(path), and another user may change \(place).",
            remedy: "Look at the file, and name it itself: \(path).")
    }

    /// Facts about the file that its name does not tell: where it is, and whose.
    func facts(_ session: Session) -> [String] {
        var facts: [String] = []
        if !links.isEmpty { facts.append(session.text("read from \(path)")) }
        if !Self.isOwn(status) {
            facts.append(session.text("the file belongs to user \(status.owner)"))
        } else if status.mode & 0o002 != 0 {
            facts.append(session.text("every user may change the file"))
        }
        return facts
    }

    /// The place on the way to the file that another user may change; nil for a file that is named itself, or by links
    /// of the user's own.
    ///
    /// - Throws: `SystemError` of `lstat`.
    private func placeOfOthers(_ followed: FollowedLinks) throws(SystemError) -> String? {
        guard let last = followed.links.last else { return nil }
        for link in followed.links where try Self.isChangeable(link) { return link }
        // Right after the opening it led elsewhere.
        if let end = followed.path, end != path { return last }
        return followed.path != nil && (!Self.isOwn(status) || status.isWritableByOthers) ? path : nil
    }

    private static func isChangeable(_ link: String) throws(SystemError) -> Bool {
        let folder = PrivateDirectory.parent(of: link) ?? "/"
        guard let status = try FileStatus(ofLink: link), let place = try FileStatus(at: folder) else { return true }
        // In a sticky folder nobody else replaces a link of the user's own.
        return !isOwn(status) || !isOwn(place) || place.isWritableByOthers && !place.isSticky
    }

    private static func isOwn(_ status: FileStatus) -> Bool {
        status.owner == CurrentProcess.user || status.owner == 0
    }
}
