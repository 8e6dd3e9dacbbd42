/** A real graph, schema.org, through the kernels: Turtle and N-Triples give what n3 reads. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TOKENISE } from '../../engine/kernels/tokenise-errors.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { assertIsomorphic, KernelBench, type Syntax, withN3 } from './tokeniser-support.js';

const shared = sharedFolder();
const FILES: readonly (readonly [string, Syntax])[] = [
  ['schemaorg-all-https-30.0.ttl', 'turtle'],
  ['schemaorg-all-https-30.0.nt.gz', 'ntriples'],
  ['schemaorg-all-https-9.0.nt.gz', 'ntriples'],
];

test('schema.org as n3 reads it', { skip: shared === null ? SHARED_ABSENT : false }, () => {
  const bench = new KernelBench(8 << 20, 8 << 20, 8 << 20);
  for (const [name, syntax] of FILES) {
    const file = readFileSync(join(shared!, 'data/schemaorg', name));
    const bytes = name.endsWith('.gz') ? gunzipSync(file) : file;
    const cuts = [100_001, 100_002, 500_003];
    const result = bench.run(syntax, bytes, undefined, cuts);
    assert.equal(result.code, TOKENISE.ok, name);
    assert.ok(result.quads.length > 10_000, name);
    assertIsomorphic(result.quads, withN3(syntax, bytes.toString('utf8')), name);
  }
});
