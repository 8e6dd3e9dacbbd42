/**
 * Every gate on every write path, from the registry of operations: whatever writes is judged by each gate in their order, a
 * refusal of any of them refuses it, and what was refused has left nothing but its event (semantics of graphs, 12:
 * invariant 5); then it is written, and a store that is opened again gives the same exports (invariant 14). An operation
 * that writes and is not listed here fails.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import { GATE_ORDER, type Gate, type GateName } from '../../engine/service/gates/gates.js';
import type { AskContext, Body, Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOfLines, writeBundle } from '../share/bundle-support.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { bodyOfAnswer } from './answer-body.js';

const EX = 'http://example.org/';
const ROOT = 'urn:svc:graph:root';
const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
const AT = '2026-06-01T00:00:00Z';
const folder = new StoreFolder();
const configuration = parseConfiguration('[svc.features]\nowl = true\nreactive_reasoner = true\n', 'none');

/** What may be opened for writing and writes no statement, nor anything that gates could judge, and why. */
const WRITES_NOTHING: Readonly<Record<string, string>> = {
  events_commit: 'the place that a consumer has reached in the events',
  subscriptions: 'who is told of events',
  queries_cancel: 'ends a request of a running server',
  share_to: 'a line of the registry about a bundle that was given away',
  fold: 'rows as they are, in fewer runs',
  migrate_vectors: 'vectors as they are, in other lists',
  embed_backfill: 'vectors of what is there',
};

type Given = (store: Store) => object | Promise<object>;

/** A request that writes, of each operation that can; in an order in which each finds what it needs. */
const PATHS: Readonly<Record<string, Given>> = {
  knot: () => ({ turtle: `<${EX}a> a <${EX}Thing> ; <${EX}p> 1 .`, source: 'loaded' }),
  update: () => ({ update: `INSERT DATA { <${EX}b> <${EX}p> <${EX}a> }` }),
  set: () => ({ entity: `${EX}a`, predicate: `${EX}p`, value: { int: 2 } }),
  retract: () => ({ entity: `${EX}b`, predicate: `${EX}p` }),
  episode: () => ({ name: 'e1', nodes: [{ name: 'kota', type: 'Host' }] }),
  episodes_complete: () => ({ name: 'e2', episode_body: 'text' }),
  retract_episode: () => ({ episode: 'e1' }),
  retract_source: () => ({ source: 'loaded', repair: 'r', apply: true }),
  graph_create: () => ({ graph: `${EX}g` }),
  graph_label: () => ({ graph: `${EX}g`, timestamp: AT, kind: 'reference' }),
  graph_merge: () => ({ graph: `${EX}g`, turtle: `<${EX}x> <${EX}p> <${EX}y> .` }),
  graph_replace: () => ({ graph: `${EX}g`, turtle: `<${EX}x> <${EX}p> <${EX}z> .` }),
  project: () => ({ graph: `${EX}g`, algorithm: 'louvain', persist: true }),
  reason: () => ({
    graph: `${EX}g`,
    rules: `@prefix rule: <http://svc.local/rule#> . <${EX}r> a rule:Rule ; rule:body "<${EX}p>(?x, ?y)" ; rule:head "<${EX}q>(?y, ?x)" .`,
  }),
  overlay_create: () => ({ overlay: `${EX}o`, parent_branch: `${EX}g` }),
  overlay_write: () => ({ overlay: `${EX}o`, op: 'assert', subject: `${EX}x`, predicate: `${EX}p`, object: 'v' }),
  align_apply: (store) => aligned(store),
  datasets: () => ({ action: 'create', name: `${EX}d`, members: [ROOT] }),
  queries: () => ({ action: 'load', name: 'q', template: 'SELECT * { ?s ?p ?o }' }),
  shapes: () => ({ action: 'load', name: 's', turtle: `<urn:S> <http://www.w3.org/ns/shacl#targetNode> <urn:none> .` }),
  ontology: () => ({
    action: 'load',
    name: 'o',
    turtle: `<${EX}Dog> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <${EX}Animal> .`,
  }),
  propose: () => ({ kind: 'class', target: 't', diff: 'd', proposer: 'p' }),
  proposal_accept: () => ({ id: 1 }),
  proposal_reject: async (store) => {
    const { id: proposalId } = await store.propose({ kind: 'class', target: 't', diff: 'd', proposer: 'p' });
    return { id: proposalId, note: 'no' };
  },
  fork_create: async (store) => ({ tx: (await store.transactions({ limit: 1 }))[0]?.id ?? 1, name: 'f' }),
  fork_promote: async (store) => {
    await store.update(`INSERT DATA { GRAPH <urn:svc:fork:f> { <${EX}forked> <${EX}p> 1 } }`);
    return { name: 'f' };
  },
  fork_drop: async (store) => {
    await store.createFork({ tx: 1, name: 'dropped' });
    return { name: 'dropped' };
  },
  import_share: () => importOf(BUNDLE),
  import_promote: () => ({ share_id: BUNDLE.manifest.share_id }),
  share_merge: () => {
    const path = join(folder.path, 'bundle');
    writeBundle(path, MERGED);
    return { bundle: path };
  },
  unpack: async () => ({ file: await packed(), into: `${EX}unpacked` }),
  graph_import: async () => ({ path: await other(), as: `${EX}imported` }),
  graph_freeze: () => ({ graph: `${EX}unpacked`, timestamp: AT }),
  graph_thaw: () => ({ graph: `${EX}unpacked`, timestamp: AT }),
  graph_delete: () => ({ graph: `${EX}imported` }),
};

const BUNDLE = bundleOfLines(`<${EX}shared> <${LABEL}> "x" .\n`);
const MERGED = bundleOfLines(`<${EX}merged> <${LABEL}> "x" .\n`);

const importOf = ({ manifest, exportNTriples, shapesTurtle }: typeof BUNDLE) => ({
  manifest,
  export_ntriples: exportNTriples,
  shapes_turtle: shapesTurtle,
  source: 'a friend',
});

async function aligned(store: Store): Promise<object> {
  const label = (name: string, graph: string) =>
    store.load({ text: `<${EX}${name}> <${LABEL}> "Ann Smith" .`, format: 'turtle' }, { graph });
  for (const side of ['left', 'right']) {
    await store.createGraph(`${EX}${side}`).catch(() => undefined);
    await label(`ann-${side}`, `${EX}${side}`);
  }
  const [left, right] = [`${EX}left`, `${EX}right`];
  const { expectedVersion } = await store.proposeAlignment(left, right);
  const decisions = [{ left: `${EX}ann-left`, right: `${EX}ann-right`, verdict: 'accept' as const }];
  const { decided, expectedVersion: version } = await store.decideAlignment({
    left,
    right,
    expectedVersion,
    decisions,
  });
  return { left, right, decided, expected_version: version };
}

/** A store file of its own, to be imported. */
async function other(): Promise<string> {
  const path = folder.fresh();
  const store = await openStore(path);
  await store.load({ text: `<${EX}other> <${EX}p> 1 .`, format: 'turtle' });
  await store.close();
  return path;
}

async function packed(): Promise<string> {
  const store = await openStore(await other());
  const file = `${folder.fresh()}.qpack.db`;
  await store.packGraph(ROOT, file);
  await store.close();
  return file;
}

/** Gates of every name, which note who was asked, and one of which may refuse. */
class Watch {
  asked: GateName[] = [];
  refusing: GateName | null = null;
  readonly gates: readonly Gate[] = GATE_ORDER.map((name) => ({
    name,
    judge: () => {
      this.asked.push(name);
      if (name !== this.refusing) return { kind: 'accepted', findings: [] };
      return { kind: 'refused', code: CODES[name], message: `the ${name} of the test`, findings: [] };
    },
  }));
}

const CODES = {
  authority: 'authority_denied',
  shacl: 'refused_shacl',
  placement: 'refused_placement',
  policy: 'policy_denied',
  owl: 'refused_owl',
} as const;

function run(store: Store, operation: Operation, request: object, control: AskContext['control'] = {}) {
  const context = {
    store,
    configuration,
    control,
    documents: [],
    representation: 'body',
    onCommandLine: true,
  } as const;
  return operation.run(context, request);
}

const TOLD = [
  'transactions',
  'stats',
  'graphs',
  'shape_list',
  'query_list',
  'dataset_list',
  'proposals',
  'fork_list',
  'ontology_list',
];

const named = (name: string): Operation => {
  const found = OPERATIONS.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
};

/** The export of every graph. */
async function exported(store: Store): Promise<unknown[]> {
  const listed = (await bodyOfAnswer(await run(store, named('graphs'), {}))) as { graphs: { graph: string }[] };
  const all: unknown[] = [];
  for (const { graph } of listed.graphs) {
    // A graph of the service that nothing was written to yet is listed, and not there.
    const answer = await run(store, named('export'), { graph, format: 'ntriples' }).catch(() => null);
    all.push([graph, answer && ((await bodyOfAnswer(answer)) as Body).rdf]);
  }
  return all;
}

/** What anybody can see of a store, but for events. */
async function seen(store: Store): Promise<unknown> {
  const bodies: Body[] = [];
  for (const name of TOLD) {
    // The pages of the file: the events of refusals stand there, too.
    const { storage: _pages, ...body } = (await bodyOfAnswer(await run(store, named(name), {}))) as Body;
    bodies.push(body);
  }
  return [bodies, await exported(store)];
}

async function refusals(store: Store): Promise<number> {
  const { events } = await store.events.read({ types: ['write.refused'], limit: 10_000 });
  return events.length;
}

const writing = OPERATIONS.filter(({ access, opens }) => access === 'write' || opens === 'write');

test('every operation that writes is listed, with a request or with why no gate is asked', () => {
  const listed = [...Object.keys(PATHS), ...Object.keys(WRITES_NOTHING)].sort();
  assert.deepEqual(listed, writing.map(({ name }) => name).sort());
});

test('each is judged by every gate, refused by any of them without a trace, and written where none refuses', {
  timeout: 300_000,
}, async () => {
  const path = folder.fresh();
  const watch = new Watch();
  const open = () =>
    openStore(path, {
      gates: watch.gates,
      features: ['owl', 'reactive-reasoner'],
      governance: { enforceAuthority: true },
    });
  let store = await open();
  const faults: string[] = [];
  for (const [name, given] of Object.entries(PATHS)) {
    const operation = named(name);
    const request = await given(store);
    const before = await seen(store);
    let events = await refusals(store);
    const refused = async (gate: string, control = {}) => {
      const error = await run(store, operation, request, control).then(
        () => null,
        (reason: { code?: string; gate?: string; message: string }) => reason,
      );
      if (error?.gate !== gate)
        faults.push(`${name}: not refused by ${gate}: ${error === null ? 'written' : error.message}`);
      const told = await refusals(store);
      if (told !== events + 1) faults.push(`${name}: ${told - events} events of a refusal by ${gate}`);
      events = told;
      assert.deepEqual(await seen(store), before, `${name} refused by ${gate} leaves nothing`);
    };
    for (const gate of GATE_ORDER) {
      watch.refusing = gate;
      await refused(gate);
    }
    watch.refusing = null;
    // The gate of the service itself: a chain of somebody who holds nothing.
    await refused('authority', { principalChain: ['nobody'] });
    watch.asked = [];
    await run(store, operation, request);
    const order = watch.asked.filter((gate, at) => gate !== watch.asked[at - 1]);
    if (order.slice(0, 5).join() !== GATE_ORDER.join()) faults.push(`${name}: asked ${order}`);
    assert.notDeepEqual(await seen(store), before, `${name} has written nothing`);
  }
  assert.deepEqual(faults, []);
  const last = await exported(store);
  await store.close();
  store = await open();
  assert.deepEqual(await exported(store), last, 'invariant 14');
  await store.close();
});
