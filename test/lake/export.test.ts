/** Lakes against the store that they were exported from, as DuckDB reads them. */

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import fc from 'fast-check';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { LakeReader, lakeOf, storeState } from './support.js';

const RUNS = Number(process.env.SVC_LAKE_RUNS ?? 6);
const folder = mkdtempSync(join(tmpdir(), 'svc-lake-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let names = 0;
const next = (): string => join(folder, String(names++));

const seconds = (date: string): number => Date.parse(date) / 1000;

async function compare(store: Store, lake: string, txs: readonly number[], dates: readonly string[]): Promise<void> {
  const reader = await LakeReader.open(lake);
  try {
    assert.deepEqual(await reader.state(), await storeState(store));
    for (const tx of txs) {
      assert.deepEqual(await reader.state({ tx }), await storeState(store, { tx }), `tx ${tx}`);
    }
    for (const date of dates) {
      const validAt = seconds(date);
      assert.deepEqual(await reader.state({ validAt }), await storeState(store, { validAt: date }), date);
      for (const tx of txs) {
        const expected = await storeState(store, { tx, validAt: date });
        assert.deepEqual(await reader.state({ tx, validAt }), expected, `tx ${tx} at ${date}`);
      }
    }
    const [terms] = await reader.rows('SELECT count(*) AS rows, count(DISTINCT id) AS ids FROM terms');
    assert.equal(terms?.rows, terms?.ids);
  } finally {
    reader.close();
  }
}

const PREFIX = 'PREFIX ex: <http://ex.org/> PREFIX xsd: <http://www.w3.org/2001/XMLSchema#> ';
const subject = fc.constantFrom('ex:a', 'ex:b', 'ex:c');
const predicate = fc.constantFrom('ex:p', 'ex:q', 'ex:r', 'ex:s');
const object = fc.constantFrom(
  'ex:a',
  '1',
  '-7',
  '2.50',
  '1e3',
  '"01"^^xsd:integer',
  '"NaN"^^xsd:double',
  'true',
  '"text"',
  '"Text"@EN-gb',
  '"2020-02-29"^^xsd:date',
  '"2020-02-29T10:00:00.1234567Z"^^xsd:dateTime',
  '"2020-02-29T10:00:00+02:00"^^xsd:dateTime',
  '"x"^^ex:own',
  '"123456789012345678901234567890.5"^^xsd:decimal',
);
const DATES = ['2019-01-01T00:00:00Z', '2020-01-01T00:00:00Z', '2021-06-01T00:00:00Z', '2022-01-01T00:00:00Z'];
const step = fc.record({
  op: fc.constantFrom('INSERT', 'INSERT', 'DELETE', 'EXPORT'),
  facts: fc.array(fc.tuple(subject, predicate, object), { minLength: 1, maxLength: 6 }),
  graph: fc.constantFrom(null, 'ex:g'),
  date: fc.constantFrom(...DATES),
});

test('after every export the lake has each state of the store by transaction, by instant, and by both', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 14 }), async (steps) => {
      const path = `${next()}.db`;
      const store = await openStore(path);
      const lake = next();
      try {
        for (const { op, facts, graph, date } of [...steps, { op: 'EXPORT', facts: [], graph: null, date: '' }]) {
          if (op === 'EXPORT') {
            // Small bounds lead little data the ways of much.
            await store.exportLake(lake, { bounds: { largeRows: 4 } });
            const { tx } = lakeOf(lake);
            const txs = Array.from({ length: tx + 1 }, (_, at) => at).slice(-5);
            await compare(store, lake, txs, DATES.slice(1, 3));
            continue;
          }
          const triples = facts.map((fact) => `${fact.join(' ')} .`).join(' ');
          const data = graph === null ? triples : `GRAPH ${graph} { ${triples} }`;
          await store.update(`${PREFIX} ${op} DATA { ${data} }`, { timestamp: date });
        }
      } finally {
        await store.close();
      }
    }),
    { numRuns: RUNS },
  );
});

test('values of terms and of objects are those of the literals', async () => {
  const store = await openStore(`${next()}.db`);
  const lake = next();
  try {
    await store.update(`${PREFIX} INSERT DATA {
      ex:a ex:v 1, -7, 2.50, 1e3, "01"^^xsd:integer, true, "2020-02-29"^^xsd:date, "text", "Text"@EN-gb,
        "2020-02-29T10:00:00.123456Z"^^xsd:dateTime, "1969-12-31T23:59:59-01:00"^^xsd:dateTime,
        "123456789012345678901234567890.5"^^xsd:decimal, "2020-02-29T10:00:00"^^xsd:dateTime .
      ex:a ex:w <<( ex:s ex:p 1 )>> }`);
    await store.exportLake(lake);
    const reader = await LakeReader.open(lake);
    const rows =
      await reader.rows(`SELECT text, datatype, lang, num, exact::varchar AS exact, epoch_us(time) AS us, zoned, bool,
      o_num, epoch_us(o_time) AS o_us FROM facts JOIN terms ON o = id WHERE kind = 2 ORDER BY text`);
    const xsd = 'http://www.w3.org/2001/XMLSchema#';
    const none = { lang: null, num: null, exact: null, us: null, zoned: null, bool: null, o_num: null, o_us: null };
    const number = (text: string, type: string, num: number, exact: string | null) => ({
      ...none,
      text,
      datatype: xsd + type,
      num,
      exact,
      o_num: num,
    });
    const instant = (text: string, type: string, us: bigint, zoned: boolean) => ({
      ...none,
      text,
      datatype: xsd + type,
      us,
      zoned,
      o_us: zoned ? us : null,
    });
    assert.deepEqual(rows, [
      number('-7', 'integer', -7, '-7.000000000000000000'),
      number('01', 'integer', 1, '1.000000000000000000'),
      number('1', 'integer', 1, '1.000000000000000000'),
      number('123456789012345678901234567890.5', 'decimal', 1.2345678901234568e29, null),
      instant('1969-12-31T23:59:59-01:00', 'dateTime', 3_599_000_000n, true),
      number('1e3', 'double', 1000, null),
      number('2.50', 'decimal', 2.5, '2.500000000000000000'),
      instant('2020-02-29', 'date', 1_582_934_400_000_000n, false),
      instant('2020-02-29T10:00:00', 'dateTime', 1_582_970_400_000_000n, false),
      instant('2020-02-29T10:00:00.123456Z', 'dateTime', 1_582_970_400_123_456n, true),
      { ...none, text: 'Text', datatype: 'http://www.w3.org/1999/02/22-rdf-syntax-ns#langString', lang: 'EN-gb' },
      { ...none, text: 'text', datatype: `${xsd}string` },
      { ...none, text: 'true', datatype: `${xsd}boolean`, bool: true },
    ]);
    const triples = await reader.rows(`SELECT t.text, s.text AS s, p.text AS p, o.text AS o FROM terms t
      LEFT JOIN terms s ON t.ts = s.id LEFT JOIN terms p ON t.tp = p.id LEFT JOIN terms o ON t.to_ = o.id WHERE t.kind = 3`);
    const one = `"1"^^<${xsd}integer>`;
    assert.deepEqual(
      triples.map(({ text }) => text),
      [`<<( <http://ex.org/s> <http://ex.org/p> ${one} )>>`],
    );
    reader.close();
  } finally {
    await store.close();
  }
});

test('predicates that are too many for one pass are all there, sorted, with and without files of their own', async () => {
  const store = await openStore(`${next()}.db`);
  const lake = next();
  try {
    const facts = Array.from({ length: 700 }, (_, at) => `ex:s${(at * 7) % 50} ex:p${at % 70} ${at} .`);
    const few = Array.from({ length: 30 }, (_, at) => `ex:s${at} ex:few${at} ${at} .`);
    await store.update(`${PREFIX} INSERT DATA { ${[...facts, ...few].join(' ')} }`);
    await store.exportLake(lake, { bounds: { largeRows: 10 } });
    await compare(store, lake, [], []);
    const files = lakeOf(lake).tables.facts;
    assert.deepEqual([files.length, files.filter(({ predicate }) => predicate === undefined).length], [71, 1]);
    await store.update(`${PREFIX} DELETE DATA { ${[...facts.slice(0, 90), ...few.slice(0, 2)].join(' ')} }`);
    await store.exportLake(lake, { bounds: { largeRows: 10 } });
    await compare(store, lake, [1, 2], []);
    const reader = await LakeReader.open(lake);
    for (const { path } of lakeOf(lake).tables.facts) {
      const sql = `SELECT count(*) AS wrong FROM (SELECT p, s, o, lag((p, s, o)) OVER (ORDER BY file_row_number) AS before
        FROM read_parquet('${join(lake, path)}', file_row_number = true)) WHERE (p, s, o) <= before`;
      assert.deepEqual(await reader.rows(sql), [{ wrong: 0n }], path);
    }
    reader.close();
  } finally {
    await store.close();
  }
});

test('an export that was cut off is gone on with, and what it left besides is swept', async () => {
  const store = await openStore(`${next()}.db`);
  const lake = next();
  try {
    const facts = Array.from({ length: 400 }, (_, at) => `ex:s${at % 40} ex:p${at % 5} ${at} .`).join(' ');
    await store.update(`${PREFIX} INSERT DATA { ${facts} }`);
    // Ends after some files are whole: the fifth progress report or file, whichever comes.
    const cut = new AbortController();
    const bounds = {
      largeRows: 10,
      afterFile: (files: number) => {
        if (files === 3) cut.abort();
      },
    };
    await assert.rejects(store.exportLake(lake, { bounds, signal: cut.signal }), { code: 'aborted' });
    assert.ok(!existsSync(join(lake, 'lake.json')));
    writeFileSync(join(lake, 'facts', 'data', 'half.parquet'), 'PAR1');
    await store.update(`${PREFIX} INSERT DATA { ex:late ex:p0 1 } ; DELETE DATA { ex:s0 ex:p0 0 }`);
    const done = await store.exportLake(lake, { bounds: { largeRows: 10 } });
    assert.equal(done.resumed, true);
    assert.equal(done.tx, lakeOf(lake).tx);
    assert.deepEqual(
      lakeOf(lake).exports.map(({ tx }) => tx),
      [1, done.tx],
    );
    await compare(store, lake, [1, done.tx], []);
    assert.ok(!readdirSync(join(lake, 'facts', 'data')).includes('half.parquet'));
    assert.ok(!existsSync(join(lake, 'export.json')) && !existsSync(join(lake, 'export.lock')));
    const again = await store.exportLake(lake);
    assert.deepEqual([again.files, again.bytes, again.resumed], [0, 0, false]);
  } finally {
    await store.close();
  }
});

test('what is no lake, another store, another course of it, and a later format are refused', async () => {
  const path = `${next()}.db`;
  const store = await openStore(path);
  const other = await openStore(`${next()}.db`);
  const lake = next();
  try {
    await store.update(`${PREFIX} INSERT DATA { ex:a ex:p 1 }`);
    await other.update(`${PREFIX} INSERT DATA { ex:a ex:p 1 }`);
    const copy = `${next()}.db`;
    await store.backup(copy);
    await store.update(`${PREFIX} INSERT DATA { ex:a ex:p 2 }`);
    await store.exportLake(lake);
    await assert.rejects(other.exportLake(lake), {
      code: 'state_conflict',
      message: /is a lake of the store urn:svc:store:/,
    });
    const earlier = await openStore(copy);
    const refused = { code: 'state_conflict', message: /another course of the store: its transaction 2/ };
    await assert.rejects(earlier.exportLake(lake), refused);
    await earlier.update(`${PREFIX} INSERT DATA { ex:a ex:p 3, 4 }`);
    await assert.rejects(earlier.exportLake(lake), refused);
    await earlier.close();
    await store.update(`${PREFIX} INSERT DATA { GRAPH ex:kept { ex:a ex:p 5 } }`);
    await store.freezeGraph('http://ex.org/kept', { outDir: folder });
    await assert.rejects(store.exportLake(lake), {
      code: 'state_conflict',
      message: /<http:\/\/ex.org\/kept> is frozen/,
    });
    await store.thawGraph('http://ex.org/kept');
    await store.exportLake(lake);
    const foreign = mkdtempSync(join(folder, 'foreign-'));
    writeFileSync(join(foreign, 'notes.txt'), 'mine');
    await assert.rejects(store.exportLake(foreign), {
      code: 'invalid_request',
      message: /is not empty and no lake: it holds notes.txt/,
    });
    assert.deepEqual(readdirSync(foreign), ['notes.txt']);
    const notes = join(foreign, 'notes.txt');
    await assert.rejects(store.exportLake(notes), { code: 'invalid_request', message: /notes.txt is no folder/ });
    // What an export that was killed behind its lake.json has not written yet is written by the next.
    const hint = join(lake, 'facts', 'metadata', 'version-hint.text');
    const version = readFileSync(hint, 'utf8');
    rmSync(hint);
    assert.equal((await store.verifyLake(lake)).problems.length, 1);
    assert.equal((await store.exportLake(lake)).files, 0);
    assert.deepEqual([readFileSync(hint, 'utf8'), (await store.verifyLake(lake)).ok], [version, true]);
    renameSync(lake, `${lake}-moved`);
    await assert.rejects(store.exportLake(`${lake}-moved`), { code: 'state_conflict', message: /was moved/ });
    renameSync(`${lake}-moved`, lake);
    const file = join(lake, 'lake.json');
    const content = lakeOf(lake);
    writeFileSync(file, JSON.stringify({ ...content, format: 99 }));
    await assert.rejects(store.exportLake(lake), { code: 'store_newer', message: /has format 99/ });
    writeFileSync(file, '{"format": 1}');
    await assert.rejects(store.exportLake(lake), { code: 'store_corrupt', message: /parts are missing/ });
    writeFileSync(file, 'no');
    await assert.rejects(store.exportLake(lake), { code: 'store_corrupt', message: /it is no JSON/ });
  } finally {
    await store.close();
    await other.close();
  }
});
