/** Planner figures of one run, gathered from its sorted keys while they are there. */

import type { ThreadMemory } from '../../kernels/memory.js';
import type { RunStatistics } from '../runs/run-statistics.js';
import type { PredicateStatistics } from '../seam/scan.js';
import { type KeyBits, keyLayout } from './sort-keys.js';

export class RunFigures {
  readonly #memory: ThreadMemory;
  readonly #predicates: number;
  readonly #subjects: number;
  #objects: Uint32Array;
  distinctSubjects = 0;

  constructor(memory: ThreadMemory, predicates: number) {
    this.#memory = memory;
    this.#predicates = Math.max(1, predicates);
    this.#subjects = memory.allocate(8 * this.#predicates);
    memory.kernels.zero(this.#subjects, 8 * this.#predicates);
    this.#objects = new Uint32Array(this.#predicates);
  }

  /** From keys in SPOG order. */
  subjects(keys: number, count: number, layout: number): void {
    this.#memory.kernels.countSubjects(keys, count, layout, this.#subjects);
    this.distinctSubjects = this.#memory.kernels.countDistinctFirst(keys, count, layout, 0);
  }

  /** From keys in POSG order; `layout` is an area to write that order's layout into. */
  objects(keys: number, count: number, layout: number, bits: KeyBits): void {
    this.takeObjects(countObjectsOf(this.#memory, keys, count, bits, this.#predicates, layout));
  }

  takeObjects(objects: Uint32Array): void {
    this.#objects = objects;
  }

  list(memory: ThreadMemory, predicateIds: number): RunStatistics {
    const ids = memory.bigsAt(predicateIds, this.#predicates);
    const words = memory.wordsAt(this.#subjects, 2 * this.#predicates);
    const predicates: PredicateStatistics[] = [];
    for (let i = 0; i < this.#predicates; i++) {
      const rows = words[2 * i] as number;
      if (rows === 0) continue;
      predicates.push({
        predicate: ids[i] as bigint,
        rows,
        distinctSubjects: words[2 * i + 1] as number,
        distinctObjects: this.#objects[i] ?? 0,
      });
    }
    return { distinctSubjects: this.distinctSubjects, predicates };
  }

  release(): void {
    this.#memory.free(this.#subjects, 8 * this.#predicates);
  }
}

/** Distinct objects per predicate rank, from keys in POSG order. */
export function countObjectsOf(
  memory: ThreadMemory,
  keys: number,
  count: number,
  bits: KeyBits,
  predicates: number,
  layout: number,
): Uint32Array {
  memory.wordsAt(layout, 8).set(keyLayout('POSG', bits));
  const figures = memory.allocate(4 * predicates);
  memory.kernels.zero(figures, 4 * predicates);
  memory.kernels.countObjects(keys, count, layout, figures);
  const objects = Uint32Array.from(memory.wordsAt(figures, predicates));
  memory.free(figures, 4 * predicates);
  return objects;
}
