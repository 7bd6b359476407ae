"""A desktop program that watches the collections with libsecret, as seahorse does, and tells what it sees.

Each line that comes is answered with the items that it knows of each collection, and their labels.
"""

import json
import sys

import gi

gi.require_version("Secret", "1")
from gi.repository import GLib, Secret  # noqa: E402


def seen(service):
    return {
        collection.get_object_path().rsplit("/", 1)[1]: sorted(item.get_label() for item in collection.get_items())
        for collection in service.get_collections()
    }


def main():
    service = Secret.Service.get_sync(Secret.ServiceFlags.OPEN_SESSION | Secret.ServiceFlags.LOAD_COLLECTIONS, None)
    for collection in service.get_collections():
        collection.load_items_sync(None)
    loop = GLib.MainLoop()

    def answer(*_):
        try:
            if not sys.stdin.readline():
                return loop.quit()
            print(json.dumps(seen(service)), flush=True)
            return True
        except BaseException:
            # Without this, nobody would read the next line.
            loop.quit()
            raise

    GLib.io_add_watch(sys.stdin, GLib.PRIORITY_LOW, GLib.IO_IN | GLib.IO_HUP, answer)
    print("ready", flush=True)
    loop.run()


main()
