//! The few letters that captions need, five pixels by seven.

use super::image::Image;

const WIDTH: usize = 5;
const HEIGHT: usize = 7;

/// Rows from the top; the highest of five bits is the leftmost pixel.
fn glyph(c: char) -> [u8; HEIGHT] {
    match c {
        '0' => [0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110],
        '1' => [0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110],
        '2' => [0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111],
        '3' => [0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110],
        '4' => [0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010],
        '5' => [0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110],
        '6' => [0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110],
        '7' => [0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000],
        '8' => [0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110],
        '9' => [0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100],
        '.' => [0, 0, 0, 0, 0, 0b01100, 0b01100],
        '-' => [0, 0, 0, 0b11111, 0, 0, 0],
        '=' => [0, 0, 0b11111, 0, 0b11111, 0, 0],
        'e' => [0, 0, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110],
        'm' => [0, 0, 0b11010, 0b10101, 0b10101, 0b10101, 0b10101],
        's' => [0, 0, 0b01111, 0b10000, 0b01110, 0b00001, 0b11110],
        't' => [0b01000, 0b01000, 0b11100, 0b01000, 0b01000, 0b01001, 0b00110],
        _ => [0; HEIGHT],
    }
}

/// Writes `text` centred about `x` with its top at `y`, each pixel of the letters `scale` pixels wide.
pub(super) fn write_centred(image: &mut Image, text: &str, x: usize, y: usize, scale: usize, colour: [u8; 3]) {
    let advance = (WIDTH + 1) * scale;
    let left = x.saturating_sub((text.chars().count() * advance).saturating_sub(scale) / 2);
    for (i, c) in text.chars().enumerate() {
        for (row, bits) in glyph(c).into_iter().enumerate() {
            for column in (0..WIDTH).filter(|column| bits >> (WIDTH - 1 - column) & 1 == 1) {
                for block in 0..scale * scale {
                    let (bx, by) = (block % scale, block / scale);
                    image.set(left + i * advance + column * scale + bx, y + row * scale + by, colour);
                }
            }
        }
    }
}

/// Height of a line of text [pixels].
pub(super) const fn line_height(scale: usize) -> usize {
    HEIGHT * scale
}
