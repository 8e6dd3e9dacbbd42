/** The package as it is shipped: what is in it, and that it works where it is installed, without the checkout. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { build } from 'esbuild';
import { CHECKOUT } from '../../tools/tidy.js';
import { blocks } from '../pages.js';
import { type Ended, type Packed, packed, run } from './packed.js';

const FILES_MAX = 950;
/** The web UI is 1.4 MB of it: each file stands there plain, and compressed in both ways that browsers take. */
const BYTES_MAX = 8_900_000;

let svc: Packed;
before(() => {
  svc = packed();
});
after(() => svc.remove());

/** Programs of a page, with the package by its name. */
function programs(page: string): string[] {
  return [...blocks(page, 'js'), ...blocks(page, 'ts')].filter((program) => program.includes("'@svc-graph/"));
}

test('the package has one copy of the code, no source maps and no sources', () => {
  assert.ok(svc.files.length < FILES_MAX && svc.bytes < BYTES_MAX, `${svc.files.length} files, ${svc.bytes} bytes`);
  const wanted =
    /^(LICENSE|(CHANGELOG|README|SECURITY)\.md|package\.json|(bin|deploy|docs|tools\/demo|dist\/bundle|dist\/types|dist\/ui)\/.*)$/;
  const beside = ['dist/engine/base/build.json', 'dist/engine/kernels/kernels.wasm'];
  assert.deepEqual(svc.files.filter((path) => !wanted.test(path)).sort(), beside);
  assert.deepEqual(
    svc.files.filter((path) => /\.map$/.test(path) || (path.endsWith('.ts') && !path.endsWith('.d.ts'))),
    [],
  );
});

test('the pages of the package link to what is in it', () => {
  const files = new Set(svc.files);
  const folders = new Set(svc.files.map((path) => dirname(path)));
  let links = 0;
  for (const path of svc.files.filter((one) => one.endsWith('.md'))) {
    const page = readFileSync(join(svc.folder, path), 'utf8');
    for (const [, link] of page.matchAll(/\]\((?!https?:|#)([^)\s#]+)[^)]*\)/g)) {
      const target = join(dirname(path), link as string);
      assert.ok(files.has(target) || folders.has(target), `${path} links to ${link}`);
      links++;
    }
  }
  assert.ok(links > 50, String(links));
});

test('the commands of the package run, and its demo', async () => {
  const bin = join(svc.folder, 'bin/svc');
  const version = await run(process.execPath, [bin, '--version'], svc.project);
  const manifest = JSON.parse(readFileSync(join(svc.folder, 'package.json'), 'utf8')) as { version: string };
  assert.deepEqual([version.code, version.out, version.err], [0, `svc ${manifest.version}\n`, '']);
  const sky = join(svc.folder, 'tools/demo/sky.ttl');
  const loaded = await run(process.execPath, [bin, 'knot', sky, '--db', 'command.db'], svc.project);
  assert.match(loaded.out, /^knotted 554 facts /, loaded.err);
  const asked = await run(process.execPath, [bin, 'read', 'ASK { ?s ?p ?o }', '--db', 'command.db'], svc.project);
  assert.deepEqual([asked.out, asked.err], ['true\n', '']);
  const demo = await run('npm', ['run', '--silent', 'demo'], svc.folder);
  assert.match(demo.out, /^Loaded 554 facts about the solar system/, demo.err);
});

test('the program of the README runs in the package, and prints what it says', async () => {
  const page = readFileSync(join(svc.folder, 'README.md'), 'utf8');
  const [program] = programs(page);
  const [said] = blocks(page, 'text');
  assert.ok(program !== undefined && said !== undefined);
  writeFileSync(join(svc.project, 'readme.js'), program);
  const { code, out, err } = await run(process.execPath, [join(svc.project, 'readme.js')], svc.folder);
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(out.split('\n').sort(), said.split('\n').sort());
});

const THREADS = `
import { openStore } from '@svc-graph/svc';
const store = await openStore('threads.db', { readers: 1, writerThread: true });
await store.load({ text: '<urn:a> <urn:age> 30 .', format: 'turtle' });
const answer = await store.read('SELECT ?age { ?s ?p ?age }', { format: 'csv' });
for await (const bytes of answer) process.stdout.write(bytes);
await store.close();
`;

test('the threads of a store start from the package', async () => {
  writeFileSync(join(svc.project, 'threads.js'), THREADS);
  const { code, out, err } = await run(process.execPath, ['threads.js'], svc.project);
  assert.deepEqual([code, out, err], [0, 'age\r\n30\r\n', '']);
});

async function bundled(program: string, external: string): Promise<Ended> {
  const entry = join(svc.project, 'entry.js');
  writeFileSync(entry, program);
  const outfile = join(svc.project, 'bundled/program.js');
  const format = { bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' } as const;
  await build({ entryPoints: [entry], outfile, external: [external], ...format });
  return run(process.execPath, [outfile], svc.project);
}

test('a program that is bundled with the package outside of its bundle runs, and within is told so', async () => {
  const outside = await bundled(THREADS, '@svc-graph/svc');
  assert.deepEqual([outside.code, outside.out, outside.err], [0, 'age\r\n30\r\n', '']);
  const within = await bundled("import { openStore } from '@svc-graph/svc'; await openStore('b.db');", 'lmdb');
  assert.equal(within.code, 1);
  assert.match(within.err, /outside of its package[\s\S]*@svc-graph\/svc is external/);
});

/** What every program may be compiled with: all checks, and no types but those that it asks for. */
const STRICT = {
  target: 'ES2022',
  lib: ['ES2023'],
  module: 'NodeNext',
  strict: true,
  skipLibCheck: false,
  noEmit: true,
};

test('the programs of the README and of the pages compile, with every check, against the types of the package', async () => {
  const names: string[] = [];
  const pages = ['README.md', ...readdirSync(join(CHECKOUT, 'docs')).map((name) => `docs/${name}`)];
  for (const path of pages.filter((name) => name.endsWith('.md') && name !== 'docs/typescript.md')) {
    for (const [at, program] of programs(readFileSync(join(svc.folder, path), 'utf8')).entries()) {
      const name = `${path.replace(/\W/g, '-')}-${at}.ts`;
      writeFileSync(join(svc.project, name), program);
      names.push(name);
    }
  }
  assert.ok(names.length >= 5, names.join(' '));
  writeFileSync(join(svc.project, 'types.ts'), TYPES);
  const options = { ...STRICT, types: ['node'] };
  const alone = { ...STRICT, types: [] };
  writeFileSync(join(svc.project, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: names }));
  writeFileSync(join(svc.project, 'alone.json'), JSON.stringify({ compilerOptions: alone, files: ['types.ts'] }));
  const compiler = join(CHECKOUT, 'node_modules/typescript/bin/tsc');
  for (const configuration of ['tsconfig.json', 'alone.json']) {
    const compiled = await run(process.execPath, [compiler, '-p', configuration], svc.project);
    assert.deepEqual([compiled.code, compiled.out, compiled.err], [0, '', ''], configuration);
  }
});

/** Types that programs stand on, each wrong one an error of the compiler. */
const TYPES = `
import { openStore, type AskAnswer, type GraphAnswer, type QueryAnswer, type SelectAnswer, type UpdateResult } from '@svc-graph/svc';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function is<Wanted>() {
  return <Given>(_given: Given, _same: Same<Wanted, Given>): void => undefined;
}
const store = await openStore(':memory:');
is<SelectAnswer>()(await store.query('SELECT * { ?s ?p ?o }'), true);
is<SelectAnswer>()(await store.query(\`# which
  BASE <http://e/> PREFIX : <http://example.org/>
  prefix select: <http://example.org/ask>
  select ?s { ?s a :Ask }\`), true);
is<AskAnswer>()(await store.query('PREFIX : <http://e/construct> ASK { ?s ?p ?o }'), true);
is<GraphAnswer>()(await store.query('describe <urn:a>'), true);
is<GraphAnswer>()(await store.query('\\tCONSTRUCT WHERE { ?s ?p ?o }'), true);
const text: string = 'ASK {}';
is<QueryAnswer>()(await store.query(text), true);
is<SelectAnswer>()(await store.query(\`PREFIX : <\${text}> SELECT * { ?s ?p ?o }\`), true);
is<SelectAnswer>()(await store.select(text), true);
is<GraphAnswer>()(await store.construct(text), true);
is<boolean>()(await store.ask(text), true);
is<UpdateResult>()(await store.update(text), true);
const prepared = await store.prepare('ASK { ?s ?p ?o }');
is<AskAnswer>()(await prepared.query({ s: 1 }), true);
// @ts-expect-error: an ASK has no rows
(await store.query('ASK {}')).rows();
// @ts-expect-error: an option that there is not
await store.query(text, { timeout: 1 });
// @ts-expect-error: what is internal is no part of the types
store.renewingSnapshot();
`;
