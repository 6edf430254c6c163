// What breaks: twins of fracture/stress_of_tets.rs, rule.rs, star.rs and split.rs. All lanes look for nodes in danger; the first one
// lets cracks run, the worst node first, because each depends on those before it.

// A crack has come to the node; it is next to one; what is around it may have come loose.
const MET = 1u;
const TOUCHED = 2u;
const LOOSE = 4u;
// The rule has looked at it.
const DONE = 8u;

// Cosine between the planes of two neighbours above which they are one crack.
const ONE_CRACK = 0.8;
const NOBODY = 0xffffffffu;

// Cauchy's stress of each tetrahedron times its volume; nothing where it is pressed flat.
fn find_stresses(lane: u32) {
    for (var k = lane; k < body.tets; k += LANES) {
        let e = body.first_tet + k;
        let piece = piece_of(e);
        let g = gradient_of(piece);
        let f = identity() + g;
        let s = symmetric_part(law_stress(body.law, g) * transpose(f) * (piece.volume / (det3(f) * body.strength)));
        let sound = finite3(s[0]) && finite3(s[1]) && finite3(s[2]);
        elements[6u * e + 4u] = select(vec4f(0.0), vec4f(piece.volume, s[0]), sound);
        elements[6u * e + 5u] = select(vec4f(0.0), vec4f(s[1].y, s[2].y, s[2].z, 0.0), sound);
    }
}

// The most endangered plane of a node, and how far it is beyond its strength; zero where it is not.
fn danger_of(n: u32) -> vec4f {
    let o = origin_of(n);
    var sum = vec4f(0.0);
    var more = vec4f(0.0);
    var alarmed = false;
    var cells = 0u;
    for (var c = index[o]; c < index[o + 1u]; c += 1u) {
        if words[c] != n {
            continue;
        }
        cells += 1u;
        for (var k = index[job.starts + c]; k < index[job.starts + c + 1u]; k += 1u) {
            let e = index[job.around + k] >> 2u;
            sum += elements[6u * e + 4u];
            more += elements[6u * e + 5u];
            alarmed = alarmed || elements[6u * e].w != 0.0;
        }
    }
    // One cell alone cannot part.
    if !alarmed || cells < 2u || !(sum.x > 0.0) {
        return vec4f(0.0);
    }
    let share = 1.0 / (sum.x * bitcast<f32>(index[job.strengths + o]));
    let s = mat3x3f(sum.yzw * share, vec3f(sum.z, more.xy) * share, vec3f(sum.w, more.yz) * share);
    if !reaches(s, MARGIN) {
        return vec4f(0.0);
    }
    // Shifted, so that singular values are eigenvalues, and the largest first.
    let axis = svd(s + scaled_identity(sqrt(contract(s, s)))).v[0];
    // Which side of a crack comes first must not depend on how its plane was found.
    let normal = select(axis, -axis, dot(axis, ASKEW) < 0.0);
    let ratio = dot(normal, s * normal);
    return select(vec4f(0.0), vec4f(normal, ratio), ratio >= 1.0);
}

// Numbers that no direction of a lattice is square to.
const ASKEW = vec3f(1.0, 0.7548776662, 0.569840291);

// The node that is worst off and that no crack has come near yet.
fn worst_node(lane: u32) -> u32 {
    var best = 0.0;
    var who = NOBODY;
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        let ratio = planes[n].w;
        if ratio > best && (words[job.flags + n] & (TOUCHED | DONE)) == 0u {
            best = ratio;
            who = n;
        }
    }
    best_ratio[lane] = best;
    best_node[lane] = who;
    workgroupBarrier();
    for (var half = LANES / 2u; half > 0u; half /= 2u) {
        if lane < half {
            let other = best_ratio[lane + half];
            let theirs = best_node[lane + half];
            let mine = best_ratio[lane];
            if other > mine || (other == mine && theirs < best_node[lane]) {
                best_ratio[lane] = other;
                best_node[lane] = theirs;
            }
        }
        workgroupBarrier();
    }
    if lane == 0u {
        verdict = best_node[0];
    }
    return workgroupUniformLoad(&verdict);
}

// From a node to the middle of a tetrahedron.
fn way_to_middle(n: u32, e: u32) -> vec3f {
    let nodes = nodes_of(e);
    let here = rest[origin_of(n)].xyz;
    let at = u[n].xyz;
    var sum = vec3f(0.0);
    for (var k = 0u; k < 4u; k += 1u) {
        sum += (rest[origin_of(nodes[k])].xyz - here) + (u[nodes[k]].xyz - at);
    }
    return sum * 0.25;
}

// The corners of a node on the side of its plane that has fewer tetrahedra, a bit each; none when all are on one side.
fn one_side(n: u32) -> u32 {
    let o = origin_of(n);
    let first = index[o];
    let normal = planes[n].xyz;
    var sides = vec2u(0u);
    var sizes = vec2u(0u);
    for (var c = first; c < index[o + 1u]; c += 1u) {
        if words[c] != n {
            continue;
        }
        let start = index[job.starts + c];
        let end = index[job.starts + c + 1u];
        var height = 0.0;
        for (var k = start; k < end; k += 1u) {
            let e = index[job.around + k] >> 2u;
            height += bitcast<f32>(shapes[4u * e].w) * dot(way_to_middle(n, e), normal);
        }
        if height > 0.0 {
            sides.x |= 1u << (c - first);
            sizes.x += end - start;
        } else {
            sides.y |= 1u << (c - first);
            sizes.y += end - start;
        }
    }
    if sides.x == 0u || sides.y == 0u {
        return 0u;
    }
    return select(sides.x, sides.y, sizes.y < sizes.x);
}

// Whether a tetrahedron at one of the corners of `n` that are not in `side` has the node `other`.
fn is_beyond(n: u32, side: u32, other: u32) -> bool {
    let o = origin_of(n);
    for (var c = index[o]; c < index[o + 1u]; c += 1u) {
        if words[c] != n || (side & (1u << (c - index[o]))) != 0u {
            continue;
        }
        for (var k = index[job.starts + c]; k < index[job.starts + c + 1u]; k += 1u) {
            if any(nodes_of(index[job.around + k] >> 2u) == vec4u(other)) {
                return true;
            }
        }
    }
    return false;
}

// Whether the crack through `n` goes on at another node.
fn goes_on(n: u32, side: u32, other: u32) -> bool {
    if other == n || planes[other].w == 0.0 || (words[job.flags + other] & (MET | TOUCHED)) != 0u {
        return false;
    }
    return abs(dot(planes[other].xyz, planes[n].xyz)) > ONE_CRACK && is_beyond(n, side, other);
}

// Puts the nodes where the crack through `n` goes on into the queue, ascending; returns its new end.
fn spread(n: u32, side: u32, queue: u32, begin: u32) -> u32 {
    let o = origin_of(n);
    var end = begin;
    for (var c = index[o]; c < index[o + 1u]; c += 1u) {
        if words[c] != n || (side & (1u << (c - index[o]))) == 0u {
            continue;
        }
        for (var k = index[job.starts + c]; k < index[job.starts + c + 1u]; k += 1u) {
            let nodes = nodes_of(index[job.around + k] >> 2u);
            for (var j = 0u; j < 4u; j += 1u) {
                let other = nodes[j];
                if !goes_on(n, side, other) {
                    continue;
                }
                mark(other, MET);
                var place = end;
                while place > begin && words[queue + place - 1u] > other {
                    words[queue + place] = words[queue + place - 1u];
                    place -= 1u;
                }
                words[queue + place] = other;
                end += 1u;
            }
        }
    }
    return end;
}

fn mark(n: u32, flags: u32) {
    words[job.flags + n] = words[job.flags + n] | flags;
}

// Tells whoever asks later what was decided: which of its corners a node gives to a copy.
fn note_edit(n: u32, side: u32) {
    note(n - body.first_node, side, bitcast<vec3u>(planes[n].xyz));
}

// Tells how many more nodes came of cells that were left hanging together at nodes alone.
fn note_followers(nodes: u32) {
    note(nodes, 0u, vec3u(0u));
}

fn note(what: u32, side: u32, normal: vec3u) {
    let place = atomicAdd(&journal[0], 1u);
    if place < job.room {
        let at = job.head + 8u * place;
        atomicStore(&journal[at], stamp);
        atomicStore(&journal[at + 1u], body.number);
        atomicStore(&journal[at + 2u], what);
        atomicStore(&journal[at + 3u], side);
        atomicStore(&journal[at + 4u], normal.x);
        atomicStore(&journal[at + 5u], normal.y);
        atomicStore(&journal[at + 6u], normal.z);
    }
}

// Lets a crack run from a node to others that want to break the same way. Nothing parts yet.
fn crack(start: u32) {
    let queue = job.queues + body.first_node;
    let first = edits;
    mark(start, MET | DONE);
    words[queue] = start;
    var end = 1u;
    for (var next = 0u; next < end; next += 1u) {
        let n = words[queue + next];
        let side = one_side(n);
        if side == 0u {
            continue;
        }
        end = spread(n, side, queue, end);
        words[job.masks + n] = side;
        words[job.edits + body.first_node + edits] = n;
        edits += 1u;
        note_edit(n, side);
    }
    // The crack has unloaded what is around it.
    for (var k = first; k < edits; k += 1u) {
        let n = words[job.edits + body.first_node + k];
        let o = origin_of(n);
        for (var c = index[o]; c < index[o + 1u]; c += 1u) {
            if words[c] == n {
                for (var j = index[job.starts + c]; j < index[job.starts + c + 1u]; j += 1u) {
                    let nodes = nodes_of(index[job.around + j] >> 2u);
                    mark(nodes.x, TOUCHED);
                    mark(nodes.y, TOUCHED);
                    mark(nodes.z, TOUCHED);
                    mark(nodes.w, TOUCHED);
                }
            }
        }
    }
}

// Gives some corners of a node a copy of it.
fn split_node(n: u32, side: u32) {
    let o = origin_of(n);
    let first = index[o];
    let copy = body.first_node + count;
    count += 1u;
    for (var c = first; c < index[o + 1u]; c += 1u) {
        if words[c] == n && (side & (1u << (c - first))) != 0u {
            words[c] = copy;
        }
    }
    words[job.origins + copy] = o;
    words[job.flags + copy] = LOOSE;
    mark(n, LOOSE);
    u[copy] = u[n];
    v[copy] = v[n];
}

// Whether the cells on both sides of a face still have its three nodes.
fn is_bonded(bond: u32) -> bool {
    let at = job.bonds + 6u * bond;
    return words[index[at]] == words[index[at + 3u]]
        && words[index[at + 1u]] == words[index[at + 4u]]
        && words[index[at + 2u]] == words[index[at + 5u]];
}

// The corner on the other side of a bond that is around one.
fn partner(entry: u32) -> u32 {
    let place = entry % 6u;
    return index[job.bonds + entry - place + select(place - 3u, place + 3u, place < 3u)];
}

// The corners among `left` that hang together with the first of them by faces.
fn group_of(first: u32, left: u32) -> u32 {
    var found = left & (~left + 1u);
    var front = found;
    while front != 0u {
        let at = countTrailingZeros(front);
        front &= front - 1u;
        let c = first + at;
        for (var k = index[job.bond_starts + c]; k < index[job.bond_starts + c + 1u]; k += 1u) {
            let entry = index[job.bonds_around + k];
            let bit = 1u << (partner(entry) - first);
            if (left & bit) != 0u && (found & bit) == 0u && is_bonded(entry / 6u) {
                found |= bit;
                front |= bit;
            }
        }
    }
    return found;
}

// Tetrahedra at some corners, and the first of them.
fn size_of(first: u32, corners: u32) -> vec2u {
    var left = corners;
    var size = vec2u(0u, NOBODY);
    while left != 0u {
        let c = first + countTrailingZeros(left);
        left &= left - 1u;
        let start = index[job.starts + c];
        let end = index[job.starts + c + 1u];
        size.x += end - start;
        size.y = min(size.y, index[job.around + start] >> 2u);
    }
    return size;
}

// Parts what no longer hangs together by faces around a node; the largest group keeps it.
fn part_loose(n: u32) {
    let o = origin_of(n);
    let first = index[o];
    var left = 0u;
    for (var c = first; c < index[o + 1u]; c += 1u) {
        if words[c] == n {
            left |= 1u << (c - first);
        }
    }
    var groups: array<u32, 32>;
    var many = 0u;
    while left != 0u {
        let group = group_of(first, left);
        groups[many] = group;
        many += 1u;
        left &= ~group;
    }
    for (var taken = 0u; taken < many && many > 1u; taken += 1u) {
        var best = taken;
        var size = size_of(first, groups[taken]);
        for (var k = taken + 1u; k < many; k += 1u) {
            let other = size_of(first, groups[k]);
            if other.x > size.x || (other.x == size.x && other.y < size.y) {
                best = k;
                size = other;
            }
        }
        let group = groups[best];
        groups[best] = groups[taken];
        if taken > 0u {
            split_node(n, group);
        }
    }
}

// Marks nodes that both sides of a face still have that has just parted: cells may hang together there at nodes alone.
fn mark_pinched(lane: u32) {
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        let o = origin_of(n);
        for (var c = index[o]; c < index[o + 1u]; c += 1u) {
            if words[c] != n {
                continue;
            }
            for (var j = index[job.bond_starts + c]; j < index[job.bond_starts + c + 1u]; j += 1u) {
                let entry = index[job.bonds_around + j];
                if words[partner(entry)] == n && words[job.holds + entry / 6u] == 1u && !is_bonded(entry / 6u) {
                    mark(n, LOOSE);
                }
            }
        }
    }
}

// Notes which bonds hold, what nodes weigh, and that bare faces can be touched.
fn settle_nodes(lane: u32) {
    for (var k = lane; k < body.bonds; k += LANES) {
        words[job.holds + body.first_bond + k] = select(0u, 1u, is_bonded(body.first_bond + k));
    }
    for (var k = lane; k < count; k += LANES) {
        let n = body.first_node + k;
        let o = origin_of(n);
        var mass = 0.0;
        var bare = false;
        for (var c = index[o]; c < index[o + 1u]; c += 1u) {
            if words[c] != n {
                continue;
            }
            mass += bitcast<f32>(index[job.masses + c]);
            for (var j = index[job.bond_starts + c]; j < index[job.bond_starts + c + 1u]; j += 1u) {
                bare = bare || !is_bonded(index[job.bonds_around + j] / 6u);
            }
        }
        if bare || (words[job.flags + n] & LOOSE) != 0u {
            u[n] = vec4f(u[n].xyz, mass);
            v[n] = vec4f(v[n].xyz, bitcast<f32>(AS_FLOAT | TOUCHABLE));
        }
    }
}

// Breaks what is beyond its strength.
fn break_up(own: u32, lane: u32) {
    find_stresses(lane);
    all_written();
    for (var k = lane; k < count; k += LANES) {
        planes[body.first_node + k] = danger_of(body.first_node + k);
        words[job.flags + body.first_node + k] = 0u;
    }
    all_written();
    edits = 0u;
    loop {
        let worst = worst_node(lane);
        if worst == NOBODY {
            break;
        }
        if lane == 0u {
            crack(worst);
        }
        all_written();
    }
    if lane == 0u {
        verdict = edits;
        for (var k = 0u; k < edits; k += 1u) {
            let n = words[job.edits + body.first_node + k];
            split_node(n, words[job.masks + n]);
        }
        atomicStore(&journal[2u + own], count);
    }
    all_written();
    if workgroupUniformLoad(&verdict) == 0u {
        return;
    }
    count = atomicLoad(&journal[2u + own]);
    mark_pinched(lane);
    all_written();
    if lane == 0u {
        let before = count;
        for (var k = 0u; k < before; k += 1u) {
            if (words[job.flags + body.first_node + k] & LOOSE) != 0u {
                part_loose(body.first_node + k);
            }
        }
        atomicStore(&journal[2u + own], count);
        if count > before {
            note_followers(count - before);
        }
    }
    all_written();
    count = atomicLoad(&journal[2u + own]);
    settle_nodes(lane);
    all_written();
}
