/// The half of a pair that a key is. The raw value is Apple's: a decimal number written as text (rule keys.type.class).
package enum KeyClass: String, Sendable {
    case `public` = "0"
    case `private` = "1"
    case symmetric = "2"
}
