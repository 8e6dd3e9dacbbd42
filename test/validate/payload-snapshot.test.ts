/** The snapshot of a payload looks up what a store of the same quads does, and is quick to stop. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readSources } from '../../engine/storage/documents/read-sources.js';
import { ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { CURRENT, type IdColumn, type ProbeRequest, type StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { eachId } from '../../engine/validate/data/id-columns.js';
import { payloadSnapshot } from '../../engine/validate/payload.js';
import { openStore, terms } from '../../interfaces/library/index.js';
import { turtle } from './support.js';

const graphs = { kind: 'one', graph: ROOT_ID } as const;
const name = fc.integer({ min: 0, max: 6 }).map((at) => `<http://e/n${at}>`);
const object = fc.oneof(name, fc.integer({ min: 0, max: 3 }).map(String), fc.constantFrom('"a"', '"b"@en', '_:x'));
const triple = fc.tuple(name, name, object).map((parts) => `${parts.join(' ')} .`);

function idsOf(column: IdColumn | null, rows: number): TermId[] {
  return column === null ? [] : eachId({ ids: column.slice(0, 2 * rows), count: rows });
}

function found(snapshot: StorageSnapshot, request: ProbeRequest, keys: readonly TermId[]): unknown[] {
  const column = new BigUint64Array(keys);
  const cursor = snapshot.probe(request);
  const rows: unknown[] = [];
  for (let time = 0; time < 2; time++) {
    cursor.begin([new Uint32Array(column.buffer)], keys.length);
    for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
      const parts = request.columns.map((one) => idsOf(batch.columns[one], batch.rows));
      for (let row = 0; row < batch.rows; row++) rows.push([batch.keys[row], ...parts.map((part) => part[row])]);
    }
  }
  cursor.close();
  return rows;
}

function scanned(snapshot: StorageSnapshot, p: TermId, o: TermId | null, seek: readonly TermId[]): unknown[] {
  const is = (id: TermId) => ({ kind: 'id', id }) as const;
  const pattern = o === null ? { p: is(p) } : { p: is(p), o: is(o) };
  const cursor = snapshot.scan({ graphs, pattern, order: 'POSG', time: CURRENT, columns: ['o', 's'] });
  const rows: unknown[] = [];
  cursor.seek(seek);
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const [objects, subjects] = [idsOf(batch.columns.o, batch.rows), idsOf(batch.columns.s, batch.rows)];
    for (let row = 0; row < batch.rows; row++) rows.push([objects[row], subjects[row]]);
  }
  cursor.close();
  return rows;
}

test('lookups in a payload are those in a store of its quads, by the same ids', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(triple, { maxLength: 40 }), async (triples) => {
      const text = triples.join('\n');
      const payload = await payloadSnapshot([turtle(text)], {});
      const engine = openMemoryEngine();
      const { quads } = await readSources([turtle(text)], { blankNodeScope: 'store' }, {});
      const distinct = new Map(quads.map((quad) => [JSON.stringify(quad), quad]));
      engine.insertRows(Array.from(distinct.values(), (quad) => ({ quad, txFrom: 1, validFrom: 0 })));
      const store = engine.snapshot();
      const ids = [
        ...new Set(
          quads.flatMap((quad) =>
            [quad.subject, quad.predicate, quad.object].map((term) => payload.encode(term) as TermId),
          ),
        ),
      ];
      ids.sort((a, b) => (a < b ? -1 : 1));
      for (const { subject, predicate, object: value } of quads) {
        for (const term of [subject, predicate, value]) assert.equal(payload.encode(term), store.encode(term));
      }
      const columns = new Uint32Array(new BigUint64Array(ids).buffer);
      assert.deepEqual(payload.decode(columns, ids.length), store.decode(columns, ids.length));
      const all: ProbeRequest = { graphs, pattern: {}, order: 'SPOG', time: CURRENT, keys: ['s'], columns: ['p', 'o'] };
      assert.deepEqual(found(payload, all, ids), found(store, all, ids));
      for (const id of ids) {
        const pattern = { p: { kind: 'id', id } } as const;
        const forward: ProbeRequest = { ...all, pattern, columns: ['o'] };
        const backward: ProbeRequest = { ...all, pattern, order: 'POSG', keys: ['o'], columns: ['s'] };
        assert.deepEqual(found(payload, forward, ids), found(store, forward, ids));
        assert.deepEqual(found(payload, backward, ids), found(store, backward, ids));
        const other = ids[Number(id % BigInt(ids.length))] as TermId;
        for (const seek of [[], [id, other], [id, other, id]]) {
          assert.deepEqual(scanned(payload, id, null, seek), scanned(store, id, null, seek));
          assert.deepEqual(scanned(payload, id, other, []), scanned(store, id, other, []));
        }
      }
      payload.close();
    }),
    { numRuns: 60, seed: 7 },
  );
});

test('thousands of values of one node come in batches', async () => {
  const text = Array.from({ length: 10_000 }, (_, at) => `<http://e/n> <http://e/p> ${at} .`).join('\n');
  const payload = await payloadSnapshot([turtle(text)], {});
  const [node, p] = ['n', 'p'].map((one) => payload.encode(terms.namedNode(`http://e/${one}`)) as TermId);
  const pattern = { p: { kind: 'id', id: p as TermId } } as const;
  const request: ProbeRequest = { graphs, pattern, order: 'SPOG', time: CURRENT, keys: ['s'], columns: ['o'] };
  assert.equal(found(payload, request, [node as TermId]).length, 20_000);
  assert.equal(scanned(payload, p as TermId, null, []).length, 10_000);
  payload.close();
});

test('validating observes a signal, and the flag by which another thread cancels', async () => {
  const store = await openStore(':memory:');
  const data = Array.from({ length: 20_000 }, (_, at) => `<http://e/n${at}> a <http://e/C> .`).join('\n');
  const shapes = `@prefix sh: <http://www.w3.org/ns/shacl#> . <http://e/S> a sh:NodeShape ; sh:targetClass <http://e/C> ;
    sh:property [ sh:path <http://e/p> ; sh:minCount 1 ] .`;
  const abort = new AbortController();
  setTimeout(() => abort.abort(), 5);
  await assert.rejects(store.validate(data, { shapes, signal: abort.signal }), { code: 'aborted' });
  const flag = { words: new Int32Array(new SharedArrayBuffer(4)), at: 0 };
  setTimeout(() => Atomics.store(flag.words, 0, 1), 5);
  await assert.rejects(store.validate(data, { shapes, flag }), { code: 'aborted' });
  await store.close();
});
