/** The corpus of shapes that once fell off a cliff: their work stays within bounds, and the answers are those of plainer plans. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExplainNode, explain } from '../../../engine/query/query.js';
import { answer, PREFIXES, sortedAnswer, storeOf } from '../support.js';
import { CORPUS } from './corpus.js';

const THINGS = 6000;
const YEARS = 60;

const snapshot = (
  await storeOf(
    Array.from({ length: THINGS }, (_, at) => {
      const score = at % 2 === 0 ? `${at}` : `${at}.5`;
      return (
        `:a${at} :name "Name ${at}" ; :score ${score} ; :year ${(at * 7) % YEARS} ; :gYear "${1000 + at}"^^xsd:gYear ; ` +
        `:took "PT${at}S"^^xsd:dayTimeDuration ; :knows :a${(at * 7 + 1) % THINGS}, :a${(at * 3) % 50} ; :parent :a${at >> 1} .` +
        `:b${at} :label "name ${at + 3000}"@en ; :value ${at + 3000}e0 ; :gYear "${4000 + at}"^^xsd:gYear ; :year ${at % YEARS} ; ` +
        `:lasted "PT${at + 3000}S"^^xsd:duration ; :of :a${(at * 11) % THINGS} .`
      );
    }).join('\n'),
  )
).snapshot();

function rowsOf(node: ExplainNode): number {
  return (node.actual?.rows ?? 0) + node.inputs.reduce((sum, input) => sum + rowsOf(input), 0);
}

for (const { family, query, rowsMax } of CORPUS) {
  test(`${family}: ${query}`, async () => {
    const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true });
    const rows = rowsOf(plan);
    assert.ok(rows <= rowsMax, `${rows} rows are made`);
    const disabledRewrites = ['join-texts', 'push-joins', 'row-by-row', 'index-joins', 'stars'];
    const isOpen = query.includes('LIMIT');
    const ask = isOpen ? answer : sortedAnswer;
    const [now, plain] = [await ask(snapshot, query), await ask(snapshot, query, { disabledRewrites })];
    assert.ok(now.length > 0);
    if (isOpen) assert.equal(now.length, plain.length);
    else assert.deepEqual(now, plain);
  });
}
