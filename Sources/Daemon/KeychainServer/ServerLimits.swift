import KeychainWire

/// What callers may make grow or hold up, each with its reason.
package struct ServerLimits: Sendable {
    /// Threads that read and answer. More than one pays only on machines with idle cores.
    package var loops = 1
    /// Threads for what blocks: key derivation, walks over all rows.
    package var workers = 4
    /// Threads for keys in the enclave, which take one of its lanes each and leave the others to searches.
    package var keyWorkers = 2
    /// Threads that may wait for a person. There is one person: who asks him next waits here or in the enclave.
    package var promptWorkers = 4
    /// Threads for what ends a prompt or merely looks: it must not wait behind prompts.
    package var promptAttendants = 1
    /// Threads for callers whose program is read for the first time, which may take as long as reading a large file.
    package var identityWorkers = 2
    /// Callers that wait for those; above it, their requests are refused.
    package var queuedIdentities = 1024
    /// Connections per loop; whoever comes later waits in the listener's queue until one leaves.
    package var connections = 8192
    /// Connections of one user per loop, but root's; one who has more is closed. Where a daemon serves a single user, there is no
    /// such limit.
    package var connectionsOfUser = Int.max
    /// Requests of one connection that may wait for the writer or a worker; the next one is not read before one is answered.
    package var pipelined = 16
    /// Requests a second of one program, over all of its connections; who is faster is read from later. 0 for no limit. More
    /// than any program needs, so that nobody meets it who does not mean harm; whoever runs a daemon for many may lower it.
    package var requestRate = 100_000
    /// How long a connection may owe the rest of a frame, or leave an answer unread, before it is closed: milliseconds.
    package var stall = 10_000
    /// Bytes of unfinished frames and unread answers per loop; above it, connections of the process that holds most are closed.
    package var held = 64 << 20
    /// Bytes of writes that wait for the writer; above it, writes are refused.
    package var queuedWrites = 64 << 20
    /// Device requests that wait for a worker; above it, they are refused.
    package var queuedDevice = 64
    /// Key requests that wait for a worker; above it, they are refused.
    package var queuedKeys = 1024
    /// Watches of the device's state that may be open; one for each connection there can be.
    package var watchers = 8192
    /// Requests that may ask the user and wait for a worker; above it, they are refused.
    package var queuedPrompts = 64
    /// What waits for an attendant: prompts are withdrawn there, one for each that may be open or waiting, and more.
    package var queuedAttendance = 4096
    /// The longest deadline a caller may ask for: milliseconds.
    package var deadline = WireLimits.longestDeadline

    package init() {}
}
