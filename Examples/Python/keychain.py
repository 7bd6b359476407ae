"""The keychain through ctypes: a password, and a signature.

    python3 keychain.py

The library is found as any other: in the system's folders, or where LD_LIBRARY_PATH points.
"""

from contextlib import contextmanager
from ctypes import (
    CDLL,
    POINTER,
    byref,
    c_bool,
    c_char_p,
    c_int32,
    c_long,
    c_ubyte,
    c_uint32,
    c_void_p,
    create_string_buffer,
)

UTF8 = 0x08000100
SUCCESS, DUPLICATE, NOT_FOUND = 0, -25299, -25300

# This library loads the one of Core Foundation, so the functions of both are found here.
library = CDLL("libSecurity.so.1")


def function(name, result, *arguments):
    """A C function with its types. Without them ctypes reads every result as an int, which truncates pointers."""
    found = getattr(library, name)
    found.restype, found.argtypes = result, list(arguments)
    return found


CFRelease = function("CFRelease", None, c_void_p)
CFStringCreateWithCString = function("CFStringCreateWithCString", c_void_p, c_void_p, c_char_p, c_uint32)
CFStringGetLength = function("CFStringGetLength", c_long, c_void_p)
CFStringGetCString = function("CFStringGetCString", c_bool, c_void_p, c_char_p, c_long, c_uint32)
CFDataCreate = function("CFDataCreate", c_void_p, c_void_p, c_char_p, c_long)
CFDataGetLength = function("CFDataGetLength", c_long, c_void_p)
CFDataGetBytePtr = function("CFDataGetBytePtr", POINTER(c_ubyte), c_void_p)
CFNumberCreate = function("CFNumberCreate", c_void_p, c_void_p, c_long, c_void_p)
CFDictionaryCreateMutable = function("CFDictionaryCreateMutable", c_void_p, c_void_p, c_long, c_void_p, c_void_p)
CFDictionarySetValue = function("CFDictionarySetValue", None, c_void_p, c_void_p, c_void_p)
CFErrorGetCode = function("CFErrorGetCode", c_long, c_void_p)
CFErrorCopyDescription = function("CFErrorCopyDescription", c_void_p, c_void_p)

SecItemAdd = function("SecItemAdd", c_int32, c_void_p, POINTER(c_void_p))
SecItemCopyMatching = function("SecItemCopyMatching", c_int32, c_void_p, POINTER(c_void_p))
SecItemUpdate = function("SecItemUpdate", c_int32, c_void_p, c_void_p)
SecItemDelete = function("SecItemDelete", c_int32, c_void_p)
SecCopyErrorMessageString = function("SecCopyErrorMessageString", c_void_p, c_int32, c_void_p)
SecKeyCreateRandomKey = function("SecKeyCreateRandomKey", c_void_p, c_void_p, POINTER(c_void_p))
SecKeyCopyPublicKey = function("SecKeyCopyPublicKey", c_void_p, c_void_p)
SecKeyCreateSignature = function("SecKeyCreateSignature", c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p))
SecKeyVerifySignature = function(
    "SecKeyVerifySignature", c_bool, c_void_p, c_void_p, c_void_p, c_void_p, POINTER(c_void_p)
)


def constant(name):
    """A constant such as kSecClass: a variable that holds a reference."""
    return c_void_p.in_dll(library, name).value


@contextmanager
def owned(reference):
    """The result of a function with Create or Copy in its name, released at the end."""
    try:
        yield reference
    finally:
        if reference:
            CFRelease(reference)


def string(text):
    return owned(CFStringCreateWithCString(None, text.encode(), UTF8))


def data(content):
    return owned(CFDataCreate(None, content, len(content)))


def number(value):
    return owned(CFNumberCreate(None, 9, byref(c_int32(value))))


@contextmanager
def dictionary(entries):
    """A dictionary of names of constants and values. A value is a name or a reference, which the dictionary retains."""
    callbacks = [byref(c_ubyte.in_dll(library, f"kCFTypeDictionary{kind}CallBacks")) for kind in ("Key", "Value")]
    with owned(CFDictionaryCreateMutable(None, 0, *callbacks)) as made:
        for key, value in entries.items():
            CFDictionarySetValue(made, constant(key), constant(value) if isinstance(value, str) else value)
        yield made


def text(reference):
    size = CFStringGetLength(reference) * 4 + 1
    buffer = create_string_buffer(size)
    return buffer.value.decode() if CFStringGetCString(reference, buffer, size, UTF8) else ""


def content(reference):
    return bytes(CFDataGetBytePtr(reference)[: CFDataGetLength(reference)])


def message(status):
    with owned(SecCopyErrorMessageString(status, None)) as found:
        return text(found)


def password(account):
    return {"kSecClass": "kSecClassGenericPassword", "kSecAttrService": account, "kSecAttrAccount": account}


def passwords():
    with string("org.example.python") as name, data(b"first secret") as first, data(b"second secret") as second:
        with dictionary(password(name) | {"kSecValueData": first}) as item:
            assert SecItemAdd(item, None) == SUCCESS
            status = SecItemAdd(item, None)
            assert status == DUPLICATE
            print(f"added twice: {message(status)}")
        with dictionary(password(name)) as query, dictionary({"kSecValueData": second}) as changes:
            assert SecItemUpdate(query, changes) == SUCCESS
        with dictionary(password(name) | {"kSecReturnData": "kCFBooleanTrue"}) as query:
            found = c_void_p()
            assert SecItemCopyMatching(query, byref(found)) == SUCCESS
            with owned(found.value) as secret:
                print(f"password: {content(secret).decode()}")
            with dictionary(password(name)) as item:
                assert SecItemDelete(item) == SUCCESS
            assert SecItemCopyMatching(query, byref(found)) == NOT_FOUND and found.value is None


def signatures():
    algorithm, error = constant("kSecKeyAlgorithmECDSASignatureMessageX962SHA256"), c_void_p()
    with number(256) as bits, data(b"what is signed") as signed, data(b"what is not") as other:
        with dictionary({"kSecAttrKeyType": "kSecAttrKeyTypeECSECPrimeRandom", "kSecAttrKeySizeInBits": bits}) as what:
            key = SecKeyCreateRandomKey(what, byref(error))
        with owned(key), owned(SecKeyCopyPublicKey(key)) as public:
            with owned(SecKeyCreateSignature(key, algorithm, signed, byref(error))) as signature:
                assert SecKeyVerifySignature(public, algorithm, signed, signature, byref(error))
                assert not SecKeyVerifySignature(public, algorithm, other, signature, byref(error))
                with owned(error.value), owned(CFErrorCopyDescription(error)) as why:
                    print(f"of other data: {CFErrorGetCode(error)}, {text(why)}")


if __name__ == "__main__":
    passwords()
    signatures()
    print("done")
