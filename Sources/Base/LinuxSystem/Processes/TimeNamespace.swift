/// The clock offsets of a time namespace (time_namespaces(7)).
package enum TimeNamespace {
    /// The number of seconds that ``Clock/secondsSinceBoot`` is ahead of the system's own clock in this process. It is
    /// 0 outside of such namespaces, and where the kernel has none.
    package static var secondsAhead: Int64 {
        let text = try? ProcessDirectory.read("/proc/self/timens_offsets", limit: 1024)
        return text.flatMap { secondsAhead(in: String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    /// The seconds of the line `boottime SECONDS NANOSECONDS`.
    static func secondsAhead(in text: String) -> Int64? {
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3, words[0] == "boottime" { return Int64(words[1]) }
        }
        return nil
    }
}
