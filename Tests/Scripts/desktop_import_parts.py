"""What gnome-keyring had before an import, and the keychain has behind it."""

import dbus
import desktop_parts
from desktop_parts import ROOT, SECRET, Client

# gnome-keyring's own interface: collections are made without a prompt.
INTERNAL = "org.gnome.keyring.InternalUnsupportedGuiltRiddenInterface"


def collection(client, session, label, password=b"pw"):
    """A collection of gnome-keyring's with a password."""
    properties = {SECRET + "Collection.Label": dbus.String(label, variant_level=1)}
    password = dbus.Struct((session, dbus.ByteArray(b""), dbus.ByteArray(password), "text/plain"), signature="oayays")
    internal = dbus.Interface(client.bus.get_object(desktop_parts.NAME, ROOT, introspect=False), INTERNAL)
    return internal.CreateWithMasterPassword(dbus.Dictionary(properties, signature="sv"), password)


def collections(client):
    """The collections that were made."""
    fixed = (f"{ROOT}/collection/login", f"{ROOT}/collection/session")
    return [path for path in client.get(ROOT, "Service", "Collections") if path not in fixed]


def moved(place):
    """The keychain in place of gnome-keyring, which has ended; a client of it."""
    place.end_keyring()
    place.end_bus()
    assert place.run("setup", "-y", "-w", "desktop").returncode == 0
    place.start_bus()
    return Client(place)


def shown(client, path, session):
    properties = client.properties(path).GetAll(SECRET + "Item")
    value = bytes(client.interface(path, "Item").GetSecret(session)[2])
    attributes = {str(name): str(text) for name, text in properties["Attributes"].items()}
    return str(properties["Label"]), attributes, value
