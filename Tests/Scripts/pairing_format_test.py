"""Holds the messages of a pairing against docs/formats/sync.md, section 11, by way of pairing_reader.py.

usage: pairing_format_test.py [TEST...]

`Fixtures/pairing.json` has a whole pairing, made by `make()` below; the enclave's tests read it too.
"""

import json
import pathlib
import struct
import unittest

import pairing_reader as pairing
from cryptography.hazmat.primitives.asymmetric import ec, utils

FIXTURE = pathlib.Path(__file__).parents[1] / "Support/Fixtures/pairing.json"

# RFC 9382, appendix B.
VECTORS = (
    {
        "first": "server",
        "second": "client",
        "password": "2ee57912099d31560b3a44b1184b9b4866e904c49d12ac5042c97dca461b1a5f",
        "x": "43dd0fd7215bdcb482879fca3220c6a968e66d70b1356cac18bb26c84a78d729",
        "y": "dcb60106f276b02606d8ef0a328c02e4b629f84f89786af5befb0bc75b6e66be",
        "pA": "04a56fa807caaa53a4d28dbb9853b9815c61a411118a6fe516a8798434751470f9"
        "010153ac33d0d5f2047ffdb1a3e42c9b4e6be662766e1eeb4116988ede5f912c",
        "pB": "0406557e482bd03097ad0cbaa5df82115460d951e3451962f1eaf4367a420676d0"
        "9857ccbc522686c83d1852abfa8ed6e4a1155cf8f1543ceca528afb591a1e0b7",
        "Ke": "0e0672dc86f8e45565d338b0540abe69",
        "Ka": "15bdf72e2b35b5c9e5663168e960a91b",
        "cA": "58ad4aa88e0b60d5061eb6b5dd93e80d9c4f00d127c65b3b35b1b5281fee38f0",
        "cB": "d3e2e547f1ae04f2dbdbf0fc4b79f8ecff2dff314b5d32fe9fcef2fb26dc459b",
    },
    {
        "first": "",
        "second": "client",
        "password": "0548d8729f730589e579b0475a582c1608138ddf7054b73b5381c7e883e2efae",
        "x": "403abbe3b1b4b9ba17e3032849759d723939a27a27b9d921c500edde18ed654b",
        "y": "903023b6598908936ea7c929bd761af6039577a9c3f9581064187c3049d87065",
        "pA": "04a897b769e681c62ac1c2357319a3d363f610839c4477720d24cbe32f5fd85f44"
        "fb92ba966578c1b712be6962498834078262caa5b441ecfa9d4a9485720e918a",
        "pB": "04e0f816fd1c35e22065d5556215c097e799390d16661c386e0ecc84593974a61b"
        "881a8c82327687d0501862970c64565560cb5671f696048050ca66ca5f8cc7fc",
        "Ke": "642f05c473c2cd79909f9a841e2f30a7",
        "Ka": "0bf89b18180af97353ba198789c2b963",
        "cA": "47d29e6666af1b7dd450d571233085d7a9866e4d49d2645e2df975489521232b",
        "cB": "3313c5cefc361d27fb16847a91c2a73b766ffa90a4839122a9b70a2f6bd1d6df",
    },
    {
        "first": "server",
        "second": "",
        "password": "626e0cdc7b14c9db3e52a0b1b3a768c98e37852d5db30febe0497b14eae8c254",
        "x": "07adb3db6bc623d3399726bfdbfd3d15a58ea776ab8a308b00392621291f9633",
        "y": "b6a4fc8dbb629d4ba51d6f91ed1532cf87adec98f25dd153a75accafafedec16",
        "pA": "04f88fb71c99bfffaea370966b7eb99cd4be0ff1a7d335caac4211c4afd855e2e1"
        "5a873b298503ad8ba1d9cbb9a392d2ba309b48bfd7879aefd0f2cea6009763b0",
        "pB": "040c269d6be017dccb15182ac6bfcd9e2a14de019dd587eaf4bdfd353f031101e7"
        "cca177f8eb362a6e83e7d5e729c0732e1b528879c086f39ba0f31a9661bd34db",
        "Ke": "005184ff460da2ce59062c87733c299c",
        "Ka": "3521297d736598fc0a1127600efa1afb",
        "cA": "bc9f9bbe99f26d0b2260e6456e05a86196a3307ec6663a18bf6ac825736533b2",
        "cB": "c2370e1bf813b086dff0d834e74425a06e6390f48f5411900276dcccc5a297ec",
    },
    {
        "first": "",
        "second": "",
        "password": "7bf46c454b4c1b25799527d896508afd5fc62ef4ec59db1efb49113063d70cca",
        "x": "8cef65df64bb2d0f83540c53632de911b5b24b3eab6cc74a97609fd659e95473",
        "y": "d7a66f64074a84652d8d623a92e20c9675c61cb5b4f6a0063e4648a2fdc02d53",
        "pA": "04a65b367a3f613cf9f0654b1b28a1e3a8a40387956c8ba6063e8658563890f46c"
        "a1ef6a676598889fc28de2950ab8120b79a5ef1ea4c9f44bc98f585634b46d66",
        "pB": "04589f13218822710d98d8b2123a079041052d9941b9cf88c6617ddb2fcc049466"
        "2eea8ba6b64692dc318250030c6af045cb738bc81ba35b043c3dcb46adf6f58d",
        "Ke": "fc6374762ba5cf11f4b2caa08b2cd1b9",
        "Ka": "907ae0e26e8d6234318d91583cd74c86",
        "cA": "dfb4db8d48ae5a675963ea5e6c19d98d4ea028d8e898dad96ea19a80ade95dca",
        "cB": "d0f0609d1613138d354f7e95f19fb556bf52d751947241e8c7118df5ef0ae175",
    },
)


def make():
    """A pairing with given secrets, as text in hexadecimal digits."""
    digits, session = "04711742", bytes(range(16))
    x, y = (int.from_bytes(bytes([value]) * 32, "big") for value in (0x11, 0x22))
    password = pairing.password_of(digits, session)
    shares = [pairing.share(True, x, password), pairing.share(False, y, password)]
    keys = pairing.keys_of(digits, session, x, shares[1])
    circle, member = bytes([1]) * 16, bytes([2]) * 16
    position = bytes([3]) * 16 + struct.pack("<Q", 4) + bytes([5]) * 16
    own = "书房".encode()
    welcome = circle + member + struct.pack("<I", len(own)) + own
    welcome += struct.pack("<I", 1) + position + struct.pack("<I", 5) + b"token"
    signing = ec.derive_private_key(7, ec.SECP256R1())
    points = b"".join(pairing.write(pairing.times(value, pairing.GENERATOR)) for value in (7, 8))
    place, name = pairing.head(session, 3), "笔记本".encode()
    text = pairing.signed(session, 3, circle, member, points, name)
    numbers = utils.decode_dss_signature(signing.sign(text, ec.ECDSA(pairing.SHA256())))
    signature = b"".join(number.to_bytes(32, "big") for number in numbers)
    introduction = points + struct.pack("<I", len(name)) + name + signature
    messages = [
        pairing.head(session, 0) + shares[0],
        pairing.head(session, 1) + shares[1] + keys.second,
        pairing.head(session, 2) + keys.first + pairing.seal(keys.shared, pairing.head(session, 2), bytes(12), welcome),
        place + pairing.seal(keys.shared, place, bytes([1]) * 12, introduction),
    ]
    return {"digits": digits, "x": f"{x:064x}", "y": f"{y:064x}", "messages": [one.hex() for one in messages]}


class Published(unittest.TestCase):
    def test_vectors(self):
        for vector in VECTORS:
            password, x, y = (int(vector[key], 16) for key in ("password", "x", "y"))
            first, second = pairing.share(True, x, password), pairing.share(False, y, password)
            names = (vector["first"].encode(), vector["second"].encode())
            keys = pairing.Keys(x, password, names, second)
            found = [first, second, keys.shared, keys.confirming, keys.first, keys.second]
            expected = [vector[key] for key in ("pA", "pB", "Ke", "Ka", "cA", "cB")]
            self.assertEqual([one.hex() for one in found], expected)


class Fixture(unittest.TestCase):
    def setUp(self):
        self.fixture = json.loads(FIXTURE.read_text())
        self.messages = [bytes.fromhex(one) for one in self.fixture["messages"]]
        self.session = self.messages[0][4:20]
        self.keys = pairing.keys_of(
            self.fixture["digits"], self.session, int(self.fixture["x"], 16), self.messages[1][26:91]
        )

    def test_a_pairing_is_read_from_the_page(self):
        for number, message in enumerate(self.messages):
            self.assertEqual(message[:26], pairing.head(self.session, number))
        self.assertEqual(self.messages[1][91:], self.keys.second)
        self.assertEqual(self.messages[2][26:58], self.keys.first)
        welcome = pairing.open_box(self.keys.shared, self.messages[2][:26], self.messages[2][58:])
        circle, member = welcome[:16], welcome[16:32]
        introduction = pairing.open_box(self.keys.shared, self.messages[3][:26], self.messages[3][26:])
        points, name = introduction[:130], introduction[134:-64]
        text = pairing.signed(self.session, 3, circle, member, points, name)
        pairing.has_signed(points[:65], introduction[-64:], text)

    def test_it_is_the_one_that_the_page_makes(self):
        made = make()
        # A signature has a random part, and with it the last message.
        self.assertEqual(made["messages"][:3], self.fixture["messages"][:3])
        self.assertEqual([made[key] for key in "xy"], [self.fixture[key] for key in "xy"])

    def test_other_digits_give_other_keys(self):
        other = pairing.keys_of("04711743", self.session, int(self.fixture["x"], 16), self.messages[1][26:91])
        self.assertNotEqual(other.second, self.keys.second)


if __name__ == "__main__":
    unittest.main()
