/**
 * Where `ann` stops: definitions are asked for labels, of which lists are made however few there are, and lists are looked at
 * whose centre is less far below the tenth row of those found than some depth. The depth is chosen on schema.org, and reported on FIBO.
 */

import { RDFS, terms } from '../../engine/rdf/terms.js';
import { CodeSearch } from '../../engine/storage/indexes/vectors/code-search.js';
import { hashOfText } from '../../engine/storage/indexes/vectors/entity-text.js';
import { foldVectors } from '../../engine/storage/indexes/vectors/fold-vectors.js';
import { ListOrder } from '../../engine/storage/indexes/vectors/list-order.js';
import { lookAtLists } from '../../engine/storage/indexes/vectors/look-at-lists.js';
import { MarkedRows } from '../../engine/storage/indexes/vectors/marked-rows.js';
import { putVectors } from '../../engine/storage/indexes/vectors/put-vectors.js';
import { readHead } from '../../engine/storage/indexes/vectors/vector-records.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { removeStore, scratchPath } from '../harness/scratch.js';

const DEPTHS = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5];
const LIMIT = 10;
/** Lists are made of so few rows already. */
const LISTS_ROWS_MIN = 1;

export interface DepthFigures {
  readonly depth: number;
  readonly recall: number;
  /** Of all rows, looked at. */
  readonly share: number;
  /** Mean cosine of the first. */
  readonly nearest: number;
}

/** What a label names, and a definition of it. */
interface Entity {
  readonly iri: string;
  readonly label: string;
  readonly definition: string;
}

export type Embed = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

export async function measureDepths(
  asked: readonly Entity[],
  entities: readonly Entity[],
  embed: Embed,
): Promise<DepthFigures[]> {
  const path = scratchPath('list-depth.svc');
  removeStore(path);
  const engine = await openLmdbEngine(path);
  try {
    await fill(engine, entities, await embed(entities.map(({ label }) => label)));
    return search(engine, await embed(asked.map(({ definition }) => definition)));
  } finally {
    await engine.close();
    removeStore(path);
  }
}

async function fill(engine: StorageEngine, entities: readonly Entity[], vectors: readonly Float32Array[]) {
  const lines = entities.map(({ iri, label }) => `<${iri}> <${RDFS}label> ${JSON.stringify(label)} .\n`);
  const source = { kind: 'bytes', bytes: Buffer.from(lines.join('')), name: 'labels', format: 'turtle' } as const;
  await (await engine.stageLoad([source], {}, {})).commit().durable;
  const snapshot = engine.snapshot();
  const kept = entities.map(({ iri, label }, at) => ({
    entity: snapshot.encode(terms.namedNode(iri)) as bigint,
    textHash: hashOfText(label),
    vector: vectors[at] as Float32Array,
  }));
  snapshot.close();
  await putVectors(engine, 'model', (vectors[0] as Float32Array).length, kept);
  await foldVectors(engine, {}, true, LISTS_ROWS_MIN);
}

function search(engine: StorageEngine, queries: readonly Float32Array[]): DepthFigures[] {
  const snapshot = engine.snapshot();
  const { store, transaction } = snapshot.indexView();
  const state = { head: readHead(store, transaction), store, transaction };
  const marked = new MarkedRows(state, {});
  const { memory, stride } = marked.loaded;
  const segments = marked.loaded.segments(state);
  const vectorOf = (row: number): Uint8Array => marked.vectorOf(row);
  const ask = (query: Float32Array, depth: number) => {
    const one = new CodeSearch(memory, query, stride, LIMIT);
    const order = new ListOrder(memory, one, segments);
    const bounds = { depth, listsFactor: Number.POSITIVE_INFINITY, rowsFactor: 0 };
    const seen = lookAtLists(
      one,
      order,
      { limit: LIMIT, hasFilter: false },
      ({ segment, from, to }) => one.lookAt(segment, from, to, { bits: 0, isByPlace: false }),
      bounds,
    );
    const rows = one.best(vectorOf);
    one.release();
    return { seen, rows };
  };
  const exact = queries.map((query) => ask(query, Number.POSITIVE_INFINITY).rows.slice(0, LIMIT));
  const nearest = exact.reduce((sum, rows) => sum + (rows[0]?.score ?? 0), 0) / queries.length;
  const figures = DEPTHS.map((depth) => {
    let [right, all, looked] = [0, 0, 0];
    for (const [at, query] of queries.entries()) {
      const { seen, rows } = ask(query, depth);
      const found = new Set(rows.map(({ row }) => row));
      const expected = exact[at] as (typeof exact)[number];
      right += expected.filter(({ row }) => found.has(row)).length;
      all += expected.length;
      looked += seen;
    }
    return { depth, recall: right / all, share: looked / queries.length / state.head.rows, nearest };
  });
  marked.release();
  snapshot.close();
  return figures;
}

export function depthTable(figures: readonly (DepthFigures & { readonly data: string })[]) {
  return {
    title: 'Where `ann` stops',
    note: 'Lists are looked at whose centre is at most so far below the tenth row (cosine); no other bound. Definitions asked for labels.',
    columns: ['data, entities', 'depth', 'recall@10', 'rows looked at', 'mean cosine of the first'],
    rows: figures.map(({ data, depth, recall, share, nearest }) => [
      data,
      depth.toFixed(2),
      recall.toFixed(4),
      `${(100 * share).toFixed(0)} %`,
      nearest.toFixed(2),
    ]),
  };
}
