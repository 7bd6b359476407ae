import LinuxSystem
import Testing

@testable import KeychainCrypto

@Suite("SPAKE2, with which two machines that know the same digits make a key")
struct SPAKE2Tests {
    private struct Vector {
        let names: (String, String)
        let password, first, second: String
        let firstShare, secondShare: String
        let shared, firstConfirmation, secondConfirmation: String
    }

    @Test("Shares, keys and confirmations are those of the four published vectors")
    func vectors() throws {
        #expect(Self.vectors.count == 4)
        for vector in Self.vectors {
            let (one, other) = (try side(.first, vector), try side(.second, vector))
            #expect(one.share == bytes(vector.firstShare) && other.share == bytes(vector.secondShare))
            let names = SPAKE2.Names(first: vector.names.0, second: vector.names.1)
            let ones = try keys(one, other.share, names, [])
            let others = try keys(other, one.share, names, [])
            #expect(hexadecimal(ones.shared) == vector.shared && hexadecimal(others.shared) == vector.shared)
            #expect(ones.confirmation == bytes(vector.firstConfirmation))
            #expect(others.confirmation == bytes(vector.secondConfirmation))
            #expect(accept(ones, others.confirmation) && accept(others, ones.confirmation))
        }
    }

    private func side(_ side: SPAKE2.Side, _ vector: Vector) throws -> SPAKE2 {
        let curve = try CurveP256()
        let own = bytes(side == .first ? vector.first : vector.second)
        let password = bytes(vector.password)
        return try SPAKE2(side, curve, password: curve.scalar(password.span), own: curve.scalar(own.span))
    }

    private static let names = SPAKE2.Names(first: "one", second: "other")
    private static let aad = Array("versions".utf8)

    private func start(_ side: SPAKE2.Side, _ digit: UInt8 = 7) throws -> SPAKE2 {
        try SPAKE2(side, password: SecretBytes([UInt8](repeating: digit, count: 40)))
    }

    private func keys(
        _ side: SPAKE2, _ other: [UInt8], _ names: SPAKE2.Names = Self.names, _ aad: [UInt8] = Self.aad
    ) throws -> SPAKE2.Keys {
        try side.keys(with: other.span, names, associatedData: aad.span)
    }

    private func accept(_ keys: SPAKE2.Keys, _ confirmation: [UInt8]) -> Bool {
        keys.isConfirmed(by: confirmation.span)
    }

    @Test("Sides that know different digits, other names or other associated data do not confirm each other")
    func differences() throws {
        let one = try start(.first)
        let (same, wrong) = (try start(.second), try start(.second, 8))
        let wrongs = try keys(wrong, one.share)
        let ones = try keys(one, wrong.share)
        #expect(!accept(ones, wrongs.confirmation) && !accept(wrongs, ones.confirmation))
        let right = try keys(one, same.share)
        let renamed = SPAKE2.Names(first: "one", second: "another")
        let strangers = [
            try keys(same, one.share, renamed, Self.aad), try keys(same, one.share, Self.names, []),
        ]
        for stranger in strangers { #expect(!accept(right, stranger.confirmation)) }
        let confirmed = accept(right, try keys(same, one.share).confirmation)
        #expect(confirmed && !accept(right, []))
    }

    @Test("A side's own messages sent back to it, and those of an earlier run, confirm nothing")
    func reflection() throws {
        let (one, other) = (try start(.first), try start(.second))
        let reflected = try keys(one, one.share)
        #expect(!accept(reflected, reflected.confirmation))
        let earlier = try keys(other, one.share)
        let again = try start(.first)
        #expect(again.share != one.share)
        let agains = try keys(again, other.share)
        #expect(!accept(agains, earlier.confirmation))
    }

    @Test("Bytes that are no point of the curve are refused: of another size or form, off the curve, infinity")
    func noPoints() throws {
        let (one, other) = (try start(.first), try start(.second))
        let share = other.share
        var (off, hybrid) = (share, share)
        off[64] ^= 1
        hybrid[0] = 6 | share[64] & 1
        let large = [4] + [UInt8](repeating: 0xff, count: 64)
        let zeros = [UInt8](repeating: 0, count: 65)
        let compressed: [UInt8] = [2 | share[64] & 1] + share[1...32]
        let sizes: [[UInt8]] = [[], [0], compressed, Array(share.dropLast()), share + [0]]
        for bad in sizes + [zeros, [4] + Array(zeros.dropFirst()), large, off, hybrid] {
            #expect(throws: CryptoError.malformedKey) { _ = try keys(one, bad) }
        }
    }

    @Test("A share that leaves no secret is refused: w·N itself, which a side without a number of its own would send")
    func noSecret() throws {
        let curve = try CurveP256()
        let (password, pointN) = ([UInt8](repeating: 7, count: 40), bytes(Self.pointN))
        let bare = try curve.product(curve.scalar(password.span), curve.point(pointN.span))
        let share = try curve.bytes(of: bare)
        let one = try start(.first)
        #expect(throws: CryptoError.malformedKey) { _ = try keys(one, share.public) }
    }

    @Test("A password of fewer bytes than a uniform number needs is refused")
    func shortPassword() {
        #expect(throws: CryptoError.invalidParameter) {
            _ = try SPAKE2(.first, password: SecretBytes([UInt8](repeating: 1, count: 39)))
        }
    }

    private static let pointN = "03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49"

    // RFC 9382, appendix B.
    private static let vectors = [
        Vector(
            names: ("server", "client"),
            password: "2ee57912099d31560b3a44b1184b9b4866e904c49d12ac5042c97dca461b1a5f",
            first: "43dd0fd7215bdcb482879fca3220c6a968e66d70b1356cac18bb26c84a78d729",
            second: "dcb60106f276b02606d8ef0a328c02e4b629f84f89786af5befb0bc75b6e66be",
            firstShare: "04a56fa807caaa53a4d28dbb9853b9815c61a411118a6fe516a8798434751470f9"
                + "010153ac33d0d5f2047ffdb1a3e42c9b4e6be662766e1eeb4116988ede5f912c",
            secondShare: "0406557e482bd03097ad0cbaa5df82115460d951e3451962f1eaf4367a420676d0"
                + "9857ccbc522686c83d1852abfa8ed6e4a1155cf8f1543ceca528afb591a1e0b7",
            shared: "0e0672dc86f8e45565d338b0540abe69",
            firstConfirmation: "58ad4aa88e0b60d5061eb6b5dd93e80d9c4f00d127c65b3b35b1b5281fee38f0",
            secondConfirmation: "d3e2e547f1ae04f2dbdbf0fc4b79f8ecff2dff314b5d32fe9fcef2fb26dc459b"),
        Vector(
            names: ("", "client"),
            password: "0548d8729f730589e579b0475a582c1608138ddf7054b73b5381c7e883e2efae",
            first: "403abbe3b1b4b9ba17e3032849759d723939a27a27b9d921c500edde18ed654b",
            second: "903023b6598908936ea7c929bd761af6039577a9c3f9581064187c3049d87065",
            firstShare: "04a897b769e681c62ac1c2357319a3d363f610839c4477720d24cbe32f5fd85f44"
                + "fb92ba966578c1b712be6962498834078262caa5b441ecfa9d4a9485720e918a",
            secondShare: "04e0f816fd1c35e22065d5556215c097e799390d16661c386e0ecc84593974a61b"
                + "881a8c82327687d0501862970c64565560cb5671f696048050ca66ca5f8cc7fc",
            shared: "642f05c473c2cd79909f9a841e2f30a7",
            firstConfirmation: "47d29e6666af1b7dd450d571233085d7a9866e4d49d2645e2df975489521232b",
            secondConfirmation: "3313c5cefc361d27fb16847a91c2a73b766ffa90a4839122a9b70a2f6bd1d6df"),
        Vector(
            names: ("server", ""),
            password: "626e0cdc7b14c9db3e52a0b1b3a768c98e37852d5db30febe0497b14eae8c254",
            first: "07adb3db6bc623d3399726bfdbfd3d15a58ea776ab8a308b00392621291f9633",
            second: "b6a4fc8dbb629d4ba51d6f91ed1532cf87adec98f25dd153a75accafafedec16",
            firstShare: "04f88fb71c99bfffaea370966b7eb99cd4be0ff1a7d335caac4211c4afd855e2e1"
                + "5a873b298503ad8ba1d9cbb9a392d2ba309b48bfd7879aefd0f2cea6009763b0",
            secondShare: "040c269d6be017dccb15182ac6bfcd9e2a14de019dd587eaf4bdfd353f031101e7"
                + "cca177f8eb362a6e83e7d5e729c0732e1b528879c086f39ba0f31a9661bd34db",
            shared: "005184ff460da2ce59062c87733c299c",
            firstConfirmation: "bc9f9bbe99f26d0b2260e6456e05a86196a3307ec6663a18bf6ac825736533b2",
            secondConfirmation: "c2370e1bf813b086dff0d834e74425a06e6390f48f5411900276dcccc5a297ec"),
        Vector(
            names: ("", ""),
            password: "7bf46c454b4c1b25799527d896508afd5fc62ef4ec59db1efb49113063d70cca",
            first: "8cef65df64bb2d0f83540c53632de911b5b24b3eab6cc74a97609fd659e95473",
            second: "d7a66f64074a84652d8d623a92e20c9675c61cb5b4f6a0063e4648a2fdc02d53",
            firstShare: "04a65b367a3f613cf9f0654b1b28a1e3a8a40387956c8ba6063e8658563890f46c"
                + "a1ef6a676598889fc28de2950ab8120b79a5ef1ea4c9f44bc98f585634b46d66",
            secondShare: "04589f13218822710d98d8b2123a079041052d9941b9cf88c6617ddb2fcc049466"
                + "2eea8ba6b64692dc318250030c6af045cb738bc81ba35b043c3dcb46adf6f58d",
            shared: "fc6374762ba5cf11f4b2caa08b2cd1b9",
            firstConfirmation: "dfb4db8d48ae5a675963ea5e6c19d98d4ea028d8e898dad96ea19a80ade95dca",
            secondConfirmation: "d0f0609d1613138d354f7e95f19fb556bf52d751947241e8c7118df5ef0ae175"),
    ]
}
