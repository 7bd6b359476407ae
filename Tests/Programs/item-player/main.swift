// For the tests that attack the store from several processes: performs a script, and records the beginning and the
// result of each call. It also checks whole stores, one after the other.
//
//     item-player                  performs the script on standard input line by line, as it arrives
//     item-player batch            reads the script to its end first, so that a forked child has its lines
//     item-player check            reads folders from standard input and prints what is in the store of each; passcodes
//                                  that may open it may stand behind a folder
//
// Lines of a script, with items named by service and account, and values by a number and a size:
//
//     add S A N SIZE      set S A N SIZE      del S A      get S A
//     addpu S A N SIZE    adds an item that only a passcode opens
//     setall S N SIZE     gives all items of a service one value, in one call
//     clash S T           moves all items of service S to service T; refused where T has one of their accounts
//     delall S            all                 lists everything
//     passcode NEW        passcode OLD NEW    unlock P     slot P (a recovery code)     totpm [P]
//     snapshot            verify
//     nopasscode P        settings SECONDS (without use, after which it locks)
//     undelete S A N      restores the item last deleted under that name, whose number was N
//     restore S A N       restores the item as it was before its last change, whose number was N
//     addcert L HEX       addkey L TAG HEX (a point and its number)       makekey L TAG (the enclave's)
//     relabel CLASS L NEW
//     ask CLASS CODE=HEX...    all of a class (cert, keys, idnt) with these attributes, CODE:HEX for text, CODE#N:
//                              everything of each
//     fork COUNT          a child performs the next COUNT lines while this process continues behind them
//     pause MS            lets other processes run first
//     kill                ends this process with SIGKILL
//
// With PLAYER_GROUP it is a program of that access group, wherever its file lies, and with PLAYER_TPM (an address of
// tpm2-tss) it has a TPM; both are for an embedded keychain.
//
// The record has these lines: `B process line nanoseconds` before a call, `E process line nanoseconds status rule
// result` after it. A killed process leaves the first without the second.

import Glibc

let mode = CommandLine.arguments.dropFirst().first
// In `check` mode the input names the stores.
if mode != "check" { takePlace() }
switch mode {
case nil: Player(reading: { readLine() }).play()
case "batch":
    var lines = ArraySlice(allLines())
    Player(reading: { lines.popFirst() }).play()
case "check": while let folder = readLine() { check(folder) }
default: exit(2)
}

private func allLines() -> [String] {
    var lines: [String] = []
    while let line = readLine() { lines.append(line) }
    return lines
}
