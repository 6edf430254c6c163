// Colours: of matter, and of scalars. All are linear, as light adds up.

function linear(srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4;
}

const LINEAR_BYTES = Float32Array.from({ length: 256 }, (_, i) => linear(i / 255));

// Dark blue to yellow, evenly in lightness, and legible to eyes that tell red from green poorly (after viridis).
const SCALE = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99],
  [170, 220, 50], [253, 231, 37],
];
const SCALE_LINEAR = Float32Array.from({ length: 3 * 257 }, (_, n) => {
  const i = Math.floor(n / 3), x = Math.min(i, 255) / 255 * (SCALE.length - 1);
  const a = Math.min(Math.floor(x), SCALE.length - 2), t = x - a;
  return linear((SCALE[a][n % 3] * (1 - t) + SCALE[a + 1][n % 3] * t) / 255);
});

/** Writes the colour of a scalar; `share` is its place between the ends of the scale. */
function writeScaled(share, out, at) {
  const i = 3 * Math.round(255 * Math.min(1, Math.max(0, share)));
  out[at] = SCALE_LINEAR[i];
  out[at + 1] = SCALE_LINEAR[i + 1];
  out[at + 2] = SCALE_LINEAR[i + 2];
}

function scaleGradient() {
  const stops = SCALE.map((c, i) => `rgb(${c.join(',')}) ${i / (SCALE.length - 1) * 100}%`);
  return `linear-gradient(to top, ${stops.join(', ')})`;
}

const css = (rgb) => `rgb(${rgb.map((c) => Math.round(255 * c)).join(',')})`;
const toScreen = (c) => c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;

/** The colour of a part: its own, the body's, or that of the inside of broken matter. */
function partColour(head, part) {
  const own = head.parts[part] && head.parts[part].colour;
  if (own) return own;
  const body = head.colour.map(linear);
  return [...(part === 0 ? body : insideColour(body)), 1];
}

/** What broken faces look like, as pictures have it: paler, and darker where the outside is pale. */
function insideColour([r, g, b]) {
  const pale = 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.35;
  return [r, g, b].map((c) => (pale ? 0.55 * c : 0.45 * c + 0.4));
}

/** A number with three digits and the prefix of its unit. */
function withUnit(value, unit) {
  const prefixes = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']];
  const [factor, prefix] = unit === 'Pa' && prefixes.find(([f]) => Math.abs(value) >= f) || [1, ''];
  return `${Number((value / factor).toPrecision(3))} ${prefix}${unit}`;
}
