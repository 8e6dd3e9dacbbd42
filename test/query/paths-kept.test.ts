/** Rows that a path to a term keeps or drops: more of them than fit into a batch, of few starts, against a count by hand. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer, storeOf } from './support.js';

const TYPES = 40;
const THINGS = 5000;

/** Type t is below type t / 3; things have two types each, which come by turns. */
const HIERARCHY = Array.from({ length: TYPES - 1 }, (_, at) => `:t${at + 1} :below :t${Math.trunc((at + 1) / 3)} .`);
const typesOf = (thing: number) => [thing % TYPES, (thing * 7 + 1) % TYPES];
const DATA = [
  ...HIERARCHY,
  ...Array.from({ length: THINGS }, (_, at) => `:x${at} :type :t${typesOf(at)[0]}, :t${typesOf(at)[1]} .`),
].join('\n');

/** Things with a type that is below the root by at least so many steps. */
function rowsBelow(root: number, stepsMin: 0 | 1): number {
  const isBelow = (type: number): boolean => type === root || (type > 0 && isBelow(Math.trunc(type / 3)));
  let rows = 0;
  for (let thing = 0; thing < THINGS; thing++) {
    for (const type of new Set(typesOf(thing))) if (isBelow(type) && (stepsMin === 0 || type !== root)) rows++;
  }
  return rows;
}

test('rows are kept by what their start is related to, batch after batch', async () => {
  const snapshot = (await storeOf(`${DATA}\n:g { :t5 :below :t1 }`)).snapshot();
  for (const root of [0, 1, 5, 39]) {
    for (const [sign, stepsMin] of [['+', 1] as const, ['*', 0] as const]) {
      const pattern = `?x :type ?t . ?t :below${sign} :t${root}`;
      const counted = await answer(snapshot, `SELECT (COUNT(*) AS ?n) (COUNT(DISTINCT ?x) AS ?m) { ${pattern} }`);
      assert.equal(counted[0]?.split('^')[0], String(rowsBelow(root, stepsMin)), `${sign} ${root}`);
    }
  }
  const inGraph = await answer(snapshot, 'SELECT (COUNT(*) AS ?n) { ?x :type ?t . GRAPH ?g { ?t :below+ :t1 } }');
  const ofFive = Array.from({ length: THINGS }, (_, at) => typesOf(at)).filter((types) => types.includes(5)).length;
  assert.equal(inGraph[0]?.split('^')[0], String(ofFive));
  snapshot.close();
});
