//! `[edge]` Goal: the control socket answers each line once, is bounded in every way, and ends
//! cleanly. Method: a real Unix socket, server and clients in one runtime with a paused clock, so
//! that deadlines pass at once.
#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a test"
)]

#[cfg(test)]
mod operator;

use std::path::Path;
use std::sync::Arc;

use belay_world::ops::control::{
    self, ClientError, ControlAnswer, ControlHandler, ControlRequest, SOCKET_NAME,
};
use belay_world::ops::limits::{CONTROL_CONNECTIONS_MAX, CONTROL_LINE_BYTES_MAX};
use futures_util::FutureExt as _;
use operator::Scratch;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Notify, watch};

/// Answers a status request, fails to answer a tree request, refuses the rest.
fn handler() -> ControlHandler {
    Arc::new(|request| match request {
        ControlRequest::Status => std::future::ready(ControlAnswer::done("up")).boxed(),
        ControlRequest::Tree { .. } => std::future::pending().boxed(),
        other => std::future::ready(ControlAnswer::refused(format!("not {other:?}"))).boxed(),
    })
}

/// Runs `test` beside a server, which is dropped when the test ends.
async fn with_server(test: impl AsyncFnOnce(&Path)) {
    let scratch = Scratch::new();
    let listener = listen(scratch.path());
    // The sender lives as long as the server: its end would stop it.
    let (_stop, stopping) = watch::channel(false);
    let handler = handler();
    tokio::select! {
        () = control::serve(&listener, &handler, stopping) => panic!("the server ended"),
        () = test(scratch.path()) => {}
    }
}

fn listen(data_dir: &Path) -> UnixListener {
    UnixListener::from_std(control::bind(data_dir).expect("binds")).expect("in a runtime")
}

async fn connect(data_dir: &Path) -> BufReader<UnixStream> {
    BufReader::new(
        UnixStream::connect(data_dir.join(SOCKET_NAME))
            .await
            .expect("connects"),
    )
}

async fn answer(stream: &mut BufReader<UnixStream>) -> ControlAnswer {
    let mut line = String::new();
    stream.read_line(&mut line).await.expect("reads");
    serde_json::from_str(&line).expect(&line)
}

async fn ask(stream: &mut BufReader<UnixStream>, line: &str) -> ControlAnswer {
    stream.write_all(line.as_bytes()).await.expect("writes");
    answer(stream).await
}

async fn assert_closed(stream: &mut BufReader<UnixStream>) {
    let mut rest = Vec::new();
    // A reset is a close as well: what was sent too much lay unread.
    drop(stream.read_to_end(&mut rest).await);
    assert!(
        rest.is_empty(),
        "more than expected: {}",
        String::from_utf8_lossy(&rest)
    );
}

fn reason(answer: ControlAnswer) -> String {
    match answer {
        ControlAnswer::Refused { reason } => reason,
        other => panic!("not refused: {other:?}"),
    }
}

const STATUS: &str = "{\"command\":\"status\"}\n";

#[tokio::test(start_paused = true)]
async fn answers_one_line_after_the_other_on_one_connection() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        assert_eq!(ask(&mut stream, STATUS).await, ControlAnswer::done("up"));
        let twice = STATUS.repeat(2);
        assert_eq!(ask(&mut stream, &twice).await, ControlAnswer::done("up"));
        assert_eq!(answer(&mut stream).await, ControlAnswer::done("up"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn garbage_is_refused_and_the_connection_goes_on() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        for line in [
            "\n",
            "look\n",
            "{}\n",
            "{\"command\":\"dance\"}\n",
            "[[[[\n",
            "\u{1}\n",
        ] {
            let told = reason(ask(&mut stream, line).await);
            assert!(told.starts_with("not a request: "), "{line:?}: {told}");
        }
        assert_eq!(ask(&mut stream, STATUS).await, ControlAnswer::done("up"));
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_line_without_an_end_is_taken_at_the_end_of_the_stream() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        stream
            .write_all(STATUS.trim_end().as_bytes())
            .await
            .expect("writes");
        stream.shutdown().await.expect("half closes");
        assert_eq!(answer(&mut stream).await, ControlAnswer::done("up"));
        assert_closed(&mut stream).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn refuses_a_line_over_the_limit_and_takes_one_at_it() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        let padding = " ".repeat(CONTROL_LINE_BYTES_MAX - STATUS.len() + 1);
        let line = format!("{padding}{STATUS}");
        assert_eq!(line.trim_end().len(), CONTROL_LINE_BYTES_MAX);
        assert_eq!(ask(&mut stream, &line).await, ControlAnswer::done("up"));
        let told = reason(ask(&mut stream, &format!(" {line}")).await);
        assert!(told.contains("longer than 65536 bytes"), "{told}");
        assert_closed(&mut stream).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_request_that_is_never_answered_fails_at_its_deadline() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        let mut other = connect(data_dir).await;
        stream
            .write_all(b"{\"command\":\"tree\"}\n")
            .await
            .expect("writes");
        assert_eq!(
            ask(&mut other, STATUS).await,
            ControlAnswer::done("up"),
            "nobody else waits"
        );
        let expected = ControlAnswer::failed("no answer within 10 s");
        assert_eq!(answer(&mut stream).await, expected);
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_closed() {
    with_server(async |data_dir| {
        let mut stream = connect(data_dir).await;
        stream.write_all(b"{\"comm").await.expect("writes");
        assert_closed(&mut stream).await;
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn one_connection_too_many_is_told_busy() {
    with_server(async |data_dir| {
        let mut streams = Vec::new();
        for _ in 0..CONTROL_CONNECTIONS_MAX {
            let mut stream = connect(data_dir).await;
            assert_eq!(ask(&mut stream, STATUS).await, ControlAnswer::done("up"));
            streams.push(stream);
        }
        let mut stream = connect(data_dir).await;
        assert!(matches!(
            answer(&mut stream).await,
            ControlAnswer::Busy { .. }
        ));
        assert_closed(&mut stream).await;
        let last = streams.last_mut().expect("some");
        assert_eq!(
            ask(last, STATUS).await,
            ControlAnswer::done("up"),
            "the others go on"
        );
    })
    .await;
}

#[tokio::test(start_paused = true)]
async fn a_stop_answers_what_is_at_work_and_closes_the_rest() {
    let scratch = Scratch::new();
    let listener = listen(scratch.path());
    let (stop, stopping) = watch::channel(false);
    let (begun, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let handler: ControlHandler = {
        let (begun, release) = (Arc::clone(&begun), Arc::clone(&release));
        Arc::new(move |_| {
            let (begun, release) = (Arc::clone(&begun), Arc::clone(&release));
            async move {
                begun.notify_one();
                release.notified().await;
                ControlAnswer::done("late")
            }
            .boxed()
        })
    };
    let test = async {
        let mut idle = connect(scratch.path()).await;
        let mut busy = connect(scratch.path()).await;
        busy.write_all(STATUS.as_bytes()).await.expect("writes");
        begun.notified().await;
        stop.send_replace(true);
        assert_closed(&mut idle).await;
        release.notify_one();
        assert_eq!(answer(&mut busy).await, ControlAnswer::done("late"));
        assert_closed(&mut busy).await;
    };
    tokio::join!(control::serve(&listener, &handler, stopping), test);
}

#[test]
fn the_client_gets_its_answer_or_learns_that_no_node_runs() {
    let scratch = Scratch::new();
    let missing = control::ask(scratch.path(), &ControlRequest::Status);
    assert!(
        matches!(missing, Err(ClientError::NoNode { .. })),
        "{missing:?}"
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let (stop, stopping) = watch::channel(false);
    let handler = handler();
    let listener = {
        let _entered = runtime.enter();
        listen(scratch.path())
    };
    std::thread::scope(|scope| {
        scope.spawn(|| runtime.block_on(control::serve(&listener, &handler, stopping)));
        let request = ControlRequest::StaffAdd {
            name: "Ann".to_owned(),
        };
        let answers = (
            control::ask(scratch.path(), &ControlRequest::Status).expect("answers"),
            control::ask(scratch.path(), &request).expect("answers"),
        );
        stop.send_replace(true);
        assert_eq!(answers.0, ControlAnswer::done("up"));
        assert_eq!(reason(answers.1), format!("not {request:?}"));
    });
    drop(listener);
    let dead = control::ask(scratch.path(), &ControlRequest::Status);
    assert!(matches!(dead, Err(ClientError::NoNode { .. })), "{dead:?}");
}

#[test]
fn a_node_that_answers_rubbish_or_nothing_is_told_apart() {
    use std::io::{BufRead as _, Write as _};
    let scratch = Scratch::new();
    let listener = std::os::unix::net::UnixListener::bind(scratch.join(SOCKET_NAME)).unwrap();
    let ask_of = |reply: &'static [u8]| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let (stream, _) = listener.accept().expect("accepts");
                let mut stream = std::io::BufReader::new(stream);
                stream.read_line(&mut String::new()).expect("reads");
                stream.get_mut().write_all(reply).expect("writes");
            });
            control::ask(scratch.path(), &ControlRequest::Status).expect_err("no answer")
        })
    };
    assert!(matches!(
        ask_of(b"pardon?\n"),
        ClientError::BadAnswer { .. }
    ));
    assert!(matches!(ask_of(b""), ClientError::NoAnswer { .. }));
}
