/** Counts of the store. Those of facts, entities and predicates are exact. */

import { basename, isAbsolute } from 'node:path';
import { type Control, throwIfStopped } from '../../../base/control.js';
import { withSnapshot } from '../../../storage/seam/rows.js';
import type { GraphFigures } from '../../facts/graph-figures.js';
import { showInstant } from '../../options/store-options.js';
import { nullable, type Static, Type } from '../../requests/schema.js';
import type { StoreStats } from '../../store/stats.js';
import type { Store } from '../../store/store.js';
import { defineOperation } from '../definition/operation.js';

/** Of a snapshot of its own. */
export async function figuresOfRoot(store: Store, control: Control): Promise<GraphFigures> {
  const { figuresInRoot } = await import('../../facts/graph-figures.js');
  return withSnapshot(store.snapshot(), async (snapshot) => {
    return await figuresInRoot(store, snapshot.storage, control);
  });
}

/** What folds and merges move, too: it differs between two answers though nothing was written meanwhile. */
const storageFigures = Type.Object(
  {
    file_bytes: Type.Integer(),
    bytes_by_part: Type.Record(Type.String(), Type.Integer()),
    rows: Type.Object({
      total: Type.Integer('every row, current and closed'),
      history: Type.Integer('closed rows in runs'),
      dead: Type.Integer('closed rows that current runs still hold'),
    }),
    runs: Type.Object({ current: Type.Integer(), history: Type.Integer() }),
    delta: Type.Object(
      { rows: Type.Integer(), closes: Type.Integer(), terms: Type.Integer(), bytes: Type.Integer() },
      'what small transactions have added since the last fold',
    ),
    pages: nullable(
      Type.Object({
        page_bytes: Type.Integer(),
        pages: Type.Integer(),
        free: Type.Integer('pages that hold nothing now'),
        readers: Type.Integer('open views of the file, in all processes'),
        oldest_reader_commits: nullable(Type.Integer(), 'commits of the file since the view of the oldest of them'),
      }),
    ),
    written: nullable(
      Type.Object({
        commits: Type.Integer(),
        transactions: Type.Integer(),
        log_bytes: Type.Integer(),
        rows_folded: Type.Integer(),
        runs_merged: Type.Integer(),
        maintenance_bytes: Type.Integer(),
      }),
      'what this process has written; null when it only reads',
    ),
  },
  'how the store lies in its file; maintenance and readers change these figures without any write',
);

function toFigures(counts: StoreStats): Static<typeof storageFigures> {
  const { fileBytes, bytesByPart, currentRuns, historyRuns, delta, pages, written } = counts;
  return {
    file_bytes: fileBytes,
    bytes_by_part: bytesByPart,
    rows: { total: counts.rowsTotal, history: counts.historyRows, dead: counts.deadRows },
    runs: { current: currentRuns, history: historyRuns },
    delta,
    pages: pages && {
      page_bytes: pages.pageBytes,
      pages: pages.pages,
      free: pages.freePages,
      readers: pages.readers,
      oldest_reader_commits: pages.oldestReaderCommits,
    },
    written: written && {
      commits: written.commits,
      transactions: written.transactions,
      log_bytes: written.logBytes,
      rows_folded: written.rowsFolded,
      runs_merged: written.runsMerged,
      maintenance_bytes: written.maintenanceBytes,
    },
  };
}

export const stats = defineOperation({
  name: 'stats',
  summary: 'Count what the store holds',
  access: 'read',
  request: Type.Object({}),
  response: Type.Object({
    facts: Type.Integer('current quads of ROOT'),
    entities: Type.Integer('distinct subjects of ROOT'),
    predicates: Type.Integer('distinct predicates of ROOT'),
    quads: Type.Integer('current quads of all graphs'),
    graphs: Type.Integer(),
    transactions: Type.Integer(),
    terms: nullable(Type.Integer(), 'null for who may read some graphs only'),
    last_transaction: nullable(
      Type.Object({ tx_id: Type.Integer(), timestamp: Type.String() }),
      'null: there is none, or who asks may read some graphs only',
    ),
    store: Type.String(),
    storage: nullable(storageFigures, 'null for who may read some graphs only'),
  }),
  async handler({ store, control }) {
    throwIfStopped(control, 'the count');
    const counts = store.stats();
    const root = await figuresOfRoot(store, control);
    const { quadsCurrent: quads, graphs, transactions, terms, path, lastTransaction: last } = counts;
    const body = {
      facts: root.triples,
      entities: root.subjects,
      predicates: root.predicates,
      quads,
      graphs,
      transactions,
      terms: store.readsAll ? terms : null,
      last_transaction:
        last === null || !store.readsAll ? null : { tx_id: last.id, timestamp: showInstant(last.timestamp) },
      // Whoever asks need not know in which folder of the machine it lies.
      store: isAbsolute(path) ? basename(path) : path,
      storage: store.readsAll ? toFigures(counts) : null,
    };
    return { kind: 'body', body };
  },
  projections: {
    http: [{ method: 'GET', path: '/stats', request: 'parameters' }],
    mcp: {
      tool: 'stats',
      description: [
        'Count what the ROOT graph holds now: {"facts", "entities": distinct subjects, "predicates"}, with figures of the whole store.',
      ],
      example: {},
      parameters: {},
      extra: true,
    },
    cli: {
      command: 'stats',
      examples: ['svc stats', 'svc stats --db graph.db --json'],
      options: {},
      text: (body, { store }) =>
        `store: ${store}\nfacts (current): ${body.facts}\nentities: ${body.entities}\npredicates: ${body.predicates}\n`,
    },
  },
});
