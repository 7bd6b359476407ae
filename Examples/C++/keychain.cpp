// A password and a signature, with references that release themselves.
//
//     c++ -std=c++17 keychain.cpp $(pkg-config --cflags --libs security) -o keychain && ./keychain
#include <Security/Security.h>

#include <initializer_list>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// Owns the result of a function with "Create" or "Copy" in its name.
template <typename Reference>
class Owned {
public:
    explicit Owned(Reference reference = nullptr) : reference(reference) {}
    Owned(Owned &&other) noexcept : reference(std::exchange(other.reference, nullptr)) {}
    Owned(const Owned &) = delete;
    Owned &operator=(const Owned &) = delete;
    ~Owned() {
        if (reference != nullptr) CFRelease(reference);
    }

    operator Reference() const { return reference; }
    // The place in which a function puts its result.
    Reference *place() { return &reference; }

private:
    Reference reference;
};

static std::string text(CFStringRef string) {
    std::vector<char> buffer(static_cast<size_t>(CFStringGetLength(string)) * 4 + 1);
    CFStringGetCString(string, buffer.data(), static_cast<CFIndex>(buffer.size()), kCFStringEncodingUTF8);
    return buffer.data();
}

static Owned<CFDataRef> data(const std::string &bytes) {
    return Owned<CFDataRef>(
        CFDataCreate(nullptr, reinterpret_cast<const UInt8 *>(bytes.data()), static_cast<CFIndex>(bytes.size())));
}

static Owned<CFDictionaryRef> dictionary(std::initializer_list<std::pair<CFTypeRef, CFTypeRef>> entries) {
    std::vector<const void *> keys, values;
    for (const auto &[key, value] : entries) {
        keys.push_back(key);
        values.push_back(value);
    }
    return Owned<CFDictionaryRef>(CFDictionaryCreate(
        nullptr, keys.data(), values.data(), static_cast<CFIndex>(keys.size()), &kCFTypeDictionaryKeyCallBacks,
        &kCFTypeDictionaryValueCallBacks));
}

static void check(OSStatus status) {
    if (status == errSecSuccess) return;
    Owned<CFStringRef> message(SecCopyErrorMessageString(status, nullptr));
    throw std::runtime_error(text(message));
}

static void check(bool succeeded, const Owned<CFErrorRef> &error) {
    if (succeeded) return;
    Owned<CFStringRef> description(CFErrorCopyDescription(error));
    throw std::runtime_error(text(description));
}

static void passwords() {
    auto secret = data("first secret");
    check(SecItemAdd(
        dictionary({{kSecClass, kSecClassGenericPassword}, {kSecAttrService, CFSTR("org.example.cpp")},
                    {kSecAttrAccount, CFSTR("berta")}, {kSecValueData, secret}}),
        nullptr));

    auto berta = dictionary({{kSecClass, kSecClassGenericPassword}, {kSecAttrService, CFSTR("org.example.cpp")}});
    auto changed = data("second secret");
    check(SecItemUpdate(berta, dictionary({{kSecValueData, changed}})));

    Owned<CFTypeRef> found;
    check(SecItemCopyMatching(
        dictionary({{kSecClass, kSecClassGenericPassword}, {kSecAttrService, CFSTR("org.example.cpp")},
                    {kSecReturnData, kCFBooleanTrue}}),
        found.place()));
    auto password = static_cast<CFDataRef>(static_cast<CFTypeRef>(found));
    std::cout << "password: "
              << std::string(reinterpret_cast<const char *>(CFDataGetBytePtr(password)), CFDataGetLength(password))
              << "\n";

    check(SecItemDelete(berta));
    try {
        check(SecItemDelete(berta));
    } catch (const std::runtime_error &error) {
        std::cout << "deleted twice: " << error.what() << "\n";
    }
}

static void signatures() {
    int bits = 2048;
    Owned<CFNumberRef> size(CFNumberCreate(nullptr, kCFNumberIntType, &bits));
    Owned<CFErrorRef> error;
    Owned<SecKeyRef> key(SecKeyCreateRandomKey(
        dictionary({{kSecAttrKeyType, kSecAttrKeyTypeRSA}, {kSecAttrKeySizeInBits, size}}), error.place()));
    check(key != nullptr, error);

    auto message = data("what is signed");
    Owned<CFDataRef> signature(
        SecKeyCreateSignature(key, kSecKeyAlgorithmRSASignatureMessagePSSSHA256, message, error.place()));
    check(signature != nullptr, error);
    Owned<SecKeyRef> publicKey(SecKeyCopyPublicKey(key));
    check(
        SecKeyVerifySignature(
            publicKey, kSecKeyAlgorithmRSASignatureMessagePSSSHA256, message, signature, error.place()),
        error);
    std::cout << "the signature of " << CFDataGetLength(signature) << " bytes holds\n";
}

int main() {
    try {
        passwords();
        signatures();
        return 0;
    } catch (const std::exception &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
