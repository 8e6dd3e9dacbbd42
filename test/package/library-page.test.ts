/** docs/library.md names all that the library gives, and nothing else. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as library from '../../interfaces/library/index.js';
import { CHECKOUT } from '../../tools/tidy.js';

const TYPES = join(dirname(dirname(dirname(fileURLToPath(import.meta.url)))), 'types');
const PAGE = readFileSync(join(CHECKOUT, 'docs/library.md'), 'utf8');
/** Behind backticks: names in the text, and in the tables. */
const NAMED = new Set([...PAGE.matchAll(/`([^`\n]+)`/g)].map(([, words]) => words as string));

function typesOf(path: string): string {
  return readFileSync(join(TYPES, path), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
}

/** What the entry gives, by name, and the file that has it. */
const EXPORTED = new Map(
  [
    ...typesOf('interfaces/library/index.d.ts').matchAll(
      /^export \{ (?:\w+ as )?(\w+) \} from '\.\.\/\.\.\/(.+)\.js';$/gm,
    ),
  ].map(([, name, path]) => [name as string, `${path}.d.ts`] as const),
);

/** The members of a class or interface that stand on lines of their own. */
function membersOf(path: string, name: string): string[] {
  const text = typesOf(path);
  const from = text.search(new RegExp(`^(?:export )?(?:declare )?(?:abstract )?(?:class|interface) ${name}\\b`, 'm'));
  assert.ok(from >= 0, `${path} has no ${name}`);
  const body = text.slice(from, text.indexOf('\n}', from));
  const members = [...body.matchAll(/^ {4}(?:(?:readonly|get|abstract) )*(\w+)\??[(<:]/gm)].map(
    ([, member]) => member as string,
  );
  return [...new Set(members)].filter((member) => member !== 'constructor');
}

/** What the page calls the things whose members it lists. */
const THINGS: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  store: [
    ['engine/service/store/store.d.ts', 'Store'],
    ['engine/service/store/store-reads.d.ts', 'StoreReads'],
    ['engine/service/store/store-log.d.ts', 'StoreLog'],
    ['engine/service/store/store-shares.d.ts', 'StoreShares'],
    ['engine/service/store/store-governance.d.ts', 'StoreGovernance'],
    ['engine/service/store/store-searches.d.ts', 'StoreSearches'],
    ['engine/service/store/store-registries.d.ts', 'StoreRegistries'],
    ['engine/service/reads/store-queries.d.ts', 'StoreQueries'],
  ],
  snapshot: [['engine/service/reads/snapshot.d.ts', 'StoreSnapshot']],
  dataset: [['engine/service/reads/dataset.d.ts', 'StoreDataset']],
  draft: [['engine/service/writes/draft.d.ts', 'Draft']],
  events: [['engine/service/events/store-events.d.ts', 'StoreEvents']],
  prepared: [['engine/service/reads/query.d.ts', 'PreparedStatement']],
  answer: [
    ['engine/service/reads/query.d.ts', 'Told'],
    ['engine/service/reads/query.d.ts', 'SelectAnswer'],
    ['engine/service/reads/query.d.ts', 'AskAnswer'],
    ['engine/service/reads/query.d.ts', 'GraphAnswer'],
    ['engine/service/reads/read.d.ts', 'EncodedAnswer'],
  ],
};

test('every exported name stands in docs/library.md', () => {
  assert.ok(EXPORTED.size > 100, String(EXPORTED.size));
  for (const name of Object.keys(library)) assert.ok(EXPORTED.has(name), `the types have no ${name}`);
  const absent = [...EXPORTED.keys()].filter((name) => {
    return ![...NAMED].some((words) => words === name || words.startsWith(`${name}(`));
  });
  assert.deepEqual(absent, []);
});

test('what docs/library.md names as a type is exported', () => {
  const others = new Set([
    'AbortError',
    'AbortSignal',
    'Date',
    'DatasetCore',
    'Sink',
    'GRAPH',
    'Ms',
    'Bytes',
    'BytesMax',
    'Iri',
  ]);
  const wrong = [...NAMED].filter((words) => /^[A-Z]\w*$/.test(words) && !EXPORTED.has(words) && !others.has(words));
  assert.deepEqual(wrong, []);
});

test('members of what the library gives stand in docs/library.md, and no others', () => {
  for (const [thing, places] of Object.entries(THINGS)) {
    const members = new Set(places.flatMap(([path, name]) => membersOf(path, name)));
    const said = new Set(
      [...PAGE.matchAll(new RegExp(`\`${thing}\\.(\\w+)`, 'g'))].map(([, member]) => member as string),
    );
    assert.deepEqual([...said].sort(), [...members].sort(), thing);
  }
});

test('every option of the library stands in docs/library.md', () => {
  let count = 0;
  for (const [name, path] of EXPORTED) {
    if (!/(?:Options|^Control|^TransactionRange|^ContradictionScope)$/.test(name) || name === 'SetOptions') continue;
    for (const option of membersOf(path, name)) {
      assert.ok(NAMED.has(option), `${name}: ${option}`);
      count++;
    }
  }
  assert.ok(count > 60, String(count));
});
