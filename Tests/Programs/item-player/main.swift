// For the tests that attack the store from several processes: does what a script says, and writes down when each call
// began and what it gave. It also looks at whole stores, one after the other.
//
//     item-player                  obeys the script on standard input line by line, as somebody types it
//     item-player batch            reads the script to its end first, so that a forked child has its lines
//     item-player check            reads folders from standard input and says of each what is in its store; passcodes that may open
//                                  it may stand behind a folder
//
// Lines of a script, with items named by service and account, and values by a number and a size:
//
//     add S A N SIZE      set S A N SIZE      del S A      get S A
//     addpu S A N SIZE    adds an item that only a passcode opens
//     setall S N SIZE     gives all items of a service one value, in one call
//     clash S T           moves all items of service S to service T, which is refused where T has one of their accounts
//     delall S            all                 what there is, everywhere
//     passcode NEW        passcode OLD NEW    unlock P     slot P (a recovery code)     totpm [P]     snapshot     verify
//     nopasscode P        settings SECONDS (without use, after which it locks)
//     undelete S A N      what was deleted last under that name, which was N
//     restore S A N       what the item was before it was changed last, which was N
//     addcert L HEX       addkey L TAG HEX (a point and its number)       makekey L TAG (the enclave's)
//     relabel CLASS L NEW
//     ask CLASS CODE=HEX...    all of a class (cert, keys, idnt) with these attributes, CODE:HEX for text, CODE#N: everything of each
//     fork COUNT          a child does the next COUNT lines while this process goes on behind them
//     pause MS            lets others go first
//     kill                ends this process with SIGKILL
//
// With PLAYER_GROUP it is a program of that access group, wherever its file lies, and with PLAYER_TPM (an address of
// tpm2-tss) it has a TPM; both are for a keychain inside the program.
//
// What is written down, a line each: `B process line nanoseconds` before a call, `E process line nanoseconds status
// rule result` after it. A process that is killed leaves the first without the second.

import Glibc

let mode = CommandLine.arguments.dropFirst().first
// Who looks at whole stores says which.
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
