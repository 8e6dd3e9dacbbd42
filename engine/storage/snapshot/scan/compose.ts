/**
 * Sources of composed sets of graphs (`seam/source.ts`):
 *
 *  1. Every set of stored graphs in it is opened as sorted sources in one order: by key range for a scan, by keys for
 *     a probe. Its time, and the store that it is in, are those of the branch that it hangs from.
 *  2. Layers are a merge; an overlay is its base without the removals, merged with the additions; changes are the rows
 *     whose beginning or end is the transaction.
 *  3. At the top equal triples of a merged set, or equal quads of another, become one.
 */

import { invariant } from '../../../base/errors.js';
import { COLUMNS, CURRENT, type GraphSet, type Order, type TimeSlice } from '../../seam/scan.js';
import { type ComposedGraphs, changesTime, isMerged, type StoredGraphs } from '../../seam/source.js';
import { AntiSource } from '../../sources/anti-source.js';
import { ChainedSource } from '../../sources/chained-source.js';
import { EqualSource } from '../../sources/equal-source.js';
import { columnsToMerge, DistinctQuads, DistinctTriples, mergeAll } from '../../sources/merge-source.js';
import { EMPTY_SOURCE, type RowSource } from '../../sources/row-source.js';
import type { ScanView } from '../view.js';
import { isTimed } from './parts.js';

/** A source, and about how many rows it may give. */
export interface WeightedSource {
  readonly source: RowSource;
  readonly weight: number;
}

/** Stored graphs that are to be read in a store: dense batches in an order, in which the columns are decoded. */
export interface LeafReading {
  readonly view: ScanView;
  readonly graphs: StoredGraphs;
  readonly order: Order;
  readonly time: TimeSlice;
  readonly columns: readonly number[];
  /** Of the layers above the runs the rows that were closed there are wanted, tombstones among them. */
  readonly closed: boolean;
  /** False when rows may come in any sequence. */
  readonly sorted: boolean;
}

export type OpenLeaf = (reading: LeafReading) => WeightedSource[];

interface ComposedRequest {
  readonly graphs: ComposedGraphs;
  readonly order: Order;
  readonly time: TimeSlice;
  /** Numbers of the columns that are wanted. */
  readonly wanted: readonly number[];
  readonly unordered?: boolean | undefined;
}

export function composedSource(view: ScanView, request: ComposedRequest, open: OpenLeaf): RowSource {
  const { graphs, time, wanted } = request;
  const { memory } = view.context;
  const merged = isMerged(graphs);
  // Triples of a merged graph have no graph: its GSPO order is that of s, p, o.
  const order = merged && request.order === 'GSPO' ? 'SPOG' : request.order;
  if (request.unordered === true && graphs.kind === 'changes' && isTimed(wanted)) {
    // Each row that a transaction opened or closed stands in one place.
    const changes = new Composition(view, order, wanted, open, false).sources(graphs, time, view);
    return new ChainedSource(changes.map(({ source }) => source));
  }
  const joined = new Composition(view, order, wanted, open, true).merged(graphs, time, view);
  if (joined === null) return EMPTY_SOURCE;
  if (merged) return new DistinctTriples(memory, joined, request.order === 'GSPO');
  return isTimed(wanted) ? joined : new DistinctQuads(memory, joined);
}

class Composition {
  readonly #view: ScanView;
  readonly #order: Order;
  readonly #wanted: readonly number[];
  readonly #columns: readonly number[];
  readonly #open: OpenLeaf;
  readonly #sorted: boolean;

  constructor(view: ScanView, order: Order, wanted: readonly number[], open: OpenLeaf, sorted: boolean) {
    this.#view = view;
    this.#order = order;
    this.#wanted = wanted;
    this.#columns = sorted ? columnsToMerge(order, wanted) : wanted;
    this.#open = open;
    this.#sorted = sorted;
  }

  /** One source of all rows; null when there are none. */
  merged(graphs: GraphSet, time: TimeSlice, view: ScanView): RowSource | null {
    return this.#merge(this.sources(graphs, time, view));
  }

  #merge(sources: readonly WeightedSource[]): RowSource | null {
    if (sources.length === 0) return null;
    const rows = sources.map(({ source }) => source);
    const weights = sources.map(({ weight }) => weight);
    return mergeAll(this.#view.context.memory, rows, this.#order, this.#wanted, weights);
  }

  /** Sources of all rows, to be merged. */
  sources(graphs: GraphSet, time: TimeSlice, view: ScanView): WeightedSource[] {
    switch (graphs.kind) {
      case 'layers':
        return graphs.layers.flatMap((layer) => this.sources(layer, time, view));
      case 'overlay':
        return [
          ...this.#without(this.sources(graphs.base, time, view), graphs.removals, time, view),
          ...this.sources(graphs.additions, time, view),
        ];
      case 'changes':
        return this.#changes(graphs, view);
      case 'timed':
        return this.sources(graphs.graphs, graphs.time, view);
      case 'store':
        return this.sources(graphs.graphs, time, view.store(graphs.store));
      case 'index':
        return this.sources({ kind: 'all' }, CURRENT, view.index(graphs, time));
      default:
        return this.#leaf({ view, graphs, time, columns: this.#columns, closed: false });
    }
  }

  #without(base: readonly WeightedSource[], graphs: GraphSet, time: TimeSlice, view: ScanView): WeightedSource[] {
    invariant(this.#order !== 'GSPO', 'triples are compared in an order that begins with theirs');
    const from = this.#merge(base);
    if (from === null) return [];
    const removals = this.merged(graphs, time, view);
    const weight = base.reduce((sum, one) => sum + one.weight, 0);
    const { memory } = this.#view.context;
    if (removals === null) return [{ source: from, weight }];
    return [{ source: new AntiSource(memory, from, removals, this.#order, this.#columns), weight }];
  }

  #changes(graphs: ComposedGraphs & { readonly kind: 'changes' }, view: ScanView): WeightedSource[] {
    const { tx, op } = graphs;
    const end = COLUMNS.indexOf(op === 'assert' ? 'txFrom' : 'txTo');
    const columns = [...new Set([...this.#columns, end])];
    const time = changesTime(graphs);
    const leaf = this.#leaf({ view, graphs: graphs.graphs, time, columns, closed: op === 'retract' });
    return leaf.map(({ source, weight }) => ({
      source: new EqualSource(view.context.memory, source, end, BigInt(tx), columns),
      weight,
    }));
  }

  #leaf(reading: Omit<LeafReading, 'order' | 'sorted'>): WeightedSource[] {
    return this.#open({ ...reading, order: this.#order, sorted: this.#sorted });
  }
}
