/** Sets of shapes from the command line, and what a person reads when a write is refused by them. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { startTestServer } from '../http/support.js';
import { inFolder, svcHere } from './svc.js';

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <http://ex/> .
ex:S a sh:NodeShape ; sh:targetClass ex:Person ;
  sh:property [ sh:path ex:name ; sh:minCount 1 ] , [ sh:path ex:age ; sh:minCount 1 ; sh:severity sh:Warning ] .\n`;
const REFUSED = `SHACL validation failed: 1 violation(s)
  Violation on http://ex/ann: Less than 1 value
  Warning on http://ex/ann: Less than 1 value
`;

const files = (cwd: string): void => {
  writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
  writeFileSync(join(cwd, 'ann.ttl'), '<http://ex/ann> a <http://ex/Person> .\n');
  writeFileSync(join(cwd, 'bob.ttl'), '<http://ex/bob> a <http://ex/Person> ; <http://ex/name> "Bob" .\n');
};

async function goThrough(cwd: string, where: readonly string[]): Promise<void> {
  const says = async (words: readonly string[], code: number, out: string | RegExp, err: string) => {
    const said = await svcHere([...words, ...where], { cwd });
    assert.deepEqual([words, said.code, said.err], [words, code, err]);
    if (typeof out === 'string') assert.equal(said.out, out, words.join(' '));
    else assert.match(said.out, out);
  };
  await says(
    ['knot', 'bob.ttl', '--shapes', 'shapes.ttl'],
    0,
    /^SHACL validation passed\nknotted 2 facts from bob.ttl/,
    '',
  );
  await says(['knot', 'ann.ttl', '--shapes', 'shapes.ttl'], 1, '', REFUSED);
  await says(['shapes', 'list'], 0, 'no shapes loaded\n', '');
  await says(['shapes', 'load', 'person', 'shapes.ttl'], 0, 'loaded shape graph "person" from shapes.ttl\n', '');
  await says(['shapes', 'list'], 0, /^ {2}person \(loaded: 20.*Z\)\n1 shape graph\(s\)\n$/, '');
  await says(['shapes', 'get', 'person'], 0, SHAPES, '');
  await says(['knot', 'ann.ttl'], 1, '', REFUSED);
  await says(['shapes', 'remove', 'person'], 0, 'removed shape graph "person"\n', '');
  await says(['shapes', 'remove', 'person'], 1, 'shape graph "person" not found\n', '');
  await says(['knot', 'ann.ttl'], 0, /^knotted 1 facts/, '');
}

test(
  'shapes of a store of this machine',
  inFolder(async (cwd) => {
    files(cwd);
    await goThrough(cwd, ['--db', 'store.db']);
    const config = join(cwd, 'off.toml');
    writeFileSync(config, '[svc.shacl]\nvalidate_on_write = false\n');
    await svcHere(['shapes', 'load', 'person', 'shapes.ttl', '--db', 'store.db'], { cwd });
    writeFileSync(join(cwd, 'eve.ttl'), '<http://ex/eve> a <http://ex/Person> .\n');
    assert.equal((await svcHere(['knot', 'eve.ttl', '--db', 'store.db'], { cwd })).code, 1);
    assert.equal((await svcHere(['knot', 'eve.ttl', '--db', 'store.db', '--config', config], { cwd })).code, 0);
  }),
);

test('shapes of a running server', async (t) => {
  const server = await startTestServer(t);
  await inFolder(async (cwd) => {
    files(cwd);
    await goThrough(cwd, ['--url', server.base]);
  })();
});
