/** Pages of what is found around a text: one limit gives each entity once, as one sequence, by any ranking and from any page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RANKINGS } from '../../engine/search/context/choices.js';
import { openStore, type Store, terms } from '../../interfaces/library/index.js';
import { RUNS } from '../kernels/values.js';
import { EX, LABEL } from './time-support.js';

const WORDS = ['red', 'green', 'blue', 'moon', 'sun'];
const ENTITIES = 24;
const SEARCH_LIMIT_MAX = 16;

const cases = fc.record({
  labels: fc.array(fc.tuple(fc.nat(ENTITIES - 1), fc.subarray(WORDS, { minLength: 1 })), { maxLength: 40 }),
  links: fc.array(fc.tuple(fc.nat(ENTITIES - 1), fc.nat(ENTITIES - 1)), { maxLength: 60 }),
  query: fc.constantFrom(...WORDS, 'red moon', 'e'),
  limit: fc.integer({ min: 1, max: 9 }),
  ranking: fc.constantFrom(...RANKINGS),
  textBackend: fc.constantFrom('index' as const, 'substring' as const),
  expandLinks: fc.boolean(),
  pprRerank: fc.boolean(),
});

const iri = (at: number) => terms.namedNode(`${EX}n${at}`);

async function write(store: Store, { labels, links }: Pick<Parameters<typeof pagesOf>[1], 'labels' | 'links'>) {
  await store.transact({
    assert: [
      ...labels.map(([at, words]) => terms.quad(iri(at), terms.namedNode(LABEL), terms.literal(words.join(' ')))),
      ...links.map(([from, to]) => terms.quad(iri(from), terms.namedNode(`${EX}near`), iri(to))),
    ],
  });
}

interface Asked {
  readonly labels: readonly (readonly [number, readonly string[]])[];
  readonly links: readonly (readonly [number, number])[];
  readonly query: string;
  readonly limit: number;
}

async function pagesOf(store: Store, { labels: _labels, links: _links, query, limit, ...options }: Asked) {
  const pages: string[][] = [];
  for (let isCut = true; isCut; ) {
    const offset = pages.length * limit;
    const asked = { ...options, maxEntities: limit, limitMax: SEARCH_LIMIT_MAX, offset };
    const { entities, truncated } = await store.context(query, asked);
    assert.ok(entities.length <= limit);
    const behind = await store.context(query, { ...asked, offset: offset + entities.length });
    assert.equal(behind.entities.length > 0, truncated, `page ${pages.length} of ${JSON.stringify(options)}`);
    if (truncated) assert.equal(entities.length, limit, 'a page with more behind it is full');
    pages.push(entities.map(({ iri: name }) => name));
    isCut = truncated;
  }
  return pages;
}

test('pages of one limit have each entity once, and say whether there are more', async () => {
  const property = fc.asyncProperty(cases, async (asked) => {
    const store = await openStore(':memory:');
    try {
      await write(store, asked);
      const pages = await pagesOf(store, asked);
      const all = pages.flat();
      assert.equal(new Set(all).size, all.length, 'each once');
      assert.ok(all.length <= asked.limit + SEARCH_LIMIT_MAX);
      // From anywhere, and not from the beginning of a page alone.
      for (let offset = 1; offset < all.length; offset += 3) {
        const { labels: _labels, links: _links, query, limit, ...options } = asked;
        const window = { ...options, maxEntities: limit, limitMax: SEARCH_LIMIT_MAX, offset };
        const { entities } = await store.context(query, window);
        assert.deepEqual(
          entities.map(({ iri: name }) => name),
          all.slice(offset, offset + limit),
        );
      }
      const { labels, textBackend, query } = asked;
      if (textBackend === 'substring') {
        const holding = labels.filter(([, words]) => words.join(' ').includes(query)).map(([at]) => `${EX}n${at}`);
        const expected = new Set(holding).size;
        assert.ok(all.length >= Math.min(expected, asked.limit + SEARCH_LIMIT_MAX), 'nobody is left out');
      }
    } finally {
      await store.close();
    }
  });
  await fc.assert(property, { numRuns: Math.min(RUNS, 40), interruptAfterTimeLimit: 60_000 });
});
