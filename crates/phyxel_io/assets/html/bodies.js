// Bodies as three.js draws them. A view shows one kind of thing; a body has one for each kind it has been so far.

/** Triangles beyond which normals are smoothed everywhere: the time per frame counts more than sharp edges. */
const MANY_TRIANGLES = 200000;

/** A material that can show the edges of triangles, whose corners are not shared. */
function surfaceMaterial(wire, options) {
  const material = new THREE.MeshStandardMaterial({
    vertexColors: true, roughness: 0.52, metalness: 0, side: THREE.DoubleSide, ...options,
  });
  material.onBeforeCompile = (shader) => {
    shader.uniforms.wire = wire;
    shader.vertexShader = 'varying vec3 vCorner;\n' + shader.vertexShader.replace('#include <begin_vertex>',
      `#include <begin_vertex>
      int corner = gl_VertexID % 3;
      vCorner = vec3(corner == 0, corner == 1, corner == 2);`);
    shader.fragmentShader = 'uniform float wire;\nvarying vec3 vCorner;\n' + shader.fragmentShader.replace(
      '#include <color_fragment>',
      `#include <color_fragment>
      vec3 away = smoothstep(vec3(0.0), 1.3 * fwidth(vCorner), vCorner);
      vec3 per_pixel = fwidth(vCorner);
      // Triangles of a few pixels would be nothing but edges.
      float large = 1.0 - smoothstep(0.10, 0.40, max(max(per_pixel.x, per_pixel.y), per_pixel.z));
      float edge = large * (1.0 - min(min(away.x, away.y), away.z));
      diffuseColor.rgb = mix(diffuseColor.rgb, diffuseColor.rgb * 0.16, wire * edge);`);
  };
  return material;
}

class TrianglesView {
  constructor(head, topology, shared, isFree) {
    Object.assign(this, { head, topology, shared, isFree });
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), []);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    if (isFree) {
      this.mesh.material = [surfaceMaterial(shared.wire)];
      this.parts = [0];
    } else {
      this.sortByPart();
    }
    this.capacity = -1;
  }

  /** Triangles of one part follow each other, so that each part can have a material of its own. */
  sortByPart() {
    const { corners, parts, normals, uvs } = this.topology;
    const count = corners.length / 3;
    const part = (t) => parts.length ? parts[t] : 0;
    const order = Array.from({ length: count }, (_, t) => t).sort((a, b) => part(a) - part(b) || a - b);
    this.corners = new Uint32Array(3 * count);
    this.partOf = new Uint32Array(count);
    this.uvs = uvs.length ? new Float32Array(6 * count) : null;
    this.numbers = normals.length ? new Uint32Array(3 * count) : null;
    order.forEach((t, place) => {
      this.corners.set(corners.subarray(3 * t, 3 * t + 3), 3 * place);
      this.partOf[place] = part(t);
      if (this.uvs) this.uvs.set(uvs.subarray(6 * t, 6 * t + 6), 6 * place);
      if (this.numbers) this.numbers.set(normals.subarray(3 * t, 3 * t + 3), 3 * place);
    });
    const given = this.numbers ? this.numbers.filter((n) => n !== NOT_GIVEN) : [];
    this.normalCount = given.reduce((most, n) => Math.max(most, n + 1), 0);
    this.someMissing = this.numbers !== null && given.length < this.numbers.length;
    this.groups = [];
    for (let t = 0; t < count; t++) {
      const last = this.groups[this.groups.length - 1];
      if (last && last.part === this.partOf[t]) last.count += 3;
      else this.groups.push({ part: this.partOf[t], start: 3 * t, count: 3 });
    }
    this.mesh.material = this.groups.map(({ part }) => this.partMaterial(part));
  }

  partMaterial(part) {
    const look = this.head.parts[part], opacity = partColour(this.head, part)[3];
    const picture = look && look.texture !== null && this.uvs ? this.shared.texture(look.texture) : null;
    const material = surfaceMaterial(this.shared.wire, {
      map: picture, opacity, transparent: opacity < 1, depthWrite: opacity >= 0.99,
      // Faces inside matter that has not parted yet must not shine through the seams of the outside.
      polygonOffset: part > 0, polygonOffsetFactor: 1, polygonOffsetUnits: 8,
    });
    material.userData = { picture, opacity };
    return material;
  }

  makeRoom(count) {
    if (this.isFree ? count <= this.capacity : this.capacity >= 0) return;
    this.capacity = this.isFree ? Math.ceil(1.3 * count) : count;
    const geometry = new THREE.BufferGeometry();
    for (const name of ['position', 'normal', 'color']) {
      const attribute = new THREE.BufferAttribute(new Float32Array(3 * this.capacity), 3);
      geometry.setAttribute(name, attribute.setUsage(THREE.DynamicDrawUsage));
    }
    if (this.uvs) geometry.setAttribute('uv', new THREE.BufferAttribute(this.uvs, 2));
    if (!this.isFree) this.groups.forEach((g, i) => geometry.addGroup(g.start, g.count, i));
    this.mesh.geometry.dispose();
    this.mesh.geometry = geometry;
    this.coloured = null;
  }

  show(body, colouring) {
    const corners = this.isFree ? body.corners : this.corners;
    this.makeRoom(corners.length);
    const { position, normal } = this.mesh.geometry.attributes;
    for (let i = 0; i < corners.length; i++) {
      const v = 3 * corners[i];
      position.array[3 * i] = body.points[v];
      position.array[3 * i + 1] = body.points[v + 1];
      position.array[3 * i + 2] = body.points[v + 2];
    }
    if (!this.numbers || this.someMissing) this.findNormals(body.points, corners, normal.array);
    if (this.numbers) sharedNormals(body.points, corners, this.numbers, this.normalCount, normal.array);
    if (!this.isFree) this.hideClosedCracks(body, position.array);
    position.needsUpdate = normal.needsUpdate = true;
    this.paint(body, corners, colouring);
    if (this.isFree) {
      this.mesh.geometry.clearGroups();
      this.mesh.geometry.addGroup(0, corners.length, 0);
    }
  }

  /** Normals that no input has. */
  findNormals(points, corners, out) {
    if (this.isFree || corners.length > 3 * MANY_TRIANGLES) {
      smoothNormals(points, corners, out);
    } else {
      this.fans = this.fans || fansOf(points.length / 3, corners);
      cornerNormals(points, corners, this.fans, out);
    }
  }

  /** Faces inside matter that lie on each other in the first frame seen: two triangles, and their corners in pairs. */
  findPairs({ cells }) {
    const seen = new Map(), pairs = [];
    const place = (v) => `${cells[3 * v]},${cells[3 * v + 1]},${cells[3 * v + 2]}`;
    for (let t = 0; t < this.partOf.length; t++) {
      if (this.partOf[t] === 0) continue;
      const own = [0, 1, 2].map((k) => this.corners[3 * t + k]), places = own.map(place);
      const key = places.slice().sort().join(' '), other = seen.get(key);
      if (other === undefined) {
        seen.set(key, { t, own, places });
      } else if (new Set(places).size === 3) {
        seen.delete(key);
        pairs.push({ a: t, b: other.t, own, other: places.map((p) => other.own[other.places.indexOf(p)]) });
      }
    }
    return pairs;
  }

  /** While such faces lie on each other nothing has parted there, and neither is drawn. */
  hideClosedCracks(body, positions) {
    this.pairs = this.pairs || this.findPairs(body);
    const cells = body.cells;
    const meet = (v, w) => [0, 1, 2].every((k) => Math.abs(cells[3 * v + k] - cells[3 * w + k]) <= 1);
    for (const { a, b, own, other } of this.pairs) {
      if (!own.every((v, k) => meet(v, other[k]))) continue;
      for (const at of [9 * a, 9 * b]) {
        positions.copyWithin(at + 3, at, at + 3);
        positions.copyWithin(at + 6, at, at + 3);
      }
    }
  }

  paint(body, corners, colouring) {
    const values = colouring && body.fields[colouring.field];
    // Own colours of a surface that keeps its triangles are written once.
    const what = values || this.isFree ? null : 'own';
    if (what && this.coloured === what) return;
    this.coloured = what;
    const out = this.mesh.geometry.attributes.color;
    for (let i = 0; i < corners.length; i++) {
      if (values) writeScaled(colouring.share(values[corners[i]]), out.array, 3 * i);
      else this.writeOwn(body, corners[i], Math.floor(i / 3), out.array, 3 * i);
    }
    out.needsUpdate = true;
    for (const material of this.mesh.material) {
      const picture = values ? null : material.userData.picture || null;
      if ((material.map || null) !== picture) {
        material.map = picture;
        material.needsUpdate = true;
      }
    }
  }

  writeOwn(body, vertex, triangle, out, at) {
    const part = this.isFree ? 0 : this.partOf[triangle];
    const look = this.head.parts[part];
    const vertices = this.isFree ? body.colours : this.topology.colours;
    const picture = !this.isFree && look && look.texture !== null && this.uvs;
    if (vertices && vertices.length && !(look && look.colour)) {
      for (let k = 0; k < 3; k++) out[at + k] = LINEAR_BYTES[vertices[3 * vertex + k]];
    } else if (picture && !look.colour) {
      out[at] = out[at + 1] = out[at + 2] = 1;
    } else {
      const colour = this.cachedColour(part);
      out[at] = colour[0]; out[at + 1] = colour[1]; out[at + 2] = colour[2];
    }
  }

  cachedColour(part) {
    this.colours = this.colours || [];
    return this.colours[part] = this.colours[part] || partColour(this.head, part);
  }
}

/** Many copies of one small shape: balls, rods, discs. */
class CopiesView {
  constructor(head, topology, shared, geometry, place) {
    Object.assign(this, { head, topology, place });
    this.material = new THREE.MeshStandardMaterial({ roughness: 0.5, metalness: 0, side: THREE.DoubleSide });
    this.geometry = geometry;
    this.group = new THREE.Group();
    this.capacity = -1;
  }

  makeRoom(count) {
    if (count <= this.capacity) return;
    this.capacity = Math.ceil(1.2 * count) + 1;
    this.group.clear();
    if (this.copies) this.copies.dispose();
    this.copies = new THREE.InstancedMesh(this.geometry, this.material, this.capacity);
    this.copies.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * this.capacity), 3);
    this.copies.castShadow = this.copies.receiveShadow = true;
    this.copies.frustumCulled = false;
    this.group.add(this.copies);
  }

  show(body, colouring) {
    const [count, vertexOf] = this.place.count(body, this.topology);
    this.makeRoom(count);
    this.copies.count = count;
    this.place.write(body, this.topology, this.copies.instanceMatrix.array, this.thickness);
    this.copies.instanceMatrix.needsUpdate = true;
    const values = colouring && body.fields[colouring.field], out = this.copies.instanceColor;
    const own = partColour(this.head, 0);
    for (let i = 0; i < count; i++) {
      const v = vertexOf(i);
      if (values) writeScaled(colouring.share(values[v]), out.array, 3 * i);
      else if (body.colours) for (let k = 0; k < 3; k++) out.array[3 * i + k] = LINEAR_BYTES[body.colours[3 * v + k]];
      else for (let k = 0; k < 3; k++) out.array[3 * i + k] = own[k];
    }
    out.needsUpdate = true;
  }
}

function writeColumns(m, at, x, y, z, p) {
  m[at] = x[0]; m[at + 1] = x[1]; m[at + 2] = x[2]; m[at + 3] = 0;
  m[at + 4] = y[0]; m[at + 5] = y[1]; m[at + 6] = y[2]; m[at + 7] = 0;
  m[at + 8] = z[0]; m[at + 9] = z[1]; m[at + 10] = z[2]; m[at + 11] = 0;
  m[at + 12] = p[0]; m[at + 13] = p[1]; m[at + 14] = p[2]; m[at + 15] = 1;
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];

const BALLS = {
  count: (body) => [body.points.length / 3, (i) => i],
  write(body, _, matrices, thickness) {
    const r = thickness / 2;
    for (let i = 0; i < body.points.length / 3; i++) {
      writeColumns(matrices, 16 * i, [r, 0, 0], [0, r, 0], [0, 0, r], body.points.subarray(3 * i, 3 * i + 3));
    }
  },
};

const DISCS = {
  count: (body) => [body.points.length / 3, (i) => i],
  write(body, _, matrices) {
    for (let i = 0; i < body.points.length / 3; i++) {
      const u = body.axes.subarray(6 * i, 6 * i + 3), v = body.axes.subarray(6 * i + 3, 6 * i + 6);
      writeColumns(matrices, 16 * i, u, v, scaled(cross(u, v), 1 / (Math.hypot(...u) || 1)),
        body.points.subarray(3 * i, 3 * i + 3));
    }
  },
};

const RODS = {
  count: (_, topology) => [topology.corners.length / 2, (i) => topology.corners[2 * i]],
  write(body, { corners }, matrices, thickness) {
    for (let i = 0; i < corners.length / 2; i++) {
      const at = (v) => body.points.subarray(3 * v, 3 * v + 3);
      const a = at(corners[2 * i]), b = at(corners[2 * i + 1]);
      const along = [b[0] - a[0], b[1] - a[1], b[2] - a[2]], length = Math.hypot(...along) || 1e-9;
      const side = cross(along, Math.abs(along[1]) < 0.9 * length ? [0, 1, 0] : [1, 0, 0]);
      const x = scaled(side, thickness / 2 / (Math.hypot(...side) || 1));
      const z = scaled(cross(x, along), 1 / length);
      writeColumns(matrices, 16 * i, x, along, z, [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2, (a[2] + b[2]) / 2]);
    }
  },
};

class BodyView {
  constructor(head, topology, shared) {
    Object.assign(this, { head, topology, shared });
    this.root = new THREE.Group();
    this.views = {};
  }

  kindOf(body) {
    return body.flags & FREE ? 'free' : body.flags & SURFELS ? 'surfels' : this.head.kind;
  }

  view(kind, body) {
    if (this.views[kind]) return this.views[kind];
    const { head, topology, shared } = this;
    const copies = (geometry, place) => new CopiesView(head, topology, shared, geometry, place);
    const count = body.points.length / 3, fine = count < 3000 ? 3 : count < 30000 ? 2 : 1;
    const made = {
      free: () => new TrianglesView(head, topology, shared, true),
      triangles: () => new TrianglesView(head, topology, shared, false),
      spheres: () => copies(new THREE.IcosahedronGeometry(1, fine), BALLS),
      segments: () => copies(new THREE.CylinderGeometry(1, 1, 1, 8, 1, true), RODS),
      surfels: () => copies(new THREE.CircleGeometry(1, 10), DISCS),
    }[kind]();
    this.root.add(made.mesh || made.group);
    return this.views[kind] = made;
  }

  show(body, colouring, thickness) {
    const kind = this.kindOf(body), view = this.view(kind, body);
    for (const [name, other] of Object.entries(this.views)) (other.mesh || other.group).visible = name === kind;
    view.thickness = thickness || 0.02;
    view.show(body, colouring);
  }
}
