/**
 * Terms of one operation as ids of the stage. Ids of the snapshot are those of the stage; values that
 * the query computed are interned when they are first written, and blank nodes that it made become
 * nodes of the store with labels that no document and no other request can have.
 */

import { randomBytes } from 'node:crypto';
import { SvcError } from '../../base/errors.js';
import { getOrInsert } from '../../base/maps.js';
import { type BlankNode, type Quad, type Term, terms } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { TAG } from '../../storage/ids/layout.js';
import type { Stage } from '../../storage/seam/engine.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import { newColumn, writeId } from '../runtime/batch.js';

const SCOPE_BYTES = 8;

/** Where solutions come from. */
export interface SolutionSource {
  /** Terms of any ids of the answer. */
  decode(ids: IdColumn, rows: number): (Term | undefined)[];
  /** Tells nodes of the state that the pattern reads from those that the query made. */
  isStored(node: BlankNode): boolean;
}

/** Blank nodes of one request. */
export class FreshNodes {
  readonly #scope = randomBytes(SCOPE_BYTES).toString('hex');
  #made = 0;

  next(): BlankNode {
    return terms.blankNode(`d${this.#scope}a${this.#made++}`);
  }
}

export class StageTerms {
  /** Ids by the 56 bits below the tag of a local id; 0 = can't be written. */
  private readonly known = new Map<number, readonly [low: number, high: number]>();

  /** New nodes by the labels of those that the query made. */
  private readonly made = new Map<string, BlankNode>();

  constructor(
    private readonly stage: Stage,
    private readonly nodes: FreshNodes,
  ) {}

  /** Writes the id of a new blank node. */
  writeFresh(column: IdColumn, row: number): void {
    writeId(this.stage.intern(this.nodes.next()), column, row);
  }

  /** The column with ids of the stage in place of local ids; the column itself when it has none. */
  settle(column: IdColumn, rows: number, source: SolutionSource): IdColumn {
    let first = 0;
    while (first < rows && !isLocal(column, first)) first++;
    if (first === rows) return column;
    const settled = column.slice(0, 2 * rows);
    this.learn(settled, first, rows, source);
    for (let row = first; row < rows; row++) {
      if (!isLocal(settled, row)) continue;
      const [low, high] = this.known.get(keyAt(settled, row)) as readonly [number, number];
      settled[2 * row] = low;
      settled[2 * row + 1] = high;
    }
    return settled;
  }

  /** Interns the local values that were not met before. */
  private learn(column: IdColumn, first: number, rows: number, source: SolutionSource): void {
    const unknown = newColumn(rows - first);
    const keys: number[] = [];
    const met = new Set<number>();
    for (let row = first; row < rows; row++) {
      if (!isLocal(column, row)) continue;
      const key = keyAt(column, row);
      if (this.known.has(key) || met.has(key)) continue;
      met.add(key);
      unknown[2 * keys.length] = column[2 * row] as number;
      unknown[2 * keys.length + 1] = column[2 * row + 1] as number;
      keys.push(key);
    }
    const decoded = source.decode(unknown, keys.length);
    for (const [at, key] of keys.entries()) this.known.set(key, this.intern(decoded[at] as Term, source));
  }

  /** The new node for one that the query made; the same wherever it stands. */
  private nodeFor(label: string): BlankNode {
    return getOrInsert(this.made, label, () => this.nodes.next());
  }

  /** A triple term with new nodes in place of those that the query made. */
  private settled(term: Term, source: SolutionSource): Term {
    if (term.termType !== 'Quad') return term;
    const [s, p, o] = [term.subject, term.predicate, term.object].map((part) => {
      if (part.termType !== 'BlankNode') return this.settled(part, source);
      return source.isStored(part) ? part : this.nodeFor(part.value);
    });
    return terms.quad(s as Quad['subject'], p as Quad['predicate'], o as Quad['object']);
  }

  private intern(term: Term, source: SolutionSource): readonly [low: number, high: number] {
    try {
      const id = this.stage.intern(
        term.termType === 'BlankNode' ? this.nodeFor(term.value) : this.settled(term, source),
      );
      return [lowOf(id), highOf(id)];
    } catch (error) {
      // A computed term that no document could hold: the quads that need it are left out.
      if (error instanceof SvcError && error.code === 'invalid_request') return [0, 0];
      throw error;
    }
  }
}

function isLocal(column: IdColumn, row: number): boolean {
  return (column[2 * row + 1] as number) >>> 24 === TAG.local;
}

/** Auxiliary byte and payload; the former is small for local ids, so that both fit a double. */
function keyAt(column: IdColumn, row: number): number {
  return ((column[2 * row + 1] as number) & 0xffffff) * 2 ** 32 + (column[2 * row] as number);
}
