"""Certificates for tests, made by the openssl command: authorities, and what they sign."""
import itertools
import subprocess
from pathlib import Path

CA_CONFIGURATION = """
[ca]
default_ca = authority
[authority]
new_certs_dir = {folder}
database = {folder}/index.txt
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
copy_extensions = copy
[any]
commonName = supplied
"""
CURVE = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")


def openssl(*arguments, **more):
    done = subprocess.run(["openssl", *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Authority:
    """A certificate authority in a folder of its own."""

    def __init__(self, folder, name="authority"):
        self.folder = Path(folder) / name
        self.folder.mkdir()
        self.certificate, self.key = self.folder / "ca.pem", self.folder / "ca.key"
        self._numbers = itertools.count()
        (self.folder / "index.txt").touch()
        (self.folder / "ca.cnf").write_text(CA_CONFIGURATION.format(folder=self.folder))
        openssl("req", "-x509", *CURVE, "-days", "2", "-subj", f"/O=Harbour/CN={name}", "-keyout", self.key,
                "-out", self.certificate)

    def sign(self, name, names=(), until="20991231235959Z", since="20200101000000Z"):
        """The files of a certificate and its key. `name` is its CN; `names`: such as DNS:a.example."""
        base = self.folder / f"{next(self._numbers)}-{name}"
        certificate, key, request = (base.with_suffix(suffix) for suffix in (".pem", ".key", ".csr"))
        alternatives = ("-addext", "subjectAltName=" + ",".join(names)) if names else ()
        openssl("req", "-new", *CURVE, "-subj", f"/CN={name}", *alternatives, "-keyout", key, "-out", request)
        openssl("ca", "-batch", "-notext", "-config", self.folder / "ca.cnf", "-cert", self.certificate, "-keyfile",
                self.key, "-in", request, "-out", certificate, "-startdate", since, "-enddate", until)
        return certificate, key
