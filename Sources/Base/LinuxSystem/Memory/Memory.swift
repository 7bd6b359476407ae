import CLinux

/// The memory that the C library keeps for later.
package enum Memory {
    /// Gives what is free back to the system. May take milliseconds.
    package static func giveBack() { clinux_give_memory_back() }
}
