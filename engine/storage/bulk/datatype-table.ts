/** The table of datatype IRIs that the inlining kernel reads: u32 count, then (start, length) per code, then the IRIs. */

import type { ThreadMemory } from '../../kernels/memory.js';
import { DATATYPES } from '../ids/layout.js';

export function placeDatatypes(memory: ThreadMemory): number {
  const texts = DATATYPES.map((iri) => Buffer.from(iri, 'utf8'));
  const header = 4 + 8 * texts.length;
  const bytes = header + texts.reduce((sum, text) => sum + text.length, 0);
  const table = memory.allocate(bytes);
  const words = memory.words;
  words[table >>> 2] = texts.length;
  let at = table + header;
  texts.forEach((text, code) => {
    memory.bytes.set(text, at);
    words[(table >>> 2) + 1 + 2 * code] = at;
    words[(table >>> 2) + 2 + 2 * code] = text.length;
    at += text.length;
  });
  return table;
}
