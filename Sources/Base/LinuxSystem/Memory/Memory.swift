import CLinux

/// The free memory that the C library retains.
package enum Memory {
    /// Returns free memory to the system. May take milliseconds.
    package static func giveBack() { clinux_give_memory_back() }
}
