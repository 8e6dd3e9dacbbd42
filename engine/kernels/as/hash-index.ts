/**
 * The hash index from term hash to term number, and the tables for looking many terms up.
 *
 * A hash index of n terms has B blocks; block `floor(high32(hash) * B / 2^32)` holds a term. Inside
 * a block, entries are sorted by the 20-bit tag that follows in the same product; those of one tag stand
 * in any order.
 * Block: u32 checksum (by the caller), u32 entries, u32 width of numbers, u32 zero, then tags packed by 20
 * bits, then, at a multiple of 8, numbers (less the segment's first) packed by `width`, 8 bytes of padding.
 */

const TAG_BITS: u32 = 20;
const HEADER: u32 = 16;

// @inline
function product(hash: u64, blocks: u32): u64 {
  return (hash >>> 32) * <u64>blocks;
}

// @inline
function packAt(data: usize, width: u32, i: u32, value: u64): void {
  const bit = <u64>i * <u64>width;
  const at = data + <usize>(bit >>> 3);
  store<u64>(at, load<u64>(at) | (value << (bit & 7)));
}

// @inline
function unpackAt(data: usize, width: u32, i: u32): u64 {
  const bit = i * width;
  return (load<u64>(data + (bit >>> 3)) >>> <u64>(bit & 7)) & (((<u64>1) << (<u64>width)) - 1);
}

/** The tag of a hash: 20 bits. */
// @inline
function tagOf(hash: u64, blocks: u32): u64 {
  return (product(hash, blocks) >>> 12) & 0xfffff;
}

/** Where the numbers stand in a block of so many entries. */
// @inline
function numbersOffset(entries: u32): u32 {
  return (HEADER + ((entries * TAG_BITS + 7) >>> 3) + 7) & ~7;
}

/** The block of a hash. */
export function hashBlock(hash: u64, blocks: u32): u32 {
  return <u32>(product(hash, blocks) >>> 32);
}

/**
 * Encodes the entries of one block from arrays sorted by hash, starting at `from`: takes those whose
 * block is `wanted`. Numbers are u32, relative. Returns the number of entries; the length of the
 * block is written to `lengthAt`. `out` must be zeroed far enough.
 */
export function encodeHashBlock(
  hashes: usize,
  numbers: usize,
  from: u32,
  count: u32,
  blocks: u32,
  wanted: u32,
  width: u32,
  out: usize,
  lengthAt: usize,
): u32 {
  let to = from;
  while (to < count && hashBlock(load<u64>(hashes + ((<usize>to) << 3)), blocks) == wanted) to++;
  const entries = to - from;
  const tags = out + HEADER;
  const numbersAt = numbersOffset(entries);
  for (let i: u32 = 0; i < entries; i++) {
    const hash = load<u64>(hashes + ((<usize>(from + i)) << 3));
    packAt(tags, TAG_BITS, i, tagOf(hash, blocks));
    packAt(out + numbersAt, width, i, <u64>load<u32>(numbers + ((<usize>(from + i)) << 2)));
  }
  store<u32>(out, entries, 4);
  store<u32>(out, width, 8);
  store<u32>(lengthAt, numbersAt + ((entries * width + 7) >>> 3) + 8);
  return entries;
}

/** Finds the entries of a hash in its block: writes up to `room` numbers and returns how many it wrote. */
export function findInHashBlock(block: usize, hash: u64, blocks: u32, out: usize, room: u32): u32 {
  const entries = load<u32>(block, 4);
  const width = load<u32>(block, 8);
  const tags = block + HEADER;
  const numbers = block + numbersOffset(entries);
  const tag = tagOf(hash, blocks);
  let low: u32 = 0;
  let high = entries;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (unpackAt(tags, TAG_BITS, middle) < tag) low = middle + 1;
    else high = middle;
  }
  let found: u32 = 0;
  while (low < entries && found < room && unpackAt(tags, TAG_BITS, low) == tag) {
    store<u32>(out + ((<usize>found) << 2), <u32>unpackAt(numbers, width, low));
    found++;
    low++;
  }
  return found;
}

/** All entries of a block: tags and numbers as u32 pairs. For verification. */
export function listHashBlock(block: usize, out: usize): u32 {
  const entries = load<u32>(block, 4);
  const width = load<u32>(block, 8);
  const tags = block + HEADER;
  const numbers = block + numbersOffset(entries);
  for (let i: u32 = 0; i < entries; i++) {
    store<u32>(out + ((<usize>i) << 3), <u32>unpackAt(tags, TAG_BITS, i));
    store<u32>(out + ((<usize>i) << 3), <u32>unpackAt(numbers, width, i), 4);
  }
  return entries;
}

/**
 * Looks up terms `[from, to)` of a list sorted by hash (u64 hashes, u32 list) that fall into one
 * block. For each writes pairs (u32 list entry, u32 number) of candidates to `out`; returns the number of pairs.
 */
export function probeHashBlock(
  block: usize,
  blocks: u32,
  hashes: usize,
  list: usize,
  from: u32,
  to: u32,
  out: usize,
): u32 {
  const entries = load<u32>(block, 4);
  const width = load<u32>(block, 8);
  const tags = block + HEADER;
  const numbers = block + numbersOffset(entries);
  let pairs: u32 = 0;
  let at: u32 = 0;
  for (let i = from; i < to; i++) {
    const tag = tagOf(load<u64>(hashes + ((<usize>i) << 3)), blocks);
    while (at < entries && unpackAt(tags, TAG_BITS, at) < tag) at++;
    for (let k = at; k < entries && unpackAt(tags, TAG_BITS, k) == tag; k++) {
      store<u32>(out + ((<usize>pairs) << 3), load<u32>(list + ((<usize>i) << 2)));
      store<u32>(out + ((<usize>pairs) << 3), <u32>unpackAt(numbers, width, k), 4);
      pairs++;
    }
  }
  return pairs;
}
