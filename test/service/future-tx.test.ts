/** A transaction that is not there yet is refused, wherever one can be named. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { document } from './reads-support.js';

const ASKED: readonly (readonly [string, (store: Store, tx: number) => unknown])[] = [
  ['query', (store, tx) => store.query('ASK {}', { tx })],
  ['query of rows', (store, tx) => store.query('SELECT * { ?s ?p ?o }', { tx, validAt: '2026-01-01' })],
  ['explain', (store, tx) => store.explain('SELECT * { ?s ?p ?o }', { tx })],
  ['prepared query', async (store, tx) => (await store.prepare('ASK { ?s ?p ?o }')).query({}, { tx })],
  ['unravel', (store, tx) => store.unravel({ tx })],
  ['shape sets', (store, tx) => store.shapeSets({ tx })],
  ['validate', (store, tx) => store.validate('', { tx })],
  ['snapshot', (store, tx) => store.snapshot({ tx }).close()],
  ['read', (store, tx) => store.read('ASK {}', { tx })],
  ['entity', (store, tx) => document(store, 'entity', { iri: 'urn:a', tx }, 'turtle')],
];

test('a transaction above the latest is an error that names the latest', async () => {
  const store = await openStore(':memory:');
  try {
    await store.loadShapes('s', '<urn:S> <http://www.w3.org/ns/shacl#targetNode> <urn:none> .');
    await store.load({ text: '<urn:a> <urn:p> 2 .', format: 'turtle' });
    for (const [name, ask] of ASKED) {
      await assert.rejects(
        async () => ask(store, 3),
        { code: 'invalid_request', message: 'there is no transaction 3 yet: the latest is 2' },
        name,
      );
      await ask(store, 2);
    }
    await store.load({ text: '<urn:a> <urn:p> 3 .', format: 'turtle' });
    for (const [, ask] of ASKED) await ask(store, 3);
  } finally {
    await store.close();
  }
});
