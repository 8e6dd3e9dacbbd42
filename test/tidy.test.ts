/** The house rules hold for this checkout, and each rule finds what it is there to find. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkComments } from '../tools/tidy/comments.js';
import { checkDead, checkTwins } from '../tools/tidy/dead.js';
import { checkInnerOrder } from '../tools/tidy/inner-order.js';
import { checkInvariants } from '../tools/tidy/invariants.js';
import { checkLock } from '../tools/tidy/lock.js';
import { checkDecisionNumbers, checkDocumentMentions, checkMentions, decisionsOf } from '../tools/tidy/mentions.js';
import { checkOwners } from '../tools/tidy/owners.js';
import { checkArrows, checkCycles } from '../tools/tidy/rooms.js';
import { checkSizes } from '../tools/tidy/sizes.js';
import { parseSource } from '../tools/tidy/sources.js';
import { checkWords } from '../tools/tidy/words.js';
import { CHECKOUT, tidy } from '../tools/tidy.js';

const HEAD = '/** Says what it guarantees. */\n';

function messages(problems: readonly { path: string; line: number; message: string }[]): string[] {
  return problems.map((problem) => `${problem.path}:${problem.line}: ${problem.message}`);
}

test('the checkout is tidy', () => {
  assert.deepEqual(messages(tidy(CHECKOUT)), []);
});

test('an arrow upwards, a missing file and a room without a place are found', () => {
  const files = [
    parseSource('engine/base/a.ts', `${HEAD}import '../query/b.js';\nimport './gone.js';\n`),
    parseSource('engine/query/b.ts', HEAD),
    parseSource('engine/cellar/c.ts', HEAD),
    parseSource('tools/demo/demo.ts', `import '../../engine/base/a.js';\n`),
  ];
  assert.deepEqual(messages(checkArrows(files)), [
    'engine/base/a.ts:2: imports engine/query/b.ts: engine/base may not look at engine/query',
    'engine/base/a.ts:3: imports ./gone.js, which does not exist',
    'engine/cellar/c.ts:1: the room engine/cellar has no place in the order of rooms',
    'tools/demo/demo.ts:1: imports engine/base/a.ts: the demo uses the public face only',
  ]);
});

test('a cycle is told once', () => {
  const files = [
    parseSource('engine/base/a.ts', `import { b } from './b.js';\n`),
    parseSource('engine/base/b.ts', `export * from './c.js';\n`),
    parseSource('engine/base/c.ts', `const a = await import('./a.js');\n`),
  ];
  assert.equal(checkCycles(files).length, 1);
  assert.match(checkCycles(files)[0]?.message ?? '', /a\.ts -> .*b\.ts -> .*c\.ts -> .*a\.ts/);
  assert.deepEqual(checkCycles(files.slice(0, 2)), []);
});

test('arrows inside a room point to what its order has further down', () => {
  const files = [
    parseSource('engine/query/low/a.ts', `import '../high/b.js';\nimport '../../base/x.js';\n`),
    parseSource('engine/query/high/b.ts', `import '../low/a.js';\nimport '../root.js';\nimport '../known.js';\n`),
    parseSource('engine/query/known.ts', `import './low/a.js';\n`),
    parseSource('engine/query/root.ts', `import './high/b.js';\nimport './high/c.js';\n`),
    parseSource('engine/query/high/c.ts', `new Worker(new URL('../root.js', import.meta.url));\n`),
  ];
  const order = ['low', 'known.ts', 'high'];
  const check = (names: readonly string[], exceptions: readonly string[] = []): string[] =>
    messages(checkInnerOrder(files, { orders: { 'engine/query': names }, exceptions }));
  const downwards =
    'engine/query/low/a.ts:1: imports engine/query/high/b.ts: in engine/query, low may not look at high';
  const root = [
    'engine/query/high/b.ts:2: imports engine/query/root.ts: in engine/query, high may not look at root.ts',
    'engine/query/high/c.ts:1: imports engine/query/root.ts: in engine/query, high may not look at root.ts',
  ];
  assert.deepEqual(check(order), [downwards, ...root]);
  const known = ['engine/query/low/a.ts -> engine/query/high/b.ts', 'engine/query/high/c.ts -> engine/query/root.ts'];
  assert.deepEqual(check(order, known), [root[0]]);
  assert.deepEqual(check(['*', ...order], known), [
    'engine/query/root.ts:1: imports engine/query/high/b.ts: in engine/query, root.ts may not look at high',
    'engine/query/root.ts:2: imports engine/query/high/c.ts: in engine/query, root.ts may not look at high',
    `tools/tidy/inner-order.ts:1: an exception that nothing needs any more: ${known[1]}`,
  ]);
  assert.deepEqual(check(['low', 'known.ts', 'gone'], known), [
    'tools/tidy/inner-order.ts:1: engine/query/gone does not exist',
    'tools/tidy/inner-order.ts:1: the folder engine/query/high has no place in the order',
    `tools/tidy/inner-order.ts:1: an exception that nothing needs any more: ${known[1]}`,
  ]);
  assert.deepEqual(messages(checkInnerOrder(files, { orders: {}, exceptions: [] })), [
    'tools/tidy/inner-order.ts:1: the folders of engine/query have no order',
  ]);
});

test('kernel sources are held to arrows, cycles and dead files', () => {
  const files = [
    parseSource('engine/kernels/as/index.ts', `export * from './a';\nexport * from '../memory';\n`),
    parseSource('engine/kernels/as/a.ts', `import { b } from './b';\n`),
    parseSource('engine/kernels/as/b.ts', `import { a } from './a';\n`),
    parseSource('engine/kernels/as/dead.ts', HEAD),
    parseSource('engine/kernels/memory.ts', HEAD),
  ];
  assert.match(messages(checkCycles(files)).join(), /as\/a\.ts -> engine\/kernels\/as\/b\.ts/);
  assert.equal(checkInnerOrder(files, { orders: { 'engine/kernels': ['as'] }, exceptions: [] }).length, 1);
  assert.deepEqual(messages(checkDead(files)), [
    'engine/kernels/as/dead.ts:1: nothing reaches this file: no entry point, no test',
  ]);
});

test('a package has one owner, is declared, pinned and used', () => {
  const files = [
    parseSource('engine/rdf/a.ts', `import { Store } from 'n3';\nimport fs from 'fs';\nimport '@x/y/deep';\n`),
    parseSource('engine/query/b.ts', `import type { Store } from 'n3';\n`),
  ];
  const found = messages(checkOwners(files, { dependencies: { n3: '1.0.0', '@x/y': '^2.0.0', idle: '1.0.0' } }));
  assert.deepEqual(found, [
    'engine/query/b.ts:1: imports n3, which stands behind engine/rdf/a.ts',
    'package.json:1: @x/y is not pinned: ^2.0.0',
    'package.json:1: idle is a dependency that nothing imports',
  ]);
  const bundled = [parseSource('engine/query/c.ts', `import '@traqula/a';\n`)];
  const installed = messages(checkOwners(bundled, { dependencies: { '@traqula/a': '1.0.0' } }));
  assert.deepEqual(installed, ['engine/query/c.ts:1: imports @traqula/a, which is no dependency in package.json']);
  assert.deepEqual(checkOwners(bundled, { devDependencies: { '@traqula/a': '1.0.0' } }), []);
  const undeclared = messages(checkOwners(files, {}));
  assert.ok(undeclared.includes('engine/rdf/a.ts:3: imports @x/y, which is no dependency in package.json'));
});

test('forbidden words are found in code, in strings or in the text, as each rule says', () => {
  const cases: [string, string, number][] = [
    ['engine/base/a.ts', 'console.log(1);\n', 1],
    ['engine/base/a.ts', '// console.log prints\n', 0],
    ['engine/base/a.ts', "const text = 'as any';\n", 0],
    ['engine/base/a.ts', 'const x = y as any;\n', 1],
    ['engine/base/a.ts', 'const x = y as unknown as string;\n', 1],
    ['test/a.test.ts', 'const x = y as unknown as string;\n', 0],
    ['engine/base/a.ts', `\n// ${'TO'}${'DO'} later\n`, 1],
    ['engine/base/a.ts', "const folder = '/home/me/x';\n", 1],
    ['test/a.test.ts', "const folder = '/tmp/x';\n", 0],
    ['engine/service/operations/x.ts', 'engine.stageLoad(sources);\n', 1],
    ['interfaces/cli/x.ts', 'engine.stageLoad(sources);\n', 1],
    ['engine/service/pipeline/x.ts', 'engine.stageLoad(sources);\n', 0],
    ['engine/service/facts/x.ts', 'engine.stage(options);\n', 1],
    ['engine/service/pipeline/x.ts', 'engine.stage(options);\n', 0],
    ['engine/base/a.ts', 'const a = /[/"]/.test(b) ? 1 : 2; const c = `${`x`}`; process.exit(1);\n', 1],
  ];
  for (const [path, text, count] of cases) {
    assert.equal(checkWords([parseSource(path, text)]).length, count, `${path}: ${text}`);
  }
});

test('length needs a reason, and past the cap a place in the list', () => {
  const body = (lines: number): string => 'x;\n'.repeat(lines);
  assert.equal(checkSizes([parseSource('engine/base/a.ts', HEAD + body(399))]).length, 0);
  assert.equal(checkSizes([parseSource('engine/base/a.ts', HEAD + body(400))]).length, 1);
  assert.equal(
    checkSizes([parseSource('engine/base/a.ts', `/** A table. Length: one row a code. */\n${body(400)}`)]).length,
    0,
  );
  assert.equal(
    checkSizes([parseSource('engine/base/a.ts', `/** A table. Length: one row a code. */\n${body(600)}`)]).length,
    1,
  );
  assert.equal(checkSizes([parseSource('engine/base/a.ts', body(3))]).length, 1);
});

test('dead files and kernels without a twin are found', () => {
  const files = [
    parseSource('interfaces/library/index.ts', `export { a } from '../../engine/base/a.js';\n`),
    parseSource('engine/base/a.ts', `new Worker(new URL('./worker.js', import.meta.url));\n`),
    parseSource('engine/base/worker.ts', HEAD),
    parseSource('engine/base/dead.ts', HEAD),
    parseSource('engine/kernels/as/index.ts', `export * from './layout';\nexport * from './sort';\n`),
  ];
  assert.deepEqual(messages(checkDead(files)), [
    'engine/base/dead.ts:1: nothing reaches this file: no entry point, no test',
  ]);
  assert.deepEqual(messages(checkTwins(files)), [
    'engine/kernels/as/index.ts:2: kernel sort has no plain twin test/kernels/twins/sort.ts',
  ]);
});

test('an optional package without an entry in the lock file is found', () => {
  const integrity = 'sha512-x';
  const packages = {
    'node_modules/a': { integrity, optionalDependencies: { 'a-linux': '1.0.0', 'a-win': '1.0.0' } },
    'node_modules/a-linux': { integrity },
  };
  assert.deepEqual(messages(checkLock({ packages })), [
    'package-lock.json:1: no entry for a-win@1.0.0, an optional dependency of node_modules/a: npm ci will refuse it',
  ]);
  assert.deepEqual(checkLock({ packages: { ...packages, 'node_modules/a/node_modules/a-win': { integrity } } }), []);
});

test('a package without a hash, or for a newer Node than ours, is found in the lock file', () => {
  const integrity = 'sha512-x';
  const locked = (node: string, dev = false) => ({ integrity, dev, engines: { node } });
  const taken = ['>=20', '>= 18', '^16 || ^18 || >=20', '^20.19.0 || >=22.12.0', '20.x', '*'];
  for (const node of taken) assert.deepEqual(checkLock({ packages: { a: locked(node) } }), [], node);
  for (const node of ['>=22', '>=20.20', '^18', '^22 || ^24']) {
    const packages = { a: locked(node), b: locked(node, true) };
    assert.deepEqual(messages(checkLock({ packages })), [`package-lock.json:1: a needs Node ${node}`]);
  }
  const packages = { '': {}, a: { integrity: '' }, b: {} };
  assert.deepEqual(messages(checkLock({ packages })), [
    'package-lock.json:1: no hash of a',
    'package-lock.json:1: no hash of b',
  ]);
});

test('a doc comment stands over something', () => {
  const good = ['/** A. */\nexport const a = 1;\n', '/** A. */\n// Why.\nconst a = 1;\n', "const a = '/** no */';\n\n"];
  const bad = [
    '/** A. */\n\nconst a = 1;\n',
    '/** A. */\n/** B. */\nconst a = 1;\n',
    'x = {\n  /** A. */\n};\n',
    '/** A. */',
  ];
  const check = (text: string): string[] =>
    messages(checkComments([parseSource('engine/base/a.ts', `${HEAD}\n${text}`)]));
  for (const text of good) assert.deepEqual(check(text), [], text);
  for (const text of bad) assert.equal(check(text).length, 1, text);
  assert.match(check(bad[2] as string).join(), /^engine\/base\/a\.ts:4:/);
});

test('a room keeps its invariants', () => {
  const files = [
    parseSource('engine/query/a.ts', "invariant(a, 'a');\n// invariant(c)\ninvariant(b, 'invariant(d)');\n"),
    parseSource('engine/base/errors.ts', 'export function invariant(condition) {}\n'),
  ];
  assert.deepEqual(checkInvariants(files, { 'engine/query': 2 }), []);
  assert.deepEqual(messages(checkInvariants(files, { 'engine/query': 3, 'engine/base': 1 })), [
    'engine/query:1: 2 invariants; there were 3: do not take them away',
    'engine/base:1: 0 invariants; there were 1: do not take them away',
  ]);
});

test('decisions are numbered without gaps and without repetition', () => {
  const problems = (...names: string[]) =>
    messages(checkDecisionNumbers(names.map((name) => `docs/decisions/${name}.md`)));
  assert.deepEqual(problems('0001-a', '0002-b', '0003-c'), []);
  assert.deepEqual(problems('0001-a', '0003-c'), ['docs/decisions/0003-c.md:1: the next decision has the number 0002']);
  assert.deepEqual(problems('0001-a', '0001-b'), ['docs/decisions/0001-b.md:1: the next decision has the number 0002']);
});

test('files and decisions that comments and documents name are there', () => {
  const known = {
    paths: ['engine/query/plan/costs.ts', 'tools/build.mjs'],
    decisions: decisionsOf(['docs/decisions/0007-a.md', 'docs/decisions/0012-b.md', 'docs/other/0013-c.md']),
  };
  const named = parseSource(
    'engine/a.ts',
    "/** `plan/costs.ts`, `costs.ts`,\n * plan/cost.ts and `gone.mjs`. */\nimport './x/y.ts';\nconst a = 'b/c.ts'; // decision 7, decision 8\n",
  );
  assert.deepEqual(messages(checkMentions([named], known)), [
    'engine/a.ts:2: names plan/cost.ts, which is not there',
    'engine/a.ts:2: names gone.mjs, which is not there',
    'engine/a.ts:4: names decision 8, which is not there',
  ]);
  assert.deepEqual(
    messages(checkDocumentMentions('docs/a.md', 'See\n`tools/build.mjs` and decisions/0013-c.md.', known)),
    ['docs/a.md:2: names decision 13, which is not there'],
  );
});
