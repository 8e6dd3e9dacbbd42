/**
 * Planner statistics of a merged run: rows and distinct subjects are counted anew from its rows in SPOG
 * order, so that dead rows are out of them; distinct objects, which that order does not show, are estimated from
 * those of the inputs (`runs/distinct-union.ts`), and no more than there are rows.
 */

import { addTo } from '../../base/maps.js';
import type { ThreadMemory } from '../../kernels/memory.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import { type DistinctPart, distinctOfUnion } from '../runs/distinct-union.js';
import type { RunRecord } from '../runs/manifest.js';
import { decodeRunStatistics, type RunStatistics } from '../runs/run-statistics.js';

/** Figures per predicate, in columns; predicates are few. */
const ROWS = 0;
const SUBJECTS = 1;
const FIGURES = 2;

export class MergedStatistics {
  readonly #objects = new Map<bigint, DistinctPart[]>();
  /** Places in the figures by predicate: its auxiliary byte's lower half and payload, which fit a double. */
  readonly #places = new Map<number, number>();
  readonly #predicates: bigint[] = [];
  #figures = new Float64Array(FIGURES * 64);
  #distinctSubjects = 0;
  readonly #last = new Uint32Array(4);
  #place = -1;

  constructor(file: LmdbFile, runs: readonly RunRecord[], transaction: ReadTransaction) {
    for (const run of runs) {
      const value = file.readCopy('statistics', run.id, transaction);
      if (value === undefined) continue;
      for (const { predicate, rows, distinctObjects: distinct } of decodeRunStatistics(value, run.id).predicates) {
        addTo(this.#objects, predicate, { rows, distinct });
      }
    }
  }

  /** Counts the first `rows` rows of columns in SPOG order, which follow those counted before. */
  count(memory: ThreadMemory, columns: readonly number[], rows: number): void {
    const words = memory.words;
    const s = (columns[0] as number) >>> 2;
    const p = (columns[1] as number) >>> 2;
    const last = this.#last;
    for (let i = 0; i < 2 * rows; i += 2) {
      const sameSubject = this.#place >= 0 && words[s + i] === last[0] && words[s + i + 1] === last[1];
      const samePredicate = words[p + i] === last[2] && words[p + i + 1] === last[3];
      if (!sameSubject) this.#distinctSubjects++;
      if (!samePredicate || this.#place < 0)
        this.#place = this.#placeOf(words[p + i] as number, words[p + i + 1] as number);
      if (!sameSubject || !samePredicate) this.#add(SUBJECTS);
      this.#add(ROWS);
      last[0] = words[s + i] as number;
      last[1] = words[s + i + 1] as number;
      last[2] = words[p + i] as number;
      last[3] = words[p + i + 1] as number;
    }
  }

  #add(figure: number): void {
    const at = FIGURES * this.#place + figure;
    this.#figures[at] = (this.#figures[at] as number) + 1;
  }

  #placeOf(low: number, high: number): number {
    const key = low + (high & 0xfffff) * 2 ** 32;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = this.#predicates.length;
    this.#places.set(key, place);
    this.#predicates.push((BigInt(high) << 32n) | BigInt(low));
    if (FIGURES * this.#predicates.length > this.#figures.length) {
      const larger = new Float64Array(2 * this.#figures.length);
      larger.set(this.#figures);
      this.#figures = larger;
    }
    return place;
  }

  list(): RunStatistics {
    const predicates = this.#predicates.map((predicate, place) => {
      const rows = this.#figures[FIGURES * place + ROWS] as number;
      const distinctSubjects = this.#figures[FIGURES * place + SUBJECTS] as number;
      const parts = this.#objects.get(predicate);
      const distinctObjects = Math.min(rows, parts === undefined ? rows : distinctOfUnion(parts));
      return { predicate, rows, distinctSubjects, distinctObjects };
    });
    predicates.sort((a, b) => (a.predicate < b.predicate ? -1 : 1));
    return { distinctSubjects: this.#distinctSubjects, predicates };
  }
}
