// Bytes out of the page: base64, deflate, then the numbers, by the arithmetic of the writer (results/html/squeeze.rs).

const STEPS = 16383;
const FREE = 1, COLOURS = 2, SURFELS = 4;
const FIELDS = ['stress', 'temperature'];

async function unpack(text) {
  const signs = atob(text.trim());
  const packed = new Uint8Array(signs.length);
  for (let i = 0; i < signs.length; i++) packed[i] = signs.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  u8() { return this.view.getUint8(this.at++); }
  u32() { this.at += 4; return this.view.getUint32(this.at - 4, true); }
  f32() { this.at += 4; return this.view.getFloat32(this.at - 4, true); }
  take(count) {
    if (this.at + count > this.bytes.length) throw new Error('a frame of this page is incomplete');
    this.at += count;
    return this.bytes.subarray(this.at - count, this.at);
  }
  floats(count) { return Float32Array.from({ length: count }, () => this.f32()); }

  /** Differences to the byte `stride` before, undone. */
  running(count, stride) {
    const out = new Uint8Array(this.take(count));
    for (let i = stride; i < count; i++) out[i] += out[i - stride];
    return out;
  }

  indices() {
    const count = this.u32();
    const planes = this.take(4 * count);
    const out = new Uint32Array(count);
    for (let i = 0, before = 0; i < count; i++) {
      const coded = planes[i] | planes[count + i] << 8 | planes[2 * count + i] << 16 | planes[3 * count + i] << 24;
      before += (coded >>> 1) ^ -(coded & 1);
      out[i] = before;
    }
    return out;
  }

  /** Points [m] and the integers they come from; `first` has those of the first frame. */
  points(first) {
    const count = this.u32();
    const low = this.floats(3), step = this.f32(), mapped = this.u8() === 1;
    const m = mapped ? this.floats(9) : null;
    const planes = this.take(6 * count);
    const cells = new Int32Array(3 * count), points = new Float32Array(3 * count);
    const clamp = (x) => x < 0 ? 0 : x > STEPS ? STEPS : x;
    let at = [0, 0, 0];
    for (let i = 0; i < count; i++) {
      if (mapped && i > 0) {
        const j = 3 * i;
        const dx = first[j] - first[j - 3], dy = first[j + 1] - first[j - 2], dz = first[j + 2] - first[j - 1];
        for (let k = 0; k < 3; k++) {
          at[k] = clamp(at[k] + Math.floor(m[3 * k] * dx + m[3 * k + 1] * dy + m[3 * k + 2] * dz + 0.5));
        }
      }
      for (let k = 0; k < 3; k++) {
        const coded = planes[k * count + i] | planes[(3 + k) * count + i] << 8;
        at[k] += (coded >>> 1) ^ -(coded & 1);
        cells[3 * i + k] = at[k];
        points[3 * i + k] = low[k] + step * at[k];
      }
    }
    return { points, cells };
  }
}

/** The shapes that do not change from frame to frame. */
function readTopology(bytes, bodies) {
  const reader = new Reader(bytes);
  return bodies.map(() => {
    const corners = reader.indices(), parts = reader.indices(), normals = reader.indices();
    const uvs = reader.floats(reader.u32());
    const colours = reader.running(reader.u32(), 3);
    return { corners, parts, normals, uvs, colours };
  });
}

/** One frame: what is drawn of each body. `first` is the frame that the others are told by, once it is read. */
function readFrame(bytes, bodies, first) {
  const reader = new Reader(bytes);
  return bodies.map((_, i) => {
    const end = reader.u32() + reader.at;
    const flags = reader.u8(), thickness = reader.f32();
    const { points, cells } = reader.points(first && first[i].cells);
    const body = { flags, thickness, points, cells, fields: {} };
    const count = points.length / 3;
    if (flags & FREE) body.corners = reader.indices();
    if (flags & SURFELS) {
      const largest = reader.f32();
      const coded = new Int8Array(reader.running(6 * count, 6).buffer);
      body.axes = Float32Array.from(coded, (c) => c / 127 * largest);
    }
    if (flags & COLOURS) body.colours = reader.running(3 * count, 3);
    for (let fields = reader.u8(); fields > 0; fields--) {
      const name = FIELDS[reader.u8()], low = reader.f32(), high = reader.f32();
      const width = high > low ? high - low : 1;
      body.fields[name] = Float32Array.from(reader.running(count, 1), (s) => low + width * s / 255);
    }
    reader.at = end;
    return body;
  });
}
