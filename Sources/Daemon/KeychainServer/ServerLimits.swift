import KeychainWire

/// The limits of everything that callers may make grow or hold up, each with its reason. `docs/reference.md` has the
/// same table for people.
package struct ServerLimits: Sendable {
    // MARK: Threads

    /// Threads that read and answer. More than one pays only on machines with idle cores.
    package var loops = 1
    /// Threads for searches that may take long: listings, scans, large values.
    package var searchWorkers = 2
    /// Threads for what blocks: key derivation, walks over all rows.
    package var workers = 4
    /// Threads for what merely looks at the device or locks it, which waits for no passcode.
    package var briefWorkers = 1
    /// Threads for keys in the enclave, which take one of its slots each and leave the others to searches.
    package var keyWorkers = 2
    /// Threads that may wait for a person. There is one person: the next prompt waits here or in the enclave.
    package var promptWorkers = 4
    /// Threads for what ends a prompt or merely looks: it must not wait behind prompts.
    package var promptAttendants = 1
    /// Threads for callers whose program is read for the first time, which may take as long as reading a large file.
    package var identityWorkers = 2

    // MARK: Turns

    /// How long a search may keep its loop, in microseconds; a search that takes longer starts again on a thread of its
    /// own.
    package var lookupMicroseconds = 250
    /// Requests of a program that a loop performs before others are looked at again, and of all that had to wait for
    /// that.
    package var turn = 8
    /// Writes of one program that go into one commit, and of all programs.
    package var commitOfProgram = 16
    package var commit = 64
    /// A write of more bytes has a commit of its own.
    package var largeWrite = 64 << 10

    // MARK: Connections

    /// Connections per loop.
    package var connections = 16_384
    /// Open files per loop: one for each connection, and one for each process behind them that is not known yet.
    package var files = Int.max
    /// Connections of one user per loop, but root's. Where a daemon serves a single user, there is no such limit.
    package var connectionsOfUser = Int.max
    /// Connections of one program per loop.
    package var connectionsOfProgram = 2048
    /// Connections per loop of all programs that share a turn, and of all turns that are shared: some are left to
    /// programs that have their own.
    package var connectionsOfTurn = 12_288
    package var connectionsOfShared = 14_336
    /// Connections beyond these that are told so: of one program, and of all. Any further is closed at once.
    package var excessOfProgram = 8
    package var excess = 64
    /// How long such a connection may take to ask, milliseconds.
    package var excessTime = 1000
    /// How long a connection has to be idle to be closed for others, seconds, when no program has many.
    package var idle: UInt64 = 60
    /// Requests of one connection that may wait for the writer or a worker; the next one is not read before one is
    /// answered.
    package var pipelined = 16
    /// Requests a second of one program, over all of its connections; a faster program is read from later. 0 for no
    /// limit. The limit is more than any program needs, so that only one that means harm reaches it. Administrators of
    /// a daemon for many users may lower it.
    package var requestRate = 100_000

    // MARK: Waiting bytes and requests, of all programs and of one

    /// How long a connection may owe the rest of a frame, or leave an answer unread, before it is closed: milliseconds.
    package var stall = 10_000
    /// How long a daemon that is to end answers what it has read: milliseconds. Adds are performed later, too.
    package var ending = 3000
    /// Bytes of unfinished frames and unread answers per loop; above it, connections of the program that holds most are
    /// closed.
    package var held = 64 << 20
    package var heldOfProgram = 16 << 20
    /// Bytes of writes that wait for the writer; above it, writes are refused.
    package var queuedWrites = 64 << 20
    package var queuedWritesOfProgram = 32 << 20
    /// Searches that wait for a worker.
    package var queuedSearches = 16_384
    package var queuedSearchesOfProgram = 4096
    /// Device requests that wait for a worker; above it, they are refused. Half of the workers are a program's at most.
    package var queuedDevice = 64
    package var queuedDeviceOfProgram = 16
    /// Key requests that wait for a worker; above it, they are refused.
    package var queuedKeys = 2048
    package var queuedKeysOfProgram = 1024
    /// Watches of the device's state that may be open; one for each connection there can be.
    package var watchers = 16_384
    package var watchersOfProgram = 2048
    /// Watches of access groups, each of which is looked at after every commit while the groups are watched.
    package var groupWatchers = 4096
    package var groupWatchersOfTurn = 2048
    package var groupWatchersOfProgram = 256
    /// Requests that may ask the user and wait for a worker; above it, they are refused. Half of the workers are a
    /// program's at most.
    package var queuedPrompts = 64
    package var queuedPromptsOfProgram = 16
    /// Jobs that wait for an attendant. Prompts are withdrawn there: one for each that may be open or waiting, and
    /// more.
    package var queuedAttendance = 4096
    /// Callers that wait to be identified: each has a connection. Of one process, requests above it are refused.
    package var queuedIdentities = 16_384
    package var queuedIdentitiesOfProgram = 256
    /// Of those, how many that share a turn are under way: more than another process looks at at a time, so that it
    /// says of the others at once when none of them ends.
    package var identitiesOfTurn = 8
    /// How long a passcode may take to come through its pipe, milliseconds.
    package var pipe = 10_000
    /// The longest deadline a caller may ask for: milliseconds.
    package var deadline = WireLimits.longestDeadline

    package init() {}
}
