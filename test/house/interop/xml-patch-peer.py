"""Applies XML patches (RFC 5261, RFC 7351) with lxml: another parser, real XPath, and a tree instead of text.

stdin: JSON [[before, patch, after], …]; stdout: JSON [true | what differs, …].
"""

import json
import sys
from copy import deepcopy

from lxml import etree


def canonical(root):
    # Exclusive: where a namespace is declared does not matter.
    return etree.tostring(root, method="c14n", exclusive=True).decode()


def put(parent, index, text, nodes):
    """Text, then nodes with their tails, before the child at index."""
    following = parent[index] if index < len(parent) else None
    if text:
        if index == 0:
            parent.text = (parent.text or "") + text
        else:
            parent[index - 1].tail = (parent[index - 1].tail or "") + text
    for node in map(deepcopy, nodes):
        if following is None:
            parent.append(node)
        else:
            parent.insert(parent.index(following), node)


def put_first(parent, text, nodes):
    rest, parent.text = parent.text or "", None
    put(parent, 0, text, nodes)
    if nodes:
        last = parent[len(nodes) - 1]
        last.tail = (last.tail or "") + rest
    else:
        parent.text = (parent.text or "") + rest


def put_behind(node, text, nodes):
    parent, index = node.getparent(), node.getparent().index(node) + 1
    rest, node.tail = node.tail or "", None
    put(parent, index, text, nodes)
    last = parent[index + len(nodes) - 1]
    last.tail = (last.tail or "") + rest


def drop(node, space):
    parent, index, tail = node.getparent(), node.getparent().index(node), node.tail or ""
    if space in ("after", "both"):
        assert tail and not tail.strip()
        tail = ""
    before = (parent.text if index == 0 else parent[index - 1].tail) or ""
    if space in ("before", "both"):
        assert before and not before.strip()
        before = ""
    if index == 0:
        parent.text = before + tail
    else:
        parent[index - 1].tail = before + tail
    node.tail = None
    parent.remove(node)


def set_text(found, value):
    owner = found.getparent()
    if found.is_attribute:
        name = found.attrname
        if value is None:
            del owner.attrib[name]
        else:
            owner.set(name, value)
    elif found.is_tail:
        owner.tail = value
    else:
        owner.text = value


def operate(root, operation):
    action, selector = etree.QName(operation).localname, operation.get("sel")
    prefixes = {prefix: uri for prefix, uri in operation.nsmap.items() if prefix}
    [found] = root.xpath(selector, namespaces=prefixes)
    text, nodes = operation.text or "", list(operation)
    if not isinstance(found, etree._Element):
        set_text(found, None if action == "remove" else text)
    elif action == "remove":
        drop(found, operation.get("ws"))
    elif action == "replace":
        [node] = map(deepcopy, nodes)
        node.tail = found.tail
        found.getparent().replace(found, node)
    elif operation.get("type"):
        prefix, _, local = operation.get("type").removeprefix("@").rpartition(":")
        uri = "http://www.w3.org/XML/1998/namespace" if prefix == "xml" else prefixes.get(prefix)
        found.set(f"{{{uri}}}{local}" if prefix else local, text)
    else:
        position = operation.get("pos")
        if position == "before":
            put(found.getparent(), found.getparent().index(found), text, nodes)
        elif position == "after":
            put_behind(found, text, nodes)
        elif position == "prepend":
            put_first(found, text, nodes)
        else:
            put(found, len(found), text, nodes)


def check(before, patch, after):
    root = etree.fromstring(before.encode())
    for operation in etree.fromstring(patch.encode()):
        # Written and read again: texts that came together are one from here on.
        root = etree.fromstring(etree.tostring(root))
        operate(root, operation)
    made, wanted = canonical(root), canonical(etree.fromstring(after.encode()))
    return True if made == wanted else {"made": made, "wanted": wanted}


json.dump([check(*case) for case in json.load(sys.stdin)], sys.stdout)
