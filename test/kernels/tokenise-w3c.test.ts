/**
 * The W3C suites of N-Triples, N-Quads, Turtle and TriG, 1.1 and 1.2, through the kernels and their
 * twins. Documents of RDF 1.2 with triple terms must be handed to the slow path, valid or not.
 */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Parser, Store } from 'n3';
import { isTokeniseError, TOKENISE, tokeniseMessage } from '../../engine/kernels/tokenise-errors.js';
import { TERM_KIND } from '../../engine/kernels/tokenise-state.js';
import { SHARED_ABSENT, sharedFolder } from '../shared.js';
import { assertIsomorphic, KernelBench, type Syntax, twin, withN3 } from './tokeniser-support.js';
import type { TwinQuad, TwinTerm } from './twins/term-reader.js';

const MF = 'http://www.w3.org/2001/sw/DataAccess/tests/test-manifest#';
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const UPSTREAM = 'https://w3c.github.io/rdf-tests/rdf/';

interface Case {
  readonly name: string;
  readonly type: string;
  readonly file: string;
  readonly base: string;
  readonly result: string | null;
}

const MANIFESTS = [
  'rdf11/rdf-n-triples',
  'rdf11/rdf-n-quads',
  'rdf11/rdf-turtle',
  'rdf11/rdf-trig',
  'rdf12/rdf-n-triples/syntax',
  'rdf12/rdf-n-triples/c14n',
  'rdf12/rdf-n-quads/syntax',
  'rdf12/rdf-n-quads/c14n',
  'rdf12/rdf-turtle/syntax',
  'rdf12/rdf-turtle/eval',
  'rdf12/rdf-trig/syntax',
  'rdf12/rdf-trig/eval',
];

/** The entries of a manifest; 1.2 manifests are in Turtle without triple terms, which n3 reads. */
function readManifest(suites: string, folder: string): Case[] {
  const file = join(suites, folder, 'manifest.ttl');
  const at = pathToFileURL(file).href;
  const store = new Store(new Parser({ baseIRI: at }).parse(readFileSync(file, 'utf8')));
  const root = pathToFileURL(`${suites}/`).href;
  const cases: Case[] = [];
  for (const quad of store.getQuads(null, `${MF}action`, null, null)) {
    const type = store.getObjects(quad.subject, RDF_TYPE, null)[0]!.value.replace(/^.*#/, '');
    const result = store.getObjects(quad.subject, `${MF}result`, null)[0]?.value ?? null;
    const local = (iri: string) => new URL(iri);
    cases.push({
      name: quad.subject.value.replace(/^.*[/#]/, ''),
      type,
      file: local(quad.object.value).pathname,
      base: quad.object.value.replace(root, UPSTREAM),
      result: result === null ? null : local(result).pathname,
    });
  }
  assert.ok(cases.length > 0, `${dirname(file)} has entries`);
  return cases;
}

function syntaxOf(file: string): Syntax {
  const syntaxes: Record<string, Syntax> = { nt: 'ntriples', nq: 'nquads', ttl: 'turtle', trig: 'trig' };
  const syntax = syntaxes[file.replace(/^.*\./, '')];
  assert.ok(syntax, file);
  return syntax;
}

/** Constructs that only RDF 1.2 has and that these tokenisers leave alone. */
const TRIPLE_TERMS = /<<|\{\||~/;

function runCase(bench: KernelBench, one: Case): void {
  const bytes = readFileSync(one.file);
  const syntax = syntaxOf(one.file);
  const result = bench.run(syntax, bytes, one.base);
  assert.deepEqual(result, twin(syntax, bytes, one.base), 'kernel = twin');
  const shown = `${result.code} ${tokeniseMessage(result.code)} at ${result.offset}`;
  if (result.code === TOKENISE.needsSlowPath) {
    assert.match(bytes.toString('utf8'), TRIPLE_TERMS, 'only triple terms need the slow path');
    return;
  }
  if (/Negative/.test(one.type)) {
    assert.ok(isTokeniseError(result.code), `accepted: ${shown}`);
    return;
  }
  assert.equal(result.code, TOKENISE.ok, shown);
  if (/Eval/.test(one.type)) {
    assert.ok(one.result);
    const expected = readFileSync(one.result, 'utf8');
    assertIsomorphic(result.quads, withN3(syntax === 'trig' ? 'nquads' : 'ntriples', expected), one.name);
  } else if (one.type.includes('C14N')) {
    const expected = withN3(syntax, readFileSync(one.result!, 'utf8'));
    assertIsomorphic(result.quads.map(withTagsInLowerCase), expected, one.name);
  }
}

/** The canonical form has them so. */
function withTagsInLowerCase(quad: TwinQuad): TwinQuad {
  const isTagged = ({ kind }: TwinTerm): boolean => kind === TERM_KIND.language || kind === TERM_KIND.direction;
  return quad.map((term) =>
    isTagged(term) ? { ...term, qualifier: term.qualifier.toLowerCase() } : term,
  ) as unknown as TwinQuad;
}

const shared = sharedFolder();

for (const folder of MANIFESTS) {
  test(`W3C ${folder}`, { skip: shared === null ? SHARED_ABSENT : false }, () => {
    const bench = new KernelBench();
    const failures: string[] = [];
    const cases = readManifest(join(shared!, 'conformance'), folder);
    for (const one of cases) {
      try {
        runCase(bench, one);
      } catch (error) {
        failures.push(`${one.name} (${one.type}): ${(error as Error).message}`);
      }
    }
    assert.deepEqual(failures, [], `${failures.length} of ${cases.length} cases`);
  });
}
