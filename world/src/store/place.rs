//! `[pure]` Where the database is, as an operator writes it. A password in it never prints.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// What stands before the address of a PostgreSQL server.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// The parameters that may follow the `?` of an address.
const PARAMETERS: [&str; 11] = [
    "application_name",
    "dbname",
    "host",
    "options",
    "password",
    "port",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslrootcert",
    "user",
];

/// What stands in the place of a secret.
const HIDDEN: &str = "***";

/// What the operator says about the database.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum StoreUrl {
    /// A file in the data directory.
    #[default]
    Sqlite,
    /// A PostgreSQL server.
    Postgres(PostgresUrl),
}

impl FromStr for StoreUrl {
    type Err = ParseStoreUrlError;

    fn from_str(text: &str) -> Result<Self, ParseStoreUrlError> {
        match text {
            "sqlite" => Ok(Self::Sqlite),
            _ => text.parse().map(Self::Postgres),
        }
    }
}

/// The address of a database on a PostgreSQL server: `postgres://user:password@host:5432/database`.
/// Shown with `***` in place of the password.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresUrl(String);

impl PostgresUrl {
    pub(super) fn secret(&self) -> &str {
        &self.0
    }

    /// The files that it names, which must be there.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let parameters = self
            .0
            .split_once('?')
            .map_or("", |(_, parameters)| parameters);
        let named = parameters.split('&').filter_map(|it| it.split_once('='));
        let files = named.filter(|(key, _)| ["sslcert", "sslkey", "sslrootcert"].contains(key));
        files.map(|(_, path)| path)
    }
}

impl FromStr for PostgresUrl {
    type Err = ParseStoreUrlError;

    fn from_str(text: &str) -> Result<Self, ParseStoreUrlError> {
        let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
        let rest = rest.ok_or(ParseStoreUrlError::Scheme)?;
        let after_user = rest.rsplit_once('@').map_or(rest, |(_user, after)| after);
        let (place, parameters) = after_user.split_once('?').unwrap_or((after_user, ""));
        for parameter in parameters.split('&').filter(|text| !text.is_empty()) {
            let (key, _value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if !PARAMETERS.contains(&key) {
                return Err(ParseStoreUrlError::Parameter);
            }
        }
        let database = place.split_once('/').map_or("", |(_host, path)| path);
        if database.is_empty() && !parameters.contains("dbname=") {
            return Err(ParseStoreUrlError::Database);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&without_secrets(&self.0))
    }
}

impl fmt::Debug for PostgresUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresUrl({self})")
    }
}

/// The address cannot be one of a database. **Refused**: tell the operator. The text of the address
/// is not repeated, as it may hold a password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseStoreUrlError {
    /// Neither the word for a file nor a server's scheme.
    #[error("is neither sqlite nor postgres://user@host/database")]
    Scheme,
    /// The database has no name.
    #[error("does not name a database; write postgres://user@host/database")]
    Database,
    /// Something after the `?` that is not known.
    #[error("has an unknown parameter after the \"?\"")]
    Parameter,
}

/// The text of an address with `***` for every password in it. Where the text is no address, too
/// much is hidden rather than too little.
pub fn without_secrets(text: &str) -> String {
    let text = match text.split_once("password=") {
        Some((before, after)) => {
            let more = after.find('&').and_then(|end| after.get(end..));
            format!("{before}password={HIDDEN}{}", more.unwrap_or_default())
        }
        None => text.to_owned(),
    };
    let (scheme, rest) = match text.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), text.as_str()),
    };
    let user = rest.rsplit_once('@');
    let password = user.and_then(|(user, place)| Some((user.split_once(':')?.0, place)));
    match password {
        Some((name, place)) => format!("{scheme}{name}:{HIDDEN}@{place}"),
        None => text.clone(),
    }
}

/// Where one store's database is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorePlace {
    /// A SQLite file.
    File(PathBuf),
    /// A PostgreSQL server.
    Server(PostgresUrl),
}

impl From<PathBuf> for StorePlace {
    fn from(path: PathBuf) -> Self {
        Self::File(path)
    }
}

impl From<&Path> for StorePlace {
    fn from(path: &Path) -> Self {
        Self::File(path.to_path_buf())
    }
}

impl From<PostgresUrl> for StorePlace {
    fn from(url: PostgresUrl) -> Self {
        Self::Server(url)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_the_file_or_a_database_on_a_server() {
        let check = |text: &str, expected: Result<(), ParseStoreUrlError>| {
            assert_eq!(text.parse::<StoreUrl>().map(drop), expected, "{text}");
        };
        assert_eq!("sqlite".parse(), Ok(StoreUrl::Sqlite));
        check("postgres://belay@db.example/belay", Ok(()));
        check("postgresql://belay:p@db:5433/belay?sslmode=require", Ok(()));
        check("postgres://[::1]/belay", Ok(()));
        check("postgres://host?dbname=belay", Ok(()));
        check("", Err(ParseStoreUrlError::Scheme));
        check("mysql://host/belay", Err(ParseStoreUrlError::Scheme));
        check("belay.db", Err(ParseStoreUrlError::Scheme));
        check("postgres://host", Err(ParseStoreUrlError::Database));
        check("postgres://u:p@host/", Err(ParseStoreUrlError::Database));
        check(
            "postgres://host/belay?passwd=secret",
            Err(ParseStoreUrlError::Parameter),
        );
    }

    #[test]
    fn no_password_prints_wherever_it_stands() {
        let check = |text: &str, expected: &str| assert_eq!(without_secrets(text), expected);
        check("sqlite", "sqlite");
        check("postgres://host/belay", "postgres://host/belay");
        check("postgres://ann@host/belay", "postgres://ann@host/belay");
        check(
            "postgres://ann:secret@host:5432/belay?sslmode=require",
            "postgres://ann:***@host:5432/belay?sslmode=require",
        );
        check(
            "postgres://ann:se/cr@et@host/b",
            "postgres://ann:***@host/b",
        );
        check(
            "postgres://host/b?user=ann&password=secret&port=1",
            "postgres://host/b?user=ann&password=***&port=1",
        );
        check(
            "postgres://host/b?password=sec@ret",
            "postgres://host/b?password=***",
        );
        check("ann:secret@host/belay", "ann:***@host/belay");
        let url: PostgresUrl = "postgres://ann:secret@host/belay".parse().unwrap();
        let shown = format!("{url} {url:?} {:?}", StorePlace::from(url.clone()));
        assert!(!shown.contains("secret"), "{shown}");
        assert_eq!(url.secret(), "postgres://ann:secret@host/belay");
    }

    #[test]
    fn the_files_that_an_address_names_are_found() {
        let text = "postgres://u@h/b?sslmode=verify-full&sslrootcert=/etc/ca.pem&sslkey=k";
        let url: PostgresUrl = text.parse().unwrap();
        assert_eq!(url.files().collect::<Vec<_>>(), ["/etc/ca.pem", "k"]);
        let url: PostgresUrl = "postgres://u@h/b?sslmode=require".parse().unwrap();
        assert_eq!(url.files().count(), 0);
    }
}
