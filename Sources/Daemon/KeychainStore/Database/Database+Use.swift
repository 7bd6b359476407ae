import KeychainModel

/// Detects changes to the files of a connection by the program, or by somebody else.
extension Database {
    /// Why the connection is not to be used: its descriptors or files are no longer what was opened.
    var failureOfUse: Refusal? {
        switch lookAtDescriptors() {
        case .intact: hasItsFiles ? nil : .storeMoved(path)
        case .closed: .descriptorsClosed(path)
        case .cut: .storeCut(path)
        }
    }
}

extension Refusal {
    static func descriptorsClosed(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, "process",
            "This program has closed or reused the descriptors of the keychain \(path), which is inside it.",
            do: "Have the program close only what it has opened, and before it first uses the keychain.")
    }

    static func storeCut(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "Somebody has cut \(path), or its -wal or -shm file, while it was in use; the content of the rest is lost.",
            do: "Find out what did that. Start the programs again, and run `security verify-keychain`.")
    }

    static func storeMoved(_ path: String) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store", "The store \(path) was moved or removed while it was in use.",
            do: "Put the folder back where it was. The last changes are in the old file.")
    }
}
