/** Constants reach the engine as they are, whatever characters they have. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { DUCKDB } from '../../../engine/lake/sql/dialects/duckdb.js';
import { hasLoneSurrogate } from '../../../engine/rdf/formats/input/term-checks.js';
import { terms } from '../../../engine/rdf/terms.js';
import { HOSTILE_TEXTS } from './hostile-texts.js';
import { LakeSubject } from './lake-subject.js';

const P = terms.namedNode('http://example.org/p');
let subject: LakeSubject;

before(async () => {
  subject = await LakeSubject.open();
  await subject.fill(
    HOSTILE_TEXTS.flatMap((text, at) => {
      const s = terms.namedNode(`http://example.org/${at}`);
      return [terms.quad(s, P, terms.literal(text)), terms.quad(s, P, terms.literal(text, 'en-GB'))];
    }),
  );
});

after(() => subject.close());

const written = (text: string): string =>
  `"${[...text].map((one) => `\\U${(one.codePointAt(0) as number).toString(16).padStart(8, '0')}`).join('')}"`;

test('a literal is found by its text, and comes back as it is', async () => {
  const rows = HOSTILE_TEXTS.map((text, at) => `(${at} ${written(text)})`);
  const outcome = await subject.ask(
    `SELECT ?n ?x (STR(?x) AS ?y) { VALUES (?n ?x) { ${rows.join(' ')} } ?s <http://example.org/p> ?x FILTER(?x = ?x) }`,
  );
  assert.ok(outcome.kind === 'answer' && outcome.answer.kind === 'rows', JSON.stringify(outcome));
  const found = new Map(outcome.answer.rows.map((row) => [Number(row.get('n')?.value), row]));
  for (const [at, text] of HOSTILE_TEXTS.entries()) {
    assert.equal(found.get(at)?.get('x')?.value, text);
    assert.equal(found.get(at)?.get('y')?.value, text);
  }
});

test('any text is one value of SQL', async () => {
  const texts = fc
    .sample(fc.string({ unit: 'binary', maxLength: 20 }), { numRuns: 200, seed: 1 })
    .filter((text) => !hasLoneSurrogate(text));
  const all = [...HOSTILE_TEXTS, ...texts];
  const sql = all.map((text, at) => `SELECT ${at} AS n, ${DUCKDB.text(text)} AS x`).join(' UNION ALL ');
  const got: (string | null)[] = [];
  for await (const rows of subject.engine.rows(sql, ['n', 'x'], {})) {
    for (const [at, text] of rows) got[Number(at)] = text as string;
  }
  assert.deepEqual(got, all);
});
