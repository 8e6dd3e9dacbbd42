/** Commands over time: the lines that they print, exit codes, bad input. */
import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, type Outcome, svcHere } from './svc.js';

const EX = 'http://example.org/';
const T = (month: number) => `2026-0${month}-01T00:00:00Z`;

function done(outcome: Outcome, out: string): void {
  assert.deepEqual(outcome, { code: 0, signal: null, out, err: '' });
}

test(
  'set, retract, history, unravel, transactions, contradictions: the lines as they are promised',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'data.ttl'), `@prefix : <${EX}> . :h :cores 4 ; :name "host"@en ; :rack :r1 .`);
    const [host, cores] = [`${EX}h`, `${EX}cores`];
    const run = (...words: string[]) => svcHere(words, { cwd });
    await run('knot', 'data.ttl', '--timestamp', T(1), '--actor', 'ana', '--source', 'inventory');
    done(
      await run('set', host, cores, '{"int": 8}', '--timestamp', T(4)),
      `set ${cores} on ${host} (retracted 1, tx 2)\n`,
    );
    done(await run('set', host, cores, '{"int": 8}'), `set ${cores} on ${host} (retracted 0, tx 0)\n`);
    done(
      await run('retract', host, '--predicate', `${EX}rack`, '--value', `{"iri": "${EX}r1"}`, '--timestamp', T(5)),
      `retracted 1 fact(s) from ${host} (tx 3)\n`,
    );
    done(await run('retract', `${EX}none`), `no facts found for ${EX}none\n`);
    const history = [
      `tx 1  assert  ${cores}  4  [${T(1)} -> ${T(4)}]`,
      `tx 1  assert  ${EX}name  "host"@en  [${T(1)} -> inf]`,
      `tx 1  assert  ${EX}rack  ${EX}r1  [${T(1)} -> ${T(5)}]`,
      `tx 2  retract  ${cores}  4`,
      `tx 2  assert  ${cores}  8  [${T(4)} -> inf]`,
      `tx 3  retract  ${EX}rack  ${EX}r1`,
    ];
    done(await run('history', host), `${history.join('\n')}\n\n6 entries\n`);
    done(await run('history', host, '--limit', '1'), `${history[0]}\n\n1 entries\nthere are more: --limit, --offset\n`);
    const then = [
      `${host}  ${cores}  4  [${T(1)} -> inf]`,
      `${host}  ${EX}name  "host"@en  [${T(1)} -> inf]`,
      `${host}  ${EX}rack  ${EX}r1  [${T(1)} -> inf]`,
    ];
    done(await run('unravel', '--tx', '1'), `${then.join('\n')}\n\n3 facts\n`);
    done(await run('unravel', '--valid-at', '2026-06-01', '--tx=0'), '\n0 facts\n');
    const log = await run('transactions');
    assert.match(
      log.out,
      new RegExp(
        `^tx 1  ${T(1)}  \\+3 -0  ana  inventory\ntx 2  ${T(4)}  \\+1 -1  -  set\ntx 3  .*  retract\n\n3 transactions\n$`,
      ),
    );
    done(
      await run('transactions', '--since', '1', '--limit', '1'),
      `tx 2  ${T(4)}  +1 -1  -  set\n\n1 transactions\nthere are more: --since 2\n`,
    );
    done(await run('contradictions', '--all-predicates'), '\n0 pair(s)\n');
    await run('set', host, `${EX}old`, '"a"', '--timestamp', T(1));
    await run('set', host, `${EX}old`, '"b"', '--timestamp', T(1));
    writeFileSync(join(cwd, 'more.ttl'), `<${host}> <${EX}ip> "192.0.2.1", "192.0.2.2" .`);
    await run('knot', 'more.ttl', '--timestamp', T(1));
    done(
      await run('contradictions', '--all-predicates'),
      `${host}  ${EX}ip\n  tx 6  "192.0.2.1"  [${T(1)} -> inf]\n  tx 6  "192.0.2.2"  [${T(1)} -> inf]\n\n1 pair(s)\n`,
    );
    done(await run('contradictions'), '\n0 pair(s)\n');
    const select = (...time: string[]) =>
      run('read', `SELECT ?o { <${host}> <${cores}> ?o }`, '--format', 'csv', ...time);
    done(await select(), 'o\r\n8\r\n');
    done(await select('--valid-at', '2026-02-01'), 'o\r\n4\r\n');
    done(await select('--tx', '1', '--valid-at', '2026-06-01'), 'o\r\n4\r\n');
    const json = JSON.parse((await run('history', host, '--json', '--limit=1')).out) as {
      count: number;
      truncated: boolean;
    };
    assert.deepEqual([json.count, json.truncated], [1, true]);
    assert.deepEqual(JSON.parse((await run('unravel', '--tx', '0', '--json')).out), {
      facts: [],
      count: 0,
      truncated: false,
    });
    const later = ['set', host, `${EX}planned`, '"x"', '--valid-from', '2999-01-01T00:00:00Z'];
    const planned = await run(...later);
    assert.equal(planned.code, 0, planned.err);
    assert.match(planned.err, /^note: valid_from lies in the future: /);
    assert.match((await run('verify')).out, /^ok: /);
  }),
);

test(
  'replacing a snapshot, and taking back a source',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    const post = (text: string, ...words: string[]) => {
      writeFileSync(join(cwd, 'state.ttl'), text);
      return run('knot', 'state.ttl', '--snapshot', 'inv', '--replace-snapshot', ...words);
    };
    done(await post(`<${EX}a> <${EX}p> 1, 2 .`, '--timestamp', T(1)), 'knotted 2 facts from state.ttl (tx 1)\n');
    const second = JSON.parse((await post(`<${EX}a> <${EX}p> 2, 3 .`, '--timestamp', T(2), '--json')).out) as Record<
      string,
      unknown
    >;
    assert.deepEqual([second.replaced, second.snapshot, second.new_facts, second.retracted], [true, 'inv', 1, 1]);
    done(
      await run('export'),
      `<${EX}a> <${EX}p> "2"^^<http://www.w3.org/2001/XMLSchema#integer> .\n<${EX}a> <${EX}p> "3"^^<http://www.w3.org/2001/XMLSchema#integer> .\n`,
    );
    const source = ['retract-source', 'snapshot:inv', '--repair', 'TICKET-7'];
    done(
      await run(...source),
      `  ${EX}a  ${EX}p  2\n  ${EX}a  ${EX}p  3\nplanned: 2 fact(s) of 1 entities; nothing was changed\n`,
    );
    const refused = await run(...source, '--apply', '--expect', '3');
    assert.deepEqual([refused.code, refused.err], [1, 'error: expected 3 facts, plan has 2; nothing was changed\n']);
    done(await run(...source, '--apply', '--expect', '2'), 'retracted 2 fact(s) of snapshot:inv (tx 3)\n');
    done(await run('export', '--allow-empty'), '');
  }),
);

test(
  'what is wrong: exit 1, nothing written, nothing on standard output',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'data.ttl'), `<${EX}a> <${EX}p> <${EX}b> .`);
    const [a, p] = [`${EX}a`, `${EX}p`];
    const commands = [['history', a], ['unravel', '--tx', '1'], ['transactions'], ['set', a, p, '"x"'], ['retract', a]];
    const together = (list: readonly string[][]) => Promise.all(list.map((words) => svcHere(words, { cwd })));
    for (const [at, { code, out, err }] of (await together(commands)).entries()) {
      assert.deepEqual([commands[at], code, out], [commands[at], 1, '']);
      assert.match(err, /^error: .*\.svc\/svc\.db/);
    }
    assert.ok(!existsSync(join(cwd, '.svc')), 'no store is made');
    await svcHere(['knot', 'data.ttl', '--timestamp', T(1)], { cwd });
    const reading: [string[], RegExp][] = [
      [['history', `${EX}none`], /^error: entity not found: http:\/\/example\.org\/none\n$/],
      [['history', a, '--graph', `${EX}none`], /^error: unknown graph: http:\/\/example\.org\/none\n$/],
      [['history', a, '--limit', 'many'], /^error: --limit is "many"; expected an integer\n$/],
      [['unravel'], /^error: missing --tx or --valid-at\n/],
      [['unravel', '--tx', '-1'], /^error: --tx is -1; expected an integer of at least 0\n$/],
      [['unravel', '--valid-at', '2026-01-01T24:00:00Z'], /^error: --valid-at: .* is not a time\n/],
      [['read', 'ASK {}', '--valid-at', '2026-01-01t00:00:00Z'], /error: --valid-at: .* is not a time\n/],
      // These end before the store is opened.
      [['set', a, p, 'hello'], /^error: value: hello is no JSON; write "text", \{"iri"/],
      [['retract', a, '--value', '{'], /^error: --value: \{ is no JSON/],
    ];
    const outcomes = await together(reading.map(([words]) => words));
    const writing: [string[], RegExp][] = [
      [
        ['set', a, p, '"plain"'],
        /^error: value: "plain" is a plain string, but the values there are IRIs; write \{"iri": "plain"\}\n {2}hint: /,
      ],
      [['retract', a, '--timestamp', 'yesterday'], /^error: --timestamp: "yesterday" is not a time\n/],
      [['knot', 'data.ttl', '--valid-from', '2026-01-01'], /^error: --valid-from: "2026-01-01" is not a time\n/],
      [['knot', 'data.ttl', '--replace-snapshot'], /^error: --replace-snapshot needs a --snapshot key/],
      [['retract-source', 's'], /^error: missing --repair\n$/],
    ];
    // A store has one writer at a time.
    for (const [words] of writing) outcomes.push(await svcHere(words, { cwd }));
    for (const [at, [words, message]] of [...reading, ...writing].entries()) {
      const { code, out, err } = outcomes[at] as Outcome;
      assert.deepEqual([words, code, out], [words, 1, '']);
      assert.match(err, message);
    }
    const log = JSON.parse((await svcHere(['transactions', '--json'], { cwd })).out) as { count: number };
    assert.equal(log.count, 1);
  }),
);
