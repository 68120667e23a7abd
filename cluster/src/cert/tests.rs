//! `[edge]` Goal: certificates that are made can be loaded, and what is wrong with files is said
//! with the name of the file. Method: real files in a directory of the test.

use super::*;
use crate::ids::NodeName;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use time::Duration;

struct TempDir(PathBuf);

impl TempDir {
    fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("belay-cert-{}-{number}", std::process::id());
        let dir = std::env::temp_dir().join(name);
        fs::create_dir_all(&dir).unwrap();
        Self(dir)
    }

    fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// An authority, and the directory of n1 with a certificate of it.
    fn made(&self) -> (PathBuf, PathBuf) {
        let (ca, node) = (self.join("ca"), self.join("n1"));
        new_ca(&ca).unwrap();
        new_certificate(&ca, &name("n1"), &node).unwrap();
        (ca, node)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn name(name: &str) -> NodeName {
    NodeName::new(name).unwrap()
}

/// What loading says, without the directory.
fn fault(node: &Path) -> String {
    let text = load(node).unwrap_err().to_string();
    text.replace(&format!("{}/", node.display()), "")
}

#[test]
fn what_is_made_can_be_loaded_and_is_for_the_node_that_it_names() {
    let dir = TempDir::new();
    let (_, node) = dir.made();
    let tls = load(&node).unwrap();
    assert_eq!(tls.is_for(&name("n1")), Ok(()));
    assert_eq!(tls.is_for(&name("n2")), Err("n1".to_owned()));
    assert_eq!(tls.is_for(&name("n")), Err("n1".to_owned()));
}

#[cfg(unix)]
#[test]
fn keys_are_for_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = TempDir::new();
    let (ca, node) = dir.made();
    let mode = |file: &Path| fs::metadata(file).unwrap().permissions().mode() & 0o777;
    let (ca_key, key) = (ca.join(CA_KEY_FILE), node.join(NODE_KEY_FILE));
    assert_eq!((mode(&ca_key), mode(&key)), (0o600, 0o600));
    for open in [0o640, 0o604, 0o644] {
        fs::set_permissions(&key, fs::Permissions::from_mode(open)).unwrap();
        let text = format!("node.key: others may read this key (mode {open:o}); make it 600");
        assert_eq!(fault(&node), text);
    }
    fs::set_permissions(&key, fs::Permissions::from_mode(0o400)).unwrap();
    load(&node).unwrap();
    fs::set_permissions(&ca_key, fs::Permissions::from_mode(0o644)).unwrap();
    let error = new_certificate(&ca, &name("n1"), &node).unwrap_err();
    assert!(
        matches!(error, CertificateError::Readable { .. }),
        "{error}"
    );
}

#[test]
fn an_authority_is_not_overwritten() {
    let dir = TempDir::new();
    let (ca, _) = dir.made();
    for gone in [CA_FILE, CA_KEY_FILE] {
        let error = new_ca(&ca).unwrap_err();
        assert!(matches!(error, CertificateError::Exists { .. }), "{error}");
        let rest = fs::read(ca.join(CA_FILE)).unwrap();
        fs::remove_file(ca.join(gone)).unwrap();
        let error = new_ca(&ca).unwrap_err();
        assert!(matches!(error, CertificateError::Exists { .. }), "{error}");
        fs::write(ca.join(gone), rest).unwrap();
    }
}

#[test]
fn a_certificate_is_renewed_in_place_but_not_that_of_another_node() {
    let dir = TempDir::new();
    let (ca, node) = dir.made();
    let before = fs::read(node.join(NODE_FILE)).unwrap();
    new_certificate(&ca, &name("n1"), &node).unwrap();
    assert_ne!(fs::read(node.join(NODE_FILE)).unwrap(), before);
    load(&node).unwrap();
    let error = new_certificate(&ca, &name("n2"), &node).unwrap_err();
    assert!(
        matches!(&error, CertificateError::OtherNode { certificate, .. } if certificate == "n1"),
        "{error}"
    );
    assert_eq!(load(&node).unwrap().is_for(&name("n1")), Ok(()));
}

#[test]
fn authorities_are_gathered_once_each() {
    let dir = TempDir::new();
    let (ca, node) = dir.made();
    let other = dir.join("other");
    new_ca(&other).unwrap();
    let count = || {
        let text = fs::read_to_string(node.join(CA_FILE)).unwrap();
        text.matches("BEGIN CERTIFICATE").count()
    };
    assert_eq!(count(), 1);
    new_certificate(&ca, &name("n1"), &node).unwrap();
    assert_eq!(count(), 1);
    new_certificate(&other, &name("n1"), &node).unwrap();
    assert_eq!(count(), 2);
    load(&node).unwrap();
    fs::copy(ca.join(CA_FILE), node.join(CA_FILE)).unwrap();
    assert!(fault(&node).starts_with("node.pem: is signed by none of the authorities in "));
}

#[test]
fn a_certificate_is_good_only_within_its_time() {
    let dir = TempDir::new();
    let (ca, node) = dir.made();
    let now = Validity::from_now(Duration::ZERO).until;
    let issued = |from, until| {
        let validity = Validity {
            from: now + from,
            until: now + until,
        };
        issue(&ca, &name("n1"), &node, validity).unwrap();
    };
    issued(Duration::days(-3), Duration::days(-1));
    let yesterday = (now - Duration::days(1)).date();
    assert_eq!(fault(&node), format!("node.pem: expired on {yesterday}"));
    issued(Duration::days(1), Duration::days(3));
    let tomorrow = (now + Duration::days(1)).date();
    let text = format!("node.pem: is valid from {tomorrow} only; is the clock right?");
    assert_eq!(fault(&node), text);
    issued(Duration::days(-3), Duration::days(1));
    load(&node).unwrap();
}

#[test]
fn what_is_wrong_with_a_file_is_said_with_its_name() {
    let dir = TempDir::new();
    let (ca, node) = dir.made();
    let files = [NODE_FILE, NODE_KEY_FILE, CA_FILE];
    let good = files.map(|file| fs::read(node.join(file)).unwrap());
    let other = dir.join("other");
    new_certificate(&ca, &name("n1"), &other).unwrap();
    let other_key = fs::read(other.join(NODE_KEY_FILE)).unwrap();
    let authority = fs::read(ca.join(CA_FILE)).unwrap();
    let long = vec![b'\n'; 300 * 1024];
    let bad: [(&str, &[u8], &str); 9] = [
        (NODE_FILE, b"", "node.pem: holds no certificate in PEM form"),
        (
            NODE_FILE,
            &authority,
            "node.pem: is the certificate of an authority, not of a node",
        ),
        (NODE_FILE, &long, "node.pem: is too long for certificates"),
        (
            NODE_KEY_FILE,
            b"x",
            "node.key: holds no private key in PEM form",
        ),
        (
            NODE_KEY_FILE,
            &good[0],
            "node.key: holds no private key in PEM form",
        ),
        (
            NODE_KEY_FILE,
            &other_key,
            "node.key: is not the key of node.pem",
        ),
        (
            CA_FILE,
            b"-----BEGIN",
            "ca.pem: holds no certificate in PEM form",
        ),
        (CA_FILE, &long, "ca.pem: is too long for certificates"),
        (
            CA_FILE,
            b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "ca.pem: invalid peer certificate: BadEncoding",
        ),
    ];
    for (file, bytes, expected) in bad {
        fs::write(node.join(file), bytes).unwrap();
        assert_eq!(fault(&node), expected);
        for (file, good) in files.iter().zip(&good) {
            fs::write(node.join(file), good).unwrap();
        }
        load(&node).unwrap();
    }
    for file in files {
        fs::rename(node.join(file), node.join("away")).unwrap();
        let text = fault(&node);
        assert!(
            text.starts_with(&format!("{file}: cannot be read: ")),
            "{text}"
        );
        fs::rename(node.join("away"), node.join(file)).unwrap();
    }
}

#[test]
fn a_key_that_is_not_the_authoritys_makes_no_certificate() {
    let dir = TempDir::new();
    let (ca, _) = dir.made();
    let other = dir.join("other");
    new_ca(&other).unwrap();
    fs::copy(other.join(CA_KEY_FILE), ca.join(CA_KEY_FILE)).unwrap();
    let (two, out) = (name("n2"), dir.join("n2"));
    let error = new_certificate(&ca, &two, &out).unwrap_err();
    assert!(
        matches!(error, CertificateError::OtherAuthority { .. }),
        "{error}"
    );
    assert!(!out.exists());
    fs::write(ca.join(CA_KEY_FILE), "no key").unwrap();
    let error = new_certificate(&ca, &two, &out).unwrap_err();
    assert!(matches!(error, CertificateError::NotPem { .. }), "{error}");
    let error = new_certificate(&dir.join("nowhere"), &two, &out).unwrap_err();
    assert!(matches!(error, CertificateError::Read { .. }), "{error}");
    fs::write(&out, "a file, not a directory").unwrap();
    let error = new_certificate(&other, &two, &out).unwrap_err();
    assert!(matches!(error, CertificateError::Write { .. }), "{error}");
}
