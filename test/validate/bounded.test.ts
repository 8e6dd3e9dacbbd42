/** The work for a report is bounded: long lists, many wrong values, and values that are compared with each other. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { type CancelFlag, deadlineIn, withDeadline } from '../../engine/base/interrupt.js';
import { ComparisonBudget } from '../../engine/validate/likeness.js';
import { payloadSnapshot } from '../../engine/validate/payload.js';
import { reportOf } from '../../engine/validate/report.js';
import { NearestTexts } from '../../engine/validate/suggestions/nearest-texts.js';
import { validate } from '../../engine/validate/validate.js';
import { shapesOf, turtle, violations } from './support.js';

const numbered = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

test('of a long list the members that are like a value come first, and 20 in all', async () => {
  const list = numbered(20_000, (at) => `"member number ${at}"`);
  const data = numbered(3000, (at) => `:n${at} a :T ; :p "membr number ${at}" .`);
  const found = await violations(`:S sh:targetClass :T ; sh:property [ sh:path :p ; sh:in ( ${list} ) ] .`, data);
  assert.equal(found.length, 3000);
  const first = found.find(({ value }) => value === 'membr number 1');
  assert.equal(first?.alternatives[0]?.value, 'member number 1');
  assert.ok((first?.alternatives[0]?.score ?? 0) > 0.9);
  for (const { alternatives } of found) assert.equal(alternatives.length, 20);
});

test('what is compared is counted, and ends', () => {
  const texts = Array.from({ length: 20_000 }, (_, at) => `member number ${at}`);
  const nearest = new NearestTexts(texts);
  const budget = new ComparisonBudget();
  for (let at = 0; !budget.isSpent; at++) {
    assert.ok(at < 100_000, 'the budget ends');
    const near = nearest.like(`membr number ${at}`, 0.7, budget);
    assert.ok(near.length <= 96, 'no more than the candidates are compared');
  }
  assert.deepEqual(nearest.like('member number 1', 0.7, budget), [], 'nothing is compared without a budget');
});

/** A deadline that passes when it is looked at for so many times. */
function passingAfter(looks: number): CancelFlag {
  let left = looks;
  const deadline = deadlineIn(1, 'search.query_timeout_ms');
  return withDeadline(undefined, {
    ...deadline,
    get atMs() {
      return --left < 0 ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    },
  });
}

const isLate = (error: unknown): boolean => error instanceof SvcError && error.code === 'query_timeout';

test('pairs of values that are compared look at the deadline, and are not kept', async () => {
  const many = (name: string) =>
    `:a :${name} ${Array.from({ length: 3000 }, (_, at) => `"${name}${at}"`).join(', ')} .`;
  const snapshot = await payloadSnapshot([turtle(many('p') + many('q'))], {});
  const shapes = await shapesOf(':S sh:targetNode :a ; sh:property [ sh:path :p ; sh:lessThan :q ] .');
  await assert.rejects(validate(shapes, { snapshot }, null, { flag: passingAfter(100) }), isLate);
  snapshot.close();
});

test('a query of a shape ends with the deadline of the validation', async () => {
  const data = numbered(200, (at) => `:n${at} a :T ; :p ${at} .`);
  const snapshot = await payloadSnapshot([turtle(data)], {});
  const shapes = await shapesOf(`:S sh:targetNode :n0 ; sh:sparql [ sh:message "x" ;
    sh:select "SELECT $this { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l FILTER(?c + ?f + ?i + ?l = 0.5) }" ] .`);
  await assert.rejects(validate(shapes, { snapshot }, null, { flag: passingAfter(500) }), isLate);
  snapshot.close();
});

test('a report whose texts are too long for one answer is refused', async () => {
  const message = 'm'.repeat(1024 * 1024);
  const snapshot = await payloadSnapshot([turtle(numbered(200, (at) => `:n${at} a :T .`))], {});
  const shapes = await shapesOf(
    `:S sh:targetClass :T ; sh:message "${message}" ; sh:property [ sh:path :p ; sh:minCount 1 ; sh:message "${message}" ] .`,
  );
  const results = await validate(shapes, { snapshot }, null, {});
  await assert.rejects(
    reportOf(results),
    (error: unknown) => error instanceof SvcError && error.code === 'limit_exceeded',
  );
  results.view.close();
  snapshot.close();
});
