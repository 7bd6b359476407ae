import CodeSignature
import Glibc
import KeychainModel
import LinuxSystem
import SecurityCommands

/// A file that is signed, verified or shown.
struct SignedFile {
    /// As it was given.
    let name: String
    /// Where it really is: a symbolic link stays one. Root may sign what lies in another user's folder.
    private let place: FilePlace
    var path: String { place.path }
    let file: FileDescriptor
    let status: FileStatus

    init(_ name: String) throws(CommandFailure) {
        self.name = name
        do throws(SystemError) {
            place = try FilePlace(ofFileAt: name)
            // Not blocking, for the case that it is a pipe.
            file = try place.open(O_RDONLY | O_NONBLOCK)
            status = try FileStatus(of: file)
        } catch { throw CommandFailure(name, error) }
        guard status.isRegularFile else { throw .failed("\(name): is not a regular file") }
    }

    /// The signature: nil when there is none, a refusal when it does not hold.
    func signature() -> Result<CodeSignature?, Refusal> {
        Result { () throws(Refusal) in try CodeSignature.read(from: file) }
    }

    /// Puts a new file in this one's place, with its permissions and owner as far as they can be kept.
    ///
    /// - Parameter write: fills the new file, which has the old one to read from.
    func replace(
        _ session: Session, _ write: (FileDescriptor, FileDescriptor) throws(Refusal) -> Void
    ) throws(CommandFailure) {
        let hadCapabilities = file.hasCapabilities
        let new = try attempt { () throws(SystemError) in try FileReplacement(in: place) }
        do throws(Refusal) { try write(file, new.file) } catch { throw CommandFailure(name, error) }
        let after = try attempt { () throws(SystemError) in
            let keepsOwner = (try? new.setOwner(status.owner, group: status.group)) != nil
            // Where the owner is lost, the set-user and set-group bits go: the file must not run as its new owner.
            try new.commit(mode: status.mode & (keepsOwner ? 0o7777 : 0o777))
            return try FileStatus(of: new.file)
        }
        warn(session, after, hadCapabilities)
    }

    private func attempt<Result>(_ body: () throws(SystemError) -> Result) throws(CommandFailure) -> Result {
        do throws(SystemError) { return try body() } catch { throw CommandFailure(name, error) }
    }

    private func warn(_ session: Session, _ after: FileStatus, _ hadCapabilities: Bool) {
        if after.owner != status.owner || after.group != status.group {
            session.complain("\(name): has another owner or group now; chown it as root")
        }
        if after.mode & 0o6000 != status.mode & 0o6000 {
            session.complain("\(name): is no longer setuid or setgid; set that again with chmod, or security anchor")
        }
        if hadCapabilities { session.complain("\(name): has lost its capabilities; give them again with setcap") }
        if status.links > 1 { session.complain("\(name): has other names (hard links), which keep the file as it was") }
    }
}
