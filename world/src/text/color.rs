//! `[pure]` Colours, and the nearest ones that lesser terminals have.

/// A colour of 24 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// One of eight colours, made bright with bold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ansi8 {
    /// Whether bold makes it bright.
    pub bold: bool,
    /// 0 black, 1 red, 2 green, 3 yellow, 4 blue, 5 magenta, 6 cyan, 7 white.
    pub base: u8,
}

/// Channel values of xterm's 6 × 6 × 6 cube.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// xterm's default values of its first sixteen colours.
const SIXTEEN: [Rgb; 16] = [
    Rgb(0, 0, 0),
    Rgb(205, 0, 0),
    Rgb(0, 205, 0),
    Rgb(205, 205, 0),
    Rgb(0, 0, 238),
    Rgb(205, 0, 205),
    Rgb(0, 205, 205),
    Rgb(229, 229, 229),
    Rgb(127, 127, 127),
    Rgb(255, 0, 0),
    Rgb(0, 255, 0),
    Rgb(255, 255, 0),
    Rgb(92, 92, 255),
    Rgb(255, 0, 255),
    Rgb(0, 255, 255),
    Rgb(255, 255, 255),
];

/// A colour with a channel at least this strong is bright.
const BRIGHT_FROM: u8 = 230;

/// The nearest colour of the 256: of the cube's and the grey ramp's candidate the closer one, the
/// cube's when they are equally close.
#[must_use]
pub fn ansi256(color: Rgb) -> u8 {
    let Rgb(red, green, blue) = color;
    let cube = 16 + 36 * cube_step(red) + 6 * cube_step(green) + cube_step(blue);
    let average = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let grey = 232
        + u8::try_from(average.saturating_sub(3) / 10)
            .unwrap_or(23)
            .min(23);
    if distance(color, palette(grey)) < distance(color, palette(cube)) {
        grey
    } else {
        cube
    }
}

fn cube_step(channel: u8) -> u8 {
    match channel {
        0..48 => 0,
        48..115 => 1,
        115.. => (channel - 35) / 40,
    }
}

/// The nearest of sixteen colours for one of the 256. A saturated colour keeps its hue, because the
/// plain nearest colour of most of them is a grey.
#[must_use]
pub fn ansi16(index: u8) -> u8 {
    if index < 16 {
        return index;
    }
    let color = palette(index);
    let Rgb(red, green, blue) = color;
    let strongest = red.max(green).max(blue);
    let weakest = red.min(green).min(blue);
    if u16::from(strongest - weakest) * 5 >= u16::from(strongest) * 2 && strongest > 0 {
        let middle = weakest + (strongest - weakest) / 2;
        let hue =
            u8::from(red > middle) + 2 * u8::from(green > middle) + 4 * u8::from(blue > middle);
        return if strongest >= BRIGHT_FROM {
            hue + 8
        } else {
            hue
        };
    }
    let nearest = (0..16).min_by_key(|candidate| distance(color, palette(*candidate)));
    nearest.unwrap_or(7)
}

/// One of eight colours for one of sixteen.
#[must_use]
pub fn ansi8(index: u8) -> Ansi8 {
    Ansi8 {
        bold: index & 8 != 0,
        base: index & 7,
    }
}

/// The value of one of the 256 colours.
fn palette(index: u8) -> Rgb {
    match index {
        0..16 => SIXTEEN
            .get(usize::from(index))
            .copied()
            .unwrap_or(Rgb(0, 0, 0)),
        16..232 => {
            let at = index - 16;
            let step = |which: u8| CUBE.get(usize::from(which % 6)).copied().unwrap_or(0);
            Rgb(step(at / 36), step(at / 6), step(at))
        }
        232.. => {
            let grey = 8 + 10 * (index - 232);
            Rgb(grey, grey, grey)
        }
    }
}

fn distance(one: Rgb, other: Rgb) -> u32 {
    let square = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    square(one.0, other.0) + square(one.1, other.1) + square(one.2, other.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truecolor_finds_the_nearest_of_256() {
        for (color, expected) in [
            (Rgb(255, 128, 0), 208),
            (Rgb(8, 8, 8), 232),
            (Rgb(95, 135, 175), 67),
            (Rgb(255, 255, 255), 231),
            (Rgb(0, 0, 0), 16),
            (Rgb(4, 4, 4), 16),
        ] {
            assert_eq!(ansi256(color), expected, "for {color:?}");
        }
    }

    #[test]
    fn every_palette_colour_finds_its_own_value() {
        for index in 16..=255 {
            assert_eq!(
                palette(ansi256(palette(index))),
                palette(index),
                "for {index}"
            );
        }
    }

    #[test]
    fn saturated_colours_keep_their_hue_in_sixteen() {
        for (index, expected) in [
            (208, 11),
            (196, 9),
            (88, 1),
            (46, 10),
            (21, 12),
            (67, 4),
            (231, 15),
            (16, 0),
            (232, 0),
            (244, 8),
            (252, 7),
            (5, 5),
        ] {
            assert_eq!(ansi16(index), expected, "for {index}");
        }
    }

    #[test]
    fn eight_colours_use_bold_for_the_bright_half() {
        assert_eq!(
            ansi8(11),
            Ansi8 {
                bold: true,
                base: 3
            }
        );
        assert_eq!(
            ansi8(4),
            Ansi8 {
                bold: false,
                base: 4
            }
        );
    }
}
