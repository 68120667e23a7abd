//! `[pure]` The size of a window, as NAWS tells it.

use super::input::Window;
use super::limits::{COLUMNS, COLUMNS_UNKNOWN, ROWS, ROWS_UNKNOWN};

/// Decodes the body of a NAWS subnegotiation; `None` if it has the wrong length. Zero means
/// unknown, and nonsense is moved to the nearest sensible size.
pub(super) fn decode(body: &[u8]) -> Option<Window> {
    let [width_high, width_low, height_high, height_low] = *body else {
        return None;
    };
    let known = |high, low, unknown| match u16::from_be_bytes([high, low]) {
        0 => unknown,
        size => size,
    };
    let columns = known(width_high, width_low, COLUMNS_UNKNOWN);
    let rows = known(height_high, height_low, ROWS_UNKNOWN);
    Some(Window {
        columns: columns.clamp(*COLUMNS.start(), *COLUMNS.end()),
        rows: rows.clamp(*ROWS.start(), *ROWS.end()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_big_endian_and_kept_sensible() {
        for (body, expected) in [
            (&[0, 80, 0, 24][..], Some((80, 24))),
            (&[0, 255, 0, 24], Some((255, 24))),
            (&[1, 0, 0, 50], Some((256, 50))),
            (&[0, 0, 0, 0], Some((80, 24))),
            (&[0, 1, 0, 1], Some((20, 5))),
            (&[255, 255, 255, 255], Some((500, 300))),
            (&[], None),
            (&[0], None),
            (&[0, 80, 0], None),
            (&[0, 80, 0, 24, 0], None),
        ] {
            let expected = expected.map(|(columns, rows)| Window { columns, rows });
            assert_eq!(decode(body), expected, "for {body:?}");
        }
    }
}
