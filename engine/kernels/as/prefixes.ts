/**
 * The prefix table and the base IRI of a document. Both change only when a directive is complete,
 * so a statement that is cut off and read again finds them as they were. A name keeps its slot when
 * it is declared anew; its IRI is overwritten in place where it fits.
 */

import { FIELD, TOKENISE } from './tokenise-codes';
import { BLOCK_SLACK, fail, SLOT_BYTES } from './tokenise-state';

/** The first 8 bytes of a name, zero-filled. */
// @inline
function nameKey(name: usize, length: u32): u64 {
  if (length == 0) return 0;
  const bytes = load<u64>(name);
  return length >= 8 ? bytes : bytes & (((<u64>1) << ((<u64>length) << 3)) - 1);
}

/** The slot of a name: the one that holds it, or the free one where it belongs. */
// @inline
export function findPrefixSlot(state: usize, name: usize, length: u32): usize {
  const key = nameKey(name, length);
  let hash = key ^ ((<u64>length) << 56);
  if (length > 8) hash ^= rotl<u64>(load<u64>(name + <usize>length - 8), 23);
  const mask = load<u32>(state + FIELD.prefixMask);
  const slots = <usize>load<u32>(state + FIELD.prefixSlots);
  let index = <u32>((hash * 0x9e3779b97f4a7c15) >> 40) & mask;
  while (true) {
    const slot = slots + <usize>index * SLOT_BYTES;
    if (load<u32>(slot) == 0) return slot;
    if (load<u64>(slot, 8) == key && load<u32>(slot, 4) == length) {
      if (length <= 8 || memory.compare(load<u32>(slot), name, length) == 0) return slot;
    }
    index = (index + 1) & mask;
  }
}

/** Copies bytes into the names area; returns their address, or 0 when it is full. */
function keepName(state: usize, from: usize, length: u32): usize {
  const next = <usize>load<u32>(state + FIELD.namesNext);
  const end = <usize>load<u32>(state + FIELD.namesEnd);
  if (end - next < <usize>(length + BLOCK_SLACK)) return 0;
  memory.copy(next, from, length);
  store<u32>(state + FIELD.namesNext, <u32>next + length);
  return next;
}

/** Binds a prefix to an IRI; `at` is where an error is reported. Returns false after an error. */
export function declarePrefix(state: usize, name: usize, length: u32, iri: usize, iriLength: u32, at: usize): bool {
  const slot = findPrefixSlot(state, name, length);
  if (load<u32>(slot) == 0) {
    const count = load<u32>(state + FIELD.prefixCount);
    // The table is twice as large as the most prefixes that it may hold.
    if (count >= (load<u32>(state + FIELD.prefixMask) + 1) >> 1) return fail(state, TOKENISE.tooManyPrefixes, at) != 0;
    const copy = keepName(state, name, length);
    if (!copy) return fail(state, TOKENISE.tooManyPrefixes, at) != 0;
    store<u32>(slot, <u32>copy);
    store<u32>(slot, length, 4);
    store<u64>(slot, nameKey(name, length), 8);
    store<u32>(slot, <u32>copy, 16);
    store<u64>(slot, 0, 20);
    store<u32>(state + FIELD.prefixCount, count + 1);
  }
  if (iriLength <= load<u32>(slot, 24)) {
    memory.copy(load<u32>(slot, 16), iri, iriLength);
  } else {
    const copy = keepName(state, iri, iriLength);
    if (!copy) return fail(state, TOKENISE.tooManyPrefixes, at) != 0;
    store<u32>(slot, <u32>copy, 16);
    store<u32>(slot, iriLength, 24);
  }
  store<u32>(slot, iriLength, 20);
  return true;
}

/** Makes an absolute IRI the base; returns false after an error at `at`. */
export function declareBase(state: usize, iri: usize, length: u32, at: usize): bool {
  if (length <= load<u32>(state + FIELD.baseCapacity)) {
    memory.copy(load<u32>(state + FIELD.baseAddress), iri, length);
  } else {
    const copy = keepName(state, iri, length);
    if (!copy) return fail(state, TOKENISE.tooManyPrefixes, at) != 0;
    store<u32>(state + FIELD.baseAddress, <u32>copy);
    store<u32>(state + FIELD.baseCapacity, length);
  }
  store<u32>(state + FIELD.baseLength, length);
  // Its parts are found when they are first needed.
  store<u32>(state + FIELD.baseHostEnd, 0);
  return true;
}
