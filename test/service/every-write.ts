/**
 * A request of each operation that writes, and what anybody can see of a store: for tests of what holds of every write.
 */

import assert from 'node:assert/strict';
import type { Principal } from '../../engine/base/principal.js';
import { parseConfiguration } from '../../engine/service/configuration/parse.js';
import type { AskContext, Body, Operation } from '../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { readContext } from '../../engine/service/reads/read-context.js';
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

type Given = (store: Store) => object | Promise<object>;

/** A request that writes, of each operation that can; in an order in which each finds what it needs. */
export const PATHS: Readonly<Record<string, Given>> = {
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
    const path = `${folder.fresh()}-bundle`;
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

export function run(
  store: Store,
  operation: Operation,
  request: object,
  control: AskContext['control'] = {},
  principal?: Principal,
) {
  const context = {
    ...(principal !== undefined && { read: readContext(configuration, principal) }),
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

export const named = (name: string): Operation => {
  const found = OPERATIONS.find((one) => one.name === name);
  assert.ok(found, name);
  return found;
};

/** The export of every graph. */
export async function exported(store: Store): Promise<unknown[]> {
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
export async function seen(store: Store): Promise<unknown> {
  const bodies: Body[] = [];
  for (const name of TOLD) {
    // The pages of the file, where the events of refusals stand, too, and its name.
    const { storage: _pages, store: _name, ...body } = (await bodyOfAnswer(await run(store, named(name), {}))) as Body;
    bodies.push(body);
  }
  return [bodies, await exported(store)];
}
