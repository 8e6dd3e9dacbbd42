/**
 * Holds the graphs that documents name to what the caller of a load allows, before their quads are taken. Neighbouring
 * quads mostly share their graph, so that a quad costs the comparison of a fingerprint; each graph is judged once.
 */

import { type InputPosition, SvcError } from '../../base/errors.js';
import { countCodePoints, excerptAt } from '../../kernels/input-position.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import { TERM_KIND, TERM_KIND_SHIFT, TERM_LENGTH_MASK } from '../../kernels/tokenise-state.js';
import type { SlotAreas } from './slot.js';

/** Why a graph can not be written, or null. */
export type GraphFault = (iri: string) => string | null;

/** What stands in front of the input of a slot: line feeds, and code points since the last of them. */
export interface SlotPlace {
  readonly lines: number;
  readonly columns: number;
}

/** A quad's record: four terms of four words each, the graph last. */
const WORDS_PER_QUAD = 16;
const GRAPH_WORD = 12;
const WORDS_PER_TERM = 4;
const LINE_FEED = 10;
/** Graphs that are remembered as allowed; beyond, they are judged again. */
const ALLOWED_MAX = 1 << 20;

function refuseGraph(iri: string, fault: string, position: InputPosition): SvcError {
  return new SvcError('invalid_request', `the graph <${iri}> can not be written: it ${fault}`, { position });
}

export class GraphCheck {
  readonly #memory: ThreadMemory;
  readonly #faultOf: GraphFault;
  /** 53 bits of the keyed fingerprints of graphs. */
  readonly #allowed = new Set<number>();

  constructor(memory: ThreadMemory, faultOf: GraphFault) {
    this.#memory = memory;
    this.#faultOf = faultOf;
  }

  /** Throws at the first quad of a slot whose graph is not allowed; `place` is null where the input is no text of a document. */
  check(slot: SlotAreas, quads: number, source: string, place: SlotPlace | null): void {
    const { words } = this.#memory;
    const records = (slot.records >>> 2) + GRAPH_WORD;
    const hashes = (slot.hashes >>> 2) + GRAPH_WORD;
    let [low, high] = [-1, -1];
    for (let quad = 0; quad < quads; quad++) {
      const kindAndLength = words[records + WORDS_PER_QUAD * quad + 1] as number;
      if (kindAndLength >>> TERM_KIND_SHIFT !== TERM_KIND.iri) continue;
      const hash = hashes + WORDS_PER_QUAD * quad;
      if (words[hash] === low && words[hash + 1] === high) continue;
      [low, high] = [words[hash] as number, words[hash + 1] as number];
      const key = low + 2 ** 32 * (high & 0x1f_ffff);
      if (this.#allowed.has(key)) continue;
      const iri = this.#textOf(records + WORDS_PER_QUAD * quad);
      const fault = this.#faultOf(iri);
      if (fault !== null) throw refuseGraph(iri, fault, { source, ...this.#placeOf(slot, quad, place) });
      if (this.#allowed.size === ALLOWED_MAX) this.#allowed.clear();
      this.#allowed.add(key);
    }
  }

  #textOf(record: number): string {
    const { words } = this.#memory;
    const length = (words[record + 1] as number) & TERM_LENGTH_MASK;
    return Buffer.from(this.#memory.bytesAt(words[record] as number, length)).toString('utf8');
  }

  /** Where the graph stands, or a term of its quad, as far as their text is that of the input. */
  #placeOf(slot: SlotAreas, quad: number, place: SlotPlace | null): InputPosition {
    if (place === null) return {};
    for (const term of [3, 0, 1, 2]) {
      const address = this.#memory.words[
        (slot.records >>> 2) + WORDS_PER_QUAD * quad + WORDS_PER_TERM * term
      ] as number;
      const offset = address - slot.input;
      if (offset < 0 || offset >= slot.inputBytes) continue;
      const bytes = this.#memory.bytesAt(slot.input, slot.inputBytes);
      const lines = this.#memory.kernels.countLines(slot.input, offset);
      const lineStart = offset === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset - 1) + 1;
      const column = countCodePoints(bytes, lineStart, offset) + 1 + (lines === 0 ? place.columns : 0);
      return { line: place.lines + lines + 1, column, excerpt: excerptAt(bytes, offset) };
    }
    return {};
  }
}
