/** `svc update`: what it prints, where its text comes from, and what bad input gets. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { inFolder, type Outcome, svcHere } from './svc.js';

const EX = 'http://example.org/';
const INSERT = `INSERT DATA { <${EX}a> <${EX}p> 1, 2 . GRAPH <${EX}g> { <${EX}b> <${EX}p> 3 } }`;

function done(outcome: Outcome, out: string): void {
  assert.deepEqual(outcome, { code: 0, signal: null, out, err: '' });
}

async function withStore(cwd: string): Promise<void> {
  writeFileSync(join(cwd, 'data.ttl'), `<${EX}start> <${EX}p> 0 .`);
  done(await svcHere(['knot', 'data.ttl'], { cwd }), 'knotted 1 facts from data.ttl (tx 1)\n');
}

test(
  'updates from the line, a file and standard input; as a line or as JSON',
  inFolder(async (cwd) => {
    await withStore(cwd);
    done(await svcHere(['update', INSERT], { cwd }), 'inserted 3, deleted 0 in 2 graphs (tx 2)\n');
    done(await svcHere(['update', INSERT], { cwd }), 'nothing changed (tx 0)\n');
    writeFileSync(join(cwd, 'change.ru'), `DELETE { ?s ?p ?o } INSERT { ?s ?p 9 } WHERE { ?s ?p ?o FILTER(?o = 1) }`);
    done(
      await svcHere(['update', '--file', 'change.ru', '--actor', 'ana', '--timestamp', '2026-02-01'], { cwd }),
      'inserted 1, deleted 1 in urn:svc:graph:root (tx 3)\n',
    );
    const clear = await svcHere(['update', '-', '--json'], { cwd, input: `CLEAR GRAPH <${EX}g>` });
    assert.deepEqual(JSON.parse(clear.out), { tx_id: 4, inserted: 0, deleted: 1, graphs: [`${EX}g`] });
    done(await svcHere(['read', `ASK { <${EX}a> <${EX}p> 9 }`], { cwd }), 'true\n');
    done(await svcHere(['read', `ASK { <${EX}a> <${EX}p> 1 }`, '--tx', '2'], { cwd }), 'true\n');
    const log = JSON.parse((await svcHere(['transactions', '--json'], { cwd })).out) as {
      transactions: readonly Readonly<Record<string, unknown>>[];
    };
    const { id, timestamp, actor, source } = log.transactions[2] as Readonly<Record<string, unknown>>;
    assert.deepEqual([id, timestamp, actor, source], [3, '2026-02-01T00:00:00Z', 'ana', 'sparql-update']);
  }),
);

test(
  'failures say what and where, exit with 1 and change nothing',
  inFolder(async (cwd) => {
    await withStore(cwd);
    const malformed = await svcHere(['update', `INSERT DATA {\n  <${EX}a> <${EX}p> ?x }`], { cwd });
    assert.equal(malformed.code, 1);
    assert.match(malformed.err, /^update error: update:2:\d+: unexpected '\?x'/);
    const query = await svcHere(['update', 'SELECT * { ?s ?p ?o }'], { cwd });
    assert.equal(query.code, 1);
    assert.match(query.err, /the text is a query, not an update/);
    const asked = await svcHere(['read', INSERT], { cwd });
    assert.equal(asked.code, 1);
    assert.match(asked.err, /the text is an update, not a query/);
    const late = await svcHere(['update', `${INSERT} ; DROP GRAPH <${EX}none>`], { cwd });
    assert.equal(late.code, 1);
    assert.match(late.err, /DROP: there is no graph/);
    assert.equal((await svcHere(['update'], { cwd })).code, 2);
    done(
      await svcHere(['read', 'SELECT * { ?s ?p ?o } LIMIT 1', '--format', 'csv'], { cwd }),
      `s,p,o\r\n${EX}start,${EX}p,0\r\n`,
    );
    const log = JSON.parse((await svcHere(['transactions', '--json'], { cwd })).out) as { transactions: unknown[] };
    assert.equal(log.transactions.length, 1);
  }),
);

test(
  'LOAD reads from the configured folder',
  inFolder(async (cwd) => {
    await withStore(cwd);
    mkdirSync(join(cwd, 'documents'));
    writeFileSync(join(cwd, 'documents', 'one.ttl'), `<${EX}loaded> <${EX}p> 1 .`);
    const load = `LOAD <${pathToFileURL(join(cwd, 'documents', 'one.ttl')).href}> INTO GRAPH <${EX}into>`;
    const refused = await svcHere(['update', load], { cwd });
    assert.equal(refused.code, 1);
    assert.match(refused.err, /update\.load_from is not set/);
    writeFileSync(join(cwd, '.svc', 'config.toml'), `[svc.update]\nload_from = "documents"\ntimeout_ms = 60000\n`);
    done(await svcHere(['update', load], { cwd }), `inserted 1, deleted 0 in ${EX}into (tx 2)\n`);
  }),
);
