// Normals at the corners of triangles: smooth where the surface is, sharp at its edges.

/** Which triangles meet at each vertex. */
function fansOf(vertices, corners) {
  const first = new Uint32Array(vertices + 1), fan = new Uint32Array(corners.length);
  for (const v of corners) first[v + 1]++;
  for (let v = 0; v < vertices; v++) first[v + 1] += first[v];
  const next = first.slice();
  for (let i = 0; i < corners.length; i++) fan[next[corners[i]]++] = Math.floor(i / 3);
  return { first, fan };
}

/** Normals of the triangles, as long as twice their area, and of unit length. */
function faceNormals(points, corners) {
  const scaled = new Float32Array(corners.length), unit = new Float32Array(corners.length);
  for (let i = 0; i < corners.length; i += 3) {
    const a = 3 * corners[i], b = 3 * corners[i + 1], c = 3 * corners[i + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const x = uy * vz - uz * vy, y = uz * vx - ux * vz, z = ux * vy - uy * vx;
    const length = Math.hypot(x, y, z) || 1;
    scaled[i] = x; scaled[i + 1] = y; scaled[i + 2] = z;
    unit[i] = x / length; unit[i + 1] = y / length; unit[i + 2] = z / length;
  }
  return { scaled, unit };
}

function writeUnit(x, y, z, out, at) {
  const length = Math.hypot(x, y, z) || 1;
  out[at] = x / length; out[at + 1] = y / length; out[at + 2] = z / length;
}

/**
 * Each corner takes the mean of the triangles around its vertex, those that face another way counting less and less.
 * The weight has no step, so that nothing jumps while a surface folds.
 */
function cornerNormals(points, corners, { first, fan }, out) {
  const { scaled, unit } = faceNormals(points, corners);
  for (let i = 0; i < corners.length; i++) {
    const own = 3 * Math.floor(i / 3), v = corners[i];
    let x = 0, y = 0, z = 0;
    for (let f = first[v]; f < first[v + 1]; f++) {
      const t = 3 * fan[f];
      const facing = unit[own] * unit[t] + unit[own + 1] * unit[t + 1] + unit[own + 2] * unit[t + 2];
      const s = Math.min(1, Math.max(0, (facing - 0.6) / 0.25)), weight = s * s * (3 - 2 * s);
      x += weight * scaled[t]; y += weight * scaled[t + 1]; z += weight * scaled[t + 2];
    }
    writeUnit(x, y, z, out, 3 * i);
  }
}

/** The same for surfaces that are smooth everywhere. */
function smoothNormals(points, corners, out) {
  sharedNormals(points, corners, corners, points.length / 3, out);
}

/** The number of a normal that the input does not have. */
const NOT_GIVEN = 0xffffffff;

/** Corners with the same number share the mean of their triangles: edges are where the input has them. */
function sharedNormals(points, corners, numbers, count, out) {
  const { scaled } = faceNormals(points, corners);
  const sums = new Float32Array(3 * count);
  for (let i = 0; i < corners.length; i++) {
    if (numbers[i] === NOT_GIVEN) continue;
    const t = 3 * Math.floor(i / 3), v = 3 * numbers[i];
    for (let k = 0; k < 3; k++) sums[v + k] += scaled[t + k];
  }
  for (let i = 0; i < corners.length; i++) {
    if (numbers[i] === NOT_GIVEN) continue;
    const v = 3 * numbers[i];
    writeUnit(sums[v], sums[v + 1], sums[v + 2], out, 3 * i);
  }
}
