/** The demo runs, asks every question that stands beside it, and its answers are right. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../interfaces/library/index.js';
import { CHECKOUT } from '../tools/tidy.js';

const DEMO = join(CHECKOUT, 'tools/demo');
const QUESTIONS = readdirSync(join(DEMO, 'questions')).sort();

test('the demo prints every question with its answer', () => {
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(DEMO, 'demo.mjs')], { encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /^Loaded 554 facts about the solar system \(transaction 1\)\.\n/);
  for (const name of QUESTIONS) {
    const question = /^# (.*)$/m.exec(readFileSync(join(DEMO, 'questions', name), 'utf8'))?.[1];
    assert.ok(question && stdout.includes(`\n${question}\n`), name);
  }
  assert.match(stdout, /^ {2}Ganymede +2634\.1 +2439\.7\n {2}Titan +2574\.7 +2439\.7\n/m);
});

test('the questions have these answers', async () => {
  const store = await openStore(':memory:');
  await store.load(join(DEMO, 'sky.ttl'));
  const first: Record<string, string> = {};
  for (const name of QUESTIONS) {
    const answer = await store.query(readFileSync(join(DEMO, 'questions', name), 'utf8'));
    if (answer.kind === 'ask') first[name] = String(answer.value);
    else if (answer.kind === 'select') {
      const rows: string[] = [];
      for await (const row of answer.rows()) rows.push(row.map((term) => term?.value ?? '').join(' '));
      first[name] = `${rows.length}: ${rows[0]}`;
    }
  }
  assert.deepEqual(first, {
    '1-largest-worlds.rq': '8: Jupiter 69911',
    '2-moons-larger-than-mercury.rq': '2: Ganymede 2634.1 2439.7',
    '3-moons-per-planet.rq': '7: http://example.org/sky/saturn 9',
    '4-found-before-1700.rq': '9: 1610-01-07 Callisto Galileo Galilei',
    '5-a-planet-and-its-moon.rq': '8: Voyager 2 1977-08-20',
    '6-who-found-most.rq': '5: William Herschel 5',
    '7-german-names.rq': '8: 1 Merkur',
    '8-anyone-at-eris.rq': 'false',
  });
  await store.close();
});
