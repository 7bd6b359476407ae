// Tries the corpora of the repository without libFuzzer, and packs them: `CorpusCommand` has the words.
import FuzzTargets
import Glibc

guard let status = CorpusCommand.run(Array(CommandLine.arguments.dropFirst())) else {
    print(
        "usage: keychain-corpus --play FOLDER [TARGET...] | --list | --seeds FOLDER TARGET | --pack FILE FOLDER"
            + " | --unpack FILE FOLDER"
    )
    exit(2)
}
exit(status)
