//! Bytes as text (RFC 4648).

const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Decodes until `most` bytes are there or the text ends; nothing when a sign does not belong. Blanks are skipped, and
/// padding may stand in the middle: files of VTK join several encoded runs.
pub(crate) fn decode(text: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(most.min(text.len() / 4 * 3 + 3));
    let (mut bits, mut count, mut padding) = (0u32, 0, 0);
    for &sign in text.iter().filter(|b| !b.is_ascii_whitespace()) {
        if bytes.len() >= most {
            break;
        }
        if sign == b'=' {
            padding += 1;
        } else if padding > 0 {
            return None;
        }
        bits = bits << 6 | if sign == b'=' { 0 } else { value(sign)? };
        count += 1;
        if count == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..4 - padding.min(2)]);
            (bits, count, padding) = (0, 0, 0);
        }
    }
    // Some writers leave the padding out.
    if bytes.len() < most && count > 1 && padding == 0 {
        bits <<= 6 * (4 - count);
        bytes.extend_from_slice(&bits.to_be_bytes()[1..count]);
    }
    bytes.truncate(most);
    Some(bytes)
}

fn value(sign: u8) -> Option<u32> {
    Some(u32::from(match sign {
        b'A'..=b'Z' => sign - b'A',
        b'a'..=b'z' => sign - b'a' + 26,
        b'0'..=b'9' => sign - b'0' + 52,
        b'+' | b'-' => 62,
        b'/' | b'_' => 63,
        _ => return None,
    }))
}

/// Encodes with padding.
pub(crate) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let three = [chunk[0], chunk.get(1).copied().unwrap_or(0), chunk.get(2).copied().unwrap_or(0)];
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        for k in 0..4 {
            let sign = char::from(SIGNS[(bits >> (18 - 6 * k) & 63) as usize]);
            text.push(if k <= chunk.len() { sign } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 4648, section 10.
    #[test]
    fn the_examples_of_the_standard() {
        let pairs =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (plain, text) in pairs {
            assert_eq!(encode(plain.as_bytes()), text);
            assert_eq!(decode(text.as_bytes(), 99).unwrap(), plain.as_bytes());
            assert_eq!(decode(text.trim_end_matches('=').as_bytes(), 99).unwrap(), plain.as_bytes());
        }
        assert_eq!(decode(b"Zg==\n Zm8=", 99).unwrap(), b"ffo");
        assert_eq!(decode(b"Zm9vYmFy!", 4).unwrap(), b"foob");
        assert!(decode(b"Zm9!", 9).is_none());
    }
}
