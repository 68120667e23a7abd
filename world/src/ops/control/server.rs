//! `[edge]` The node's side of the control socket: one future that serves all its connections.
//!
//! All connections are polled inside the one future, so that they live and die with the process
//! that runs it, and nothing is spawned.

use std::io;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::time::timeout;

use super::request::{ControlAnswer, ControlRequest};
use crate::ops::accept::accept;
use crate::ops::limits::{
    CONTROL_CONNECTIONS_MAX, CONTROL_IDLE, CONTROL_LINE_BYTES_MAX, CONTROL_WRITE,
};

/// Carries out a request. The port between the socket and the rest of the node.
pub type ControlHandler =
    Arc<dyn Fn(ControlRequest) -> BoxFuture<'static, ControlAnswer> + Send + Sync>;

/// Serves the control socket until `stopping` turns true (or its sender is gone). Then nothing
/// new is accepted, idle connections are closed, and requests at work are answered.
///
/// **Cancel safety**: dropping the future closes all connections, answered or not.
pub async fn serve(
    listener: &UnixListener,
    handler: &ControlHandler,
    stopping: watch::Receiver<bool>,
) {
    let mut connections = FuturesUnordered::new();
    let mut stopped = stopping.clone();
    loop {
        tokio::select! {
            // A sender that is gone cannot say "go on" either.
            _ = stopped.wait_for(|stop| *stop) => break,
            stream = accept(|| listener.accept(), "control") => {
                let served = connections.len() < CONTROL_CONNECTIONS_MAX;
                let (handler, stopping) = (Arc::clone(handler), stopping.clone());
                connections.push(async move {
                    let result = if served {
                        converse(stream.0, &handler, stopping).await
                    } else {
                        turn_away(stream.0).await
                    };
                    if let Err(error) = result {
                        tracing::debug!(reason = %error, "control connection failed");
                    }
                });
            }
            Some(()) = connections.next() => {}
        }
    }
    while connections.next().await.is_some() {}
}

async fn turn_away(mut stream: UnixStream) -> io::Result<()> {
    answer(
        &mut stream,
        &ControlAnswer::busy("too many control connections; try again"),
    )
    .await
}

/// Answers the requests of one connection, one after the other.
async fn converse(
    stream: UnixStream,
    handler: &ControlHandler,
    mut stopping: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = tokio::select! {
            _ = stopping.wait_for(|stop| *stop) => return Ok(()),
            read = timeout(CONTROL_IDLE, read_line(&mut stream, &mut line)) => read,
        };
        let Ok(read) = read else { return Ok(()) };
        match read? {
            Line::End => return Ok(()),
            Line::TooLong => {
                let reason = format!("the line is longer than {CONTROL_LINE_BYTES_MAX} bytes");
                return answer(&mut stream, &ControlAnswer::refused(reason)).await;
            }
            Line::Whole => {
                let reply = carry_out(handler, &line, &mut stopping).await;
                answer(&mut stream, &reply).await?;
            }
        }
    }
}

async fn carry_out(
    handler: &ControlHandler,
    line: &[u8],
    stopping: &mut watch::Receiver<bool>,
) -> ControlAnswer {
    let request = match serde_json::from_slice::<ControlRequest>(line) {
        Ok(request) => request,
        Err(error) => return ControlAnswer::refused(format!("not a request: {error}")),
    };
    if request.only_looks() {
        tracing::debug!(?request, "control request");
    } else {
        tracing::info!(?request, "control request");
    }
    let (deadline, only_watches) = (request.deadline(), request.only_watches());
    let carried_out = tokio::select! {
        carried_out = timeout(deadline, handler(request)) => carried_out,
        _ = stopping.wait_for(|stop| *stop), if only_watches => {
            return ControlAnswer::busy("the node is stopping");
        }
    };
    match carried_out {
        Ok(reply) => reply,
        Err(_) => ControlAnswer::failed(format!("no answer within {} s", deadline.as_secs())),
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads up to the next line end, which may be missing before the end of the stream.
async fn read_line(stream: &mut BufReader<UnixStream>, line: &mut Vec<u8>) -> io::Result<Line> {
    let bytes_max = u64::try_from(CONTROL_LINE_BYTES_MAX).unwrap_or(u64::MAX);
    stream.take(bytes_max + 1).read_until(b'\n', line).await?;
    Ok(match line.last() {
        None => Line::End,
        Some(b'\n') => Line::Whole,
        Some(_) if line.len() > CONTROL_LINE_BYTES_MAX => Line::TooLong,
        Some(_) => Line::Whole,
    })
}

async fn answer<S>(stream: &mut S, answer: &ControlAnswer) -> io::Result<()>
where
    S: tokio::io::AsyncWrite + Unpin,
{
    let mut line = serde_json::to_vec(answer)?;
    line.push(b'\n');
    match timeout(CONTROL_WRITE, stream.write_all(&line)).await {
        Ok(written) => written,
        Err(elapsed) => Err(io::Error::new(io::ErrorKind::TimedOut, elapsed)),
    }
}
