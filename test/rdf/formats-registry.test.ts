/** Names, media types and extensions of the formats. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SvcError } from '../../engine/base/errors.js';
import {
  compressionOfPath,
  FORMATS,
  formatOfMediaType,
  formatOfName,
  formatOfPath,
  knownFormOfPath,
} from '../../engine/rdf/formats/registry.js';

test('paths: extension, case, compression on top, dots and folders elsewhere', () => {
  const cases: [string, string, string][] = [
    ['data.nt', 'ntriples', 'none'],
    ['data.ntriples', 'ntriples', 'none'],
    ['data.nq', 'nquads', 'none'],
    ['data.nquads', 'nquads', 'none'],
    ['a.b/data.v1.2.TTL', 'turtle', 'none'],
    ['data.turtle', 'turtle', 'none'],
    ['data.trig', 'trig', 'none'],
    ['data.rdf', 'rdfxml', 'none'],
    ['data.owl', 'rdfxml', 'none'],
    ['data.xml', 'rdfxml', 'none'],
    ['data.jsonld', 'jsonld', 'none'],
    ['data.json', 'jsonld', 'none'],
    ['data.nt.gz', 'ntriples', 'gzip'],
    ['C:\\data\\X.Ttl.ZST', 'turtle', 'zstd'],
  ];
  for (const [path, format, compression] of cases) assert.deepEqual(formatOfPath(path), { format, compression }, path);
  for (const path of ['data.csv', 'data', 'data.gz', '.nt/readme', 'nt', ''])
    assert.equal(knownFormOfPath(path), null, path);
  assert.deepEqual(compressionOfPath('dump.gz'), { compression: 'gzip', path: 'dump' });
});

test('unknown ones are refused, with what is known', () => {
  const refused = (pattern: RegExp) => (error: SvcError) => {
    assert.equal(error.code, 'unknown_format');
    assert.match(error.describe(), pattern);
    return true;
  };
  assert.throws(() => formatOfPath('data.csv'), refused(/data\.csv.*\n.*\.nt, \.ntriples, .*\.gz, \.zst/));
  assert.throws(() => formatOfMediaType('text/csv; charset=utf-8'), refused(/"text\/csv".*\n.*text\/turtle/));
  assert.throws(() => formatOfName('csv'), refused(/"csv".*\n.*ntriples, nquads, turtle/));
});

test('media types: parameters and case are ignored; each format has a first one', () => {
  assert.equal(formatOfMediaType('Text/Turtle; charset=UTF-8; q=0.9'), 'turtle');
  assert.equal(formatOfMediaType(' application/ld+json;profile="http://www.w3.org/ns/json-ld#expanded"'), 'jsonld');
  for (const { name, mediaTypes, extensions } of FORMATS) {
    for (const mediaType of mediaTypes) assert.equal(formatOfMediaType(mediaType), name);
    for (const extension of extensions) assert.equal(formatOfPath(`x${extension}`).format, name);
    assert.equal(formatOfName(name.toUpperCase()), name);
  }
});

test('names: what people write', () => {
  const spellings: Record<string, string> = {
    ttl: 'turtle',
    'N-Triples': 'ntriples',
    'rdf/xml': 'rdfxml',
    'JSON-LD': 'jsonld',
    nq: 'nquads',
  };
  for (const [spelling, format] of Object.entries(spellings)) assert.equal(formatOfName(spelling), format);
});
