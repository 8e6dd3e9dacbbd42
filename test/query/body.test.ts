/** The body of POST /query: its bytes = what the plain reading of the answer says, row by row. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { executeQuery, type QueryResult, type ResultBatch } from '../../engine/query/query.js';
import type { BodyOptions } from '../../engine/query/results/body.js';
import { encodeBody } from '../../engine/query/results/encode.js';
import type { FormResult } from '../../engine/query/results/result.js';
import { CurieTable } from '../../engine/rdf/curies.js';
import { termToJson, writeJson } from '../../engine/rdf/json-values.js';
import { type Quad, type Term, terms, XSD } from '../../engine/rdf/terms.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';
import { withMadeStores } from './made-terms.js';

const EX = 'http://example.org/';
const RUNS = Number(process.env.SVC_FUZZ_RUNS ?? 60);

type Options = Partial<BodyOptions>;

/** Row by row, term by term: what the kernels have to agree with. */
async function plainBody(result: QueryResult, options: BodyOptions): Promise<string> {
  const { curies, entriesMax, members } = options;
  const value = (term: Term) => termToJson(term, curies === null ? undefined : (iri) => curies.compact(iri));
  if (result.kind === 'ask') return writeJson({ result: result.value, ...members });
  const entries: unknown[] = [];
  let truncated = false;
  const take = (entry: unknown): boolean => {
    truncated = entries.length === entriesMax;
    if (!truncated) entries.push(entry);
    return truncated;
  };
  if (result.kind === 'graph') {
    for await (const { subject, predicate, object } of result.quads()) {
      const triple = { subject: value(subject), predicate: value(predicate), object: value(object) };
      if (take(triple)) break;
    }
    return writeJson({ triples: entries, count: entries.length, truncated, ...members });
  }
  for await (const row of result.rows()) {
    const cells = result.variables.map((name, at) => [name, row[at]] as const).filter(([, term]) => term !== undefined);
    if (take(Object.fromEntries(cells.map(([name, term]) => [name, value(term as Term)])))) break;
  }
  return writeJson({ variables: result.variables, rows: entries, count: entries.length, truncated, ...members });
}

async function written(result: FormResult, options: BodyOptions): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const chunk of encodeBody(result, options)) {
    pieces.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  }
  return Buffer.concat(pieces).toString();
}

/** The body of a query, held against the plain one. */
async function bodyOf(snapshot: StorageSnapshot, text: string, more: Options = {}): Promise<string> {
  const options = { entriesMax: 1_000_000, curies: null, members: { labels: null }, ...more };
  const body = await written(await executeQuery(snapshot, text), options);
  assert.equal(body, await plainBody(await executeQuery(snapshot, text), options), text);
  JSON.parse(body);
  return body;
}

async function storeOf(quads: readonly Quad[]): Promise<StorageSnapshot> {
  const engine = openMemoryEngine();
  await (await engine.stageLoad([{ kind: 'quads', quads, name: 'data' }], {}, {})).commit().durable;
  return engine.snapshot();
}

const PREFIXES = [
  { name: 'ex', namespace: EX },
  { name: 'zebra', namespace: `${EX}zebra/` },
  { name: 'a', namespace: `${EX}zebra/` },
  { name: 'long-name.of+prefix', namespace: 'urn:a' },
];

test('every kind of term, in both storages, by columns and row by row; with CURIEs, too', async () => {
  await withMadeStores(async (snapshot) => {
    for (const curies of [null, new CurieTable(PREFIXES)]) {
      const rows = await bodyOf(snapshot, 'SELECT * { ?s ?p ?o }', { curies });
      assert.equal(JSON.parse(rows).rows.length > 4000, true);
      assert.equal(rows.includes('"a:7"'), curies !== null);
      await bodyOf(snapshot, `SELECT ?o ?none ("x" AS ?made) (1 / 3 AS ?third) { ?s <${EX}p1> ?o }`, { curies });
      await bodyOf(snapshot, 'CONSTRUCT { ?o <urn:a:b> ?s ; ?p ?o } WHERE { ?s ?p ?o }', { curies });
      await bodyOf(snapshot, `DESCRIBE <${EX}s7>`, { curies });
    }
  });
});

test('random texts as strings and IRIs: none can be taken for another', async () => {
  const part = fc.constantFrom(
    '_',
    ':',
    ' ',
    'a',
    'http',
    '//',
    'x.',
    '-',
    '+',
    '\u00a0',
    '\t',
    '"',
    'é',
    '.',
    '0',
    '#',
  );
  const text = fc.oneof(
    fc.array(part, { maxLength: 7 }).map((parts) => parts.join('')),
    fc.string({ unit: 'grapheme' }),
  );
  const space = fc.constantFrom('urn:', 'urn:x', 'http://e/', 'http://e/a#', 'http://e/a');
  const prefixes = fc.array(
    fc.record({ name: fc.constantFrom('a', 'B', 'x.y', '1', '', 'a b', 'zz'), namespace: space }),
    { maxLength: 6 },
  );
  const local = fc.array(fc.constantFrom('a', '_', '-', '.', 'é', '/', '9', '%20'), { maxLength: 5 });
  const iri = fc.tuple(space, local).map(([namespace, parts]) => `${namespace}${parts.join('')}`);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1 }), fc.array(iri), prefixes, async (texts, iris, declared) => {
      const subject = terms.namedNode('urn:s');
      const objects: Term[] = [...texts.map((one) => terms.literal(one)), ...iris.map((one) => terms.namedNode(one))];
      const quads = objects.map((object) => terms.quad(subject, subject, object as Quad['object']));
      const snapshot = await storeOf(quads);
      const curies = new CurieTable(declared);
      const body = await bodyOf(snapshot, 'SELECT ?o { ?s ?p ?o }', { curies });
      for (const { o } of JSON.parse(body).rows as { o: unknown }[]) {
        const looks = typeof o === 'string' && /^([A-Za-z][A-Za-z0-9+.-]*|_):\S*$/.test(o);
        const whole = looks ? curies.expand(o as string) : '';
        if (looks) assert.ok(iris.includes(whole), JSON.stringify(o));
        else if (typeof o === 'string') assert.ok(texts.includes(o), o);
      }
      snapshot.close();
    }),
    { numRuns: RUNS },
  );
});

test('values of wire shapes 3.3', async () => {
  const typed = (value: string, type: string) => terms.literal(value, terms.namedNode(XSD + type));
  const cases: [Term, string][] = [
    [terms.namedNode('http://ex.org/a'), '"http://ex.org/a"'],
    [terms.literal('http://ex.org/a'), `{"value":"http://ex.org/a","datatype":"${XSD}string"}`],
    [terms.literal('Note: two words'), '"Note: two words"'],
    [typed('42', 'integer'), '42'],
    [typed('123456789012345678901234567890', 'integer'), '123456789012345678901234567890'],
    [typed('01', 'integer'), `{"value":"01","datatype":"${XSD}integer"}`],
    [typed('1.50', 'double'), '1.50'],
    [typed('1E6', 'double'), '1E6'],
    [typed('15', 'double'), `{"value":"15","datatype":"${XSD}double"}`],
    [typed('INF', 'double'), `{"value":"INF","datatype":"${XSD}double"}`],
    [typed('1.5', 'decimal'), `{"value":"1.5","datatype":"${XSD}decimal"}`],
    [typed('7', 'int'), `{"value":"7","datatype":"${XSD}int"}`],
    [typed('true', 'boolean'), 'true'],
    [typed('1', 'boolean'), `{"value":"1","datatype":"${XSD}boolean"}`],
    [typed('2026-01-01', 'date'), `{"value":"2026-01-01","datatype":"${XSD}date"}`],
    [terms.literal('chat', 'fr'), '{"value":"chat","lang":"fr"}'],
  ];
  for (const [term, expected] of cases) {
    const subject = terms.namedNode('urn:s');
    const snapshot = await storeOf([terms.quad(subject, subject, term as Quad['object'])]);
    const body = await bodyOf(snapshot, 'SELECT ?o { ?s ?p ?o }');
    assert.equal(body, `{"variables":["o"],"rows":[{"o":${expected}}],"count":1,"truncated":false,"labels":null}`);
    snapshot.close();
  }
});

test('a limit cuts and says so, on any border of batches; empty and one-armed answers', async () => {
  const subject = terms.namedNode('urn:s');
  const quads = Array.from({ length: 5000 }, (_, at) => terms.quad(subject, subject, terms.literal(`text ${at}`)));
  const snapshot = await storeOf(quads);
  for (const entriesMax of [1, 2, 511, 512, 513, 4095, 4096, 4097, 4999, 5000, 5001]) {
    for (const text of ['SELECT ?o { ?s ?p ?o }', 'CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }']) {
      let told: unknown[] = [];
      const onEnd = (...all: unknown[]): void => {
        told = all;
      };
      const body = JSON.parse(await bodyOf(snapshot, text, { entriesMax, onEnd }));
      assert.deepEqual([body.count, body.truncated], [Math.min(5000, entriesMax), entriesMax < 5000]);
      assert.deepEqual(told, [body.count, body.truncated]);
      assert.equal((body.rows ?? body.triples).length, body.count);
    }
  }
  const tail = '"count":0,"truncated":false,"labels":null}';
  assert.equal(await bodyOf(snapshot, 'SELECT ?o { ?o ?o ?s FILTER(false) }'), `{"variables":["o"],"rows":[],${tail}`);
  assert.equal(await bodyOf(snapshot, 'CONSTRUCT { ?s ?p 1 } { ?s <urn:no> ?p }'), `{"triples":[],${tail}`);
  assert.equal(await bodyOf(snapshot, 'ASK { ?s ?p ?o }'), '{"result":true,"labels":null}');
  assert.equal(await bodyOf(snapshot, 'ASK { ?s <urn:no> ?o }', { members: {} }), '{"result":false}');
  const bare = await bodyOf(snapshot, 'SELECT * {}', { members: { labels: null, inference: undefined } });
  assert.equal(bare, '{"variables":[],"rows":[{}],"count":1,"truncated":false,"labels":null}');
  snapshot.close();
});

test('of quads the graphs are left out, and the triples stay as many as they are', async () => {
  const known = [terms.namedNode('urn:s'), terms.namedNode('urn:g'), terms.namedNode('urn:h')];
  const column = (...ids: number[]) => Uint32Array.from(ids.flatMap((id) => [id, 0]));
  const decode = (ids: Uint32Array, count: number) =>
    Array.from({ length: count }, (_, at) => known[(ids[2 * at] as number) - 1]);
  const unused = () => assert.fail('not read');
  async function* batches(): AsyncGenerator<ResultBatch> {
    const columns = [column(1, 1), column(1, 1), column(1, 1), column(2, 3)];
    yield { rows: 2, columns, decode, stored: unused, terms: unused };
  }
  const result = { kind: 'graph' as const, batches: batches(), quads: unused, profile: unused };
  const triple = '{"subject":"urn:s","predicate":"urn:s","object":"urn:s"}';
  const body = await written(result, { entriesMax: 9, curies: null, members: {} });
  assert.equal(body, `{"triples":[${triple},${triple}],"count":2,"truncated":false}`);
});
