import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine

/// A change of settings, slots or passcode has everybody ask for the keys of the open classes again; it closes nothing.
@Suite("Changes of the device's state beside writers and readers")
struct StateChangeTests {
    private let engine: TestEngine
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    @Test("An add, an update and a lookup beside changes of the state are not refused as locked")
    func besideChanges() throws {
        try engine.add("kept", "0")
        let isOver = Lock(false)
        let changer = try Thread(named: "changer") { [engine] in
            while !isOver.withLock({ $0 }) { engine.engine.stateEpoch.advance() }
        }
        defer {
            isOver.withLock { $0 = true }
            changer.join()
        }
        for number in 0..<300 {
            try engine.add("\(number)", "value")
            try engine.update("kept", to: "\(number)")
        }
        let values = try engine.values()
        #expect(values.count == 301)
        #expect(values["kept"] == "299")
    }
}
