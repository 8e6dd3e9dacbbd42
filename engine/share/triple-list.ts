/** Triples of one graph, by ids. */

import type { QuadColumns } from '../storage/seam/engine.js';
import type { IdColumn } from '../storage/seam/scan.js';
import { IdList } from '../validate/data/id-columns.js';

type TripleColumns = Readonly<Record<'s' | 'p' | 'o', IdColumn>>;

export class TripleList {
  readonly #s = new IdList(16);
  readonly #p = new IdList(16);
  readonly #o = new IdList(16);

  get rows(): number {
    return this.#s.count;
  }

  get columns(): TripleColumns {
    return { s: this.#s.ids, p: this.#p.ids, o: this.#o.ids };
  }

  push({ s, p, o }: TripleColumns, row: number): void {
    const at = 2 * row;
    this.#s.push(s[at] as number, s[at + 1] as number);
    this.#p.push(p[at] as number, p[at + 1] as number);
    this.#o.push(o[at] as number, o[at + 1] as number);
  }

  /** As quads of a graph, that has this id. */
  quads(graph: readonly [low: number, high: number]): QuadColumns {
    const { rows } = this;
    const g = new Uint32Array(2 * rows);
    for (let row = 0; row < rows; row++) g.set(graph, 2 * row);
    const column = (list: IdList): IdColumn => list.ids.slice(0, 2 * rows);
    return { rows, s: column(this.#s), p: column(this.#p), o: column(this.#o), g };
  }
}
