import CommandOptions
import KeychainModel
import KeychainWire

/// `snapshot`: makes a copy of the store while it is in use.
enum SnapshotCommand {
    private static let call = "snapshot"

    static let command = Command(
        "snapshot", "Make a consistent copy of the keychain's store while it is in use.", synopsis: "[keychain]",
        notes: [
            """
            Prints the path of the copy, which lies in the store's folder; the last seven are kept. The daemon makes \
            one a day by itself (one a week of a store that has not changed), and none with history-days 0. What is in \
            it is encrypted as in the store. To go back to it, end what uses the keychain, put the copy in the place \
            of keychain.db, and remove keychain.db-wal and keychain.db-shm. It opens with the vault in the same \
            folder: keep a copy of that elsewhere too.
            """
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.operands.first, call)
        let path = try session.snapshot(call)
        session.output.write { buffer in
            if session.writesJSON {
                JSONValue.object([("path", .string(path))]).append(to: buffer)
                buffer.append(utf8: "\n")
            } else {
                buffer.append(utf8: path + "\n")
            }
        }
    }
}
