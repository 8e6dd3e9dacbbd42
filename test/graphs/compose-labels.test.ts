/** Composing labels: the table of semantics of graphs 2.6, and the laws that it promises. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  ALL_UNDECLARED,
  type Composed,
  type ComposedLabels,
  type Coverage,
  composeLabels,
  labelOfOne,
  NO_GRAPHS,
} from '../../engine/graphs/labels/compose.js';
import { AXES, DURABILITY, FRESHNESS, GRAPH_KINDS, type GraphLabels } from '../../engine/query/registry/label-rows.js';
import { labelled } from './support/registry-writes.js';

const trust = (chain: string, rank: number, iri = `urn:t:${chain}-${rank}`) => ({ iri, chain, rank });

function composed(...members: readonly GraphLabels[]): ComposedLabels {
  return members.map(labelOfOne).reduce(composeLabels, NO_GRAPHS);
}

test('the table of 2.6', () => {
  const [fresh, stale] = [labelled({ freshness: 'fresh' }), labelled({ freshness: 'stale' })];
  assert.deepEqual(composed(fresh, stale).freshness, { value: 'stale', coverage: 'full' });
  assert.deepEqual(composed(fresh, {}).freshness, { value: 'fresh', coverage: 'partial' });
  const [high, low] = [trust('c1', 40), trust('c1', 10)];
  const ranked = composed(labelled({ trust: high }), labelled({ trust: low }));
  assert.deepEqual(ranked.trust, { value: [low], coverage: 'full' });
  const chains = composed(labelled({ trust: high }), labelled({ trust: trust('c2', 10) }));
  assert.equal(chains.trust.value?.length, 2, 'ranks of two chains do not compare');
  const policies = composed(labelled({ policy: ['pii'] }), labelled({ policy: ['no-export'] }));
  assert.deepEqual(policies.policy, { value: ['no-export', 'pii'], coverage: 'full' });
  assert.deepEqual(composed(), NO_GRAPHS);
  assert.deepEqual(composed({}, {}), ALL_UNDECLARED);
  assert.deepEqual(composed(labelled({ policy: [] })).policy, { value: [], coverage: 'full' });
  const tied = composed(labelled({ trust: trust('c', 1, 'urn:b') }), labelled({ trust: trust('c', 1, 'urn:a') }));
  assert.equal(tied.trust.value?.[0]?.iri, 'urn:a');
});

const COVERAGES: readonly (readonly [Coverage, Coverage, Coverage])[] = [
  ['empty', 'full', 'full'],
  ['empty', 'none', 'none'],
  ['empty', 'partial', 'partial'],
  ['full', 'full', 'full'],
  ['none', 'none', 'none'],
  ['full', 'none', 'partial'],
  ['partial', 'full', 'partial'],
  ['partial', 'none', 'partial'],
];

test('coverage', () => {
  const of = (coverage: Coverage): ComposedLabels => ({ ...NO_GRAPHS, kind: { value: null, coverage } });
  for (const [a, b, expected] of COVERAGES) {
    assert.equal(composeLabels(of(a), of(b)).kind.coverage, expected, `${a} . ${b}`);
    assert.equal(composeLabels(of(b), of(a)).kind.coverage, expected, `${b} . ${a}`);
  }
});

const members = fc.array(
  fc
    .record(
      {
        freshness: fc.constantFrom(...FRESHNESS),
        durability: fc.constantFrom(...DURABILITY),
        trust: fc
          .tuple(
            fc.constantFrom('urn:c1', 'urn:c2', 'urn:c3'),
            fc.integer({ min: -2, max: 2 }),
            fc.constantFrom('a', 'b'),
          )
          .map(([chain, rank, name]) => trust(chain, rank, `urn:${name}`)),
        policy: fc.uniqueArray(fc.constantFrom('a', 'b', 'é', '😀')).map((tokens) => tokens.sort()),
        kind: fc.constantFrom(...GRAPH_KINDS),
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((given) => labelled(given)),
  { maxLength: 5 },
);
const label = members.map((all) => composed(...all));

test('composing is associative, commutative and idempotent, and no graphs are its identity', () => {
  fc.assert(
    fc.property(label, label, label, (a, b, c) => {
      assert.deepEqual(composeLabels(composeLabels(a, b), c), composeLabels(a, composeLabels(b, c)));
      assert.deepEqual(composeLabels(a, b), composeLabels(b, a));
      assert.deepEqual(composeLabels(a, a), a);
      assert.deepEqual(composeLabels(a, NO_GRAPHS), a);
    }),
  );
  fc.assert(
    fc.property(members, members, (a, b) => {
      assert.deepEqual(composed(...a, ...b), composeLabels(composed(...a), composed(...b)));
    }),
  );
});

test('another graph never widens what is said', () => {
  fc.assert(
    fc.property(label, label, (before, other) => {
      const after = composeLabels(before, other);
      for (const axis of AXES) {
        const [a, b] = [before[axis], after[axis]] as [Composed<unknown>, Composed<unknown>];
        if (a.coverage !== 'empty' && a.coverage !== 'full') assert.notEqual(b.coverage, 'full', axis);
        if (a.value !== null) assert.notEqual(b.value, null, axis);
      }
      for (const [axis, tokens] of [
        ['freshness', FRESHNESS],
        ['durability', DURABILITY],
      ] as const) {
        const rank = ({ value }: Composed<string>) =>
          value === null ? -1 : (tokens as readonly string[]).indexOf(value);
        assert.ok(rank(after[axis]) >= rank(before[axis]), axis);
      }
      for (const axis of ['policy', 'kind'] as const) {
        for (const token of before[axis].value ?? []) assert.ok(after[axis].value?.includes(token), axis);
      }
      const [only] = before.trust.value ?? [];
      if (before.trust.value?.length !== 1 || only === undefined) return;
      const same = after.trust.value?.find(({ chain }) => chain === only.chain);
      assert.ok(same === undefined ? after.trust.value?.length === 2 : same.rank <= only.rank);
    }),
  );
});
