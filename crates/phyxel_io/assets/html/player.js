// The player: which frame is shown when, and the controls around the picture.

/** Unpacked frames kept [bytes]. */
const MOST_KEPT = 256 << 20;
const UNITS = { stress: ['von Mises stress', 'Pa'], temperature: ['temperature', 'K'] };

const element = (id) => document.getElementById(id);
const contents = (kind) => document.querySelector(`script[type="phyxel/${kind}"]`).textContent;

function fail(error) {
  document.body.dataset.error = String(error && error.message || error);
  element('message').textContent = `This page cannot be shown: ${document.body.dataset.error}`;
  element('message').hidden = false;
}

class Frames {
  constructor(bodies) {
    this.bodies = bodies;
    this.lines = [...document.querySelectorAll('script[type="phyxel/frame"]')];
    this.metas = this.lines.map((line) => JSON.parse(line.dataset.meta));
    this.kept = new Map();
    this.bytes = 0;
  }

  /** A frame by its place in the page; the first one stays for good, for the others are told by it. */
  async get(place) {
    if (place > 0 && !this.first) this.first = await this.get(0);
    if (!this.kept.has(place)) {
      this.kept.set(place, this.read(place));
      const bodies = await this.kept.get(place);
      this.bytes += sizeOf(bodies);
      this.forget(place);
    }
    return this.kept.get(place);
  }

  async read(place) {
    return readFrame(await unpack(this.lines[place].textContent), this.bodies, this.first);
  }

  async forget(newest) {
    for (const place of [...this.kept.keys()]) {
      if (this.bytes <= MOST_KEPT) return;
      if (place === 0 || place === newest) continue;
      const bodies = this.kept.get(place);
      this.kept.delete(place);
      this.bytes -= sizeOf(await bodies);
    }
  }
}

const sizeOf = (bodies) => bodies.reduce((sum, b) => sum + 2 * b.points.byteLength + (b.corners ? b.corners.byteLength : 0), 0);

class Player {
  constructor(head, frames, stage, views) {
    Object.assign(this, { head, frames, stage, views });
    this.place = 0;
    this.playing = false;
    this.clock = 0;
    this.busy = false;
    this.colouring = null;
    this.metas = frames.metas;
  }

  /** Shows a frame by its place. Only one is on its way at a time; while it is, later wishes replace earlier ones. */
  async show(place) {
    this.wish = place;
    if (this.busy) return;
    this.busy = true;
    document.body.dataset.idle = 'no';
    while (this.wish !== null) {
      const now = this.wish;
      this.wish = null;
      const bodies = await this.frames.get(now);
      const first = await this.frames.get(0);
      bodies.forEach((body, i) => this.views[i].show(body, this.colouring, first[i].thickness));
      this.place = now;
      this.stage.place(this.metas[now].poses);
      this.stage.draw();
      this.tell(bodies);
    }
    this.busy = false;
    document.body.dataset.idle = 'yes';
  }

  tell(bodies) {
    const { index, time } = this.metas[this.place], last = this.metas[this.metas.length - 1];
    element('scrubber').value = this.place;
    element('time').textContent = `${time.toFixed(3)} s`;
    element('frame').textContent = `frame ${index} of ${last.index}`;
    document.body.dataset.frame = index;
    document.body.dataset.moving = this.stage.moving.map((m) => m ? m.matrix.elements.slice(12, 15).join(',') : '').join(' ');
    document.body.dataset.points = bodies.map((b) => b.points.length / 3).join(' ');
    document.body.dataset.corner = bodies.map((b) => Array.from(b.points.subarray(-3), (c) => c.toPrecision(6))).join(' ');
  }

  setPlaying(playing) {
    this.playing = playing && this.metas.length > 1;
    this.clock = this.place === this.metas.length - 1 ? this.metas[0].time : this.metas[this.place].time;
    element('play').textContent = this.playing ? '❚❚' : '▶';
    element('play').setAttribute('aria-label', this.playing ? 'pause' : 'play');
  }

  /** Goes on by the time that has passed; after the last frame, a moment of rest, and again from the start. */
  advance(seconds) {
    if (!this.playing) return;
    const start = this.metas[0].time, end = this.metas[this.metas.length - 1].time;
    this.clock += seconds * Number(element('speed').value);
    if (this.clock > end + 0.7) this.clock = start;
    let place = this.place <= this.metas.length - 1 && this.metas[this.place].time <= this.clock ? this.place : 0;
    while (place + 1 < this.metas.length && this.metas[place + 1].time <= this.clock + 1e-9) place++;
    if (place !== this.place) this.show(place).catch(fail);
  }

  jump(place) {
    this.setPlaying(false);
    this.show(Math.min(this.metas.length - 1, Math.max(0, place))).catch(fail);
  }

  /** Ends of the scale of a field: its range over the run, short of peaks at few points and in few frames. */
  range(field) {
    const found = this.metas.flatMap((m) => m.fields.filter((f) => f[0] === field));
    const common = found.map((f) => f[3]).sort((a, b) => a - b);
    const low = field === 'stress' ? 0 : found.reduce((least, f) => Math.min(least, f[1]), Infinity);
    const highest = found.reduce((most, f) => Math.max(most, f[2]), -Infinity);
    const high = field === 'stress' ? common[Math.floor(0.7 * (common.length - 1))] : highest;
    return { low, high: high > low ? high : low + 1, highest };
  }

  colourBy(field) {
    element('bar').hidden = !field;
    this.colouring = null;
    if (field) {
      const { low, high, highest } = this.range(field), [name, unit] = UNITS[field];
      this.colouring = { field, share: (value) => (value - low) / (high - low) };
      element('bar-name').textContent = name;
      element('bar-high').textContent = `${highest > high ? '≥ ' : ''}${withUnit(high, unit)}`;
      element('bar-middle').textContent = withUnit((low + high) / 2, unit);
      element('bar-low').textContent = withUnit(low, unit);
      element('bar-scale').style.background = scaleGradient();
    }
    element('colour').value = field || '';
    this.show(this.place).catch(fail);
  }
}

function listBodies(head, views, redraw) {
  head.bodies.forEach((body, i) => {
    const item = document.createElement('li'), button = document.createElement('button');
    const swatch = document.createElement('i');
    swatch.style.background = css(partColour(body, 0).slice(0, 3).map(toScreen));
    button.append(swatch, body.name);
    button.title = 'show or hide';
    button.onclick = () => {
      views[i].root.visible = !views[i].root.visible;
      button.classList.toggle('off', !views[i].root.visible);
      redraw();
    };
    item.append(button);
    element('bodies').append(item);
  });
}

function wireControls(player, stage, shared) {
  const { metas } = player, redraw = () => stage.draw();
  element('scrubber').max = metas.length - 1;
  element('scrubber').oninput = (e) => player.jump(Number(e.target.value));
  element('play').onclick = () => player.setPlaying(!player.playing);
  const setWire = (on) => {
    shared.wire.value = on ? 1 : 0;
    element('wire').checked = on;
    redraw();
  };
  element('wire').onchange = (e) => setWire(e.target.checked);
  element('reset').onclick = () => stage.lookFromFront();
  const fields = [...new Set(metas.flatMap((m) => m.fields.map((f) => f[0])))];
  fields.forEach((field) => element('colour').add(new Option(UNITS[field][0], field)));
  element('colour').onchange = (e) => player.colourBy(e.target.value);
  stage.controls.addEventListener('change', redraw);
  new ResizeObserver(() => { stage.resize(); redraw(); }).observe(document.body);
  window.addEventListener('keydown', (e) => {
    if (/^(INPUT|SELECT)$/.test(e.target.tagName) && e.target.type !== 'range') return;
    const act = {
      ' ': () => player.setPlaying(!player.playing), 'ArrowRight': () => player.jump(player.place + 1),
      'ArrowLeft': () => player.jump(player.place - 1), 'Home': () => player.jump(0),
      'End': () => player.jump(metas.length - 1), 'w': () => setWire(!element('wire').checked),
      'r': () => stage.lookFromFront(),
    }[e.key];
    if (act) { e.preventDefault(); act(); }
  });
  return { setWire, fields };
}

/** The part of the address behind #: frame=N stops there, colour=stress, wire, play. */
function obey(player, { setWire, fields }) {
  const wishes = new URLSearchParams(location.hash.slice(1));
  const field = wishes.get('colour') || '';
  if (wishes.has('colour') && (field === '' || fields.includes(field))) player.colourBy(field);
  setWire(wishes.has('wire'));
  if (wishes.has('frame')) {
    const index = Number(wishes.get('frame'));
    const place = player.metas.findLastIndex((m) => m.index <= index);
    player.jump(Number.isFinite(index) ? place : 0);
  } else {
    player.show(player.place).then(() => player.setPlaying(true)).catch(fail);
  }
}

async function start() {
  if (typeof DecompressionStream === 'undefined') throw new Error('this browser is too old; any of 2023 or later will do');
  const library = document.createElement('script');
  library.textContent = new TextDecoder().decode(await unpack(contents('library')));
  document.head.append(library);
  const head = JSON.parse(contents('head'));
  const topology = readTopology(await unpack(contents('topology')), head.bodies);
  const frames = new Frames(head.bodies);
  if (!frames.metas.length) throw new Error('it holds no frames');
  const stage = new Stage(element('canvas'), head, frames.metas);
  const textures = [];
  const shared = {
    wire: { value: 0 },
    texture(number) {
      const loaded = () => {
        document.body.dataset.textures = Number(document.body.dataset.textures || 0) + 1;
        stage.draw();
      };
      textures[number] = textures[number] || new THREE.TextureLoader().load(head.textures[number], loaded);
      textures[number].colorSpace = THREE.SRGBColorSpace;
      textures[number].wrapS = textures[number].wrapT = THREE.RepeatWrapping;
      return textures[number];
    },
  };
  const views = head.bodies.map((body, i) => new BodyView(body, topology[i], shared));
  views.forEach((view) => stage.scene.add(view.root));
  const player = new Player(head, frames, stage, views);
  element('title').textContent = head.name;
  element('notes').textContent = head.notes.join(' ');
  listBodies(head, views, () => stage.draw());
  const controls = wireControls(player, stage, shared);
  obey(player, controls);
  window.addEventListener('hashchange', () => obey(player, controls));
  let before = null;
  const tick = (now) => {
    player.advance(before === null ? 0 : Math.min(0.25, (now - before) / 1000));
    before = now;
    stage.controls.update();
    requestAnimationFrame(tick);
  };
  requestAnimationFrame(tick);
}

window.addEventListener('error', (e) => fail(e.error || e.message));
window.addEventListener('unhandledrejection', (e) => fail(e.reason));
start().catch(fail);
