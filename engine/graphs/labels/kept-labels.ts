/**
 * The labels of all graphs, kept from one state of the store to the next: the ids of graphs and of the texts that keep their labels
 * are compared, and only texts that are new are read. An id never names another text.
 */

import { type GraphLabels, labelTexts, readLabels } from '../../query/registry/label-rows.js';
import type { TermId, TxId } from '../../storage/ids/layout.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

interface Kept {
  readonly text: TermId;
  readonly labels: GraphLabels | null;
}

export class KeptLabels {
  #tx: TxId | null = null;
  #kept: ReadonlyMap<TermId, Kept> = new Map();

  /** The graphs whose labels meet a test. */
  graphs(snapshot: StorageSnapshot, test: (labels: GraphLabels) => boolean): TermId[] {
    this.#update(snapshot);
    return [...this.#kept].flatMap(([graph, { labels }]) => (labels !== null && test(labels) ? [graph] : []));
  }

  #update(snapshot: StorageSnapshot): void {
    if (this.#tx === snapshot.tx) return;
    const rows = labelTexts(snapshot) as readonly (readonly [graph: TermId, text: TermId])[];
    const fresh = rows.filter(([graph, text]) => this.#kept.get(graph)?.text !== text);
    const texts = decodeIds(
      snapshot,
      fresh.map(([, text]) => text),
    );
    const read = new Map(fresh.map(([graph], at) => [graph, texts[at]] as const));
    const kept = new Map<TermId, Kept>();
    for (const [graph, text] of rows) {
      const term = read.get(graph);
      const known = this.#kept.get(graph);
      kept.set(
        graph,
        term === undefined && known !== undefined
          ? known
          : { text, labels: term === undefined ? null : readLabels(term.value) },
      );
    }
    this.#kept = kept;
    this.#tx = snapshot.tx;
  }
}
