import CCurl
import KeychainCrypto
import LinuxSystem
import SyncTransports

/// One request to an object store, signed as AWS does (version 4). libcurl verifies the server's certificate.
struct ObjectRequest {
    let store: ObjectStore
    /// PUT, GET or DELETE.
    let method: String
    /// The rest of the URL, with `/` or `?` in front: percent-encoded, its parameters sorted by name.
    var place = ""
    var headers: [String] = []
    var body: [UInt8] = []
    /// The largest answer that is taken.
    var limit = 4 << 20

    struct Answer {
        let status: Int
        let body: [UInt8]
    }

    /// The time for a request, in milliseconds.
    private static let patience = 60_000

    /// - Throws: ``TransportProblem/unreachable(_:)`` where there is no answer, or one that is too large.
    func send(over connections: ObjectConnections) throws(TransportProblem) -> Answer {
        guard let handle = unsafe connections.handle, let list = unsafe headerList() else {
            throw .unreachable("there is no memory")
        }
        defer { unsafe curl_slist_free_all(list) }
        // The options of the request before go, and its connection stays.
        unsafe curl_easy_reset(handle)
        let received = Received(limit: limit)
        let code = unsafe perform(handle, list, received)
        guard code == CURLE_OK else { throw .unreachable(Self.reason(code)) }
        return Answer(status: unsafe ccurl_status(handle), body: received.bytes)
    }

    private static func reason(_ code: CURLcode) -> String {
        let text = unsafe String(cString: curl_easy_strerror(code))
        guard code == CURLE_PEER_FAILED_VERIFICATION else { return text }
        return "\(text): the URL needs the host of the certificate, and authorities=FILE where this is not the system's"
    }

    private func perform(
        _ handle: UnsafeMutableRawPointer, _ list: UnsafeMutablePointer<curl_slist>, _ received: Received
    ) -> CURLcode {
        // The secret's copy in libcurl goes with the handle.
        let identity = store.secretKey.withSpan { "\(store.accessKey):\($0.text(0, $0.count) ?? "")" }
        let texts = [
            (CURLOPT_URL, store.bucket + place), (CURLOPT_CUSTOMREQUEST, method),
            (CURLOPT_PROTOCOLS_STR, "http,https"), (CURLOPT_AWS_SIGV4, "aws:amz:\(store.region):s3"),
            (CURLOPT_USERPWD, identity), (CURLOPT_PROXY, ""),
        ]
        for (option, text) in texts {
            let code = unsafe ccurl_set_text(handle, option, text)
            if code != CURLE_OK { return code }
        }
        if let authorities = store.authorities { unsafe ccurl_set_text(handle, CURLOPT_CAINFO, authorities) }
        unsafe ccurl_set_number(handle, CURLOPT_TIMEOUT_MS, Self.patience)
        unsafe ccurl_set_number(handle, CURLOPT_NOSIGNAL, 1)
        unsafe ccurl_set_headers(handle, list)
        unsafe ccurl_set_receiver(handle, Received.receive, Unmanaged.passUnretained(received).toOpaque())
        return unsafe body.withUnsafeBytes { bytes in
            if method == "PUT" { unsafe ccurl_set_body(handle, bytes.baseAddress, bytes.count) }
            return unsafe curl_easy_perform(handle)
        }
    }

    /// Stores check the digest, and some refuse a request without it. A header that libcurl leaves out, such as an
    /// empty `Expect:`, would be signed all the same.
    private func headerList() -> UnsafeMutablePointer<curl_slist>? {
        let digest = (try? Digest.sha256(body.span)).map { $0.span.array(0, 32) } ?? []
        let hexadecimal = digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let all = headers + ["x-amz-content-sha256: \(hexadecimal)", "Content-Type: application/octet-stream"]
        return unsafe all.reduce(nil) { list, header in unsafe curl_slist_append(list, header) }
    }
}

/// The connections that libcurl keeps open, for one request at a time.
@safe final class ObjectConnections {
    let handle: UnsafeMutableRawPointer?
    init() { unsafe handle = curl_easy_init() }
    deinit { unsafe curl_easy_cleanup(handle) }
}

/// Takes an answer, up to a limit.
private final class Received {
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    /// libcurl calls this; another count than was given ends the transfer.
    static let receive: ccurl_receiver = { start, _, count, context in
        guard let start = unsafe start, let context = unsafe context else { return 0 }
        let received = unsafe Unmanaged<Received>.fromOpaque(context).takeUnretainedValue()
        guard received.bytes.count + count <= received.limit else { return 0 }
        unsafe received.bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        return count
    }
}
