//! `[edge]` `GET /cluster` and `POST /cluster/...`: what the control socket takes from an operator
//! on the machine, from programs elsewhere that show a token.
//!
//! ```text
//! POST /cluster/drain      {"node":"n2"}                     also undrain, forget
//! POST /cluster/move       {"shard":"zone:harbour","node":"n2"}
//! POST /cluster/rebalance
//!   200 {"text":"..."}   4xx, 5xx {"error":"..."}
//! ```

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use hyper::body::Incoming;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::control::{ClusterOrder, ControlAnswer};
use super::limits::{CONTROL_ORDER, HTTP_BODY, HTTP_BODY_BYTES_MAX};
use super::token::Token;

/// Carries out an order. The port between the pages and the cluster.
pub type OrderHandler =
    Arc<dyn Fn(ClusterOrder) -> BoxFuture<'static, ControlAnswer> + Send + Sync>;

/// What the pages of the cluster work with.
#[derive(Clone)]
pub struct Orders {
    /// Carries out orders; `None` on a node that is in no cluster.
    pub handler: Option<OrderHandler>,
    /// The file of the token; without one, no order is taken.
    pub token: Option<PathBuf>,
}

impl std::fmt::Debug for Orders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let alone = self.handler.is_none();
        f.debug_struct("Orders")
            .field("alone", &alone)
            .field("token", &self.token)
            .finish()
    }
}

/// What an answer that is no 200 says.
struct Refusal(StatusCode, String);

fn refusal(status: StatusCode, reason: impl Into<String>) -> Refusal {
    Refusal(status, reason.into())
}

/// Answers a request whose path begins with `/cluster`.
pub(super) async fn respond(request: Request<Incoming>, orders: &Orders) -> Response<Body> {
    let answer = match attempt(request, orders).await {
        Ok(answer) => answer,
        Err(Refusal(status, reason)) => return refuse(status, &reason),
    };
    match answer {
        ControlAnswer::Done { data, .. } if !data.is_null() => page(StatusCode::OK, &data),
        ControlAnswer::Done { text, .. } => page(StatusCode::OK, &json!({ "text": text })),
        ControlAnswer::Refused { reason } => refuse(StatusCode::CONFLICT, &reason),
        ControlAnswer::Busy { reason } => refuse(StatusCode::SERVICE_UNAVAILABLE, &reason),
        ControlAnswer::Failed { reason } => refuse(StatusCode::INTERNAL_SERVER_ERROR, &reason),
    }
}

async fn attempt(request: Request<Incoming>, orders: &Orders) -> Result<ControlAnswer, Refusal> {
    let path = request.uri().path().to_owned();
    let name = path.strip_prefix("/cluster").unwrap_or_default();
    let wanted = match name {
        "" | "/" => Method::GET,
        "/drain" | "/undrain" | "/move" | "/rebalance" | "/forget" | "/retire" => Method::POST,
        _ => {
            let here = "here are GET /cluster and POST /cluster/drain, undrain, move, rebalance, \
                        forget and retire";
            return Err(refusal(StatusCode::NOT_FOUND, here));
        }
    };
    let fits =
        *request.method() == wanted || (wanted == Method::GET && *request.method() == Method::HEAD);
    if !fits {
        let reason = format!("only {wanted}");
        return Err(refusal(StatusCode::METHOD_NOT_ALLOWED, reason));
    }
    let Some(handler) = &orders.handler else {
        return Err(refusal(StatusCode::NOT_FOUND, "this node is in no cluster"));
    };
    let order = if wanted == Method::GET {
        ClusterOrder::Status { lines: false }
    } else {
        let token = orders.token.as_ref();
        admit(token, request.headers().get(header::AUTHORIZATION)).await?;
        let body = read_body(request.into_body()).await?;
        order_of(name, &body).map_err(|fault| refusal(StatusCode::BAD_REQUEST, fault))?
    };
    if wanted == Method::POST {
        tracing::info!(?order, "order over http");
    }
    let carried_out = timeout(CONTROL_ORDER, handler(order)).await;
    carried_out.map_err(|_elapsed| {
        let reason = format!("no answer within {} s", CONTROL_ORDER.as_secs());
        refusal(StatusCode::GATEWAY_TIMEOUT, reason)
    })
}

/// Whether who asks shows the token.
async fn admit(token: Option<&PathBuf>, shown: Option<&HeaderValue>) -> Result<(), Refusal> {
    let Some(path) = token else {
        let reason =
            "this node takes no orders over HTTP; set cluster.token to the file of a token";
        return Err(refusal(StatusCode::FORBIDDEN, reason));
    };
    let token = Token::read(path).await.map_err(|error| {
        let source = std::error::Error::source(&error).map(ToString::to_string);
        tracing::warn!(reason = %error, source, "no order over http is taken");
        let reason = "the token of this node cannot be used; its log says why";
        refusal(StatusCode::FORBIDDEN, reason)
    })?;
    if token.is_shown(shown) {
        return Ok(());
    }
    tracing::warn!(shown = shown.is_some(), "an order over http was refused");
    let reason = match shown {
        Some(_) => "this is not the token",
        None => "an order shows the token of this node: Authorization: Bearer TOKEN",
    };
    Err(refusal(StatusCode::UNAUTHORIZED, reason))
}

async fn read_body(body: Incoming) -> Result<Vec<u8>, Refusal> {
    let mut chunks = Body::new(body).into_data_stream();
    let whole = async {
        let mut bytes = Vec::new();
        while let Some(chunk) = chunks.next().await {
            let broken = |error| refusal(StatusCode::BAD_REQUEST, format!("half a body: {error}"));
            bytes.extend_from_slice(&chunk.map_err(broken)?);
            if bytes.len() > HTTP_BODY_BYTES_MAX {
                let reason = format!("the body is longer than {HTTP_BODY_BYTES_MAX} bytes");
                return Err(refusal(StatusCode::PAYLOAD_TOO_LARGE, reason));
            }
        }
        Ok(bytes)
    };
    timeout(HTTP_BODY, whole).await.unwrap_or_else(|_elapsed| {
        let reason = format!("the body did not come within {} s", HTTP_BODY.as_secs());
        Err(refusal(StatusCode::REQUEST_TIMEOUT, reason))
    })
}

/// The body of most orders.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NodeBody {
    node: String,
}

/// The body of a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MoveBody {
    shard: String,
    node: String,
}

/// The body of an order about a shard.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ShardBody {
    shard: String,
}

/// The body of an order that needs nothing more.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoBody {}

fn order_of(name: &str, body: &[u8]) -> Result<ClusterOrder, String> {
    let node = |body| parse(body, "{\"node\":\"n2\"}").map(|NodeBody { node }| node);
    match name {
        "/drain" => Ok(ClusterOrder::Drain { node: node(body)? }),
        "/undrain" => Ok(ClusterOrder::Undrain { node: node(body)? }),
        "/forget" => Ok(ClusterOrder::Forget { node: node(body)? }),
        "/move" => {
            let example = "{\"shard\":\"zone:harbour\",\"node\":\"n2\"}";
            let MoveBody { shard, node } = parse(body, example)?;
            Ok(ClusterOrder::Move { shard, node })
        }
        "/retire" => {
            let ShardBody { shard } = parse(body, "{\"shard\":\"zone:harbour\"}")?;
            Ok(ClusterOrder::Retire { shard })
        }
        _ => {
            if !body.trim_ascii().is_empty() {
                let NoBody {} = parse(body, "{}, or no body")?;
            }
            Ok(ClusterOrder::Rebalance)
        }
    }
}

fn parse<T: DeserializeOwned>(body: &[u8], example: &str) -> Result<T, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("the body is not an order: {error}; send {example}"))
}

fn refuse(status: StatusCode, reason: &str) -> Response<Body> {
    let mut response = page(status, &json!({ "error": reason }));
    let headers = response.headers_mut();
    match status {
        StatusCode::UNAUTHORIZED => {
            headers.insert(
                header::WWW_AUTHENTICATE,
                HeaderValue::from_static("Bearer realm=\"belay\""),
            );
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        StatusCode::METHOD_NOT_ALLOWED => {
            let allow = match reason {
                "only POST" => "POST",
                _ => "GET, HEAD",
            };
            headers.insert(header::ALLOW, HeaderValue::from_static(allow));
        }
        _ => {}
    }
    response
}

fn page(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(Body::from(format!("{value}\n")));
    *response.status_mut() = status;
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
