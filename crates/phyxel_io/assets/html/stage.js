// The stage: camera, light, floor, and the outlines of what bodies hit.

/** The box around most of what happens: the few frames in which something flies far off do not count. */
function boxOfRun(metas) {
  const side = (k, share) => {
    const sorted = metas.map((m) => m.box[k]).sort((a, b) => a - b);
    return sorted[Math.round(share * (sorted.length - 1))];
  };
  const low = [0, 1, 2].map((k) => side(k, 0.03)), high = [3, 4, 5].map((k) => side(k, 0.97));
  const centre = low.map((l, k) => (l + high[k]) / 2);
  const radius = Math.max(Math.hypot(...low.map((l, k) => high[k] - l)) / 2, 1e-6);
  return { low, high, centre, radius };
}

/** A length of 1, 2 or 5 times a power of ten, about a third of the radius. */
function gridSide(radius) {
  const wish = radius / 3, power = 10 ** Math.floor(Math.log10(wish));
  return [1, 2, 5, 10].map((f) => f * power).find((s) => s >= wish);
}

class Stage {
  constructor(canvas, head, metas) {
    this.box = boxOfRun(metas);
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.VSMShadowMap;
    this.scene = new THREE.Scene();
    this.ground = head.ground === null ? metas.reduce((least, m) => Math.min(least, m.box[1]), Infinity) : head.ground;
    this.addLights();
    this.addFloor();
    this.addOutlines(head.outlines);
    this.moving = head.moving.map((outlines) => this.addOutlines(outlines));
    this.camera = new THREE.PerspectiveCamera(30, 1, this.box.radius / 50, this.box.radius * 60);
    this.controls = new THREE.OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.minDistance = this.box.radius / 10;
    this.controls.maxDistance = this.box.radius * 25;
    this.resize();
    this.lookFromFront();
  }

  addLights() {
    const { centre, radius } = this.box, middle = new THREE.Vector3(...centre);
    this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb9b2aa, 1.75));
    const light = (colour, strength, from) => {
      const lamp = new THREE.DirectionalLight(colour, strength);
      lamp.position.copy(middle).addScaledVector(new THREE.Vector3(...from).normalize(), 4 * radius);
      lamp.target.position.copy(middle);
      this.scene.add(lamp, lamp.target);
      return lamp;
    };
    const key = light(0xfff4e6, 2.1, [-0.5, 1, 0.42]);
    light(0xdfe9ff, 0.55, [0.8, 0.35, -0.5]);
    key.castShadow = true;
    key.shadow.mapSize.set(1024, 1024);
    key.shadow.radius = 7;
    key.shadow.blurSamples = 9;
    key.shadow.bias = -0.0004;
    key.shadow.normalBias = 0.004 * radius;
    const reach = 1.45 * radius;
    Object.assign(key.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: radius, far: 8 * radius });
    key.shadow.camera.updateProjectionMatrix();
  }

  addFloor() {
    const { centre, radius } = this.box;
    const plane = (material, lift, order) => {
      const floor = new THREE.Mesh(new THREE.PlaneGeometry(24 * radius, 24 * radius), material);
      floor.rotation.x = -Math.PI / 2;
      floor.position.set(centre[0], this.ground - lift * radius, centre[2]);
      floor.renderOrder = order;
      this.scene.add(floor);
      return floor;
    };
    const grid = new THREE.ShaderMaterial({
      transparent: true, depthWrite: false,
      uniforms: {
        side: { value: gridSide(radius) }, reach: { value: 6 * radius },
        middle: { value: new THREE.Vector3(...centre) },
      },
      vertexShader: 'varying vec3 vAt; void main() { vec4 at = modelMatrix * vec4(position, 1.0); vAt = at.xyz; gl_Position = projectionMatrix * viewMatrix * at; }',
      fragmentShader: `uniform float side, reach; uniform vec3 middle; varying vec3 vAt;
        float line(vec2 at) {
          vec2 wide = fwidth(at);
          vec2 near = abs(fract(at - 0.5) - 0.5) / max(wide, vec2(1e-6));
          return (1.0 - min(min(near.x, near.y), 1.0)) * (1.0 - smoothstep(0.2, 0.6, max(wide.x, wide.y)));
        }
        void main() {
          float fade = 1.0 - smoothstep(0.15, 1.0, length(vAt.xz - middle.xz) / reach);
          float ink = max(0.22 * line(vAt.xz / side), 0.10 * line(vAt.xz / side * 5.0));
          gl_FragColor = vec4(0.24, 0.28, 0.34, ink * fade * fade);
        }`,
    });
    const shade = plane(new THREE.ShadowMaterial({ color: 0x1c2430, opacity: 0.34, depthWrite: false }), 0.002, -2);
    shade.receiveShadow = true;
    plane(grid, 0.003, -1);
  }

  addOutlines(outlines) {
    if (!outlines.length) return null;
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(outlines.flat(2)), 3));
    const lines = new THREE.LineSegments(geometry, new THREE.LineBasicMaterial({ color: 0x5a6472 }));
    lines.frustumCulled = false;
    this.scene.add(lines);
    return lines;
  }

  /** Puts what moves where it is in a frame: each pose is a rotation, row by row, and a shift. */
  place(poses = []) {
    poses.forEach((m, i) => {
      const lines = this.moving[i];
      if (!lines) return;
      lines.matrixAutoUpdate = false;
      lines.matrix.set(m[0], m[1], m[2], m[9], m[3], m[4], m[5], m[10], m[6], m[7], m[8], m[11], 0, 0, 0, 1);
      lines.matrixWorldNeedsUpdate = true;
    });
  }

  /** The box whole in the picture, from a little above. */
  lookFromFront() {
    const { centre, radius } = this.box, half = Math.PI / 12;
    const fit = Math.min(half, Math.atan(Math.tan(half) * this.camera.aspect));
    const eye = new THREE.Vector3(0.52, 0.40, 0.86).normalize();
    this.controls.target.set(...centre);
    this.camera.position.set(...centre).addScaledVector(eye, 1.15 * radius / Math.sin(fit));
    this.controls.update();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.renderer.domElement.parentElement;
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    // A little higher: the controls at the bottom are larger than those at the top.
    this.camera.setViewOffset(width, height, 0, Math.round(0.04 * height), width, height);
  }

  draw() {
    this.renderer.render(this.scene, this.camera);
  }
}
