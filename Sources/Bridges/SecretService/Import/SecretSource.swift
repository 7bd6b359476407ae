import KeychainClient
import Systemd

/// Where an import comes from.
protocol SecretSource {
    /// By it every item and collection that an import from there adds is taken back.
    static var origin: KeyringImport { get }

    /// All collections, with what is known of them before their items are read.
    func collections() throws -> [OtherService.Collection]

    /// Reads the items of a collection; nil for one that is not given.
    func items(of collection: OtherService.Collection, _ body: (OtherService.Item?) throws -> Void) throws
}

extension SecretSource {
    /// Runs a call, and gives its result; nil for an answer that is an error, or none of the protocol's.
    ///
    /// - Throws: ``BusError`` where there is no answer.
    func ifGiven<Given>(_ body: () throws -> Given?) throws -> Given? {
        do { return try body() } catch let error as BusError {
            if error.name.isEmpty { throw error }
            return nil
        } catch is BusFailure { return nil }
    }
}
