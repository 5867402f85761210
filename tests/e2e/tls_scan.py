#!/usr/bin/env python3
"""What sslscan (in Debian) finds of a TLS listener: protocols, ciphers, groups, renegotiation, Heartbleed. Only in
`./dev test --long`."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/e2e"))
os.environ.setdefault("SLUICED", str(ROOT / "build/shipped/bin/sluiced"))
from certificates import Authority  # noqa: E402
from tls_test import TlsSluiced  # noqa: E402

AUTHENTICATED = re.compile(r"TLS_(AES|CHACHA20)_\w+|ECDHE-(ECDSA|RSA)-(AES\d+-GCM|CHACHA20)-\w+")


class Scan(unittest.TestCase):
    def test_nothing_old_or_weak_is_offered(self):
        with tempfile.TemporaryDirectory() as folder:
            authority = Authority(folder)
            certificate = authority.sign("localhost", ("DNS:localhost", "IP:127.0.0.1"))
            with TlsSluiced(authority, [certificate], "limits.address_requests=0") as broker:
                done = subprocess.run(["sslscan", "--xml=-", f"127.0.0.1:{broker.port}"], capture_output=True,
                                      check=True, timeout=300)
        found = ElementTree.fromstring(done.stdout).find("ssltest")
        protocols = {f"{each.get('type')}{each.get('version')}": each.get("enabled") for each in found.iter("protocol")}
        self.assertEqual({name for name, enabled in protocols.items() if enabled == "1"}, {"tls1.2", "tls1.3"})
        self.assertGreaterEqual(len(protocols), 6)
        ciphers = [each.get("cipher") for each in found.iter("cipher")]
        self.assertGreaterEqual(len(ciphers), 6)
        for cipher in ciphers:
            self.assertRegex(cipher, AUTHENTICATED)
        self.assertEqual({each.get("name") for each in found.iter("group")},
                         {"x25519", "secp256r1 (NIST P-256)", "secp384r1 (NIST P-384)"})
        self.assertEqual([each.get("supported") for each in found.iter("renegotiation")], ["0"])
        self.assertEqual({each.get("vulnerable") for each in found.iter("heartbleed")}, {"0"})


if __name__ == "__main__":
    unittest.main()
