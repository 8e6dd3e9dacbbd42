/**
 * A source whose rows are all of one graph, where the request's key and the run's place the graph
 * differently: the run is sorted by s, p, o for a request in GSPO, or by g, s, p, o for one in SPOG.
 * The rows come in the same sequence; only the keys to seek are rewritten.
 */

import type { TermId } from '../ids/layout.js';
import type { Order } from '../seam/scan.js';
import type { RowSource, SourceBatch } from './row-source.js';

const PAST_ALL = [(1n << 64n) - 1n];

export class OneGraphSource implements RowSource {
  readonly #input: RowSource;
  readonly #graph: TermId;
  readonly #order: Order;

  /** `order` is the request's. */
  constructor(input: RowSource, graph: TermId, order: Order) {
    this.#input = input;
    this.#graph = graph;
    this.#order = order;
  }

  begin(from: number, to: number): void {
    this.#input.begin?.(from, to);
  }

  next(): SourceBatch | null {
    return this.#input.next();
  }

  seek(values: readonly bigint[]): void {
    if (this.#order !== 'GSPO') {
      this.#input.seek([this.#graph, ...withoutGraph(values, this.#graph)]);
      return;
    }
    const [graph, ...rest] = values as [bigint, ...bigint[]];
    if (graph > this.#graph) this.#input.seek(PAST_ALL);
    else if (graph === this.#graph && rest.length > 0) this.#input.seek(rest);
  }

  close(): void {
    this.#input.close();
  }
}

/** A key in s, p, o, g (or another order that ends in g) for rows that all have one graph. */
export function withoutGraph(values: readonly bigint[], graph: TermId): bigint[] {
  const key = values.slice(0, 3);
  // Behind the graph: the triple itself lies before the key.
  if (values.length === 4 && (values[3] as bigint) > graph) key[2] = (key[2] as bigint) + 1n;
  return key;
}
