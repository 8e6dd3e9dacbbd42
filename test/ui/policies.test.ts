/** A write that a policy refuses, in the page: which policy, of what, and who has to decide by when. */
import assert from 'node:assert/strict';
import { json } from '../http/support.js';
import { assertAccessible, uiTests } from './browser.js';

const { test, open, server: theServer } = uiTests({ governance: { enforce_on_write: true } });

const EX = 'http://example.org/';
const POLICIES = `@prefix b: <http://svc.local/ontology/> . @prefix ex: <${EX}> .
ex:has-owner a b:Policy ; b:targets "${EX}Service" ; b:boundary "action" ; b:claim "ASK { $target <${EX}owner> ?owner }" .
ex:reviewed a b:Policy ; b:targets "${EX}Release" ; b:boundary "action" ; b:effect "escalate" ; b:constraintClass "escalation" ; b:reversibilityWindowSeconds 3600 ; b:claim "ASK { $target <${EX}reviewedBy> ?who }" .`;

test('a refusal by a policy names it and its entity; one that asks people has the request and its window', async (t) => {
  const server = await theServer();
  const loaded = await server.post('/knot', { turtle: POLICIES });
  assert.equal(loaded.status, 200, await loaded.text());
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await open(t, { path: '/ui#/writes', colorScheme });
    const load = async (turtle: string) => {
      await page.getByRole('textbox', { name: 'Document' }).fill(`@prefix ex: <${EX}> . ${turtle}`);
      await page.getByRole('button', { name: 'Load' }).click();
    };
    const alert = page.getByRole('alert');
    await load('ex:shop a ex:Service .');
    await alert.getByText('Nobody can allow it: change what is written.').waitFor();
    await alert
      .getByRole('link', { name: `${EX}has-owner` })
      .or(alert.getByRole('link', { name: /has-owner/ }))
      .first()
      .waitFor();
    await assertAccessible(page, `refused by a policy, ${colorScheme}`);
    await load('ex:v2 a ex:Release .');
    await alert.getByText('People have to decide; write it again when they have approved.').waitFor();
    await alert.getByText(/^sha256:[0-9a-f]{64}$/).waitFor();
    await alert.getByText(/^\d{4}-\d\d-\d\dT/).waitFor();
    await assertAccessible(page, `people have to decide, ${colorScheme}`);
  }
  const { rows } = await json(await server.post('/query', { query: `SELECT ?s { ?s a <${EX}Release> }` }));
  assert.deepEqual(rows, []);
});
