/**
 * The bulk loader as a reader: a document is loaded into a fresh store file and read back out of it.
 * What a person loads goes this way, tokeniser kernels included.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Format } from '../../engine/rdf/formats/registry.js';
import { type Quad, type Term, terms } from '../../engine/rdf/terms.js';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import type { Reader } from './reader.js';

export const storeReader: Reader = {
  name: 'store',
  formats: ['ntriples', 'nquads', 'turtle', 'trig', 'rdfxml'],
  suites: ['rdf11', 'rdf12'],
  parse: async (bytes: Uint8Array, format: Format, baseIri: string) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
    const engine = await openLmdbEngine(join(folder, 'store.db'));
    try {
      const source = { kind: 'bytes', bytes, name: baseIri, format, baseIri } as const;
      const staged = await engine.stageLoad([source], { blankNodeScope: 'store' }, {});
      await staged.commit().durable;
      return contents(engine);
    } finally {
      await engine.close();
      rmSync(folder, { recursive: true });
    }
  },
};

function contents(engine: StorageEngine): Quad[] {
  const snapshot = engine.snapshot();
  const cursor = snapshot.scan({ graphs: { kind: 'all' }, pattern: {}, time: CURRENT, columns: ['s', 'p', 'o', 'g'] });
  const quads: Quad[] = [];
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { rows, selection, columns } = batch;
    const { s, p, o, g } = columns;
    if (!s || !p || !o || !g) throw new Error('a column is missing');
    const [subjects, predicates, objects, graphs] = [s, p, o, g].map((column) => snapshot.decode(column, rows));
    for (let i = 0; i < (selection?.length ?? rows); i++) {
      const row = selection?.[i] ?? i;
      const graph = (BigInt(g[2 * row + 1] as number) << 32n) | BigInt(g[2 * row] as number);
      quads.push(
        terms.quad(
          subjects?.[row] as Quad['subject'],
          predicates?.[row] as Quad['predicate'],
          objects?.[row] as Quad['object'],
          graph === ROOT_ID ? terms.defaultGraph() : (graphs?.[row] as Term as Quad['graph']),
        ),
      );
    }
  }
  snapshot.close();
  return quads;
}
