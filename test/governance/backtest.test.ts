/** Backtests of policies over the log, against the gate that judges the same transactions; drafts of policies. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SvcError } from '../../engine/base/errors.js';
import { GraphBooks } from '../../engine/query/registry/graph-book.js';
import { GateRefusal } from '../../engine/service/gates/gates.js';
import { ArchivedChanges, archivesOf } from '../../engine/service/governance/archived-changes.js';
import { Backtest, type BacktestHit } from '../../engine/service/governance/backtest.js';
import { readPolicy } from '../../engine/service/governance/policy-file.js';
import { openStore, type Quad, type Store, terms } from '../../interfaces/library/index.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();

/** In a folder of its own: archives of equal graphs have equal names, and stores do not share them. */
function apart(): string {
  const path = folder.fresh();
  mkdirSync(path);
  return join(path, 'store.db');
}

const BASE = 'http://svc.local/ontology/';
const GRAPH = 'urn:g';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

const iri = (name: string) => terms.namedNode(`urn:${name}`);

/** Of each of three nodes: two classes, an owner, and a link to the next node. */
const TRIPLES: readonly (readonly [string, string, string])[] = [0, 1, 2].flatMap((n) => [
  [`n${n}`, TYPE, 'A'] as const,
  [`n${n}`, TYPE, 'B'] as const,
  [`n${n}`, 'urn:owner', 'someone'] as const,
  [`n${n}`, 'urn:link', `n${(n + 1) % 3}`] as const,
]);

const step = fc.record({
  kind: fc.constantFrom('assert', 'assert', 'retract'),
  triples: fc.subarray(
    TRIPLES.map((_, at) => at),
    { minLength: 1, maxLength: 4 },
  ),
  inGraph: fc.boolean(),
  folds: fc.boolean(),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

const CLAIMS = [
  'ASK { $target <urn:owner> ?o }',
  'ASK { $target <urn:link> ?x . ?x <urn:owner> ?o }',
  'ASK { FILTER NOT EXISTS { $target <urn:link> ?x } }',
  'ASK { ?x <urn:link> $target }',
  'ASK { GRAPH ?g { $target <urn:owner> ?o } }',
];
const policy = fc.record({
  targets: fc.subarray(['urn:A', 'urn:B'], { minLength: 1 }),
  claim: fc.constantFrom(...CLAIMS),
  probe: fc.constantFrom(null, 'ASK { $target <urn:link> ?x }'),
});
type PolicyOf = typeof policy extends fc.Arbitrary<infer Value> ? Value : never;

const turtleOf = ({ targets, claim, probe }: PolicyOf): string =>
  `<urn:policy> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}claim> "${claim}" ;
     ${probe === null ? '' : `<${BASE}evidenceProbe> "${probe}" ;`}
     <${BASE}targets> ${targets.map((target) => `"${target}"`).join(', ')} .`;

function quadsOf({ triples, inGraph }: Step): Quad[] {
  return triples.map((at) => {
    const [s, p, o] = TRIPLES[at] as (typeof TRIPLES)[number];
    const graph = inGraph ? [terms.namedNode(GRAPH)] : [];
    return terms.quad(iri(s), terms.namedNode(p), iri(o), ...graph);
  });
}

const write = (store: Store, one: Step) => store.transact({ [one.kind]: quadsOf(one) });

async function backtested(store: Store, turtle: string, from: number, to: number): Promise<BacktestHit[]> {
  const request = { policy: await readPolicy(turtle, store.baseNamespace), from, to };
  const backtest = new Backtest(store, { ...request, claimTimeoutMs: 30_000, budget: {}, asOf: store.asOf }, {});
  const found: BacktestHit[] = [];
  try {
    for await (const hits of backtest.hits()) found.push(...hits);
  } finally {
    backtest.close();
  }
  return found;
}

/** The node for which each step was refused; null = it was accepted. */
async function refusals(steps: readonly Step[], turtle: string): Promise<(string | null)[]> {
  const store = await openStore(':memory:', { governance: { enforceOnWrite: true } });
  try {
    await store.createGraph(GRAPH);
    const found: (string | null)[] = [];
    for (const one of steps) {
      await store.load({ text: turtle, format: 'turtle' });
      const refused = await write(store, one).then(
        () => null,
        (error) => {
          if (error instanceof GateRefusal) return String(error.details.entity);
          throw error;
        },
      );
      found.push(refused);
      await store.update('DELETE WHERE { <urn:policy> ?p ?o }');
      if (refused !== null) await write(store, one);
    }
    return found;
  } finally {
    await store.close();
  }
}

test('a backtest says of each transaction what the gate says of it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), policy, async (steps, given) => {
      const turtle = turtleOf(given);
      const store = await openStore(folder.fresh());
      try {
        await store.createGraph(GRAPH);
        const transactions: (number | null)[] = [];
        for (const one of steps) {
          const { tx } = await write(store, one);
          transactions.push(tx);
          if (one.folds) await store.fold();
        }
        const newest = store.transactions().at(-1)?.id ?? 0;
        const hits = await backtested(store, turtle, 1, newest);
        const first = transactions.map((tx) => hits.find((hit) => hit.tx === tx)?.target ?? null);
        assert.deepEqual(first, await refusals(steps, turtle));
      } finally {
        await store.close();
      }
    }),
    { numRuns: 60 },
  );
});

test('what was written to a graph that is frozen now is read from its archive, where archives.as_of allows it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), policy, async (steps, given) => {
      // GRAPH ?g ranges over no frozen graph, whoever asks.
      fc.pre(!given.claim.includes('GRAPH'));
      const turtle = turtleOf(given);
      const store = await openStore(apart(), { archives: { asOf: 'allow' } });
      try {
        await store.createGraph(GRAPH);
        for (const one of steps) await write(store, one);
        await write(store, { kind: 'assert', triples: [0], inGraph: true, folds: false });
        const newest = store.transactions().at(-1)?.id ?? 0;
        const before = await backtested(store, turtle, 1, newest);
        await store.freezeGraph(GRAPH);
        assert.deepEqual(await backtested(store, turtle, 1, newest), before);
        assert.deepEqual(
          await backtested(store, turtle, newest, newest + 5),
          before.filter(({ tx }) => tx === newest),
        );
      } finally {
        await store.close();
      }
    }),
    { numRuns: 12 },
  );
});

test('without that a frozen graph refuses the backtest, which names the way out', async () => {
  const store = await openStore(folder.fresh());
  try {
    await store.createGraph(GRAPH);
    await write(store, { kind: 'assert', triples: [0, 1], inGraph: true, folds: false });
    await store.freezeGraph(GRAPH);
    await assert.rejects(backtested(store, OWNED, 1, 3), (error: SvcError) => {
      assert.match(error.message, /after each transaction can not be read while graphs are frozen: <urn:g>/);
      assert.match(error.hint ?? '', /thaw the graphs, or set archives\.as_of/);
      return error.code === 'invalid_request';
    });
  } finally {
    await store.close();
  }
});

test('archives are looked up for as many transactions at once as fit into a bound', async () => {
  const store = await openStore(apart(), { archives: { asOf: 'allow' } });
  try {
    await store.createGraph(GRAPH);
    for (const triple of [0, 1, 2, 3, 4, 5])
      await write(store, { kind: 'assert', triples: [triple], inGraph: true, folds: false });
    await store.freezeGraph(GRAPH);
    const snapshot = store.snapshot();
    try {
      const archives = archivesOf(snapshot.storage, new GraphBooks());
      const touched = async (keptMax: number) => {
        const archived = new ArchivedChanges({ to: snapshot.tx, isCandidate: null }, keptMax);
        const found: [number, number][] = [];
        for (let tx = 1; tx <= snapshot.tx; tx++) {
          const changes = await archived.at(tx, snapshot.storage, archives, {});
          for (const { rows } of changes.rows()) found.push([tx, rows]);
        }
        return found;
      };
      const all = await touched(1000);
      assert.equal(all.length, 6);
      assert.deepEqual(await touched(2), all);
    } finally {
      snapshot.close();
    }
  } finally {
    await store.close();
  }
});

const OWNED = `<urn:owned> a <${BASE}Policy> ; <${BASE}boundary> "action" ; <${BASE}targets> "urn:A" ; <${BASE}claim> "ASK { $target <urn:owner> ?o }" .`;

test('a fork is a copy of what was judged, and what is written to it later is judged', async () => {
  const store = await openStore(':memory:');
  try {
    await store.load({ text: '<urn:n> a <urn:A> .', format: 'turtle' });
    await store.createFork({ name: 'f', tx: 1 });
    await store.load({ text: '<urn:n> <urn:note> 1 .', format: 'turtle' }, { graph: 'urn:svc:fork:f' });
    const hits = await backtested(store, OWNED, 1, 3);
    assert.deepEqual(
      hits.map(({ tx, graph }) => [tx, graph]),
      [
        [1, 'urn:svc:graph:root'],
        [3, 'urn:svc:fork:f'],
      ],
    );
  } finally {
    await store.close();
  }
});

test('a backtest ends when it is cancelled, and gives its snapshot back', async () => {
  const store = await openStore(':memory:');
  try {
    await store.load({ text: '<urn:n> a <urn:A> .', format: 'turtle' });
    const stop = new AbortController();
    const request = { policy: await readPolicy(OWNED, store.baseNamespace), from: 1, to: 1 };
    const backtest = new Backtest(
      store,
      { ...request, claimTimeoutMs: 30_000, budget: {}, asOf: store.asOf },
      { signal: stop.signal },
    );
    stop.abort();
    await assert.rejects(backtest.hits().next(), { code: 'aborted' });
    backtest.close();
  } finally {
    await store.close();
  }
});

const DRAFT = [
  'policy',
  'draft',
  '--name',
  'owned',
  '--label',
  'owned',
  '--targets',
  'urn:A',
  '--exemplar',
  'urn:good',
];
const CLAIM = 'ASK { $target <urn:owner> "a \\"b\\"" }';

test(
  'svc policy draft and svc policy backtest: what is drafted is what is tried',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    const drafted = await run(...DRAFT, '--claim', CLAIM);
    assert.equal(drafted.code, 0);
    for (const line of ['base:effect "warn"', 'base:constraintClass "soft"', 'base:verificationPoint "PAA"']) {
      assert.ok(drafted.out.includes(line), drafted.out);
    }
    assert.ok(drafted.out.includes('base:hostedAtLayer "tool"'));
    assert.match(drafted.err, /nothing is in force yet/);
    const hard = await run(...DRAFT, '--claim', CLAIM, '--class', 'hard', '--authority', 'ethical', '--out', 'p.ttl');
    assert.equal(hard.out, `drafted ${BASE}policy_owned -> p.ttl\n`);
    writeFileSync(join(cwd, 'one.ttl'), '<urn:n> a <urn:A> .');
    writeFileSync(join(cwd, 'two.ttl'), '<urn:n> <urn:owner> "a \\"b\\"" . <urn:m> a <urn:Other> .');
    await run('knot', 'one.ttl', '--timestamp', '2026-01-01T00:00:00Z');
    await run('knot', 'two.ttl');
    const tried = await run('policy', 'backtest', 'p.ttl');
    assert.equal(
      tried.out,
      'tx 1 (2026-01-01T00:00:00Z): would have fired on urn:n\n\n' +
        `${BASE}policy_owned would have fired in 1 of 2 transaction(s) (1 to 2): 1 hit(s), 2 node(s) judged\n`,
    );
    assert.equal(tried.code, 0);
    const last = await run('policy', 'backtest', 'p.ttl', '--last-txs', '1', '--json');
    const body = JSON.parse(last.out);
    assert.deepEqual([body.from_tx, body.to_tx, body.hits, body.count, body.judged], [2, 2, [], 0, 1]);
    // The draft can be loaded, and only warns.
    assert.equal((await run('knot', 'p.ttl')).code, 0);
  }),
);

test(
  'drafts and backtests that make no sense are refused in the words of the command',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    for (const [more, message] of [
      [['--claim', 'ASK { ?s ?p ?o }'], /--claim does not ask about \$target/],
      [['--claim', 'SELECT * { $target ?p ?o }'], /is a query of the form SELECT; expected ASK/],
      [['--claim', 'ASK { $target'], /is no query/],
      [['--claim', CLAIM, '--class', 'escalation'], /--class escalation is not drafted/],
      [['--claim', CLAIM, '--class', 'firm'], /--class is 'firm'; expected one of soft, hard/],
      [['--claim', CLAIM, '--class', 'hard', '--point', 'PAA'], /--point is 'PAA'.*PAG, ATM, tool_layer, policy_layer/],
      [['--claim', CLAIM, '--layer', 'roof'], /--layer is 'roof'/],
      [['--claim', CLAIM, '--authority', 'me'], /--authority is 'me'/],
      [['--claim', CLAIM, '--name', 'a b'], /--name is 'a b'/],
      [['--claim', CLAIM, '--exemplar', 'urn:a b'], /--exemplar/],
      [['--claim', CLAIM, '--out', 'no/p.ttl'], /no\/p\.ttl: there is no folder no/],
      [[], /missing --claim/],
    ] as const) {
      const { code, out, err } = await run(...DRAFT, ...more);
      assert.deepEqual([code, out], [1, ''], err);
      assert.match(err, message);
    }
    const file = (text: string) => writeFileSync(join(cwd, 'p.ttl'), text);
    writeFileSync(join(cwd, 'one.ttl'), '<urn:n> a <urn:A> .');
    await run('knot', 'one.ttl');
    for (const [text, words, code, message] of [
      ['<urn:a> <urn:b> 1 .', [], 1, /holds no node of the class/],
      [`${OWNED} ${OWNED.replace('urn:owned', 'urn:other')}`, [], 1, /holds 2 policies: <urn:owned>, <urn:other>/],
      [OWNED.replace('"action"', '"transition"'), [], 1, /judges no writes by its boundary: it is 'transition'/],
      [OWNED.replace('ASK {', 'SELECT * {'), [], 1, /form SELECT; expected ASK/],
      [`<urn:a> a <${BASE}Policy> .`, [], 1, /has no targets/],
      ['oops', [], 1, /unexpected oops/],
      [OWNED, ['--to-tx', '9'], 1, /--to-tx: there is no transaction 9 yet: the latest is 1/],
      [OWNED, ['--from-tx', '1', '--last-txs', '1'], 2, /give one or the other/],
      [OWNED, ['--last-txs', '0'], 1, /--last-txs is 0/],
      [OWNED, ['--url', 'http://127.0.0.1:1'], 1, /does not work against a running server/],
    ] as const) {
      file(text);
      const tried = await run('policy', 'backtest', 'p.ttl', ...words);
      assert.equal(tried.code, code, tried.err);
      assert.match(tried.err, message);
    }
  }),
);
