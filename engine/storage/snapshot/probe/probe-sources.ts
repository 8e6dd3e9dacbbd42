/** The sources of a probe: those of a scan, each confined to the keys, through the same merges and filters. */

import type { Order, ProbeRequest } from '../../seam/scan.js';
import { type ComposedGraphs, isMerged, type StoredGraphs } from '../../seam/source.js';
import { graphTestOf } from '../../sources/graph-ranges.js';
import { columnsToMerge, DistinctQuads, DistinctTriples, mergeAll } from '../../sources/merge-source.js';
import { EMPTY_SOURCE, type RowSource } from '../../sources/row-source.js';
import { timeView } from '../../time/time-view.js';
import { composedSource, type WeightedSource } from '../scan/compose.js';
import { columnsFor, layerSources, tombstonesFor, withoutClosed } from '../scan/layers.js';
import { isTimed } from '../scan/parts.js';
import type { ScanView } from '../view.js';
import { KeyPrefix, type ProbeKeys } from './probe-keys.js';
import { type ProbedRun, prefixOf, probedRuns, type StoredProbe } from './probe-plan.js';
import { RunProbe } from './run-probe.js';

/** Stored graphs that are to be probed in a store. */
interface Reading {
  readonly view: ScanView;
  readonly request: StoredProbe;
  readonly runs: readonly ProbedRun[];
  readonly columns: readonly number[];
  /** Of the layers above the runs the rows that were closed there are wanted, tombstones among them. */
  readonly closed: boolean;
}

export class ProbeSources {
  readonly #view: ScanView;
  readonly #request: ProbeRequest;
  readonly #keys: ProbeKeys;
  readonly #wanted: readonly number[];
  /** The keys in the orders of layers, behind constants of their own. */
  readonly #prefixes: KeyPrefix[] = [];

  /** `wanted`: numbers of the columns that rows must have. */
  constructor(view: ScanView, request: ProbeRequest, keys: ProbeKeys, wanted: readonly number[]) {
    this.#view = view;
    this.#request = request;
    this.#keys = keys;
    this.#wanted = wanted;
  }

  /** The rows of stored graphs; `distinct`: a quad may stand in several of them. */
  stored(request: StoredProbe, runs: readonly ProbedRun[], distinct: boolean): RowSource {
    const { memory } = this.#view.context;
    const columns = columnsToMerge(request.order, this.#wanted);
    const sources = this.#sources({ view: this.#view, request, runs, columns, closed: false });
    if (sources.length === 0) return EMPTY_SOURCE;
    const weights = sources.map(({ weight }) => weight);
    const rows = sources.map(({ source }) => source);
    const joined = mergeAll(memory, rows, request.order, columns, weights);
    if (isMerged(request.graphs)) return new DistinctTriples(memory, joined, false);
    return distinct ? new DistinctQuads(memory, joined) : joined;
  }

  composed(graphs: ComposedGraphs): RowSource {
    const { order, time } = this.#request;
    return composedSource(this.#view, { graphs, order, time, wanted: this.#wanted }, (read) => {
      const request = { ...this.#request, graphs: read.graphs, time: read.time };
      return this.#sources({ ...read, request, runs: probedRuns(read.view, request) });
    });
  }

  /** To be called when keys were loaded. */
  begin(): void {
    for (const prefix of this.#prefixes) prefix.begin();
  }

  release(): void {
    for (const prefix of this.#prefixes) prefix.release();
  }

  #sources({ view, request, runs, columns, closed }: Reading): WeightedSource[] {
    const { graphs, pattern, order, time } = request;
    const layered = { graphs, pattern, order, time, timed: isTimed(columns) };
    const above = layerSources(view, layered, columns, { closed, keysOf: (own) => this.#prefixIn(own, graphs) });
    const tombstones = tombstonesFor(view, layered);
    return [
      ...runs.map((run) => {
        const { plan } = run;
        const closing = run.run.kind === 'current' ? tombstones : [];
        const decoded = closing.length > 0 ? columnsFor(plan, columns) : columns;
        const source = new RunProbe(view.scan, run, this.#keys, decoded);
        return {
          source: withoutClosed(view, source, closing, plan, timeView(time, view.tx), decoded),
          weight: run.run.rows,
        };
      }),
      ...above.map((source) => ({ source, weight: 1 })),
    ];
  }

  /** Address of the keys in the order of a layer, for rows of such graphs. */
  #prefixIn(order: Order, graphs: StoredGraphs): number {
    const { pattern, keys } = this.#request;
    const g = graphTestOf(graphs) ?? undefined;
    const prefix = new KeyPrefix(this.#keys, prefixOf(order, { ...pattern, g }, keys));
    prefix.begin();
    this.#prefixes.push(prefix);
    return prefix.address;
  }
}
