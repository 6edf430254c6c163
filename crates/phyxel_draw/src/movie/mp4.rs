//! The MP4 container (ISO/IEC 14496-12 and -15) for one H.264 track: what players need to know comes first, then the
//! pictures.

use std::io::{self, Write};

/// Ticks per second; many rates divide it.
const TICKS: u32 = 90_000;

/// An H.264 track, made of access units without start codes.
#[derive(Clone, Debug, Default)]
pub struct Track {
    /// [pixels]
    pub width: u16,
    /// [pixels]
    pub height: u16,
    /// Pictures per second.
    pub rate: f64,
    /// Sequence parameter set.
    pub sps: Vec<u8>,
    /// Picture parameter set.
    pub pps: Vec<u8>,
    /// All pictures, each unit after its length.
    data: Vec<u8>,
    /// Bytes of each picture, and whether it stands alone.
    samples: Vec<(u32, bool)>,
}

impl Track {
    /// An empty track of so many pictures per second.
    pub fn new(rate: f64) -> Self {
        Track { rate, ..Track::default() }
    }

    /// Adds the units of one picture, as an encoder gives them: each after a start code. Parameter sets are kept apart.
    pub fn push(&mut self, annex_b: &[u8]) {
        let (start, mut key) = (self.data.len(), false);
        for unit in units(annex_b) {
            match unit[0] & 31 {
                7 => self.sps = unit.to_vec(),
                8 => self.pps = unit.to_vec(),
                kind => {
                    key |= kind == 5;
                    self.data.extend((unit.len() as u32).to_be_bytes());
                    self.data.extend(unit);
                }
            }
        }
        if self.data.len() > start {
            self.samples.push(((self.data.len() - start) as u32, key));
        }
    }

    /// Writes the file.
    pub fn write(&self, mut w: impl Write) -> io::Result<()> {
        let head = atom(b"ftyp", &[b"isom", &0x200_u32.to_be_bytes()[..], b"isomiso2avc1mp41"].concat());
        // Offsets depend on the length of what comes first, and that does not depend on them.
        let length = self.movie(0).len();
        w.write_all(&head)?;
        w.write_all(&self.movie((head.len() + length + 8) as u32))?;
        w.write_all(&(self.data.len() as u32 + 8).to_be_bytes())?;
        w.write_all(b"mdat")?;
        w.write_all(&self.data)?;
        w.flush()
    }

    fn tick(&self) -> u32 {
        (f64::from(TICKS) / self.rate.max(1e-3)).round().max(1.0) as u32
    }

    fn duration(&self) -> u32 {
        self.tick().saturating_mul(self.samples.len() as u32)
    }

    fn movie(&self, offset: u32) -> Vec<u8> {
        let header = full(
            b"mvhd",
            0,
            &[
                &words(&[0, 0, TICKS, self.duration(), 0x1_0000]),
                &[1, 0][..],
                &[0; 10],
                &matrix(),
                &[0; 24],
                &words(&[2]),
            ]
            .concat(),
        );
        let track_header = full(
            b"tkhd",
            3,
            &[
                &words(&[0, 0, 1, 0, self.duration(), 0, 0, 0, 0])[..],
                &matrix(),
                &words(&[u32::from(self.width) << 16, u32::from(self.height) << 16]),
            ]
            .concat(),
        );
        let media_header =
            full(b"mdhd", 0, &[&words(&[0, 0, TICKS, self.duration()])[..], &[0x55, 0xc4, 0, 0]].concat());
        let handler = full(b"hdlr", 0, &[&words(&[0])[..], b"vide", &[0; 12], b"pictures\0"].concat());
        let source = full(b"dref", 0, &[&words(&[1])[..], &full(b"url ", 1, &[])].concat());
        let information =
            atom(b"minf", &[full(b"vmhd", 1, &[0; 8]), atom(b"dinf", &source), self.table(offset)].concat());
        let media = atom(b"mdia", &[media_header, handler, information].concat());
        atom(b"moov", &[header, atom(b"trak", &[track_header, media].concat())].concat())
    }

    /// The table of samples.
    fn table(&self, offset: u32) -> Vec<u8> {
        let count = self.samples.len() as u32;
        let sizes: Vec<u32> = self.samples.iter().map(|s| s.0).collect();
        let keys: Vec<u32> = (1..).zip(&self.samples).filter(|(_, s)| s.1).map(|(i, _)| i).collect();
        let listed = |list: &[u32]| [&words(&[list.len() as u32])[..], &words(list)].concat();
        let parts = [
            full(b"stsd", 0, &[words(&[1]), self.description()].concat()),
            full(b"stts", 0, &words(&[1, count, self.tick()])),
            full(b"stss", 0, &listed(&keys)),
            full(b"stsc", 0, &words(&[1, 1, count, 1])),
            full(b"stsz", 0, &[words(&[0]), listed(&sizes)].concat()),
            full(b"stco", 0, &words(&[1, offset])),
        ];
        atom(b"stbl", &parts.concat())
    }

    fn description(&self) -> Vec<u8> {
        let profile = [self.sps.get(1), self.sps.get(2), self.sps.get(3)].map(|b| b.copied().unwrap_or(0));
        let set = |s: &[u8]| [&(s.len() as u16).to_be_bytes()[..], s].concat();
        let configuration =
            [&[1, profile[0], profile[1], profile[2], 0xff, 0xe1][..], &set(&self.sps), &[1], &set(&self.pps)].concat();
        let mut entry = vec![0; 6];
        entry.extend([0, 1]);
        entry.extend([0; 16]);
        entry.extend(self.width.to_be_bytes());
        entry.extend(self.height.to_be_bytes());
        entry.extend(words(&[0x48_0000, 0x48_0000, 0]));
        entry.extend([0, 1]);
        entry.extend([0; 32]);
        entry.extend([0, 24, 0xff, 0xff]);
        entry.extend(atom(b"avcC", &configuration));
        // BT.709, limited range: what the encoder is told, too.
        entry.extend(atom(b"colr", &[&b"nclx"[..], &[0, 1, 0, 1, 0, 1, 0]].concat()));
        atom(b"avc1", &entry)
    }
}

/// The unit matrix, as the format writes it.
fn matrix() -> Vec<u8> {
    words(&[0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000])
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_be_bytes()).collect()
}

fn atom(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    [&(content.len() as u32 + 8).to_be_bytes()[..], kind, content].concat()
}

/// An atom with version 0 and flags.
fn full(kind: &[u8; 4], flags: u32, content: &[u8]) -> Vec<u8> {
    atom(kind, &[&flags.to_be_bytes()[..], content].concat())
}

/// The units between start codes (H.264 annex B); empty ones are left out.
fn units(bytes: &[u8]) -> Vec<&[u8]> {
    let starts: Vec<usize> = (0..bytes.len().saturating_sub(2)).filter(|&i| bytes[i..i + 3] == [0, 0, 1]).collect();
    let unit = |(k, &start): (usize, &usize)| {
        let end = starts.get(k + 1).copied().unwrap_or(bytes.len());
        let unit = &bytes[start + 3..end];
        let zeros = unit.iter().rev().take_while(|b| **b == 0).count();
        &unit[..unit.len() - zeros]
    };
    starts.iter().enumerate().map(unit).filter(|u| !u.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that atoms fill their parents exactly, and lists their names.
    fn walk(bytes: &[u8], names: &mut Vec<String>) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let length = u32::from_be_bytes(rest[..4].try_into().unwrap()) as usize;
            let name = String::from_utf8(rest[4..8].to_vec()).unwrap();
            assert!(length >= 8 && length <= rest.len(), "{name}: {length} of {}", rest.len());
            names.push(name.clone());
            if ["moov", "trak", "mdia", "minf", "stbl", "dinf"].contains(&name.as_str()) {
                walk(&rest[8..length], names);
            }
            rest = &rest[length..];
        }
    }

    #[test]
    fn the_file_is_well_formed_and_offsets_point_at_pictures() {
        let mut track = Track { width: 64, height: 48, rate: 30.0, ..Track::default() };
        track.push(&[0, 0, 0, 1, 0x67, 66, 0, 30, 9, 0, 0, 0, 1, 0x68, 7, 0, 0, 1, 0x65, 1, 2, 3]);
        track.push(&[0, 0, 0, 1, 0x41, 4, 5]);
        assert_eq!((track.sps.as_slice(), track.pps.as_slice()), (&[0x67, 66, 0, 30, 9][..], &[0x68, 7][..]));
        let mut bytes = Vec::new();
        track.write(&mut bytes).unwrap();
        let mut names = Vec::new();
        walk(&bytes, &mut names);
        for name in [
            "ftyp", "moov", "mvhd", "tkhd", "mdhd", "hdlr", "vmhd", "dref", "stsd", "stts", "stss", "stsc", "stsz",
            "stco", "mdat",
        ] {
            assert!(names.iter().any(|n| n == name), "no {name} in {names:?}");
        }
        let at = bytes.windows(4).position(|w| w == b"stco").unwrap();
        let offset = u32::from_be_bytes(bytes[at + 12..at + 16].try_into().unwrap()) as usize;
        assert_eq!(bytes[offset..offset + 8], [0, 0, 0, 4, 0x65, 1, 2, 3]);
        assert_eq!(bytes.len(), offset + 8 + 7);
    }
}
