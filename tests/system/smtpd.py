# SPDX-License-Identifier: MIT
"""A mail server for tests: RFC 5321 as far as libcurl speaks it, STARTTLS or TLS from the first byte, loopback only."""
import base64
import socketserver
import ssl
import subprocess
import threading


def certificate(folder):
    """A key and a certificate for localhost, signed by itself."""
    key, cert = f"{folder}/smtp.key", f"{folder}/smtp.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert],
                   check=True, capture_output=True)
    return key, cert


class Server:
    """`mails` has (mailfrom, [to], text, encrypted, user and password or None)."""

    def __init__(self, folder, implicit=False, starttls=True, refuse=None, login=False):
        self.mails, self.refuse = [], refuse  # refuse: the reply to RCPT
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        key, self.cert = certificate(folder)
        self.context.load_cert_chain(self.cert, key)
        outer = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self):
                s = self.request
                try:
                    if implicit:
                        s = outer.context.wrap_socket(s, server_side=True)
                    outer.speak(s, implicit, starttls, login)
                except (OSError, ssl.SSLError):
                    pass

        class Threaded(socketserver.ThreadingTCPServer):
            allow_reuse_address = True
            daemon_threads = True

        self.server = Threaded(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def speak(self, s, encrypted, starttls, login):
        say = lambda text: s.sendall(text.encode() + b"\r\n")
        f, who, sender, to = s.makefile("rb"), None, None, []
        say("220 localhost ESMTP")
        while True:
            line = f.readline().decode("utf-8", "replace").strip()
            verb = line.split(" ")[0].upper()
            if verb in ("", "QUIT"):
                if verb:
                    say("221 bye")
                return
            if verb == "EHLO":
                more = ["250-localhost"]
                if starttls and not encrypted:
                    more.append("250-STARTTLS")
                if login and encrypted:
                    more.append("250-AUTH PLAIN")
                say("\r\n".join(more + ["250 8BITMIME"]))
            elif verb == "STARTTLS" and starttls:
                say("220 go on")
                s = self.context.wrap_socket(s, server_side=True)
                f, encrypted = s.makefile("rb"), True
            elif verb == "AUTH":
                words = line.split(" ")
                if len(words) < 3:
                    say("334 ")
                    words.append(f.readline().decode().strip())
                who = base64.b64decode(words[2]).split(b"\0")[1:]
                say("235 welcome")
            elif verb == "MAIL":
                sender, to = line.split("<")[1].split(">")[0], []
                say("250 ok")
            elif verb == "RCPT":
                if self.refuse:
                    say(self.refuse)
                    continue
                to.append(line.split("<")[1].split(">")[0])
                say("250 ok")
            elif verb == "DATA":
                say("354 go on")
                text = b""
                while True:
                    part = f.readline()
                    if part in (b".\r\n", b""):
                        break
                    text += part[1:] if part.startswith(b"..") else part
                self.mails.append((sender, to, text.decode("ascii"), encrypted, who))
                say("250 2.0.0 queued as 42")
            else:
                say("250 ok")

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
