/**
 * What the snapshots of a staged load read by: the manifest that its publication would write, and caches of its
 * own. The numbers of its blocks, runs and terms become another's when the load is dropped, so nothing that is
 * read here may stay with what other snapshots read.
 */

import type { TermId } from '../ids/layout.js';
import type { LmdbFile, ReadTransaction } from '../lmdb/file.js';
import type { Head } from '../log/head.js';
import { readGraphCounts } from '../runs/graph-counts.js';
import type { Manifest } from '../runs/manifest.js';
import { SnapshotContext } from './context.js';

/** The store as a load would leave it. */
export interface StagedState {
  readonly manifest: Manifest;
  readonly head: Head;
  /** Rows that it adds to each graph. */
  readonly perGraph: ReadonlyMap<TermId, number>;
}

export class StagedLoadContext extends SnapshotContext {
  #staged: StagedState;
  #graphs: ReadonlyMap<TermId, number> | null = null;

  constructor(file: LmdbFile, seed: readonly [bigint, bigint], staged: StagedState) {
    super(file, seed);
    this.#staged = staged;
  }

  get stagedState(): StagedState {
    return this.#staged;
  }

  /** The same rows in other runs. */
  becomes(manifest: Manifest): void {
    const head = { ...this.#staged.head, nextTermNumber: manifest.nextTermNumber };
    this.#staged = { ...this.#staged, manifest, head };
    this.deltas.drop();
  }

  override manifest(_transaction: ReadTransaction): Manifest {
    return this.#staged.manifest;
  }

  override state(_transaction: ReadTransaction): StagedState {
    return this.#staged;
  }

  override graphCounts(_manifest: Manifest, transaction: ReadTransaction): ReadonlyMap<TermId, number> {
    if (this.#graphs === null) {
      const counts = readGraphCounts(this.file, transaction);
      for (const [graph, rows] of this.#staged.perGraph) counts.set(graph as TermId, (counts.get(graph) ?? 0) + rows);
      this.#graphs = counts as Map<TermId, number>;
    }
    return this.#graphs;
  }
}
