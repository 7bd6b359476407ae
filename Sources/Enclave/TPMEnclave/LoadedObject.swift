import KeychainModel
import LinuxSystem

/// An object in the TPM for as long as this lives; the TPM has room for very few.
struct LoadedObject: ~Copyable {
    let handle: UInt32
    private let connection: TPMConnection

    /// Takes over a handle.
    init(_ handle: UInt32, of connection: TPMConnection) { (self.handle, self.connection) = (handle, connection) }

    deinit { connection.flush(handle) }
}

/// A key that stays loaded between two uses, because loading takes as long as signing.
struct LoadedKey {
    let object: TPMObject
    /// The authorisation that it was loaded with. The library uses it from now on, so a caller with another one is
    /// refused here.
    let auth: SecretBytes
    let handle: UInt32

    /// How many stay loaded behind a resource manager. A TPM by itself has room for one more than this module needs.
    static let most = 8
}

extension TPMConnection {
    /// Loads an object for one use.
    func loaded(_ object: TPMObject, auth: SecretBytes? = nil) throws(TPMFailure) -> LoadedObject {
        LoadedObject(try makingRoom { () throws(TPMFailure) in try load(object, auth: auth) }, of: self)
    }

    /// The handle of a key, which stays loaded until others are used more.
    func keep(_ object: TPMObject, auth: SecretBytes) throws(TPMFailure) -> UInt32 {
        if let index = loadedKeys.firstIndex(where: { $0.object == object && $0.auth.isEqual(to: auth) }) {
            loadedKeys.append(loadedKeys.remove(at: index))
        } else {
            if loadedKeys.count >= keyLimit { flush(loadedKeys.removeFirst().handle) }
            let handle = try makingRoom { () throws(TPMFailure) in try load(object, auth: auth) }
            loadedKeys.append(LoadedKey(object: object, auth: auth, handle: handle))
        }
        return loadedKeys[loadedKeys.count - 1].handle
    }

    /// Makes a primary object for one use.
    func loaded(_ primary: Primary) throws(TPMFailure) -> LoadedObject {
        LoadedObject(try makingRoom { () throws(TPMFailure) in try create(primary) }, of: self)
    }

    /// Unloads the keys that stay loaded.
    func forgetKeys() {
        while let key = loadedKeys.popLast() { flush(key.handle) }
    }

    /// Unloads the keys that stay loaded if there is no room otherwise.
    private func makingRoom(_ load: () throws(TPMFailure) -> UInt32) throws(TPMFailure) -> UInt32 {
        do { return try load() } catch {
            guard error == .response(ResponseCode.objectMemory), !loadedKeys.isEmpty else { throw error }
            forgetKeys()
            return try load()
        }
    }
}
