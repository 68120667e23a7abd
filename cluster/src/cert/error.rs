//! `[pure]` What is wrong with certificates, in words that help.

use std::io;
use std::path::PathBuf;

/// Why certificates were not made, or cannot be used; **refused**, the operator can mend it.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// A file cannot be read.
    #[error("{}: cannot be read: {source}", file.display())]
    Read {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file cannot be written.
    #[error("{}: cannot be written: {source}", file.display())]
    Write {
        /// The file.
        file: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// There is an authority already.
    #[error("{}: is there already, and is not overwritten", file.display())]
    Exists {
        /// The file.
        file: PathBuf,
    },
    /// The directory has the certificate of another node.
    #[error("{}: is the certificate of {certificate}, and is not overwritten", file.display())]
    OtherNode {
        /// The file.
        file: PathBuf,
        /// For whom it is.
        certificate: String,
    },
    /// A file is longer than any certificate.
    #[error("{}: is too long for certificates", file.display())]
    TooLong {
        /// The file.
        file: PathBuf,
    },
    /// There is nothing of the kind in it.
    #[error("{}: holds no {what} in PEM form", file.display())]
    NotPem {
        /// The file.
        file: PathBuf,
        /// What it should hold.
        what: &'static str,
    },
    /// Others than its owner may read a key.
    #[error("{}: others may read this key (mode {mode:03o}); make it 600", file.display())]
    Readable {
        /// The file.
        file: PathBuf,
        /// Its rights.
        mode: u32,
    },
    /// A certificate is over.
    #[error("{}: expired on {on}", file.display())]
    Expired {
        /// The file.
        file: PathBuf,
        /// On which day.
        on: String,
    },
    /// A certificate is not valid yet, or a clock is wrong.
    #[error("{}: is valid from {from} only; is the clock right?", file.display())]
    NotYet {
        /// The file.
        file: PathBuf,
        /// From which day on.
        from: String,
    },
    /// No authority that is trusted has signed it.
    #[error("{}: is signed by none of the authorities in {}", file.display(), ca.display())]
    OtherAuthority {
        /// The file.
        file: PathBuf,
        /// Where the authorities are.
        ca: PathBuf,
    },
    /// Key and certificate do not belong together.
    #[error("{}: is not the key of {}", key.display(), file.display())]
    OtherKey {
        /// The certificate.
        file: PathBuf,
        /// The key.
        key: PathBuf,
    },
    /// A certificate, or a key, is of no use.
    #[error("{}: {why}", file.display())]
    Bad {
        /// The file.
        file: PathBuf,
        /// Why.
        why: String,
    },
}
