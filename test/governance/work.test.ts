/** What the policy gate reads of a store for a write: it grows with what is judged, not with the policies that there are. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { terms } from '../../engine/rdf/terms.js';
import type { Gate } from '../../engine/service/gates/gates.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import type { ScanCounters } from '../../engine/storage/seam/scan.js';
import { StoreFolder } from '../storage/support/store-folder.js';

const folder = new StoreFolder();
const BASE = 'http://svc.local/ontology/';
const TYPE = terms.namedNode('http://www.w3.org/1999/02/22-rdf-syntax-ns#type');
const iri = (name: string) => terms.namedNode(`http://ex/${name}`);
const said = (s: string, p: string, o: string) => terms.quad(iri(s), terms.namedNode(BASE + p), terms.literal(o));

function policyOf(name: string, of: string) {
  return [
    terms.quad(iri(name), TYPE, terms.namedNode(`${BASE}Policy`)),
    said(name, 'boundary', 'action'),
    said(name, 'targets', `http://ex/${of}`),
    said(name, 'claim', 'ASK { $target <http://ex/owner> ?o }'),
  ];
}

/** Twenty quads about four nodes, of classes that policies are about. */
const written = (round: number) =>
  [0, 1, 2, 3].flatMap((at) => {
    const name = `node${round}-${at}`;
    const link = (number: number) => terms.quad(iri(name), iri(`p${number}`), iri(`o${number}`));
    return [
      terms.quad(iri(name), TYPE, iri(`Judged${at}`)),
      terms.quad(iri(name), iri('owner'), iri('ana')),
      link(1),
      link(2),
      link(3),
    ];
  });

/** What is read for the third of three writes: the first ones find out what there is. */
async function workWith(others: number): Promise<{ readonly before: ScanCounters; readonly after: ScanCounters }> {
  const engine = await openLmdbEngine(folder.fresh());
  const seen: { before: ScanCounters; after: ScanCounters }[] = [];
  const last: Gate = {
    name: 'owl',
    judge: ({ before, after }) => {
      seen.push({ before: { ...before.counters }, after: { ...after.counters } });
      return { kind: 'accepted', findings: [] };
    },
  };
  const pipeline = new WritePipeline(engine, { governance: { enforceOnWrite: true }, gates: [last] });
  try {
    const policies = [0, 1, 2, 3].flatMap((at) => policyOf(`policy${at}`, `Judged${at}`));
    for (let at = 0; at < others; at++) policies.push(...policyOf(`other${at}`, `Other${at % 20}`));
    const write = (quads: typeof policies) => pipeline.transact((stage) => void stage.assert(quads), {});
    await write(policies);
    await pipeline.fold({});
    for (let round = 0; round < 3; round++) await write(written(round));
    await assert.rejects(write([terms.quad(iri('bad'), TYPE, iri('Judged0'))]), { code: 'policy_denied' });
    return seen[3] as (typeof seen)[number];
  } finally {
    await pipeline.idle();
    await engine.close();
  }
}

test('10,000 policies of other classes cost a write nothing', async () => {
  const [few, many] = [await workWith(10), await workWith(10_000)];
  assert.deepEqual(many, few);
  assert.ok(few.after.rowsScanned < 200, `${few.after.rowsScanned} rows`);
});
