package import KeychainModel
package import KeychainWire

extension KeychainConnection {
    /// Walks all rows, page by page.
    ///
    /// - Parameter progress: called after every page with the rows looked at so far and all there were at the
    ///   beginning.
    /// - Returns: what all pages found.
    /// - Throws: the refusal of a page.
    package func verifyAll(
        progress: (_ checked: UInt64, _ total: UInt64) -> Void
    ) throws(Refusal) -> VerificationReport {
        var (report, total) = (VerificationReport(), 0 as UInt64)
        var next: VerificationCursor? = .start
        while let cursor = next {
            guard case .verification(let page) = try device(.verify(from: cursor), passcodes: []) else {
                throw .malformed("the report")
            }
            report.add(page.report)
            total = max(total, page.total)
            progress(report.checked, total)
            next = page.next
        }
        return report
    }
}

extension KeychainConnection {
    /// Which release answers; nil for one that is older than the question.
    package func release() -> Release? {
        do throws(Refusal) {
            guard case .release(let release) = try device(.release, passcodes: []) else { return nil }
            return release
        } catch { return nil }
    }
}

extension DeviceRequest {
    /// How long what walks over everything, or needs several requests, may take when a caller allows `usual` for a
    /// single one: ten times as long.
    package static func timeoutOfWhole(_ usual: UInt32) -> UInt32 {
        min(usual.multipliedReportingOverflow(by: 10).overflow ? .max : usual * 10, WireLimits.longestDeadline)
    }

    /// How long the request may take, in milliseconds, when a caller allows `usual` for a single one.
    package func timeout(_ usual: UInt32) -> UInt32 {
        switch traits.duration {
        case .usual: usual
        case .tenfold: Self.timeoutOfWhole(usual)
        case .longest: max(usual, WireLimits.longestDeadline)
        case .watching(let milliseconds):
            min(usual, WireLimits.longestDeadline) &+ min(milliseconds, WireLimits.longestWatch)
        }
    }
}

extension KeychainConnection {
    /// Makes a copy of the store in the same folder.
    ///
    /// - Returns: the path of the copy.
    /// - Throws: what the keychain says; `wire.malformed` for another answer.
    package func snapshot() throws(Refusal) -> String {
        guard case .snapshot(let path) = try device(.snapshot, passcodes: []) else {
            throw .malformed("the answer about a snapshot")
        }
        return path
    }
}
