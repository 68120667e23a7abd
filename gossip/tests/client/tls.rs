//! `[edge]` Encryption, right and wrong.

use std::path::PathBuf;
use std::sync::Arc;

use belay_gossip::Credentials;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, date_time_ymd};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};

use crate::hub::{Hub, Peer, credentials, soon};
use crate::scene::{Scene, options};

/// A certificate for a name, signed by itself.
struct Identity {
    acceptor: TlsAcceptor,
    ca: PathBuf,
}

impl Identity {
    fn new(test: &str, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        change(&mut params);
        let certificate = params.self_signed(&key).unwrap();
        let ca = std::env::temp_dir().join(format!("belay-{test}-{}.pem", std::process::id()));
        std::fs::write(&ca, certificate.pem()).unwrap();
        let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let config = ServerConfig::builder_with_provider(Arc::new(default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .unwrap();
        Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            ca,
        }
    }

    fn credentials(&self, hub: &Hub, host: &str) -> Credentials {
        Credentials {
            ca: Some(self.ca.clone()),
            ..credentials(&format!("wss://{host}:{}", hub.port()))
        }
    }
}

impl Drop for Identity {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.ca));
    }
}

#[tokio::test]
async fn a_trusted_certificate_lets_us_in() {
    let hub = Hub::new().await;
    let identity = Identity::new("trusted", |_| {});
    let mut scene = Scene::new(options(), identity.credentials(&hub, "localhost")).await;
    let stream = soon("TLS", identity.acceptor.accept(hub.raw().await))
        .await
        .unwrap();
    assert_eq!(stream.get_ref().1.server_name(), Some("localhost"));
    let mut peer = Box::pin(Peer::on(stream)).await;
    peer.login().await;
    peer.let_in("").await;
    peer.prove().await;
    scene.status("online").await;
    scene.end().await;
}

#[tokio::test]
async fn a_bad_certificate_is_named() {
    let table: [(&str, Identity, &str, bool); 6] = [
        (
            "the hub's certificate is not trusted",
            Identity::new("self", |_| {}),
            "localhost",
            false,
        ),
        (
            "the hub's certificate is for another name",
            Identity::new("other", |_| {}),
            "127.0.0.1",
            true,
        ),
        (
            "the hub's certificate has expired",
            Identity::new("expired", |params| {
                params.not_after = date_time_ymd(2020, 1, 1)
            }),
            "localhost",
            true,
        ),
        (
            "the hub's certificate is not valid yet",
            Identity::new("future", |params| {
                params.not_before = date_time_ymd(2999, 1, 1)
            }),
            "localhost",
            true,
        ),
        (
            "the hub's certificate is for another name",
            Identity::new("cased", |params| {
                params.subject_alt_names.clear();
            }),
            "localhost",
            true,
        ),
        (
            "the hub's certificate is that of an authority (CA:TRUE), not of a hub",
            Identity::new("authority", |params| {
                params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained)
            }),
            "localhost",
            true,
        ),
    ];
    for (reason, identity, host, trusted) in table {
        let hub = Hub::new().await;
        let mut wanted = identity.credentials(&hub, host);
        wanted.ca = wanted.ca.filter(|_| trusted);
        let mut scene = Scene::new(options(), wanted).await;
        // The client says why not, and closes.
        drop(soon("TLS", identity.acceptor.accept(hub.raw().await)).await);
        scene.fails(reason).await;
        scene.client.configure(Some(hub.credentials()));
        scene.recovers(&hub).await;
    }
}

#[tokio::test]
async fn a_bad_file_of_certificates_is_named() {
    let hub = Hub::new().await;
    let file = std::env::temp_dir().join(format!("belay-nonsense-{}.pem", std::process::id()));
    std::fs::write(&file, "no certificates\n").unwrap();
    let name = file.display();
    let table = [
        (
            PathBuf::from("/no/such/file.pem"),
            "/no/such/file.pem: entity not found".to_owned(),
        ),
        (file.clone(), format!("{name}: no PEM certificates")),
    ];
    for (ca, reason) in table {
        let mut wanted = credentials(&format!("wss://localhost:{}", hub.port()));
        wanted.ca = Some(ca);
        let mut scene = Scene::new(options(), wanted).await;
        drop(hub.raw().await);
        scene.fails(&reason).await;
        scene.end().await;
    }
    std::fs::remove_file(&file).unwrap();
}

#[tokio::test]
async fn plain_and_encrypted_are_not_mixed_up() {
    let hub = Hub::new().await;
    let wanted = credentials(&format!("wss://localhost:{}", hub.port()));
    let mut scene = Scene::new(options(), wanted).await;
    // A plain hub finds the request bad.
    let mut stream = hub.raw().await;
    let mut bytes = [0; 4_096];
    soon("a request", stream.read(&mut bytes)).await.unwrap();
    stream
        .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        .await
        .unwrap();
    scene
        .fails("the hub does not speak TLS (or wants ws://)")
        .await;

    // A hub that hangs in TLS.
    scene.client.retry();
    let _held = hub.raw().await;
    scene
        .fails("the hub took the connection but does not answer in TLS")
        .await;

    // An encrypted one is asked without.
    let identity = Identity::new("plain", |_| {});
    scene.client.configure(Some(hub.credentials()));
    drop(soon("TLS", identity.acceptor.accept(hub.raw().await)).await);
    let reason = scene.status("waiting").await;
    let reasons = [
        "the hub answers something else than a WebSocket (or wants wss://)",
        "the connection broke: connection reset",
        "the hub closed the connection at once",
    ];
    assert!(reasons.contains(&reason.as_str()), "{reason}");
    scene.recovers(&hub).await;
}
