import CommandOptions
package import KeychainModel

/// `file`: protects files with keys that the keychain gives out. It is a program of its own, `keychain-file`, which has
/// the same table.
package enum FileCommand {
    package static let command = Command(
        "file", "Encrypt files with keys that the keychain gives out, and read them.",
        synopsis: """
            protect [-c class] [-D] [-s shelf] [-g group] [-u demand] [-R recipient] [-o out] file ... | \
            move -c class [-D] [-s shelf] [-g group] [-u demand] file ... | \
            unprotect [-i identity] [-o out] file ... | cat [-i identity | -r first-last] file ... | \
            edit [-R recipient] file | info file ... | verify [-i identity] file ... | \
            recovery [-R recipient] file ... | recovery-key -o out | \
            recovery-default [-R recipient | -N] | \
            export (-t recipient | -p) [-i identity] -o out file | \
            import [-i identity] [-c class] [-D] [-s shelf] [-g group] [-u demand] [-R recipient] -o out file | \
            shelves | delete-shelf [-f] id
            """,
        options: options,
        notes: [
            """
            protect replaces a file by its encrypted form, unprotect that by its content, move by one of another \
            class, group or shelf; - stands for standard input. \
            Class a opens while the keychain is unlocked, c (unless given) from the first unlock on, d always. b can \
            be written while locked and read while unlocked. cat writes verified content only; whether it is all, its \
            exit status says. The old blocks of a file that was replaced may stay on the disk.
            """,
            """
            A recovery recipient opens files without the keychain: recovery-key writes an identity to a new file and \
            shows its recipient, which -R takes, up to seven times. recovery gives files the recipients of the command \
            line and takes all others away. With -i, an identity opens the files in place of the keychain. An identity \
            opens its files for ever, and says nothing of who wrote them.
            """,
            """
            recovery-default gives each new file of the keychain recipients, and -N takes them away; it shows those \
            there are. The password is asked for, if standard input is no terminal its next line. Files of this device \
            alone get none, and files that are there keep what they have.
            """,
            """
            edit hands the content to the editor of VISUAL or EDITOR, in a file in memory, and encrypts what it becomes.
            """,
            """
            export writes the content as a file of age, for other machines, and import takes one. Both run the program \
            age, which asks for its passphrases itself.
            """,
        ],
        operands: 1...Int.max, takesOperandFirst: true, program: "keychain-file"
    ) { _, _ throws(CommandFailure) in throw .shown }

    private static let options = [
        CommandOption("c", word: "class", value: "class", "When the files open: a, b, c or d."),
        CommandOption("D", word: "this-device", "The files open on this device alone."),
        CommandOption("s", word: "shelf", value: "name", "Wrap the files' keys by the shelf of this name."),
        CommandOption("u", word: "require", value: "demand", "What opens a file besides: presence or password."),
        CommandOption("r", word: "range", value: "first-last", "The bytes to write, counted from 0; all unless given."),
        CommandOption("R", word: "recovery", value: "recipient", "Who opens the files too, without the keychain."),
        CommandOption("N", word: "none", "Files get no recovery recipient by themselves any more."),
        CommandOption("i", word: "identity", value: "file", "Open the files with the identities in this file."),
        CommandOption("t", word: "to", value: "recipient", "Who opens the file of age, as age's option -r."),
        CommandOption("p", word: "passphrase", "Have age ask for a passphrase that opens its file."),
        CommandOption("f", word: "force", "Delete the shelf on all machines of the circle, without a question."),
        CommandOption("g", word: "group", value: "group", "The access group whose programs open the files."),
        CommandOption("o", word: "output", value: "file", "Where to write; the file itself unless given."),
    ]
}

extension FileProtection {
    /// The letter that names the class on command lines.
    package var letter: String {
        switch self {
        case .complete: "a"
        case .completeUnlessOpen: "b"
        case .completeUntilFirstUserAuthentication: "c"
        case .none: "d"
        }
    }
}
