import Glibc
import LinuxSystem

/// The frames of a write-ahead log, whether or not they are whole (https://www.sqlite.org/fileformat2.html, section 4).
struct LogFrames {
    private static let headerSize = 32

    private let file: FileDescriptor
    private let header: [UInt8]
    private let frameSize: Int
    private let count: Int

    /// - Parameter path: that of the database, which knows the size of a page even where the log's own header is
    ///   damaged.
    /// - Returns: nil for a log without frames.
    init?(of file: FileDescriptor, besides path: String) throws(SystemError) {
        guard let page = try Self.pageSize(ofDatabase: path) else { return nil }
        self.file = file
        frameSize = LogFrame.headerSize + page
        header = try file.read(at: 0, count: Self.headerSize)
        count = (try FileStatus(of: file).size - Self.headerSize) / frameSize
        if count < 1 { return nil }
    }

    private static func pageSize(ofDatabase path: String) throws(SystemError) -> Int? {
        let bytes = try FileDescriptor.open(path, O_RDONLY | O_CLOEXEC).read(at: 16, count: 2)
        guard bytes.count == 2 else { return nil }
        let size = Int(bytes[0]) << 8 | Int(bytes[1])
        // 1 stands for 65536.
        if size == 1 { return 65536 }
        return size >= 512 && size.nonzeroBitCount == 1 ? size : nil
    }

    /// Whether a frame continues a commit although something before it is not whole.
    func continueBehindDamage() throws(SystemError) -> Bool {
        let isBigEndian = header[3] & 1 == 1
        var sum = LogSum(stored: header.span.extracting(24..<32))
        var isWhole = LogSum().adding(header.span.extracting(0..<24), isBigEndian) == sum
        // A frame of an earlier log has another salt. Where the header is damaged nobody knows which is right.
        let salt = isWhole ? header[16..<24] : nil
        var followsCommit = false
        for index in 0..<count {
            let frame = LogFrame(
                bytes: try file.read(at: UInt64(Self.headerSize + index * frameSize), count: frameSize))
            guard frame.bytes.count == frameSize else { return false }
            let fits = frame.has(salt) && frame.sum(after: sum, isBigEndian) == frame.storedSum
            if fits, followsCommit, !isWhole { return true }
            isWhole = isWhole && fits
            (followsCommit, sum) = (frame.isCommit, frame.storedSum)
        }
        return false
    }
}

/// A page as a commit has left it, behind a header.
private struct LogFrame {
    static let headerSize = 24

    let bytes: [UInt8]

    /// Whether it is the last of a commit: it says how large the database is then.
    var isCommit: Bool { bytes[4..<8].contains { $0 != 0 } }

    var storedSum: LogSum { LogSum(stored: bytes.span.extracting(16..<24)) }

    func has(_ salt: ArraySlice<UInt8>?) -> Bool { salt.map { $0 == bytes[8..<16] } ?? true }

    func sum(after sum: LogSum, _ isBigEndian: Bool) -> LogSum {
        let (span, page) = (bytes.span, Self.headerSize..<bytes.count)
        return sum.adding(span.extracting(0..<8), isBigEndian).adding(span.extracting(page), isBigEndian)
    }
}

/// The checksum of a log up to some place (section 4.2 there).
private struct LogSum: Equatable {
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init() {}

    /// - Parameter bytes: eight, which are big-endian whatever the words are that were added up.
    init(stored bytes: Span<UInt8>) { (first, second) = (Self.word(bytes, 0, true), Self.word(bytes, 4, true)) }

    /// Two words at a time: a debug build would spend a tenth of a start in a loop over bytes.
    ///
    /// - Parameter bytes: as many as are a multiple of eight.
    func adding(_ bytes: Span<UInt8>, _ isBigEndian: Bool) -> LogSum {
        var sum = self
        unsafe bytes.withUnsafeBytes { bytes in
            var offset = 0
            while offset < bytes.count {
                let pair = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                let (low, high) = (UInt32(truncatingIfNeeded: pair), UInt32(truncatingIfNeeded: pair &>> 32))
                sum.first &+= (isBigEndian ? low.byteSwapped : low) &+ sum.second
                sum.second &+= (isBigEndian ? high.byteSwapped : high) &+ sum.first
                offset += 8
            }
        }
        return sum
    }

    private static func word(_ bytes: Span<UInt8>, _ offset: Int, _ isBigEndian: Bool) -> UInt32 {
        var word: UInt32 = 0
        for index in offset..<offset + 4 { word = word << 8 | UInt32(bytes[index]) }
        return isBigEndian ? word : word.byteSwapped
    }
}
