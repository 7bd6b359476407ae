"""A browser's way to the key of its cookies, with the calls that Chromium makes. Prints the key.

usage: browser.py libsecret|bus

Without a key it makes one, after which it can no longer read what the old key has encrypted.
"""

import secrets
import sys

import dbus
import dbus.mainloop.glib
import gi

gi.require_version("Secret", "1")
from gi.repository import GLib, Secret  # noqa: E402

NAME, ROOT, INTERFACE = "org.freedesktop.secrets", "/org/freedesktop/secrets", "org.freedesktop.Secret."
SCHEMA, LABEL = "chrome_libsecret_os_crypt_password_v2", "Chromium Safe Storage"


def schema(name, attribute):
    names = {attribute: Secret.SchemaAttributeType.STRING}
    return Secret.Schema.new(name, Secret.SchemaFlags.DONT_MATCH_NAME, names)


def by_libsecret():
    """A dummy is stored, which unlocks the collection; then the key is looked for."""
    control = schema("_chrome_dummy_schema_for_unlocking", "explanation")
    label = "Chrome Safe Storage Control"
    Secret.password_store_sync(control, {"explanation": "to unlock"}, Secret.COLLECTION_DEFAULT, label, "", None)
    own, attributes = schema(SCHEMA, "application"), {"application": "chromium"}
    service = Secret.Service.get_sync(Secret.ServiceFlags.NONE, None)
    flags = Secret.SearchFlags.UNLOCK | Secret.SearchFlags.LOAD_SECRETS
    for item in service.search_sync(own, attributes, flags, None):
        return item.get_secret().get_text()
    key = secrets.token_urlsafe(18)
    Secret.password_store_sync(own, attributes, Secret.COLLECTION_DEFAULT, LABEL, key, None)
    return key


class Bus:
    """The same without libsecret, as newer releases have it."""

    def __init__(self):
        dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
        self.bus = dbus.SessionBus()
        self.service = self.interface(ROOT, "Service")

    def interface(self, path, name):
        return dbus.Interface(self.bus.get_object(NAME, path, introspect=False), INTERFACE + name)

    def unlock(self, path):
        done, prompt = self.service.Unlock(dbus.Array([path], signature="o"))
        if prompt != "/":
            loop, answers = GLib.MainLoop(), []
            shown = self.interface(prompt, "Prompt")
            shown.connect_to_signal("Completed", lambda *answer: (answers.append(answer), loop.quit()))
            shown.Prompt("")
            loop.run()
            ((_, done),) = answers
        if path not in done:
            sys.exit("the collection stays locked")

    def key(self):
        collection = self.service.ReadAlias("default")
        properties = self.bus.get_object(NAME, collection, introspect=False)
        properties.Get(INTERFACE + "Collection", "Label", dbus_interface="org.freedesktop.DBus.Properties")
        self.unlock(collection)
        _, session = self.service.OpenSession("plain", dbus.String("", variant_level=1))
        shown = self.interface(collection, "Collection")
        attributes = dbus.Dictionary({"application": "chromium"}, signature="ss")
        for path in shown.SearchItems(attributes):
            self.unlock(path)
            found = self.service.GetSecrets(dbus.Array([path], signature="o"), session)
            return bytes(found[path][2]).decode()
        key = secrets.token_urlsafe(18)
        attributes["xdg:schema"] = SCHEMA
        item = {
            INTERFACE + "Item.Label": dbus.String(LABEL, variant_level=1),
            INTERFACE + "Item.Attributes": dbus.Dictionary(attributes, signature="ss", variant_level=1),
        }
        value = (session, dbus.ByteArray(), dbus.ByteArray(key.encode()), "text/plain")
        secret = dbus.Struct(value, signature="oayays")
        shown.CreateItem(dbus.Dictionary(item, signature="sv"), secret, False, signature="a{sv}(oayays)b")
        self.interface(session, "Session").Close()
        return key


print(by_libsecret() if sys.argv[1] == "libsecret" else Bus().key())
