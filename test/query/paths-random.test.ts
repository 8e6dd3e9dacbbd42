/** Property paths on random graphs against the definitions of the standard, in every way to plan them. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { evaluatePath, type OraclePath, type Pair, type Triple, textOf } from './path-oracle.js';
import { sortedAnswer, storeOf } from './support.js';

const RUNS = Number(process.env.SVC_PROPERTY_RUNS ?? 40);

const NODES = [':a', ':b', ':c', ':d', '"l"', ':g0'];
const PREDICATES = [':p', ':q', ':r'];
/** A term that no graph holds. */
const FOREIGN = ':foreign';
const GRAPHS = [':g0', ':g1'];

const predicate = fc.constantFrom(...PREDICATES);
const iris = (minLength: number) => fc.uniqueArray(predicate, { minLength, maxLength: 2 });

const { path } = fc.letrec<{ path: OraclePath }>((tie) => ({
  path: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 3, arbitrary: predicate.map((iri): OraclePath => ({ kind: 'iri', iri })) },
    {
      weight: 1,
      arbitrary: fc
        .oneof(fc.tuple(iris(1), iris(0)), fc.tuple(iris(0), iris(1)))
        .map(([forward, backward]): OraclePath => ({ kind: 'negated', forward, backward })),
    },
    { weight: 1, arbitrary: tie('path').map((of): OraclePath => ({ kind: 'inverse', of })) },
    {
      weight: 2,
      arbitrary: fc
        .array(tie('path'), { minLength: 2, maxLength: 3 })
        .map((of): OraclePath => ({ kind: 'sequence', of })),
    },
    {
      weight: 2,
      arbitrary: fc
        .array(tie('path'), { minLength: 2, maxLength: 3 })
        .map((of): OraclePath => ({ kind: 'alternative', of })),
    },
    {
      weight: 5,
      arbitrary: fc
        .tuple(tie('path'), fc.constantFrom('?', '*', '+'))
        .map(([of, sign]): OraclePath => ({ kind: 'repeat', of, sign: sign as '?' | '*' | '+' })),
    },
  ),
}));

const triple = fc.tuple(
  fc.constantFrom(...NODES.filter((node) => node !== '"l"')),
  predicate,
  fc.constantFrom(...NODES),
);
const graph = (maxLength: number) =>
  fc.uniqueArray(triple, { maxLength, selector: (parts) => parts.join(' ') }) as fc.Arbitrary<Triple[]>;
const dataset = fc.tuple(graph(14), graph(6), graph(6));
const term = fc.constantFrom(...NODES, FOREIGN);

const written = (triples: readonly Triple[]) => triples.map((parts) => `${parts.join(' ')} .`).join('\n');

function storeWith([root, first, second]: readonly [readonly Triple[], readonly Triple[], readonly Triple[]]) {
  return storeOf(`${written(root)}\n${GRAPHS[0]} { ${written(first)} }\n${GRAPHS[1]} { ${written(second)} }`);
}

/** Every way to plan a path with rows that bind its ends. */
const PLANS = [[], ['closure-joins'], ['hash-joins'], ['join-order', 'hash-joins'], ['join-order', 'closure-joins']];

const row = (...cells: string[]) => cells.join(' ');

test('a path between two variables, one variable and terms gives the pairs of the standard', async () => {
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(dataset, path, term, term, async (data, random, x, y) => {
      const snapshot = (await storeWith(data)).snapshot();
      const text = textOf(random);
      const pairs = (from: string | null, to: string | null) => evaluatePath(data[0], from, random, to);
      const cases: [string, string[]][] = [
        [`SELECT ?x ?y { ?x ${text} ?y }`, pairs(null, null).map(([s, o]) => row(s, o))],
        [`SELECT ?y { ${x.replace('"l"', ':a')} ${text} ?y }`, pairs(x.replace('"l"', ':a'), null).map(([, o]) => o)],
        [`SELECT ?x { ?x ${text} ${y} }`, pairs(null, y).map(([s]) => s)],
        [
          `SELECT ?x { ?x ${text} ?x }`,
          pairs(null, null)
            .filter(([s, o]) => s === o)
            .map(([s]) => s),
        ],
        [`ASK { ${x} ${text} ${y} }`, [String(pairs(x, y).length > 0)]],
      ];
      for (const [query, expected] of cases) {
        rows += expected.length;
        assert.deepEqual(await sortedAnswer(snapshot, query), expected.sort(), query);
      }
    }),
    { numRuns: RUNS },
  );
  assert.ok(rows > RUNS, `only ${rows} rows were compared`);
});

test('a path joined with rows is the path on its own, joined', async () => {
  await fc.assert(
    fc.asyncProperty(dataset, path, fc.uniqueArray(term, { minLength: 1 }), term, async (data, random, values, y) => {
      const snapshot = (await storeWith(data)).snapshot();
      const text = textOf(random);
      const all = evaluatePath(data[0], null, random, null);
      const toTerm = evaluatePath(data[0], null, random, y);
      const edges = data[0].filter(([, p]) => p === ':p');
      const joinEdges = (use: (s: string, o: string) => string[]) => edges.flatMap(([s, , o]) => use(s, o));
      const pairsFrom = (from: string) => all.filter(([s]) => s === from);
      const cases: [string, string[]][] = [
        [
          `SELECT ?x ?y { VALUES ?x { ${values.join(' ')} } ?x ${text} ?y }`,
          values.flatMap((value) => pairsFrom(value).map(([s, o]) => row(s, o))),
        ],
        [
          `SELECT ?x { VALUES ?x { ${values.join(' ')} } ?x ${text} ${y} }`,
          values.flatMap((value) => toTerm.filter(([s]) => s === value).map(([s]) => s)),
        ],
        [
          `SELECT ?x ?z ?y { ?x :p ?z . ?z ${text} ?y }`,
          joinEdges((s, o) => pairsFrom(o).map(([, end]) => row(s, o, end))),
        ],
        [
          `SELECT ?x ?y { ?x :p ?y . ?y ${text} ?x }`,
          joinEdges((s, o) =>
            pairsFrom(o)
              .filter(([, end]) => end === s)
              .map(() => row(s, o)),
          ),
        ],
        [
          `SELECT ?y { ?x :p ?y . ?x ${text} ?x }`,
          joinEdges((s, o) =>
            pairsFrom(s)
              .filter(([, end]) => end === s)
              .map(() => o),
          ),
        ],
      ];
      for (const [query, expected] of cases) {
        for (const disabledRewrites of PLANS) {
          const found = await sortedAnswer(snapshot, query, { disabledRewrites });
          assert.deepEqual(found, [...expected].sort(), `${query} without ${disabledRewrites}`);
        }
      }
    }),
    { numRuns: RUNS },
  );
});

test('paths stay within a graph, and walk over the union of a merged one', async () => {
  await fc.assert(
    fc.asyncProperty(dataset, path, term, async (data, random, x) => {
      const snapshot = (await storeWith(data)).snapshot();
      const text = textOf(random);
      const start = x.replace('"l"', ':a');
      // A graph without quads does not exist.
      const graphs = GRAPHS.map((name, at) => ({ name, triples: data[at + 1] as Triple[] })).filter(
        ({ triples }) => triples.length > 0,
      );
      const inEach = (use: (triples: readonly Triple[]) => Pair[], show: (name: string, pair: Pair) => string) =>
        graphs.flatMap(({ name, triples }) => use(triples).map((pair) => show(name, pair)));
      const every = (triples: readonly Triple[]) => evaluatePath(triples, null, random, null);
      const union = [
        ...new Map(graphs.flatMap(({ triples }) => triples).map((parts) => [parts.join(' '), parts])).values(),
      ];
      const cases: [string, string[]][] = [
        [`SELECT ?g ?x ?y { GRAPH ?g { ?x ${text} ?y } }`, inEach(every, (name, [s, o]) => row(name, s, o))],
        [
          `SELECT ?g ?y { GRAPH ?g { ${start} ${text} ?y } }`,
          inEach(
            (triples) => evaluatePath(triples, start, random, null),
            (name, [, o]) => row(name, o),
          ),
        ],
        [
          `SELECT ?g ?x ?y { GRAPH ?g { ?x :p ?z . ?z ${text} ?y } }`,
          graphs.flatMap(({ name, triples }) =>
            triples
              .filter(([, p]) => p === ':p')
              .flatMap(([s, , o]) => every(triples).flatMap(([from, end]) => (from === o ? [row(name, s, end)] : []))),
          ),
        ],
        [
          `SELECT ?x ?y { GRAPH :g1 { ?x ${text} ?y } }`,
          graphs.flatMap(({ name, triples }) => (name === ':g1' ? every(triples).map(([s, o]) => row(s, o)) : [])),
        ],
        [`SELECT ?x ?y FROM :g0 FROM :g1 { ?x ${text} ?y }`, every(union).map(([s, o]) => row(s, o))],
        [
          `SELECT ?y FROM :g0 FROM :g1 { ${start} ${text} ?y }`,
          evaluatePath(union, start, random, null).map(([, o]) => o),
        ],
      ];
      for (const [query, expected] of cases) {
        for (const disabledRewrites of [[], ['closure-joins'], ['hash-joins']]) {
          const found = await sortedAnswer(snapshot, query, { disabledRewrites });
          assert.deepEqual(found, [...expected].sort(), `${query} without ${disabledRewrites}`);
        }
      }
    }),
    { numRuns: RUNS },
  );
});
