/**
 * Small documents go through the reader of the formats, large ones through the kernels: both take and refuse the same. Held against each
 * other over the documents of the W3C suites and over these with a character taken out or put in.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SvcError } from '../../engine/base/errors.js';
import { isTokeniseError, TOKENISE, tokeniseMessage } from '../../engine/kernels/tokenise-errors.js';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import { verbatim } from '../rdf/documents.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { KernelBench, type Syntax } from './tokeniser-support.js';

const FOLDERS: readonly (readonly [folder: string, syntax: Syntax, ending: string])[] = [
  ['rdf-turtle', 'turtle', '.ttl'],
  ['rdf-trig', 'trig', '.trig'],
  ['rdf-n-triples', 'ntriples', '.nt'],
  ['rdf-n-quads', 'nquads', '.nq'],
];
const DOCUMENT_CHARACTERS_MAX = 3_000;
const MUTANTS = 2;
const PUT_IN = '.;,<>"\'@:()[]{}a1_\\ \n#^';
const BASE = 'http://b/x';

const bench = new KernelBench();

/** Numbers that are the same in each run. */
function numbers(): (below: number) => number {
  let seed = 7;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (seed >>> 8) % below;
  };
}

function* mutants(text: string, random: (below: number) => number): Generator<string> {
  yield text;
  for (let made = 0; made < MUTANTS && text.length > 0; made++) {
    const at = random(text.length);
    const put = random(2) === 0 ? '' : (PUT_IN[random(PUT_IN.length)] as string);
    yield text.slice(0, at) + put + text.slice(put === '' ? at + 1 : at);
  }
}

/** How many quads the reader of the formats finds, or what it says. */
async function asRead(document: string, format: Syntax): Promise<number | string> {
  try {
    return (await readDocument(document, { format, sourceName: 'doc', baseIri: BASE, blankNode: verbatim() })).length;
  } catch (error) {
    assert.ok(error instanceof SvcError, `${document}\n${error}`);
    return error.message;
  }
}

for (const [folder, syntax, ending] of FOLDERS) {
  test(`${syntax}: both readers take the same documents`, {
    skip: sharedFolder() === null && SHARED_ABSENT,
  }, async () => {
    const random = numbers();
    const root = join(sharedFolder() as string, 'conformance/rdf11', folder);
    const files = readdirSync(root, { recursive: true }).map(String).sort();
    let compared = 0;
    for (const file of files.filter((name) => name.endsWith(ending) && !name.includes('manifest'))) {
      const text = readFileSync(join(root, file), 'utf8');
      if (text.length > DOCUMENT_CHARACTERS_MAX) continue;
      for (const document of mutants(text, random)) {
        const kernel = bench.run(syntax, new TextEncoder().encode(document), BASE);
        if (kernel.code === TOKENISE.needsSlowPath) continue;
        const byKernel = isTokeniseError(kernel.code) ? tokeniseMessage(kernel.code) : kernel.quads.length;
        const byReader = await asRead(document, syntax);
        const alike = typeof byKernel === 'string' ? typeof byReader === 'string' : byKernel === byReader;
        assert.ok(alike, `${file}: ${byKernel} by the kernel, ${byReader} by the reader\n${document}`);
        compared++;
      }
    }
    assert.ok(compared > 100, `${compared} documents were compared`);
  });
}
