/** Bundles made to hurt whoever compares and merges them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { raise } from '../../engine/base/interrupt.js';
import { IdentifierMatcher } from '../../engine/share/identifier-matcher.js';
import type { PolicyEntry } from '../../engine/share/identifier-policy.js';
import { additionsGraph } from '../../engine/share/merged-shares.js';
import { openStore } from '../../interfaces/library/index.js';
import { bundleOfLines, EX } from './bundle-support.js';

const SIZE = 3000;

/** All nodes look alike until one has gone round. */
function ring() {
  const lines = Array.from({ length: SIZE }, (_, at) => `_:c14n${at} <${EX}next> _:c14n${(at + 1) % SIZE} .\n`);
  return bundleOfLines(lines.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))).join(''));
}

test('a ring of blank nodes that look alike is refused by work that is bounded, and when it is cancelled', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await assert.rejects(store.shareStatus(ring()), {
    code: 'invalid_request',
    message: /too hard to tell apart: those of the share/,
    hint: /hashCallsMax \(1667\)/,
  });
  const flag = { words: new Int32Array(1), at: 0 };
  const stopped = store.shareStatus(ring(), { flag } as object);
  setImmediate(() => raise(flag));
  await assert.rejects(stopped, { code: 'aborted' });
  assert.equal(store.transactions().length, 0);
});

test('a share that says it is of this store and of a graph that the service keeps is not merged', async (t) => {
  const store = await openStore(':memory:');
  t.after(() => store.close());
  await store.load({ text: `<${EX}a> <${EX}p> 1 .`, format: 'turtle' });
  const { manifest } = await store.share();
  const known = bundleOfLines(`<${EX}s> <${EX}p> "x" .\n`);
  await store.importShare(known, { source: 'peer' });
  await store.mergeShare(known);
  const digits = known.manifest.share_id.slice('sha256:'.length);
  const before = JSON.stringify([store.transactions(), await store.graphs()]);
  const names = [
    'urn:svc:graph:registry',
    'urn:svc:graph:meta',
    'urn:svc:graph:root#inferred',
    `urn:svc:share:${digits}`,
    additionsGraph(digits),
    'no iri',
  ];
  for (const value of names) {
    const lineage = { store: manifest.lineage.store, anchor_tx: 1, parent_share: null };
    const forged = bundleOfLines(`<${EX}s> <${EX}p> "forged" .\n`, { scope: { kind: 'graph', value }, lineage });
    await assert.rejects(store.mergeShare(forged), { name: 'SvcError' }, value);
  }
  assert.equal(JSON.stringify([store.transactions(), await store.graphs()]), before);
});

const text = fc.stringMatching(/^[a-c.@ 1-]{0,8}$/);
const pattern = fc.constantFrom(
  'a',
  'b+c',
  '[a-c]+\\.a',
  '\\ba\\b',
  '\\Bb',
  '[^a]+b',
  '^a',
  'c$',
  '.*b',
  '\\w+@\\w+',
  'a{2,}',
  '(?:a|b)c',
  '\\s1',
);

test('what matches in a term is found among lines', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 6 }), pattern, text, (texts, regex, literal) => {
      const entries: PolicyEntry[] = [
        { id: 'r', tier: 'block', match: 'regex', pattern: regex },
        { id: 'p', tier: 'block', match: 'iri_prefix', pattern: 'urn:x:ab' },
      ];
      if (literal !== '') entries.push({ id: 'l', tier: 'block', match: 'literal', pattern: literal.toUpperCase() });
      const matcher = new IdentifierMatcher(entries);
      const iris = texts.map((one) => `urn:x:${one.replaceAll(' ', '')}`);
      const lines = texts.map((one, at) => `<${iris[at]}> <urn:x:p> "${one}" .\n`).join('');
      const isHit =
        texts.some((one) => matcher.hits(one, false).length > 0) ||
        [...iris, 'urn:x:p'].some((one) => matcher.hits(one, true).length > 0);
      if (isHit) assert.ok(matcher.mayHit(lines), `${regex} ${lines}`);
    }),
    { numRuns: 2000 },
  );
});
