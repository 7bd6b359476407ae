import AppleCompat
import Foundation
import Testing

/// NSMapTable, as Foundation has it on Apple systems.
@Suite("Map tables")
struct MapTableTests {
    private final class Value: NSObject {}

    @Test("What is put in is found under an equal key, replaced and removed")
    func roundTrip() {
        let table = NSMapTable<NSString, Value>.strongToStrongObjects()
        let (first, second) = (Value(), Value())
        table.setObject(first, forKey: "a")
        table.setObject(second, forKey: "b")
        #expect(table.object(forKey: NSString(string: "a")) === first)
        #expect(table.count == 2)
        table.setObject(second, forKey: NSString(string: "a"))
        #expect(table.object(forKey: "a") === second)
        #expect(table.count == 2)
        #expect(table.keyEnumerator().allObjects.count == 2)
        #expect(table.objectEnumerator()?.allObjects.count == 2)
        #expect(table.dictionaryRepresentation()[NSString(string: "b")] === second)
        table.removeObject(forKey: "a")
        #expect(table.object(forKey: "a") == nil)
        table.removeAllObjects()
        #expect(table.count == 0)
        #expect(table.objectEnumerator() == nil)
    }

    @Test("Nil is put in and found nowhere")
    func nothing() {
        let table = NSMapTable<NSString, Value>()
        table.setObject(Value(), forKey: nil)
        table.setObject(nil, forKey: "a")
        table.removeObject(forKey: nil)
        #expect(table.count == 0)
        #expect(table.object(forKey: nil) == nil)
    }

    @Test("A weak value is there while somebody else holds it")
    func weakValues() {
        let table = NSMapTable<NSString, Value>.strongToWeakObjects()
        var value: Value? = Value()
        table.setObject(value, forKey: "a")
        #expect(table.object(forKey: "a") === value)
        value = nil
        #expect(table.object(forKey: "a") == nil)
        #expect(table.count == 0)
        let next = Value()
        table.setObject(next, forKey: "a")
        #expect(table.object(forKey: "a") === next)
    }

    @Test("A weak key takes its value along")
    func weakKeys() {
        let table = NSMapTable<Value, Value>.weakToStrongObjects()
        let staying = Value()
        var leaving: Value? = Value()
        table.setObject(Value(), forKey: staying)
        table.setObject(Value(), forKey: leaving)
        #expect(table.count == 2)
        leaving = nil
        #expect(table.count == 1)
        #expect(table.object(forKey: staying) != nil)
        #expect(NSMapTable<Value, Value>.weakToWeakObjects().count == 0)
    }

    @Test("By identity, equal keys are two keys; copied keys may change afterwards")
    func options() {
        let identity = NSMapTable<NSMutableString, Value>(keyOptions: .objectPointerPersonality)
        let key = NSMutableString(string: "a")
        identity.setObject(Value(), forKey: key)
        #expect(identity.object(forKey: NSMutableString(string: "a")) == nil)
        #expect(identity.object(forKey: key) != nil)
        let copying = NSMapTable<NSString, Value>(keyOptions: [.copyIn], valueOptions: [.strongMemory], capacity: 4)
        copying.setObject(Value(), forKey: key)
        key.append("b")
        #expect(copying.object(forKey: "a") != nil)
    }
}
