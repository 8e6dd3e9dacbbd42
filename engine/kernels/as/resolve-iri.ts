/**
 * Resolution of relative IRI references (RFC 3986, section 5.2) into scratch, without any other
 * normalisation. The parts of the base are found once per base; most references need two copies.
 */

import { TERM_KIND } from './term-codes';
import { schemeLength } from './terms';
import { FIELD, TOKENISE } from './tokenise-codes';
import { BLOCK_SLACK, fail, LENGTH_MAX, reserveScratch, storeTerm } from './tokenise-state';

/** The first of `?`, `#` (and `/`, if wanted) in [from, end), or `end`. */
function findDelimiter(from: usize, end: usize, slash: bool): usize {
  let p = from;
  while (p < end) {
    const c = load<u8>(p);
    if (c == 0x3f || c == 0x23 || (slash && c == 0x2f)) return p;
    p++;
  }
  return end;
}

/** Finds the parts of the base IRI, as lengths from its start. */
function splitBase(state: usize): void {
  const base = <usize>load<u32>(state + FIELD.baseAddress);
  const length = load<u32>(state + FIELD.baseLength);
  const end = base + <usize>length;
  const scheme = schemeLength(base, length);
  let host = base + <usize>scheme;
  if (end - host >= 2 && load<u16>(host) == 0x2f2f) host = findDelimiter(host + 2, end, true);
  let path = host;
  while (path < end && load<u8>(path) != 0x3f && load<u8>(path) != 0x23) path++;
  let query = path;
  while (query < end && load<u8>(query) != 0x23) query++;
  let folder = path;
  while (folder > host && load<u8>(folder - 1) != 0x2f) folder--;
  store<u32>(state + FIELD.baseSchemeEnd, scheme);
  store<u32>(state + FIELD.baseHostEnd, <u32>(host - base));
  store<u32>(state + FIELD.basePathEnd, <u32>(path - base));
  store<u32>(state + FIELD.baseQueryEnd, <u32>(query - base));
  store<u32>(state + FIELD.baseFolderEnd, <u32>(folder - base));
}

/** Whether a segment of [from, end) is or starts with a dot: dot segments are looked for only then. */
function hasDotSegment(from: usize, end: usize): bool {
  let p = from;
  let atStart = true;
  while (p < end) {
    const c = load<u8>(p);
    if (atStart && c == 0x2e) return true;
    atStart = c == 0x2f;
    p++;
  }
  return false;
}

/** Whether the path at `p` starts with a segment of `dots` dots. */
// @inline
function isDots(p: usize, end: usize, dots: usize): bool {
  if (p + dots > end || load<u8>(p) != 0x2e || load<u8>(p + dots - 1) != 0x2e) return false;
  return p + dots == end || load<u8>(p + dots) == 0x2f;
}

/** Removes dot segments from the path [from, end) in place (section 5.2.4); returns its new end. */
function removeDotSegments(from: usize, end: usize): usize {
  let p = from;
  let to = from;
  // A path without a leading slash loses its leading dot segments.
  while (p < end && (isDots(p, end, 1) || isDots(p, end, 2))) {
    p += isDots(p, end, 1) ? 1 : 2;
    if (p < end) p++;
  }
  while (p < end) {
    const slash = load<u8>(p) == 0x2f;
    if (slash && isDots(p + 1, end, 1)) {
      p += 2;
      if (p == end) store<u8>(to++, 0x2f);
    } else if (slash && isDots(p + 1, end, 2)) {
      p += 3;
      while (to > from && load<u8>(to - 1) != 0x2f) to--;
      if (to > from) to--;
      if (p == end) store<u8>(to++, 0x2f);
    } else {
      do {
        store<u8>(to++, load<u8>(p++));
      } while (p < end && load<u8>(p) != 0x2f);
    }
  }
  return to;
}

/** How much of the base stands before a reference that starts at `start` and is not empty. */
function keptOfBase(state: usize, start: usize, length: u32): u32 {
  const c = load<u8>(start);
  if (c == 0x23) return load<u32>(state + FIELD.baseQueryEnd);
  if (c == 0x3f) return load<u32>(state + FIELD.basePathEnd);
  if (c != 0x2f) return load<u32>(state + FIELD.baseFolderEnd);
  const network = length > 1 && load<u8>(start, 1) == 0x2f;
  return load<u32>(state + (network ? FIELD.baseSchemeEnd : FIELD.baseHostEnd));
}

/** Appends the reference to the kept part at `to`, removing dot segments; returns the new end. */
function appendReference(state: usize, iri: usize, kept: u32, start: usize, length: u32): usize {
  let to = iri + <usize>kept;
  const c: u32 = length ? load<u8>(start) : 0x23;
  const host = iri + <usize>load<u32>(state + FIELD.baseHostEnd);
  const network = c == 0x2f && length > 1 && load<u8>(start, 1) == 0x2f;
  // A base with an authority and an empty path still needs the slash between the two.
  const relative = c != 0x2f && c != 0x23 && c != 0x3f;
  const hasHost = load<u32>(state + FIELD.baseHostEnd) > load<u32>(state + FIELD.baseSchemeEnd);
  if (relative && hasHost && to == host) store<u8>(to++, 0x2f);
  memory.copy(to, start, length);
  const end = to + <usize>length;
  if (c == 0x23 || c == 0x3f) return end;
  const path = network ? findDelimiter(to + 2, end, true) : host;
  const pathEnd = findDelimiter(path, end, false);
  if (!hasDotSegment(path, pathEnd)) return end;
  const newEnd = removeDotSegments(path, pathEnd);
  memory.copy(newEnd, pathEnd, end - pathEnd);
  return newEnd + (end - pathEnd);
}

/** Replaces the relative reference in `record` by the IRI it means; `at` is where errors are reported. */
export function resolveIri(state: usize, record: usize, at: usize): bool {
  const base = <usize>load<u32>(state + FIELD.baseAddress);
  if (!base) return fail(state, TOKENISE.relativeIri, at) != 0;
  if (!load<u32>(state + FIELD.baseHostEnd)) splitBase(state);
  const start = <usize>load<u32>(record);
  const length = load<u32>(record, 4) & LENGTH_MAX;
  const kept = length ? keptOfBase(state, start, length) : load<u32>(state + FIELD.baseQueryEnd);
  if (<u64>kept + <u64>length + 1 > <u64>LENGTH_MAX) return fail(state, TOKENISE.termTooLong, at) != 0;
  const iri = reserveScratch(state, kept + length + BLOCK_SLACK);
  if (!iri) return false;
  memory.copy(iri, base, kept);
  const end = appendReference(state, iri, kept, start, length);
  storeTerm(record, iri, <u32>(end - iri), TERM_KIND.iri);
  store<u32>(state + FIELD.scratchNext, <u32>end);
  return true;
}
