/** Figures of predicates are summed once for the store as a transaction left it, and anew after the next. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT_ID } from '../../engine/storage/ids/layout.js';
import type { GraphSet, PredicateStatistics } from '../../engine/storage/seam/scan.js';
import { openStore, type Store } from '../../interfaces/library/index.js';

const ALL: GraphSet = { kind: 'all' };
const ROOT: GraphSet = { kind: 'one', graph: ROOT_ID };

function figures(store: Store, graphs: GraphSet): readonly PredicateStatistics[] {
  const snapshot = store.snapshot();
  try {
    return snapshot.storage.predicates(graphs);
  } finally {
    snapshot.close();
  }
}

test('snapshots of one transaction share the figures; later ones see later rows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-figures-'));
  const store = await openStore(join(folder, 'store.svc'));
  try {
    await store.update('INSERT DATA { <urn:a> <urn:p> 1, 2 . GRAPH <urn:g> { <urn:a> <urn:p> 3 } }');
    const before = store.snapshot();
    const first = figures(store, ALL);
    assert.equal(first[0]?.rows, 3);
    assert.equal(figures(store, ALL), first);
    assert.notEqual(figures(store, ROOT), first);
    await store.update('INSERT DATA { <urn:b> <urn:p> 1 . <urn:b> <urn:q> 1 }');
    const second = figures(store, ALL);
    assert.deepEqual(second.map(({ rows }) => rows).sort(), [1, 4]);
    assert.deepEqual(before.storage.predicates(ALL), first);
    assert.deepEqual(figures(store, ALL), second);
    before.close();
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
});
