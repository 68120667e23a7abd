//! `[edge]` Goal: what an operator asks of a cluster arrives whole, and each answer has the right
//! words and the right status, on the command line and over HTTP; a request that may not order is
//! turned away. Method: the real executable against a control socket, and raw HTTP against the
//! operations listener, with handlers that write down what they are asked.
#![expect(clippy::expect_used, reason = "a test")]

#[cfg(test)]
mod operator;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use belay_world::ops::control::{
    self, ClusterOrder, ControlAnswer, ControlHandler, ControlRequest,
};
use belay_world::ops::http::{self, Health, Pages};
use belay_world::ops::limits::{HTTP_BODY_BYTES_MAX, TOKEN_BYTES_MAX, TOKEN_BYTES_MIN};
use belay_world::ops::metrics::{self, Figures, Sample};
use belay_world::ops::orders::{OrderHandler, Orders};
use futures_util::FutureExt as _;
use operator::{Scratch, run, stderr, stdout};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::watch;

const TOKEN: &str = "correct horse battery staple";

type Asked<T> = Arc<Mutex<Vec<T>>>;

fn take<T>(asked: &Asked<T>) -> Vec<T> {
    std::mem::take(&mut *asked.lock().expect("whole"))
}

/// Runs `test` on a thread, beside a control socket that writes down what is asked.
fn with_node(answer: ControlAnswer, test: impl FnOnce(&str, &Asked<ControlRequest>)) {
    let scratch = Scratch::new();
    let socket = control::bind(scratch.path()).expect("binds");
    let asked = Asked::default();
    let (stop, stopping) = watch::channel(false);
    let heard = asked.clone();
    let handler: ControlHandler = Arc::new(move |request| {
        heard.lock().expect("whole").push(request);
        std::future::ready(answer.clone()).boxed()
    });
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut builder = tokio::runtime::Builder::new_current_thread();
            let runtime = builder.enable_all().build().expect("a runtime");
            runtime.block_on(async move {
                let listener = UnixListener::from_std(socket).expect("in a runtime");
                control::serve(&listener, &handler, stopping).await;
            });
        });
        // Dropped also when the test fails, so that the thread ends.
        let _stop = stop;
        test(scratch.path().to_str().expect("utf-8"), &asked);
    });
}

fn node(name: &str) -> String {
    name.to_owned()
}

#[test]
fn each_command_asks_for_what_it_says() {
    let orders = [
        (&["status"][..], ClusterOrder::Status { lines: false }),
        (&["status", "--lines"], ClusterOrder::Status { lines: true }),
        (&["drain", "n2"], ClusterOrder::Drain { node: node("n2") }),
        (
            &["undrain", "n2"],
            ClusterOrder::Undrain { node: node("n2") },
        ),
        (
            &["move", "zone:harbour", "n2"],
            ClusterOrder::Move {
                shard: node("zone:harbour"),
                node: node("n2"),
            },
        ),
        (&["rebalance"], ClusterOrder::Rebalance),
        (&["forget", "n2"], ClusterOrder::Forget { node: node("n2") }),
    ];
    with_node(ControlAnswer::done("so it is"), |data, asked| {
        for (words, order) in orders {
            let output = run(&[&["cluster"], words, &["--data", data]].concat());
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            assert_eq!(stdout(&output), "so it is\n");
            assert_eq!(take(asked), [ControlRequest::Cluster { order }]);
        }
    });
}

#[test]
fn each_answer_has_its_exit_status() {
    for (answer, code, told) in [
        (
            ControlAnswer::refused("there is no node named n2"),
            65,
            "belay: there is no node named n2\n",
        ),
        (
            ControlAnswer::busy("no answer from the leader; try again"),
            69,
            "belay: no answer from the leader; try again\n",
        ),
        (ControlAnswer::failed("broken"), 70, "belay: broken\n"),
    ] {
        with_node(answer, |data, _| {
            let output = run(&["cluster", "drain", "n2", "--data", data]);
            assert_eq!(output.status.code(), Some(code));
            assert_eq!(stderr(&output), told);
        });
    }
    let scratch = Scratch::new();
    let data = scratch.path().to_str().expect("utf-8");
    let output = run(&["cluster", "status", "--data", data]);
    assert_eq!(output.status.code(), Some(69), "{}", stderr(&output));
    for wrong in [
        &["cluster"][..],
        &["cluster", "move", "a"],
        &["cluster", "drian", "a"],
    ] {
        let output = run(wrong);
        assert_eq!(output.status.code(), Some(64), "{}", stderr(&output));
    }
}

#[test]
fn the_status_comes_as_json_too() {
    let data = json!({"cluster": "skerrow", "nodes": []});
    let answer = ControlAnswer::Done {
        text: "in words".to_owned(),
        data: data.clone(),
    };
    with_node(answer, |directory, _| {
        let output = run(&["cluster", "status", "--json", "--data", directory]);
        let printed = stdout(&output);
        let read: serde_json::Value = serde_json::from_str(&printed).expect("json");
        assert_eq!(read, data);
    });
}

/// A file of a token, with this mode.
fn token_file(scratch: &Scratch, name: &str, (text, mode): (&str, u32)) -> PathBuf {
    let path = scratch.join(name);
    std::fs::write(&path, text).expect("writes");
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(&path, permissions).expect("sets");
    path
}

fn figures() -> Figures {
    static FIGURES: Mutex<Option<Figures>> = Mutex::new(None);
    let mut kept = FIGURES.lock().expect("whole");
    kept.get_or_insert_with(|| metrics::start().expect("first"))
        .clone()
}

/// Runs `test` beside the operations listener of a node in a cluster, or of one that is alone.
async fn with_pages(
    handler: Option<OrderHandler>,
    token: Option<&Path>,
    test: impl AsyncFnOnce(std::net::SocketAddr),
) {
    let pages = Pages {
        figures: figures(),
        sample: Arc::new(Sample::default),
        health: Arc::new(|| Health::Good),
        orders: Orders {
            handler,
            token: token.map(Path::to_owned),
        },
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("binds");
    let address = listener.local_addr().expect("has one");
    let (_stop, stopping) = watch::channel(false);
    tokio::select! {
        () = http::serve(&listener, &pages, stopping) => panic!("the server ended"),
        () = test(address) => {}
    }
}

fn recording(answer: ControlAnswer) -> (Option<OrderHandler>, Asked<ClusterOrder>) {
    let asked = Asked::default();
    let heard = asked.clone();
    let handler: OrderHandler = Arc::new(move |order| {
        heard.lock().expect("whole").push(order);
        std::future::ready(answer.clone()).boxed()
    });
    (Some(handler), asked)
}

/// One request; its status, its head, and its body.
async fn send(address: std::net::SocketAddr, request: &str) -> (u16, String, serde_json::Value) {
    let mut stream = TcpStream::connect(address).await.expect("connects");
    stream.write_all(request.as_bytes()).await.expect("writes");
    let mut answer = Vec::new();
    // A reset is an end as well: what was sent too much lay unread.
    drop(stream.read_to_end(&mut answer).await);
    let answer = String::from_utf8(answer).expect("utf-8");
    let (head, body) = answer.split_once("\r\n\r\n").expect("a head");
    let status = head.split(' ').nth(1).expect("a status");
    let body = serde_json::from_str(body).unwrap_or_default();
    (status.parse().expect("a number"), head.to_owned(), body)
}

fn post(path: &str, authorization: Option<&str>, body: &str) -> String {
    let shown = authorization.map_or(String::new(), |it| format!("Authorization: {it}\r\n"));
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{shown}Content-Length: {length}\
         \r\n\r\n{body}"
    )
}

fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
}

#[tokio::test]
async fn an_order_over_http_shows_the_token_and_nothing_else_will_do() {
    let scratch = Scratch::new();
    let file = token_file(&scratch, "token", (&format!("{TOKEN}\n"), 0o600));
    let (handler, asked) = recording(ControlAnswer::done("done"));
    let body = r#"{"node":"n2"}"#;
    with_pages(handler, Some(&file), async |address| {
        for (shown, status, told) in [
            (None, 401, "an order shows the token"),
            (Some("Bearer wrong"), 401, "this is not the token"),
            (Some("Bearer "), 401, "this is not the token"),
            (Some("Basic Y29ycmVjdA=="), 401, "this is not the token"),
            (Some(TOKEN), 401, "this is not the token"),
        ] {
            let (found, head, answer) = send(address, &post("/cluster/drain", shown, body)).await;
            assert_eq!(found, status, "{shown:?}: {head}");
            assert!(head.contains("www-authenticate: Bearer"), "{head}");
            let error = answer["error"].as_str().expect("an error");
            assert!(error.contains(told), "{error}");
        }
        assert!(take(&asked).is_empty(), "nobody ordered anything");
        let shown = format!("Bearer {TOKEN}");
        let (found, _, answer) = send(address, &post("/cluster/drain", Some(&shown), body)).await;
        assert_eq!((found, answer), (200, json!({"text": "done"})));
        assert_eq!(take(&asked), [ClusterOrder::Drain { node: node("n2") }]);
        std::fs::write(&file, "another token, as long").expect("writes");
        let (found, ..) = send(address, &post("/cluster/drain", Some(&shown), body)).await;
        assert_eq!(found, 401, "a new token holds at once");
    })
    .await;
}

#[tokio::test]
async fn without_a_good_token_file_no_order_is_taken() {
    let scratch = Scratch::new();
    let file = |name, text: &str, mode| Some(token_file(&scratch, name, (text, mode)));
    let off = "takes no orders over HTTP; set cluster.token";
    let log = "its log says why";
    for (token, told) in [
        (None, off),
        (Some(scratch.join("missing")), log),
        (file("group", TOKEN, 0o640), log),
        (file("world", TOKEN, 0o604), log),
        (file("empty", "", 0o600), log),
        (file("short", &"x".repeat(TOKEN_BYTES_MIN - 1), 0o600), log),
        (file("long", &"x".repeat(TOKEN_BYTES_MAX + 1), 0o600), log),
    ] {
        let (handler, asked) = recording(ControlAnswer::done("done"));
        with_pages(handler, token.as_deref(), async |address| {
            let shown = format!("Bearer {TOKEN}");
            let (found, _, answer) =
                send(address, &post("/cluster/rebalance", Some(&shown), "")).await;
            assert_eq!(found, 403, "{token:?}");
            let error = answer["error"].as_str().expect("an error");
            assert!(error.contains(told), "{error}");
            let (found, ..) = send(address, &get("/cluster")).await;
            assert_eq!(found, 200, "looking needs none");
        })
        .await;
        assert_eq!(take(&asked), [ClusterOrder::Status { lines: false }]);
    }
}

#[tokio::test]
async fn bodies_and_paths_are_checked() {
    let scratch = Scratch::new();
    let file = token_file(&scratch, "token", (TOKEN, 0o600));
    let (handler, asked) = recording(ControlAnswer::done("done"));
    let long = format!("{{\"node\":\"{}\"}}", "n".repeat(HTTP_BODY_BYTES_MAX));
    with_pages(handler, Some(&file), async |address| {
        for (path, body, status) in [
            ("/cluster/drain", "", 400),
            ("/cluster/drain", "n2", 400),
            ("/cluster/drain", "{}", 400),
            ("/cluster/drain", r#"{"node":2}"#, 400),
            ("/cluster/drain", r#"{"node":"n2","shard":"a"}"#, 400),
            ("/cluster/drain", &long, 413),
            ("/cluster/move", r#"{"node":"n2"}"#, 400),
            ("/cluster/rebalance", r#"{"node":"n2"}"#, 400),
            ("/cluster", r#"{"node":"n2"}"#, 405),
            ("/cluster/nothing", "{}", 404),
            ("/clusters", "{}", 405),
        ] {
            let shown = format!("Bearer {TOKEN}");
            let (found, head, answer) = send(address, &post(path, Some(&shown), body)).await;
            assert_eq!(
                found,
                status,
                "{path} {}: {head}",
                &body[..body.len().min(40)]
            );
            if path != "/clusters" {
                assert!(answer["error"].is_string(), "{path}: {answer}");
            }
        }
        let (found, head, _) = send(address, &get("/cluster/drain")).await;
        assert_eq!(found, 405);
        assert!(head.contains("allow: POST"), "{head}");
        assert!(take(&asked).is_empty(), "nothing was ordered");
        let shown = format!("Bearer {TOKEN}");
        for (path, body, order) in [
            ("/cluster/rebalance", "{}", ClusterOrder::Rebalance),
            ("/cluster/rebalance", "", ClusterOrder::Rebalance),
            (
                "/cluster/undrain",
                r#"{"node":"n2"}"#,
                ClusterOrder::Undrain { node: node("n2") },
            ),
            (
                "/cluster/forget",
                r#"{"node":"n2"}"#,
                ClusterOrder::Forget { node: node("n2") },
            ),
            (
                "/cluster/move",
                r#"{"shard":"zone:a","node":"n2"}"#,
                ClusterOrder::Move {
                    shard: node("zone:a"),
                    node: node("n2"),
                },
            ),
        ] {
            let (found, ..) = send(address, &post(path, Some(&shown), body)).await;
            assert_eq!(found, 200, "{path}");
            assert_eq!(take(&asked), [order]);
        }
    })
    .await;
}

#[tokio::test]
async fn answers_of_the_cluster_have_their_status() {
    let scratch = Scratch::new();
    let file = token_file(&scratch, "token", (TOKEN, 0o600));
    for (answer, status) in [
        (ControlAnswer::refused("no"), 409),
        (ControlAnswer::busy("no"), 503),
        (ControlAnswer::failed("no"), 500),
    ] {
        let (handler, _) = recording(answer);
        with_pages(handler, Some(&file), async |address| {
            let shown = format!("Bearer {TOKEN}");
            let (found, head, answer) =
                send(address, &post("/cluster/rebalance", Some(&shown), "")).await;
            assert_eq!((found, answer), (status, json!({"error": "no"})));
            assert_eq!(head.contains("retry-after: 1"), status == 503, "{head}");
        })
        .await;
    }
}

#[tokio::test]
async fn the_status_is_json_and_a_node_without_a_cluster_says_so() {
    let data = json!({"cluster": "skerrow"});
    let (handler, _) = recording(ControlAnswer::Done {
        text: "in words".to_owned(),
        data: data.clone(),
    });
    with_pages(handler, None, async |address| {
        let (found, head, answer) = send(address, &get("/cluster")).await;
        assert_eq!((found, answer), (200, data.clone()));
        assert!(head.contains("content-type: application/json"), "{head}");
    })
    .await;
    with_pages(None, None, async |address| {
        for request in [get("/cluster"), post("/cluster/rebalance", None, "")] {
            let (found, _, answer) = send(address, &request).await;
            assert_eq!(found, 404);
            assert_eq!(answer["error"], "this node is in no cluster");
        }
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_does_not_answer_is_given_up() {
    let handler: OrderHandler = Arc::new(|_| std::future::pending().boxed());
    with_pages(Some(handler), None, async |address| {
        let (found, _, answer) = send(address, &get("/cluster")).await;
        assert_eq!(found, 504);
        assert_eq!(answer["error"], "no answer within 15 s");
    })
    .await;
}

#[test]
fn certificates_are_made_and_nothing_is_overwritten() {
    let scratch = Scratch::new();
    let [ca, n1, away] = ["ca", "n1", "away"].map(|name| scratch.join(name));
    let [ca, n1, away] = [&ca, &n1, &away].map(|path| path.to_str().expect("utf-8"));
    let missing = run(&["cluster", "cert", "n1", "--ca", away, "--out", n1]);
    assert_eq!(missing.status.code(), Some(69), "{}", stderr(&missing));
    assert!(stderr(&missing).contains("belay cluster ca new"));
    let made = run(&["cluster", "ca", "new", "--out", ca]);
    assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
    assert!(stdout(&made).contains(&format!("belay cluster cert NODE --ca {ca}\n")));
    let again = run(&["cluster", "ca", "new", "--out", ca]);
    assert_eq!(again.status.code(), Some(73), "{}", stderr(&again));
    let bad = run(&["cluster", "cert", "N1", "--ca", ca, "--out", n1]);
    assert_eq!(bad.status.code(), Some(64), "{}", stderr(&bad));
    for _ in 0..2 {
        let made = run(&["cluster", "cert", "n1", "--ca", ca, "--out", n1]);
        assert_eq!(made.status.code(), Some(0), "{}", stderr(&made));
        assert!(stdout(&made).contains(&format!("cluster.certificates={n1}\n")));
    }
    for file in ["ca.pem", "node.pem", "node.key"] {
        assert!(scratch.join("n1").join(file).exists(), "{file}");
    }
    assert!(!scratch.join("n1/ca.key").exists(), "it belongs on no node");
    let other = run(&["cluster", "cert", "n2", "--ca", ca, "--out", n1]);
    assert_eq!(other.status.code(), Some(73), "{}", stderr(&other));
    assert!(
        stderr(&other).contains("is the certificate of n1"),
        "{}",
        stderr(&other)
    );
}

#[test]
fn a_cluster_is_founded_once_for_a_data_directory() {
    let scratch = Scratch::new();
    let data = scratch.join("data");
    let data = data.to_str().expect("utf-8");
    for (node, name, told) in [
        ("N1", "demo", "\"N1\" is not a name of a node"),
        ("n1", "", "\"\" is not a name of a cluster"),
        (
            "n1",
            "two words",
            "\"two words\" is not a name of a cluster",
        ),
    ] {
        let bad = run(&[
            "cluster", "init", "--data", data, "--node", node, "--name", name,
        ]);
        assert_eq!(bad.status.code(), Some(64), "{}", stderr(&bad));
        assert!(stderr(&bad).contains(told), "{}", stderr(&bad));
    }
    assert!(!scratch.join("data").exists(), "nothing was made");
    let init = [
        "cluster", "init", "--data", data, "--node", "n1", "--name", "demo",
    ];
    let founded = run(&init);
    assert_eq!(founded.status.code(), Some(0), "{}", stderr(&founded));
    let told = format!("{data} is the first node of the cluster demo\n");
    assert!(stdout(&founded).starts_with(&told), "{}", stdout(&founded));
    let again = run(&init);
    assert_eq!(again.status.code(), Some(73), "{}", stderr(&again));
    assert!(
        stderr(&again).contains("cluster \"demo\" already"),
        "{}",
        stderr(&again)
    );
}

#[test]
fn a_node_that_cannot_be_a_member_says_why() {
    let scratch = Scratch::new();
    let data = scratch.join("data");
    let data = data.to_str().expect("utf-8");
    let serve = |more: &[&str]| {
        let ports = [
            "--telnet",
            "127.0.0.1:0",
            "--http",
            "127.0.0.1:0",
            "--ops",
            "127.0.0.1:0",
        ];
        let own = ["serve", "--data", data, "--cluster", "127.0.0.1:0"];
        let output = run(&[&own, &ports[..], more].concat());
        (output.status.code(), stderr(&output))
    };
    // Nobody listens there: the database is not reached before the cluster is.
    let store = ["--set", "store.url=postgres://belay@127.0.0.1:1/belay"];
    let (code, told) = serve(&["--node", "n1"]);
    assert_eq!(code, Some(64), "{told}");
    assert!(
        told.contains("the nodes of a cluster share one database"),
        "{told}"
    );
    let (code, told) = serve(&[&["--node", "n1"], &store[..]].concat());
    assert_eq!(code, Some(64), "{told}");
    assert!(told.contains("belay cluster init"), "{told}");
    assert!(told.contains("--join HOST:PORT"), "{told}");
    let init = run(&["cluster", "init", "--data", data, "--node", "n1"]);
    assert_eq!(init.status.code(), Some(0), "{}", stderr(&init));
    let (code, told) = serve(&[&["--node", "n2"], &store[..]].concat());
    assert_eq!(code, Some(73), "{told}");
    assert!(
        told.contains("belongs to node \"n1\", not \"n2\""),
        "{told}"
    );
    let missing = scratch.join("certificates");
    let set = format!("cluster.certificates={}", missing.display());
    let (code, told) = serve(&[&["--node", "n1", "--set", &set], &store[..]].concat());
    assert_eq!(code, Some(65), "{told}");
    assert!(told.contains("cannot be read"), "{told}");
}
