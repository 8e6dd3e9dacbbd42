/** The checks of the JSON-LD suites: `toRdf` through our reader, `fromRdf` through our serialiser. */

import { readFileSync } from 'node:fs';
import { SvcError } from '../../engine/base/errors.js';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import type { Quad } from '../../engine/rdf/terms.js';
import { comparable } from '../rdf/isomorphism.js';
import { Failure, type JsonLdCase, type TestCase } from './cases.js';
import { datasetToJsonLd } from './jsonld-serialize.js';
import { libraryReader, testBlankNodes } from './readers.js';

export async function checkToRdf(test: TestCase): Promise<void> {
  const jsonLd = test.jsonLd!;
  let quads: Quad[];
  try {
    quads = await readJsonLd(test, jsonLd);
  } catch (error) {
    if (jsonLd.errorCode === null || !(error instanceof SvcError)) throw error;
    const code = (error.cause as { code?: string } | undefined)?.code;
    if (code !== jsonLd.errorCode)
      throw new Failure(`expected the error "${jsonLd.errorCode}", got "${code}": ${error.message}`);
    return;
  }
  if (jsonLd.errorCode !== null)
    throw new Failure(`expected the error "${jsonLd.errorCode}", got ${quads.length} quads`);
  if (test.result === null) return;
  const expected = await libraryReader.parse(readFileSync(test.result), 'nquads', test.baseIri);
  const [actualText, expectedText] = await Promise.all([comparable(quads), comparable(expected)]);
  if (actualText !== expectedText) throw new Failure(`expected\n${expectedText}\ngot\n${actualText}`);
}

function readJsonLd(test: TestCase, jsonLd: JsonLdCase): Promise<Quad[]> {
  const { option, folder, folderIri } = jsonLd;
  const local = async (url: string): Promise<unknown> => {
    if (!url.startsWith(folderIri)) throw new Error(`${url} lies outside the suite`);
    return JSON.parse(readFileSync(`${folder}/${url.slice(folderIri.length)}`, 'utf8'));
  };
  const outer =
    option.expandContext === undefined ? undefined : readFileSync(`${folder}/${option.expandContext}`, 'utf8');
  return readDocument(readFileSync(test.action), {
    format: 'jsonld',
    baseIri: test.baseIri,
    sourceName: test.id,
    blankNode: testBlankNodes(),
    // JSON-LD 1.1 leaves directions out unless it is told how to put them into RDF 1.1.
    directions: 'drop',
    jsonLd: {
      remoteContexts: local,
      invalidTerms: 'drop',
      rdfDirection: option.rdfDirection,
      processingMode: option.processingMode === 'json-ld-1.0' ? '1.0' : '1.1',
      ...(outer === undefined ? {} : { expandContext: (JSON.parse(outer) as { '@context': unknown })['@context'] }),
    },
  });
}

export async function checkFromRdf(test: TestCase): Promise<void> {
  const { option, errorCode } = test.jsonLd!;
  const quads = await libraryReader.parse(readFileSync(test.action), 'nquads', test.baseIri);
  let actual: unknown;
  try {
    actual = datasetToJsonLd(quads, {
      useNativeTypes: option.useNativeTypes,
      useRdfType: option.useRdfType,
      rdfDirection: option.rdfDirection,
    });
  } catch (error) {
    if (errorCode !== null && error instanceof SvcError && /is not JSON/.test(error.message)) return;
    throw error;
  }
  if (errorCode !== null) throw new Failure(`expected the error "${errorCode}"`);
  const expected: unknown = JSON.parse(readFileSync(test.result!, 'utf8'));
  if (normalised(actual) !== normalised(expected)) {
    throw new Failure(`expected ${JSON.stringify(expected)}\ngot ${JSON.stringify(actual)}`);
  }
}

/** Text that is equal for JSON-LD values that differ at most in the order of keys and of unordered arrays. */
function normalised(value: unknown, ordered = false): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => normalised(item));
    return `[${(ordered ? items : items.sort()).join(',')}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${normalised(item, key === '@list')}`).join(',')}}`;
}
