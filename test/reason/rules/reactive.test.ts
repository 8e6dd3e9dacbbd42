/**
 * Rules that are kept true with every write: after each of some random writes what stands is what a naive evaluator derives,
 * owners included, and a full run finds nothing to change. SVC_REASON sets how many sequences.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { openStore } from '../../../interfaces/library/index.js';
import { SVC } from '../../cli/svc.js';
import { StoreFolder } from '../../storage/support/store-folder.js';
import { closureRules, factsIn, linkWrites, quadOf, rule, write } from './arbitrary.js';
import { derive } from './naive.js';
import { acceptedRules, EX, rulesOf } from './support.js';

const SEQUENCES = Number(process.env.SVC_REASON ?? 60);
const folder = new StoreFolder();
const COMPANION = 'urn:svc:graph:root#inferred';

test(`rules follow every write (${SEQUENCES} sequences)`, async () => {
  const rules = fc.array(rule, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.array(write, { minLength: 1, maxLength: 8 }),
      fc.boolean(),
      async (lines, writes, inMemory) => follow(lines, writes, inMemory),
    ),
    { numRuns: SEQUENCES },
  );
});

test(`closures follow links that come and go (${SEQUENCES} sequences)`, async () => {
  await fc.assert(
    fc.asyncProperty(closureRules, linkWrites, fc.boolean(), async (lines, writes, inMemory) =>
      follow(lines, writes, inMemory),
    ),
    { numRuns: SEQUENCES },
  );
});

interface Fact {
  readonly s: string;
  readonly p: string;
  readonly o: string;
}
type Writes = readonly { readonly assert: readonly Fact[]; readonly retract: readonly Fact[] }[];

async function follow(lines: readonly string[], writes: Writes, inMemory: boolean): Promise<void> {
  const prologue = `<http://ex/set> a rule:RuleSet ; rule:defaultPrefix "${EX}" .\n`;
  const document = rulesOf(...lines.map((line, at) => `R${at}: ${line}`)) + prologue;
  const set = await acceptedRules(document);
  fc.pre(set !== null);
  const store = await openStore(inMemory ? ':memory:' : folder.fresh(), { features: ['reactive-reasoner'] });
  try {
    await store.loadShapes('rules', document);
    let before = new Map<string, string>();
    for (const [at, { assert: added, retract: removed }] of writes.entries()) {
      await store.transact({ retract: removed.map(quadOf), assert: added.map(quadOf) });
      const base = await factsIn(store, '');
      const expected = derive(set?.rules ?? [], [...base.values()], before);
      const found = await factsIn(store, COMPANION);
      assert.deepEqual([...found.keys()].sort(), [...expected.owners.keys()].sort(), `write ${at}`);
      const again = await store.reason();
      assert.deepEqual([again.asserted, again.retracted], [0, 0], `a full run after write ${at}`);
      before = expected.owners;
    }
    assert.deepEqual((await store.verify()).problems, []);
  } finally {
    await store.close();
  }
}

test('reason --reactive: without the feature nothing is evaluated; with it, it is said to end with the command', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'svc-reactive-'));
  try {
    writeFileSync(join(cwd, 'rules.ttl'), rulesOf('R: q(?x, ?y) :- p(?x, ?y)'));
    writeFileSync(join(cwd, 'data.ttl'), `<${EX}a> <${EX}p> <${EX}b> .`);
    const run = (...words: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [SVC, ...words], { cwd, encoding: 'utf8' });
      return { status, stdout, stderr };
    };
    run('knot', 'data.ttl');
    const words = ['reason', '--rules', 'rules.ttl', '--prefix', EX, '--reactive'];
    const off = run(...words);
    assert.deepEqual([off.status, off.stdout], [1, '']);
    assert.match(off.stderr, /needs the feature 'reactive-reasoner', which is off/);
    assert.equal(JSON.parse(run('transactions', '--json').stdout).transactions.length, 1, 'nothing was evaluated');
    const on = run(...words, '--features', 'reactive-reasoner');
    assert.equal(on.status, 0);
    assert.match(on.stdout, /asserted 1, retracted 0/);
    assert.match(on.stderr, /ends with the command/);
  } finally {
    rmSync(cwd, { recursive: true });
  }
});
