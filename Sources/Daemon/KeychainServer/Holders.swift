/// How much of a loop's memory each process holds with its connections: in unfinished frames and unread answers.
struct Holders {
    private var bytes: [Int32: Int] = [:]

    /// - Parameter count: negative for what is given back.
    mutating func change(_ process: Int32, by count: Int) {
        let now = bytes[process, default: 0] + count
        bytes[process] = now > 0 ? now : nil
    }

    /// The process that holds most; nil when nobody holds anything.
    var largest: (process: Int32, bytes: Int)? {
        bytes.max { $0.value < $1.value }.map { (process: $0.key, bytes: $0.value) }
    }
}
