/** Every case that random queries have found has the answer of the standard, by every engine of ours. */

import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { libraryReader } from '../../conformance/readers.js';
import { DIFFERENTIAL_CASES } from './cases.js';
import { canonical } from './compare.js';
import { PREFIXES } from './data.js';
import { type Engine, fileEngine, memoryEngine, naiveEngine, type Outcome } from './engines.js';

const engines: readonly Engine[] = [naiveEngine(), memoryEngine(), fileEngine()];

after(async () => {
  for (const engine of engines) await engine.close();
});

/** Terms as the cases write them. */
function shortened(text: string): string {
  return text
    .replaceAll('http://www.w3.org/2001/XMLSchema#', 'xsd:')
    .replace(/<(xsd:\w+)>/g, '$1')
    .replace(/<http:\/\/example\.org\/(\w+)>/g, ':$1');
}

async function linesOf(outcome: Outcome | null): Promise<string[]> {
  assert.ok(outcome?.kind === 'answer', JSON.stringify(outcome));
  const texts = await canonical(outcome.answer, { byValue: false });
  const lines = outcome.answer.kind === 'graph' ? texts.flatMap((text) => text.split('\n').filter(Boolean)) : texts;
  return lines.map(shortened).sort();
}

for (const { name, data, query, update, expected } of DIFFERENTIAL_CASES) {
  test(name, async () => {
    const quads = await libraryReader.parse(new TextEncoder().encode(PREFIXES + data), 'trig', 'http://example.org/');
    for (const engine of engines) {
      await engine.fill(quads);
      if (query !== undefined) {
        assert.deepEqual(await linesOf(await engine.query(PREFIXES + query)), expected.toSorted(), engine.name);
      }
      if (update !== undefined) {
        assert.equal(await engine.update(PREFIXES + update), null);
        const state: Outcome = { kind: 'answer', answer: { kind: 'graph', quads: await engine.contents() } };
        assert.deepEqual(await linesOf(state), expected.toSorted(), engine.name);
      }
    }
  });
}
