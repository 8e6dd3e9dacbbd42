/** The line of progress on a terminal. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeProgress, partDone, progressSink } from '../../interfaces/cli/output/progress.js';

test('phase, amount, rate, percent, time left', () => {
  const line = describeProgress({ phase: 'read', done: 1_200_000, elapsedMs: 2000, bytesRead: 25, bytesTotal: 100 });
  assert.equal(line, 'read  1,200,000 quads  600,000/s  25%  00:06 left');
  assert.equal(describeProgress({ phase: 'sort', done: 5, elapsedMs: 10 }), 'sort  5 quads');
  assert.equal(
    describeProgress({ phase: 'check', done: 10, total: 20_000, unit: 'blocks', elapsedMs: 4000 }),
    'check  10 blocks  3/s  0%  2:13:16 left',
  );
});

test('the part that is done: units before bytes, never past the whole', () => {
  assert.equal(partDone({ phase: 'x', done: 1, total: 4, bytesRead: 1, bytesTotal: 2, elapsedMs: 0 }), 0.25);
  assert.equal(partDone({ phase: 'x', done: 9, total: 4, elapsedMs: 0 }), 1);
  assert.equal(partDone({ phase: 'x', done: 9, elapsedMs: 0 }), null);
});

test('a terminal line is written over and taken away; JSON lines stay; none is silent', () => {
  const written: string[] = [];
  const write = (text: string): number => written.push(text);
  const progress = { phase: 'read', done: 1, elapsedMs: 1 };
  const terminal = progressSink('terminal', write, 40);
  terminal.clear();
  terminal.report(progress);
  terminal.clear();
  terminal.clear();
  assert.deepEqual(written.splice(0), ['\r\u001b[2Kread  1 quads', '\r\u001b[2K']);
  progressSink('json', write, 40).report(progress);
  assert.deepEqual(written.splice(0), ['{"event":"progress","phase":"read","done":1,"elapsedMs":1}\n']);
  progressSink('none', write, 40).report(progress);
  assert.deepEqual(written, []);
});
