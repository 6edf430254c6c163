// Lanes that write for each other, two and two.
//
// A block leaves as two vectors side by side. Lanes that each write both of their own write half a sector of memory at a time; two
// neighbours that write one block together, and then the other, write whole ones. (On an H200, blocks of a million tetrahedra
// take 82 µs that way, 103 by way of shared memory, with a barrier for each, and 109 when each lane writes its own.)

const PAIRED: bool = true;

// Of two vectors of an even lane and two of the odd one beside it: the first of both for the even one, the second of both for the odd
// one.
fn trade(first: vec4f, second: vec4f, odd: bool) -> array<vec4f, 2> {
    let got = subgroupShuffleXor(select(second, first, odd), 1u);
    return array<vec4f, 2>(select(first, got, odd), select(got, second, odd));
}
