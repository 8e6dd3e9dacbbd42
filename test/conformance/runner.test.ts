/** The runner itself: what it counts, what it prints, what it writes and how it ends. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('./main.js', import.meta.url));

const MANIFEST = `PREFIX : <#>
PREFIX mf: <http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#>
PREFIX rdft: <http://www.w3.org/ns/rdftest#>
<> a mf:Manifest ; mf:assumedTestBase <http://base.example/> ; mf:entries ( :right :wrong :meaning :refused :other ) .
:right a rdft:TestTurtlePositiveSyntax ; mf:name "right" ; mf:action <right.ttl> .
:wrong a rdft:TestTurtlePositiveSyntax ; mf:name "wrong" ; mf:action <wrong.ttl> .
:meaning a rdft:TestTurtleEval ; mf:name "meaning" ; mf:action <right.ttl> ; mf:result <right.nt> .
:refused a rdft:TestTurtleNegativeSyntax ; mf:name "refused" ; mf:action <wrong.ttl> .
:other a mf:SomethingElse ; mf:name "other" ; mf:action <right.ttl> .
`;

test("a manifest of one's own: counts, reasons, JSON, exit code", () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-conformance-'));
  try {
    writeFileSync(join(folder, 'manifest.ttl'), MANIFEST);
    writeFileSync(join(folder, 'right.ttl'), '<s> <p> _:x, [] .');
    writeFileSync(
      join(folder, 'right.nt'),
      '<http://base.example/s> <http://base.example/p> _:b .\n'.repeat(2).replace('_:b', '_:a'),
    );
    writeFileSync(join(folder, 'wrong.ttl'), '<s> <p> .');
    const run = (
      only: string[],
    ): { status: number | null; output: string; counts: { passed: number; failed: number }[] } => {
      const json = join(folder, 'counts.json');
      const result = spawnSync(
        process.execPath,
        [MAIN, '--manifest', join(folder, 'manifest.ttl'), '--json', json, ...only],
        { encoding: 'utf8' },
      );
      return { status: result.status, output: result.stdout, counts: JSON.parse(readFileSync(json, 'utf8')) };
    };
    const all = run([]);
    assert.equal(all.status, 1, all.output);
    assert.match(
      all.output,
      /FAILED .*#wrong \(wrong, reader formats\)\nparse_error: http:\/\/base\.example\/wrong\.ttl:1:9: /,
    );
    assert.match(all.output, /not run yet: .*SomethingElse \(1 cases\)/);
    assert.match(all.output, /\n3 passed, 1 failed, 0 skipped\n$/);
    assert.equal(all.counts.length, 1);
    assert.deepEqual([all.counts[0]?.passed, all.counts[0]?.failed], [3, 1]);
    const some = run(['--only', '#r']);
    assert.equal(some.status, 0, some.output);
    assert.match(some.output, /2 passed, 0 failed, 0 skipped\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
