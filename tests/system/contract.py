# SPDX-License-Identifier: MIT
"""The contract of the API: every reply that a test reads is held against schemas/api.

Importing this is enough: from then on each reply of an agent that http.client or urllib reads to its
end is looked up in openapi.json by method, path and status; its media type has to be one of those, and
its JSON has to fit the schema. A reply that breaks the contract raises AssertionError in the test that
read it. Replies of other servers are left alone: ours are known by their Content-Security-Policy.

    contract.py FILE        holds the replies of a file, one JSON object a line: {method, path, status, type, body}
    contract.py get URL     prints what is there, for a test that is a shell script; nothing but words of error if it breaks the contract

Our own checker reads JSON Schema as far as schemas/api uses it, and is stricter: a key that a schema does
not name is wrong. Where python3-jsonschema is installed, one reply of each kind is held by that as well.
"""
import atexit
import gzip
import http.client
import json
import os
import pathlib
import re
import sys
import urllib.parse
import urllib.request

API = pathlib.Path(os.environ.get("srcdir", pathlib.Path(__file__).parents[2])).resolve() / "schemas/api"
POLICY = ("default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
          "font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
held = {}  # how many replies, by what they are

# ---- JSON Schema as far as schemas/api uses it ----

KINDS = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
SAID = {"$schema", "$id", "$defs", "title", "description", "$ref", "type", "enum", "const", "required", "properties", "items", "additionalProperties",
        "propertyNames", "pattern", "minimum", "maximum", "minItems", "maxItems", "anyOf", "default"}
_files = {}


def schema_file(name):
    if name not in _files:
        _files[name] = json.loads((API / name).read_text())
    return _files[name]


def is_kind(value, kind):
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind == "number":
        return number
    if kind == "integer":
        return number and value == int(value)
    return isinstance(value, KINDS[kind])


def check(value, schema, name, at="$", cut=False):
    """What is wrong with a value, as a list of sentences; name: the file that the schema stands in; cut: rows have lost members."""
    if schema is True:
        return []
    assert set(schema) <= SAID, f"{name}: keywords {set(schema) - SAID}"
    wrong = []
    if "$ref" in schema:
        file, _, path = schema["$ref"].partition("#")
        part = schema_file(file or name)
        for key in path.strip("/").split("/") if path.strip("/") else []:
            part = part[key]
        wrong += check(value, part, file or name, at, cut)
    kinds = schema.get("type")
    if kinds and not any(is_kind(value, k) for k in ([kinds] if isinstance(kinds, str) else kinds)):
        return wrong + [f"{at}: {value!r} is no {kinds}"]
    if "enum" in schema and value not in schema["enum"]:
        wrong.append(f"{at}: {value!r} is none of {schema['enum']}")
    if "const" in schema and value != schema["const"]:
        wrong.append(f"{at}: {value!r} is not {schema['const']!r}")
    if "anyOf" in schema and all(check(value, s, name, at, cut) for s in schema["anyOf"]):
        wrong.append(f"{at}: {value!r} fits none of anyOf")
    if isinstance(value, str) and "pattern" in schema and not re.search(schema["pattern"], value):
        wrong.append(f"{at}: {value!r} does not match {schema['pattern']}")
    if is_kind(value, "number"):
        if value < schema.get("minimum", value) or value > schema.get("maximum", value):
            wrong.append(f"{at}: {value} is out of range")
    if isinstance(value, list):
        for i, x in enumerate(value):
            wrong += check(x, schema.get("items", True), name, f"{at}[{i}]", cut)
    if isinstance(value, dict):
        known = schema.get("properties", {})
        wrong += [f"{at}: no {k}" for k in schema.get("required", []) if k not in value and not (cut and "[" in at)]
        for k, x in value.items():
            if k in known:
                wrong += check(x, known[k], name, f"{at}.{k}", cut)
            elif "additionalProperties" in schema:
                wrong += check(x, schema["additionalProperties"], name, f"{at}.{k}", cut)
            elif known:
                wrong.append(f"{at}: {k} is not in the schema")
            wrong += check(k, schema.get("propertyNames", True), name, f"{at} key")
    return wrong


def bundled(schema, name):
    """A schema with its references to other files turned into ones below #/$defs, so that nothing is fetched."""
    if isinstance(schema, list):
        return [bundled(x, name) for x in schema]
    if not isinstance(schema, dict):
        return schema
    out = {k: bundled(v, name) for k, v in schema.items() if k not in ("$schema", "$id")}
    if isinstance(schema.get("$ref"), str):
        file, _, path = schema["$ref"].partition("#")
        out["$ref"] = f"#/$defs/{file or name}{path}"
    return out


_validators = {}


def check_by_library(value, ref):
    """What python3-jsonschema says of a value; nothing where it is not installed."""
    try:
        from jsonschema import Draft202012Validator
    except ImportError:
        return []
    if ref not in _validators:
        whole = {"$ref": "#/$defs/" + ref.replace("#", ""), "$defs": {p.name: bundled(schema_file(p.name), p.name) for p in API.glob("*.schema.json")}}
        Draft202012Validator.check_schema(whole)
        _validators[ref] = Draft202012Validator(whole)
    return [e.message[:300] for e in _validators[ref].iter_errors(value)]


# ---- openapi.json ----

def operation_of(method, path):
    """What openapi.json says of a request, as (template, operation); (None, None): nothing."""
    spec = schema_file("openapi.json")
    by_length = sorted(spec["paths"], key=lambda t: t.count("{"))
    for template in by_length:
        if re.fullmatch(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template)), path):
            return template, spec["paths"][template].get(method.lower())
    return None, None


def response_of(operation, status):
    spec = schema_file("openapi.json")
    found = operation["responses"].get(str(status))
    if not found and status in spec["components"]["responses"]["refused"]["x-statuses"]:
        found = operation["responses"].get("default")
    if found and "$ref" in found:
        found = spec["components"]["responses"][found["$ref"].rpartition("/")[2]]
    return found


def content_of(method, path, status):
    """The media types that a reply may have, each with its schema; {} for one without a body."""
    template, operation = operation_of(method, path)
    problem = schema_file("openapi.json")["components"]["responses"]["problem"]["content"]
    if operation:
        response = response_of(operation, status)
        assert response, f"{method} {path}: openapi.json has no {status} for {template}"
        return response.get("content", {})
    if status >= 400:  # not a path, or not a method of it
        assert template is None or status != 404, f"{method} {path}: openapi.json has it, and it is 404"
        return {**problem, "text/html": {}} if status == 401 else problem  # a page, for a person
    assert template is None, f"{method} {path}: {status}, and openapi.json has no such method"
    if path.startswith("/api/"):
        assert path.endswith(".json") and (API / path.rpartition("/")[2]).exists(), f"{path}: {status}, and openapi.json has no such path"
        return {"application/json": {}}
    return {} if status == 304 else dict.fromkeys(["text/html", "text/css", "text/javascript", "image/svg+xml"], {})


def hold(method, path, status, media_type, body):
    """Raises AssertionError if a reply is not as the contract says. `path` with its query, as it was asked for."""
    path, _, query = path.partition("?")
    path = urllib.parse.unquote(path, errors="replace")
    what = f"{method} {path}: {status}"
    content = content_of(method, path, status)
    media_type = (media_type or "").partition(";")[0]
    if status == 304:
        assert not body, what + " with a body"
        content = {}
    else:
        assert media_type in content, f"{what} as {media_type!r}, openapi.json has {sorted(content)}"
    schema = content.get(media_type, {}).get("schema", {})
    kind = f"{status} {schema.get('$ref', media_type)}"
    held[kind] = held.get(kind, 0) + 1
    if "json" not in media_type:
        return
    value = json.loads(body)
    wrong = check(value, schema, "openapi.json", cut="fields=" in query)
    if "fields=" not in query and held[kind] == 1 and "$ref" in schema:
        wrong += check_by_library(value, schema["$ref"])
    assert not wrong, f"{what} breaks its schema: {wrong[:3]}"


def summary():
    return f"{sum(held.values())} replies of {len(held)} kinds held against openapi.json and the schemas"


# ---- whatever a test reads ----

_request, _response, _read = http.client.HTTPConnection.putrequest, http.client.HTTPConnection.getresponse, http.client.HTTPResponse.read


def _putrequest(self, method, url, *args, **kw):
    self.contract = method, url
    return _request(self, method, url, *args, **kw)


def _getresponse(self, *args, **kw):
    r = _response(self, *args, **kw)
    r.contract = self.contract
    return r


def _read_whole(self, amt=None):
    body = _read(self, amt)
    asked = getattr(self, "contract", None)
    if asked and amt is None and self.headers["Content-Security-Policy"] == POLICY and asked[0] != "HEAD":
        self.contract = None
        plain = gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body
        hold(*asked, self.status, self.headers["Content-Type"], plain)
    return body


def hold_raw(request, reply):
    """The same for a test that speaks HTTP by itself: the first request of some bytes and the whole reply to it."""
    line = request.split(b"\r\n", 1)[0].decode("latin-1").split(" ")
    header, _, body = reply.partition(b"\r\n\r\n")
    m = re.match(rb"HTTP/1\.[01] (\d{3}) ", header)
    fields = dict((k.strip().lower(), v.strip()) for k, _, v in (x.partition(b":") for x in header.split(b"\r\n")[1:]))
    if m and len(line) == 3 and fields.get(b"content-security-policy") == POLICY.encode() and int(fields.get(b"content-length", -1)) == len(body):
        hold(line[0], line[1], int(m.group(1)), fields.get(b"content-type", b"").decode(), body)


http.client.HTTPConnection.putrequest = _putrequest
http.client.HTTPConnection.getresponse = _getresponse
http.client.HTTPResponse.read = _read_whole


def main(file):
    wrong = 0
    for line in open(file, encoding="utf-8"):
        r = json.loads(line)
        try:
            hold(r["method"], r["path"], r["status"], r["type"], r["body"])
        except AssertionError as e:
            wrong += 1
            print(e)
    print(summary())
    return 1 if wrong or not held else 0


if __name__ == "__main__":
    if sys.argv[1] == "get":
        print(urllib.request.urlopen(sys.argv[2], timeout=20).read().decode(), end="")
        sys.exit()
    sys.exit(main(sys.argv[1]))
atexit.register(lambda: held and print("# " + summary(), flush=True))
