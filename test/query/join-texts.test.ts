/** Parts that only an equality of texts connects: they are joined by the text, and no answer shows it. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ExplainNode, explain } from '../../engine/query/query.js';
import { libraryReader } from '../conformance/readers.js';
import { canonical } from './differential/compare.js';
import { memoryEngine, naiveEngine, type Outcome, smallBatchEngine } from './differential/engines.js';
import { PREFIXES, storeOf } from './support.js';

const LABELS = ['"a"', '"A"', '"b"', '"B"@en', '"b"@en', '"b"@EN', '1', '"1"', ':a', '"a"^^:t', '_:b', '""', 'true'];
const DATA = LABELS.map((label, at) => `:p${at} :l ${label} ; :in :t${at % 3} . :q${at} :m ${label} .`).join('\n');

const JOINED = [
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(LCASE(?a) = LCASE(?b)) }',
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(STR(?a) = STR(?b)) FILTER(?p != ?q) }',
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(?b = LCASE(?a)) }',
  'SELECT * { ?p :l ?a ; :in ?t . ?q :m ?b FILTER(UCASE(STR(?a)) = ?b && ?t != :t1) }',
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(DATATYPE(?a) = DATATYPE(?b)) }',
  'SELECT * { ?p :in ?t . ?q :m ?b FILTER(IRI(CONCAT("http://example.org/", STR(?b))) = ?t || ?b = 7) ?r :l ?c FILTER(STR(?c) = STR(?b)) }',
  'SELECT * { ?p :l ?a . ?q :m ?b . ?r :in ?t FILTER(STR(?a) = STR(?b)) FILTER(CONCAT("t", ?a) = ?b || STR(?t) != STR(?a)) }',
  'SELECT * { ?p :l ?a . ?q :m ?b . ?r :l ?c FILTER(STR(?a) = STR(?b)) FILTER(LCASE(?c) = LCASE(?b)) FILTER(LCASE(?c) = STR(?a)) }',
  'SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT *) AS ?d) { ?p :l ?a . ?q :m ?b FILTER(STR(?a) = STR(?b)) }',
];

const KEPT = [
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(?a = ?b) }',
  'SELECT * { ?p :l ?a . ?q :m ?b FILTER(STRLEN(STR(?a)) = STRLEN(STR(?b))) }',
  'SELECT * { ?p :l ?a ; :in ?t . ?q :in ?t ; :l ?b FILTER(STR(?a) = STR(?b)) }',
  'SELECT * { ?p :in ?t FILTER EXISTS { ?r :l ?a . ?q :m ?b FILTER(STR(?a) = STR(?b)) } }',
];

const naive = naiveEngine();
const engines = [memoryEngine(), smallBatchEngine()];
const document = PREFIXES.replaceAll('PREFIX', '@prefix').replaceAll('>\n', '> .\n') + DATA;
const quads = await libraryReader.parse(new TextEncoder().encode(document), 'trig', 'http://example.org/');
for (const engine of [naive, ...engines]) await engine.fill(quads);
const snapshot = (await storeOf(DATA)).snapshot();

after(async () => {
  for (const engine of engines) await engine.close();
});

async function rowsOf(outcome: Outcome): Promise<string[]> {
  assert.ok(outcome.kind === 'answer', JSON.stringify(outcome));
  return (await canonical(outcome.answer, { byValue: false })).toSorted();
}

test('the answers are those of the naive evaluator', async () => {
  for (const [query, joined] of [
    ...JOINED.map((text) => [text, true]),
    ...KEPT.map((text) => [text, false]),
  ] as const) {
    const text = PREFIXES + query;
    assert.equal((await explain(snapshot, text)).rewrites.includes('join-texts'), joined, String(query));
    const expected = await rowsOf(await naive.query(text));
    for (const engine of engines) {
      for (const disabledRewrites of [[], ['join-texts'], ['hash-joins']]) {
        const rows = await rowsOf(await engine.query(text, { disabledRewrites }));
        assert.deepEqual(rows, expected, `${engine.name} without ${disabledRewrites}: ${query}`);
      }
    }
  }
});

test('the rows that are made grow with the rows that match, not with all pairs', async () => {
  const rows = Array.from({ length: 3000 }, (_, at) => `:p${at} :l "Name ${at}" . :q${at} :m "name ${at + 1500}"@en .`);
  const many = (await storeOf(rows.join('\n'))).snapshot();
  const text = `${PREFIXES}SELECT ?p ?q { ?p :l ?a . ?q :m ?b FILTER(LCASE(?a) = STR(?b)) }`;
  const { plan, rows: found } = await explain(many, text, { analyze: true });
  assert.equal(found, 1500);
  assert.ok(nodesOf(plan).every(({ actual }) => (actual?.rows ?? 0) <= 3000));
  // What one row asks for is looked up.
  const one = `${PREFIXES}SELECT ?q { :q7 :m ?b . ?p :l ?a FILTER(?a = CONCAT("N", SUBSTR(STR(?b), 2))) }`;
  const lookup = await explain(many, one, { analyze: true });
  assert.equal(lookup.rows, 1);
  assert.ok(nodesOf(lookup.plan).every(({ actual }) => (actual?.rows ?? 0) <= 1));
});

function nodesOf(node: ExplainNode): ExplainNode[] {
  return [node, ...node.inputs.flatMap(nodesOf)];
}
