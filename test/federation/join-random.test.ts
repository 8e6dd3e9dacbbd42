/** Random queries over facts that are spread over three servers, beside one server that has all of them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { json } from '../http/support.js';
import { federated, serverOf, updated } from './support.js';

const EX = 'PREFIX e: <urn:e:>';
const entity = fc.integer({ min: 0, max: 5 }).map((n) => `<urn:e:${n}>`);
const predicate = fc.integer({ min: 0, max: 3 }).map((n) => `<urn:p:${n}>`);
const literal = fc.constantFrom('1', '2', '3.5', '"a"', '"b"@en', 'true');
const blank = fc.constantFrom('_:x', '_:y');
const subject = fc.oneof({ weight: 4, arbitrary: entity }, { weight: 1, arbitrary: blank });
const object = fc.oneof(
  { weight: 3, arbitrary: entity },
  { weight: 1, arbitrary: literal },
  { weight: 1, arbitrary: blank },
);
const triple = fc.tuple(subject, predicate, object).map((parts) => `${parts.join(' ')} .`);
const document = fc.array(triple, { minLength: 4, maxLength: 14 }).map((lines) => lines.join('\n'));
/** Some facts stand in each of them. */
const documents = fc
  .tuple(document, document, document, fc.array(fc.tuple(entity, predicate, entity), { maxLength: 4 }))
  .map(([a, b, c, common]) =>
    [a, b, c].map((own) => [own, ...common.map((parts) => `${parts.join(' ')} .`)].join('\n')),
  );

const variable = fc.constantFrom('?x', '?y', '?z');
const end = fc.oneof({ weight: 6, arbitrary: variable }, { weight: 1, arbitrary: entity });
const pattern = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(end, predicate, end).map((parts) => `${parts.join(' ')} .`) },
  { weight: 1, arbitrary: fc.tuple(end, literal).map(([s, o]) => `${s} <urn:p:1> ${o} .`) },
  { weight: 1, arbitrary: fc.tuple(entity, end).map(([s, o]) => `${s} ?p ${o} .`) },
  { weight: 1, arbitrary: fc.tuple(variable, predicate, predicate).map(([s, p, q]) => `${s} ${p} [ ${q} ?y ] .`) },
);
const path = fc.oneof(
  fc.tuple(predicate, predicate).map(([p, q]) => `(${p}|^${q})+`),
  predicate.map((p) => `${p}*`),
  predicate.map((p) => `${p}?`),
  fc.tuple(predicate, predicate).map(([p, q]) => `${p}/${q}`),
  predicate.map((p) => `!${p}`),
  fc.tuple(predicate, predicate).map(([p, q]) => `(${p}/${q}?)+`),
);
const walk = fc.tuple(end, path, end).map((parts) => `${parts.join(' ')} .`);
const basic = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((patterns) => patterns.join(' '));
const condition = fc.oneof(
  fc.tuple(variable, entity).map(([x, y]) => `${x} != ${y}`),
  fc.tuple(variable, variable).map(([x, y]) => `${x} = ${y}`),
  variable.map((x) => `isIRI(${x})`),
  variable.map((x) => `${x} > 1`),
  variable.map((x) => `BOUND(${x}) && STR(${x}) < "urn:e:4"`),
  fc.tuple(variable, entity, entity).map(([x, a, b]) => `${x} IN (${a}, ${b}, 1)`),
);
const { group } = fc.letrec<{ group: string; part: string }>((tie) => ({
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: basic },
    { weight: 2, arbitrary: walk },
    { weight: 2, arbitrary: condition.map((text) => `FILTER(${text})`) },
    { weight: 2, arbitrary: tie('group').map((inner) => `OPTIONAL { ${inner} }`) },
    { weight: 2, arbitrary: fc.tuple(tie('group'), tie('group')).map(([a, b]) => `{ ${a} } UNION { ${b} }`) },
    { weight: 1, arbitrary: tie('group').map((inner) => `MINUS { ${inner} }`) },
    { weight: 1, arbitrary: tie('group').map((inner) => `FILTER NOT EXISTS { ${inner} }`) },
    { weight: 1, arbitrary: tie('group').map((inner) => `FILTER EXISTS { ${inner} }`) },
    { weight: 1, arbitrary: fc.tuple(variable, entity).map(([x, y]) => `VALUES ${x} { ${y} <urn:e:1> UNDEF }`) },
    { weight: 1, arbitrary: tie('group').map((inner) => `{ SELECT DISTINCT ?x ?y { ${inner} } }`) },
    { weight: 1, arbitrary: tie('group').map((inner) => `{ SELECT ?x (COUNT(?y) AS ?n) { ${inner} } GROUP BY ?x }`) },
  ),
  group: fc.tuple(basic, fc.array(tie('part'), { maxLength: 2 })).map(([first, rest]) => [first, ...rest].join(' ')),
}));
const query = fc.oneof(
  { weight: 4, arbitrary: group.map((text) => `SELECT * { ${text} }`) },
  { weight: 1, arbitrary: group.map((text) => `SELECT DISTINCT ?x ?z { ${text} }`) },
  {
    weight: 1,
    arbitrary: group.map((text) => `SELECT ?x (COUNT(*) AS ?n) (COUNT(DISTINCT ?y) AS ?m) { ${text} } GROUP BY ?x`),
  },
  { weight: 1, arbitrary: group.map((text) => `SELECT (COUNT(DISTINCT ?x) AS ?n) (SUM(?z) AS ?s) { ${text} }`) },
);

const RUNS = Number(process.env.SVC_JOIN_RUNS ?? 4);
const SEED = Number(process.env.SVC_JOIN_SEED ?? 20261128);

test('answers are those of one store that has the facts of all', async (t) => {
  const [north, south, all] = await Promise.all([serverOf(t, ''), serverOf(t, ''), serverOf(t, '')]);
  const remotes = [north, south].map(({ base }, at) => ({ name: `r${at}`, url: base, timeout_ms: 60_000 }));
  const here = await serverOf(t, '', { federation: { remotes }, search: { max_sparql_rows: 1_000_000 } });
  const fill = async (server: typeof here, texts: readonly string[]) => {
    await updated(server, 'CLEAR ALL');
    for (const turtle of texts) assert.equal((await server.post('/knot', { turtle })).status, 200);
  };
  let answered = 0;
  const property = fc.asyncProperty(
    documents,
    fc.array(query, { minLength: 8, maxLength: 8 }),
    async (texts, queries) => {
      await Promise.all([here, north, south].map((server, at) => fill(server, [texts[at] as string])));
      await fill(all, texts);
      for (const text of queries) {
        const asked = `${EX} ${text}`;
        const wanted = await all.post('/query', { query: asked, inference: false, verbose: true, limit: 10_000 });
        const { rows, truncated } = (await json(wanted)) as { rows: Row[]; truncated: boolean };
        if (truncated) continue;
        if (rows.length > 0) answered++;
        const answer = await federated(here, asked, { federated: 'join' });
        assert.deepEqual(sorted(answer.rows), sorted(rows), `${asked}\nover\n${texts.join('\n---\n')}`);
        assert.deepEqual([answer.complete, answer.truncated], [true, false]);
      }
    },
  );
  await fc.assert(property, { numRuns: RUNS, seed: SEED, endOnFailure: true });
  assert.ok(answered > RUNS * 2, `only ${answered} of ${RUNS * 8} queries had rows`);
});

type Row = Readonly<Record<string, unknown>>;

/** Labels of blank nodes come from the documents, which all have them from. */
function sorted(rows: readonly Row[]): string[] {
  const text = (row: Row): string => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)));
  return rows.map((row) => text(row).replaceAll(/_:r\d\./g, '_:')).sort();
}
