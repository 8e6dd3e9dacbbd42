/** Texts that are sought by the index: the same answers as by filters alone, in every form, and less read. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { literalParts } from '../../engine/query/plan/access/literal-parts.js';
import { explain } from '../../engine/query/query.js';
import { openStore } from '../../engine/service/host/open-store.js';
import type { Store } from '../../engine/service/store/store.js';
import { foldCase } from '../../engine/storage/indexes/text/fold-case.js';
import { randomNumbers } from '../storage/scan-support.js';
import { PREFIXES, sortedAnswer } from './support.js';

const WORDS = [
  'red fox',
  'RED',
  'Straße',
  'STRASSE',
  'ΟΔΟΣ',
  'οδός',
  'ﬁne',
  'İstanbul',
  'ılık',
  '443',
  '12.50',
  'a.b*c',
  'K',
  '東京都',
];
const UNINDEXED = { disabledRewrites: ['text-index'] };

async function withStore(work: (store: Store) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-texts-'));
  const store = await openStore(join(directory, 'store.svc'));
  try {
    await work(store);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

function literalOf(next: (most: number) => number): string {
  const text = Array.from({ length: 1 + next(3) }, () => WORDS[next(WORDS.length)]).join(next(2) === 0 ? ' ' : '');
  return [
    `"${text}"`,
    `"${text}"@en`,
    `"${text}"^^:own`,
    `<http://example.org/${encodeURIComponent(text)}>`,
    '443',
    '12.50',
  ][next(6)] as string;
}

test('every form of every condition finds what the filter alone finds, as writes and folds go on', async () => {
  await withStore(async (store) => {
    const next = randomNumbers(5);
    const some = (count: number) =>
      Array.from({ length: count }, (_, at) => `:s${next(300)} :p${at % 2} ${literalOf(next)} .`).join('\n');
    await store.update(`${PREFIXES} INSERT DATA { ${some(1500)} }`);
    await store.indexTexts();
    let narrowed = 0;
    for (let round = 0; round < 6; round++) {
      if (round % 2 === 1) await store.fold();
      const snapshot = store.snapshot();
      for (const subject of ['?v', 'LCASE(?v)', 'UCASE(?v)', 'STR(?v)', 'LCASE(STR(?v))']) {
        for (const call of ['CONTAINS', 'STRSTARTS', 'STRENDS', 'REGEX']) {
          const word = WORDS[next(WORDS.length)] as string;
          const from = next(2);
          const sought = [word, word.toLowerCase(), word.toUpperCase(), word.slice(from), `${word} ${word}`][
            next(5)
          ] as string;
          const flags = call === 'REGEX' && next(2) === 0 ? ', "i"' : '';
          const pattern = next(2) === 0 ? `?s :p${next(2)} ?v` : '?s ?p ?v';
          const more = next(3) === 0 ? ' FILTER(STRLEN(STR(?v)) > 4) FILTER(?v != 443)' : '';
          const query = `SELECT ?s ?v { ${pattern} FILTER(${call}(${subject}, "${sought}"${flags}))${more} }`;
          const [indexed, plain] = [
            await sortedAnswer(snapshot.storage, query),
            await sortedAnswer(snapshot.storage, query, UNINDEXED),
          ];
          assert.deepEqual(indexed, plain, query);
          const { plan } = await explain(snapshot.storage, `${PREFIXES} ${query}`);
          if (JSON.stringify(plan).includes(' with ')) narrowed++;
        }
      }
      snapshot.close();
      await store.update(`${PREFIXES} INSERT DATA { ${some(60)} }`);
    }
    assert.ok(narrowed > 20, `${narrowed}`);
  });
});

test('a plan that is kept finds what was written after it was made', async () => {
  await withStore(async (store) => {
    const many = Array.from({ length: 2000 }, (_, at) => `:s${at} :p "plain text ${at}" .`).join('\n');
    await store.update(`${PREFIXES} INSERT DATA { ${many} :x :p "a red fox" }`);
    await store.indexTexts();
    await store.fold();
    const count = async (): Promise<number> => {
      const snapshot = store.snapshot();
      const query = 'SELECT ?s { ?s :p ?v FILTER(CONTAINS(?v, "red fox")) }';
      const found = (await sortedAnswer(snapshot.storage, query)).length;
      snapshot.close();
      const answer = await store.query(`${PREFIXES} ${query}`);
      let rows = 0;
      for await (const _ of answer.bindings()) rows++;
      assert.equal(rows, found);
      return rows;
    };
    assert.equal(await count(), 1);
    for (let at = 2; at < 6; at++) {
      await store.update(`${PREFIXES} INSERT DATA { :x${at} :p "red fox number ${at}" }`);
      if (at === 4) await store.fold();
      assert.equal(await count(), at);
    }
    await store.update(`${PREFIXES} DELETE WHERE { :x :p ?v }`);
    assert.equal(await count(), 4);
  });
});

test('few rows are read', async () => {
  await withStore(async (store) => {
    const many = Array.from({ length: 20_000 }, (_, at) => `:s${at} :p "plain text ${at}" .`).join('\n');
    await store.update(`${PREFIXES} INSERT DATA { ${many} :x :p "a red fox" }`);
    await store.indexTexts();
    await store.fold();
    const readBy = async (options?: typeof UNINDEXED): Promise<number> => {
      const snapshot = store.snapshot();
      await sortedAnswer(snapshot.storage, 'SELECT ?s { ?s :p ?v FILTER(REGEX(?v, "^a red f.x$")) }', options);
      const { rowsScanned } = snapshot.storage.counters;
      snapshot.close();
      return rowsScanned;
    };
    const [indexed, plain] = [await readBy(), await readBy(UNINDEXED)];
    assert.ok(indexed < 8192 && plain >= 20_000, `${indexed} against ${plain}`);
  });
});

test('parts of regular expressions stand in every text that matches', () => {
  assert.deepEqual(literalParts('^ab+c?de.*f\\.g[a-z[0-9]]hi\\d{2,3}jk$', ''), ['ab', 'de', 'f.g', 'hi', 'jk']);
  assert.deepEqual(literalParts('a|b', ''), []);
  assert.deepEqual(literalParts('(ab)*', ''), []);
  assert.deepEqual(literalParts('a.b|(', 'q'), ['a.b|(']);
  assert.deepEqual(literalParts('a b', 'x'), []);
  const next = randomNumbers(8);
  const pieces = [
    'a',
    'b',
    'ab',
    '.',
    '\\.',
    'a?',
    'b*',
    'a+',
    '[ab]',
    '[^a]',
    'a{2}',
    'b{0,2}',
    '^',
    '$',
    '\\w',
    '\\d',
  ];
  let matched = 0;
  for (let round = 0; round < 20_000; round++) {
    const pattern = Array.from({ length: 1 + next(5) }, () => pieces[next(pieces.length)]).join('');
    const text = Array.from({ length: next(8) }, () => 'abB.1'[next(5)]).join('');
    const flags = next(2) === 0 ? 'i' : '';
    if (!new RegExp(pattern, `u${flags}`).test(text)) continue;
    matched++;
    for (const part of literalParts(pattern, flags))
      assert.ok(foldCase(text).includes(foldCase(part)), `${part} of ${pattern} in ${text}`);
  }
  assert.ok(matched > 1000);
});
