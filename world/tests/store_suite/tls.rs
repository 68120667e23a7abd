//! A server that is spoken to over TLS, by a certificate that this test makes.

use belay_bots::{PostgresError, PostgresServer};
use belay_world::store::StoreOptions;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use super::server::error;
use super::support::{Folder, Running, connect, own_server};

/// An authority's certificate, and with it a server's certificate for 127.0.0.1 and its key.
fn certificates() -> (String, String, String) {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let authority = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let key = KeyPair::generate().unwrap();
    let server = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let server = server.signed_by(&key, &issuer).unwrap();
    (authority, server.pem(), key.serialize_pem())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_with_tls_is_spoken_to_over_it_and_only_if_it_is_the_right_one() {
    let (authority, certificate, key) = certificates();
    let settings = ["fsync=off"];
    let server = match PostgresServer::start_with_tls(&settings, &certificate, &key) {
        Ok(server) => server,
        // The other tests on servers say that they are skipped.
        Err(PostgresError::NotInstalled) => return,
        Err(error) => panic!("{error}"),
    };
    let folder = Folder::new();
    let (right, wrong) = (folder.file("ca.pem"), folder.file("other.pem"));
    std::fs::write(&right, authority).unwrap();
    std::fs::write(&wrong, certificates().0).unwrap();
    let plain = server.create_database("belay").unwrap();
    let right = format!(
        "{plain}?sslmode=verify-full&sslrootcert={}",
        right.display()
    );
    for (url, name) in [
        (&right, "ann"),
        (&format!("{plain}?sslmode=require"), "bob"),
    ] {
        let running = Running::start(super::server::url(url), StoreOptions::default()).await;
        running.account(name).await;
        let mut other = connect(&super::server::url(&plain)).await;
        let encrypted = sqlx::query_scalar::<_, Option<bool>>(
            "SELECT BOOL_AND(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) \
             WHERE application_name = 'belay'",
        );
        let all = encrypted.fetch_one(&mut other).await.unwrap();
        assert_eq!(all, Some(true), "{url}");
        running.stop().await;
    }
    let wrong = format!(
        "{plain}?sslmode=verify-full&sslrootcert={}",
        wrong.display()
    );
    for (url, words) in [
        (&wrong, "is not trusted"),
        (&format!("{plain}?sslmode=verify-full"), "is not trusted"),
        (&right.replace("127.0.0.1", "localhost"), "is not trusted"),
    ] {
        let told = error(url).await.to_string();
        assert!(
            told.contains(words) && told.contains("sslrootcert=FILE"),
            "{told}"
        );
    }
    let missing = format!("{plain}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem");
    let told = error(&missing).await.to_string();
    assert!(told.starts_with("cannot read /nowhere/ca.pem"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_without_tls_is_refused_where_tls_is_asked_for() {
    let Some(server) = own_server() else { return };
    let plain = server.create_database("belay").unwrap();
    for mode in ["require", "verify-full"] {
        let told = error(&format!("{plain}?sslmode={mode}")).await.to_string();
        assert!(
            told.starts_with("no TLS with the database server"),
            "{told}"
        );
        assert!(told.contains("set ssl = on there"), "{told}");
    }
}
