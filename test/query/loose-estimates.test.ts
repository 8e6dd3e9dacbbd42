/** What the planner expects of joins by variables that a side may leave unbound. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explain } from '../../engine/query/query.js';
import { PREFIXES, storeOf } from './support.js';

test('a join by a computed value is no cross product', async () => {
  const lines = Array.from(
    { length: 1000 },
    (_, at) => `:s${at} :value ${at} . :q${at} :follows ${at + 1} ; :kind :k${at % 7} .`,
  );
  const snapshot = (await storeOf(lines.join('\n'))).snapshot();
  const query = 'SELECT * { ?s :value ?v BIND (?v + 1 AS ?next) ?q :follows ?next ; :kind ?kind }';
  const { plan } = await explain(snapshot, PREFIXES + query, { analyze: true });
  assert.equal(plan.actual?.rows, 1000);
  assert.ok(plan.estimatedRows >= 500 && plan.estimatedRows <= 20_000, String(plan.estimatedRows));
});
