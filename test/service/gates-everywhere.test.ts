/**
 * Every gate on every write path, from the registry of operations: whatever writes is judged by each gate in their order, a
 * refusal of any of them refuses it, and what was refused has left nothing but its event (semantics of graphs, 12:
 * invariant 5); then it is written, and a store that is opened again gives the same exports (invariant 14). An operation
 * that writes and is not listed here fails.
 */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReadRules } from '../../engine/governance/read-rules.js';
import { GATE_ORDER, type Gate, type GateName } from '../../engine/service/gates/gates.js';
import { OPERATIONS } from '../../engine/service/operations/index.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { StoreFolder } from '../storage/support/store-folder.js';
import { exported, named, PATHS, run, seen } from './every-write.js';

const folder = new StoreFolder();

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

test('who may read some graphs only writes past the same gates, or is refused whatever is asked', {
  timeout: 300_000,
}, async () => {
  const watch = new Watch();
  const store = await openStore(folder.fresh(), {
    gates: watch.gates,
    features: ['owl', 'reactive-reasoner'],
    governance: { enforceAuthority: true },
  });
  const graphs = ['urn:svc:graph:root', ...['g', 'o', 'imported'].map((name) => `http://example.org/${name}`)];
  const writer = new ReadRules([{ principal: 'shared', graphs }]).named('shared');
  const faults: string[] = [];
  let judged = 0;
  for (const [name, given] of Object.entries(PATHS)) {
    const operation = named(name);
    const request = await given(store);
    const before = await seen(store);
    let events = await refusals(store);
    const tried = (control = {}) =>
      run(store, operation, request, control, writer).then(
        () => null,
        (reason: { code?: string; gate?: string; message: string }) => reason,
      );
    const isOffered = operation.forSomeGraphs === 'answered';
    const refused = async (gate: string, control = {}) => {
      const error = await tried(control);
      const isRight = isOffered ? error?.gate === gate : error?.code === 'authority_denied' && error.gate === undefined;
      if (!isRight) faults.push(`${name}: not refused by ${gate}: ${error === null ? 'written' : error.message}`);
      const told = await refusals(store);
      if (told !== events + (isOffered ? 1 : 0))
        faults.push(`${name}: ${told - events} events of a refusal by ${gate}`);
      events = told;
      assert.deepEqual(await seen(store), before, `${name} refused by ${gate} leaves nothing`);
    };
    for (const gate of isOffered ? GATE_ORDER : GATE_ORDER.slice(0, 1)) {
      watch.refusing = gate;
      await refused(gate);
    }
    watch.refusing = null;
    if (isOffered) {
      judged++;
      await refused('authority', { principalChain: ['nobody'] });
      watch.asked = [];
      const error = await tried();
      assert.equal(error, null, `${name}: ${error?.message}`);
      const order = watch.asked.filter((gate, at) => gate !== watch.asked[at - 1]);
      if (order.slice(0, 5).join() !== GATE_ORDER.join()) faults.push(`${name}: asked ${order}`);
      assert.notDeepEqual(await seen(store), before, `${name} has written nothing`);
    } else await run(store, operation, request);
  }
  assert.deepEqual(faults, []);
  const offered = writing.filter(({ name, forSomeGraphs }) => forSomeGraphs === 'answered' && name in PATHS);
  assert.equal(judged, offered.length);
  await store.close();
});
