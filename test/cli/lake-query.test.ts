/** `svc lake sql` and `svc lake query`: answers in the formats of `svc read`, the past, and what bad input gets. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, svcHere } from './svc.js';

const E = 'http://example.org';
const NAMES = `SELECT ?s ?n { ?s <${E}/n> ?n FILTER(?n > 1) } ORDER BY ?n`;

test(
  'a lake answers as its store does, and refuses what it has no answer for',
  inFolder(async (cwd) => {
    writeFileSync(
      join(cwd, 'data.ttl'),
      `<${E}/a> <${E}/n> 1, 2.50, "x"@en-GB . <${E}/b> <${E}/n> 7 ; <${E}/q> <${E}/a> .`,
    );
    assert.equal((await svcHere(['knot', 'data.ttl'], { cwd })).code, 0);
    assert.equal((await svcHere(['update', `DELETE DATA { <${E}/b> <${E}/n> 7 }`], { cwd })).code, 0);
    assert.equal((await svcHere(['lake', 'export', 'lake'], { cwd })).code, 0);

    const lake = ['lake', 'query', '--lake', 'lake'];
    for (const form of [
      ['--format', 'csv'],
      ['--format', 'json'],
      ['--tx', '1', '--format', 'tsv'],
    ]) {
      const [asked, expected] = [
        await svcHere([...lake, NAMES, ...form], { cwd }),
        await svcHere(['read', NAMES, ...form], { cwd }),
      ];
      assert.equal(asked.code, 0, asked.err);
      assert.equal(asked.out, expected.out);
    }
    const graph = await svcHere(
      [...lake, `CONSTRUCT { ?x <${E}/to> ?y } { ?x (<${E}/q>)+ ?y }`, '--format', 'ntriples'],
      { cwd },
    );
    assert.equal(graph.out, `<${E}/b> <${E}/to> <${E}/a> .\n`);
    const body = JSON.parse((await svcHere([...lake, `ASK { ?s <${E}/n> "x"@en-gb }`, '--json'], { cwd })).out);
    assert.deepEqual(body, { result: true });

    const printed = await svcHere(['lake', 'sql', NAMES, '--dialect', 'trino'], { cwd });
    assert.match(printed.out, /^SELECT [\s\S]*FROM facts[\s\S]*ORDER BY/);
    const resolved = await svcHere(['lake', 'sql', NAMES, '--lake', 'lake'], { cwd });
    assert.doesNotMatch(resolved.out, /example\.org\/n/);

    const refusals: readonly (readonly [readonly string[], RegExp])[] = [
      [['lake', 'query', '--lake', 'none', NAMES], /there is no lake in .*none\n.*svc lake export/],
      [[...lake, '--engine', 'trino', NAMES], /a Trino is not asked from here\n.*svc lake sql --dialect trino/],
      [
        [...lake, '--engine', 'spark', '--python', join(cwd, 'no-python'), NAMES],
        /there is no interpreter .*no-python\n.*--python/,
      ],
      [[...lake, 'SELECT * { SERVICE <http://example.org/> { ?s ?p ?o } }'], /SERVICE has no translation to SQL/],
      [
        ['lake', 'sql', '--dialect', 'spark', 'SELECT * { ?s <http://example.org/q>+ ?o }'],
        /Spark does not have a path of any length/,
      ],
    ];
    for (const [words, message] of refusals) {
      const outcome = await svcHere(words, { cwd });
      assert.equal(outcome.code, 1, outcome.err);
      assert.equal(outcome.out, '');
      assert.match(outcome.err, message);
    }
  }),
);
