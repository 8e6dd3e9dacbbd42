/** Tables have aligned columns at a terminal, and the tabs that programs read everywhere else. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { test } from 'node:test';
import { runCli } from '../../interfaces/cli/run.js';
import { inFolder, svcHere } from './svc.js';

async function atTerminal(words: readonly string[], columns = 80): Promise<string> {
  let out = '';
  const sink = (take: (text: string) => void) =>
    new Writable({
      write(chunk: Buffer, _, done) {
        take(chunk.toString());
        done();
      },
    });
  const stdout = Object.assign(
    sink((text) => {
      out += text;
    }),
    { isTTY: true, columns },
  );
  const streams = { stdin: Readable.from([]), stdout, stderr: sink(() => undefined), terminal: true, columns };
  assert.equal(await runCli(words, streams, new AbortController().signal), 0);
  return out;
}

test(
  'columns of one width at a terminal, tabs elsewhere',
  inFolder(async (cwd) => {
    const db = join(cwd, 'a.db');
    await svcHere(['knot', '-', '--db', db], { cwd, input: '<a:a> <a:name> "Ann\\tB" . <a:long> <a:name> "é", 12 .' });
    const query = 'SELECT ?s ?name ?none { ?s <a:name> ?name } ORDER BY ?s ?name';
    assert.equal(
      await atTerminal(['read', query, '--db', db]),
      's       name      none\n------  --------  ---------\na:a     "Ann\\tB"  (unbound)\n' +
        'a:long  12        (unbound)\na:long  "é"       (unbound)\n\n3 results\n',
    );
    const piped = await svcHere(['read', query, '--db', db], { cwd });
    assert.match(piped.out, /^s\tname\tnone\n-{60}\na:a\t"Ann\\tB"\t\(unbound\)\n/);
    assert.equal(await atTerminal(['read', 'ASK {}', '--db', db]), 'true\n');
    assert.equal(
      await atTerminal(['read', 'CONSTRUCT { <a:a> <a:b> ?n } { BIND(1 AS ?n) }', '--db', db]),
      'subject  predicate  object\n-------  ---------  ------\na:a      a:b        1\n\n1 triples\n',
    );
    assert.equal(await atTerminal(['read', 'SELECT ?s { ?s <a:no> 1 }', '--db', db]), 's\n-\n\n0 results\n');
    const narrow = await atTerminal(['read', query, '--db', db], 24);
    assert.ok(
      narrow.split('\n').every((line) => line.length <= 26),
      narrow,
    );
    assert.match(await atTerminal(['read', query, '--db', db, '--format', 'csv']), /^s,name,none\r\n/);
    const asked = await atTerminal(['ask', 'entity_facts', '--params', '{"entity": "a:a"}', '--db', db]);
    assert.equal(asked, 'p       o\n------  --------\na:name  "Ann\\tB"\n\n1 results\n');
    assert.match(await atTerminal(['ask', '--db', db]), /entity_facts <entity> \[limit\] {2}all facts/);
  }),
);
