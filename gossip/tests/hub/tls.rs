//! `[edge]` A hub with a certificate.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tokio_tungstenite::tungstenite::Message;

use crate::stand::{Directory, Hub, add_game, authenticate, request, run, said, soon, until};

/// Writes a new certificate and its key.
fn certify(certificate: &Path, key: &Path) -> CertificateDer<'static> {
    let made = rcgen::generate_simple_self_signed(["hub.example".to_owned()]).unwrap();
    fs::write(certificate, made.cert.pem()).unwrap();
    fs::write(key, made.signing_key.serialize_pem()).unwrap();
    made.cert.der().clone()
}

/// A client that trusts only this certificate.
fn connector(trusted: &CertificateDer<'static>) -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn games_connect_by_wss_and_a_new_certificate_is_read_while_it_runs() {
    let directory = Directory::new();
    let credentials = add_game(directory.path(), "GameA", &[]).await;
    let (certificate, key) = (directory.join("cert.pem"), directory.join("key.pem"));
    let first = certify(&certificate, &key);
    let flags = [
        "--tls-cert",
        certificate.to_str().unwrap(),
        "--tls-key",
        key.to_str().unwrap(),
    ];
    let hub = Hub::start(directory.path(), &flags).await;
    let name = ServerName::try_from("hub.example").unwrap();
    let stream = TcpStream::connect(&hub.address).await.unwrap();
    let stream = soon(connector(&first).connect(name.clone(), stream))
        .await
        .unwrap();
    let opening = tokio_tungstenite::client_async("wss://hub.example/socket", stream);
    let (mut web, _) = Box::pin(soon(opening)).await.unwrap();
    let frame = authenticate(&credentials, &[]).to_string();
    soon(web.send(Message::text(frame))).await.unwrap();
    let answer = soon(web.next())
        .await
        .unwrap()
        .unwrap()
        .into_text()
        .unwrap();
    assert!(answer.contains("success"), "{answer}");
    // Without TLS nothing is answered.
    assert_eq!(
        request(&hub.address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            .await
            .find("HTTP"),
        None
    );
    until(|| hub.figure("tls_failed_total"), |failed| *failed == 1.0).await;
    let second = certify(&certificate, &key);
    hub.signal("HUP");
    let trusts = || async {
        let stream = TcpStream::connect(&hub.address).await.unwrap();
        soon(connector(&second).connect(name.clone(), stream))
            .await
            .is_ok()
    };
    until(trusts, |trusted| *trusted).await;
    // A file that is none changes nothing.
    fs::write(&certificate, "nothing").unwrap();
    hub.signal("HUP");
    assert!(trusts().await);
    soon(web.send(Message::Ping(Vec::new().into())))
        .await
        .unwrap();
}

#[tokio::test]
async fn files_that_are_no_certificate_or_do_not_fit_are_told() {
    let directory = Directory::new();
    let (certificate, key) = (directory.join("cert.pem"), directory.join("key.pem"));
    certify(&certificate, &key);
    certify(
        &directory.join("other.pem"),
        &directory.join("other-key.pem"),
    );
    fs::write(directory.join("empty.pem"), "").unwrap();
    for (certificate, key, says) in [
        ("missing.pem", "key.pem", "holds no certificate"),
        ("empty.pem", "key.pem", "holds no certificate"),
        ("cert.pem", "cert.pem", "holds no key"),
        ("other.pem", "key.pem", "cannot be used together"),
    ] {
        let (certificate, key) = (directory.join(certificate), directory.join(key));
        let arguments = [
            "serve",
            "--listen",
            "127.0.0.1:0",
            "--tls-cert",
            certificate.to_str().unwrap(),
            "--tls-key",
            key.to_str().unwrap(),
        ];
        let (code, _, err) = said(&run(directory.path(), &arguments).await);
        assert_eq!(code, 64, "{err}");
        assert!(err.contains(says), "{err}");
    }
}
