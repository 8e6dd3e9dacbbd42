/** The answer of `POST /explain` as wire shapes 7 has it, and the text of `svc fact explain`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseConfiguration } from '../../../engine/service/configuration/parse.js';
import type { Operation } from '../../../engine/service/operations/definition/operation.js';
import { OPERATIONS } from '../../../engine/service/operations/index.js';
import { findProblems } from '../../../engine/service/requests/check-schema.js';
import { openStore, type Store } from '../../../interfaces/library/index.js';
import { bodyOfAnswer } from '../../service/answer-body.js';
import { onBothStores } from '../../service/time-support.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { EX, knot, retract, rulesOf, run } from '../rules/support.js';

const operation = OPERATIONS.find(({ name }) => name === 'fact_explain') as Operation;
const configuration = parseConfiguration('', 'none');

async function ask(store: Store, request: object): Promise<Record<string, unknown>> {
  const context = { store, configuration, control: {}, documents: [], representation: 'body' };
  const body = await bodyOfAnswer(await operation.run(context, request));
  assert.deepEqual([...findProblems(operation.response, body)], []);
  return body as Record<string, unknown>;
}

const ASKED = { s: `${EX}a`, p: `${EX}reaches`, o: `${EX}c` };
const fact = (s: string, p: string, o: unknown) => ({ s: EX + s, p: EX + p, o });

async function filled(store: Store): Promise<void> {
  await knot(store, 'ex:a ex:link ex:b . ex:b ex:link ex:c ; ex:size 3 .');
  await run(store, rulesOf('reach: reaches(?a, ?c) :- link(?a, ?b), link(?b, ?c), size(?b, ?n), not blocked(?b, ?c)'));
  await retract(store, 'ex:b ex:link ex:c .');
  await knot(store, 'ex:b ex:blocked ex:c .');
}

onBothStores('the keys of the answer: a rule, an absent premise, a broken absence', async (store) => {
  await filled(store);
  const ran = store.transactions().find(({ source }) => source === 'reasoner:reach')?.id as number;
  const source = store.transactions()[0]?.source ?? null;
  const premise = { found: true, tx: 1, source, derivation: null };
  assert.deepEqual(await ask(store, ASKED), {
    fact: ASKED,
    found: true,
    tx: ran,
    source: 'reasoner:reach',
    graph: 'urn:svc:graph:root#inferred',
    derivation: {
      kind: 'rule',
      rule: 'reach',
      bindings: { a: `${EX}a`, b: `${EX}b`, c: `${EX}c`, n: 3 },
      support: [
        { fact: fact('a', 'link', `${EX}b`), ...premise },
        {
          fact: fact('b', 'link', `${EX}c`),
          found: false,
          absent: true,
          tx: 1,
          source,
          closed_tx: ran + 1,
          derivation: null,
        },
        { fact: fact('b', 'size', 3), ...premise },
      ],
      absence: [{ fact: fact('b', 'blocked', `${EX}c`), held: false }],
    },
  });
});

onBothStores('a fact that is not there, a base fact, and depth 0', async (store) => {
  await filled(store);
  const nothing = { found: false, tx: null, source: null, graph: null, derivation: null };
  assert.deepEqual(await ask(store, { ...ASKED, o: 'c' }), { fact: { ...ASKED, o: 'c' }, ...nothing });
  const base = await ask(store, { s: `${EX}b`, p: `${EX}size`, o: '3' });
  assert.deepEqual([base.fact, base.found, base.derivation], [fact('b', 'size', 3), true, null]);
  const cut = await ask(store, { ...ASKED, depth: 0 });
  assert.deepEqual([cut.truncated, 'derivation' in cut], [true, false]);
  await assert.rejects(ask(store, { ...ASKED, depth: -1 }), { code: 'invalid_request', message: /depth/ });
  await assert.rejects(ask(store, { s: `${EX}a`, p: `${EX}p` }), { code: 'invalid_request', message: /'o'/ });
});

onBothStores('what a person reads', async (store) => {
  await filled(store);
  const text = operation.projections.cli?.text;
  const about = { documents: '', store: '', request: ASKED };
  const lines = text?.(await ask(store, ASKED), about).split('\n') ?? [];
  assert.match(lines[0] ?? '', /^http:\/\/ex\/a http:\/\/ex\/reaches http:\/\/ex\/c {2}\(tx \d+, reasoner:reach\)$/);
  assert.equal(lines[1], '  by the rule reach, from');
  assert.match(lines[3] ?? '', /gone since tx \d+\)$/);
  assert.equal(lines[5], `    not ${EX}b ${EX}blocked ${EX}c  (is there now)`);
  assert.equal(lines[6], 'graph urn:svc:graph:root#inferred');
});

const folder = new StoreFolder();

test('facts of a graph that is frozen are not there', async () => {
  const store = await openStore(folder.fresh());
  await knot(store, 'ex:a ex:p ex:b .', { graph: 'urn:g1' });
  await knot(store, 'ex:a ex:p ex:b .', { graph: 'urn:g2' });
  const asked = { s: `${EX}a`, p: `${EX}p`, o: `${EX}b` };
  assert.equal((await ask(store, asked)).graph, 'urn:g1');
  await store.freezeGraph('urn:g1');
  assert.equal((await ask(store, asked)).graph, 'urn:g2');
  await store.freezeGraph('urn:g2');
  assert.equal((await ask(store, asked)).found, false);
  await store.thawGraph('urn:g1');
  assert.equal((await ask(store, asked)).graph, 'urn:g1');
  await store.close();
});
