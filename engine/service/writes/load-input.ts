/**
 * What callers of the library give as documents, as the documents that storage loads. An object holds its content under
 * one key: `path`, `text`, `bytes` or `quads`. Callers without types may write another key or another value; a document
 * that would be read as if it were empty is refused instead.
 */

import { SvcError } from '../../base/errors.js';
import { FORMATS } from '../../rdf/formats/registry.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import { findDocuments } from '../documents/documents.js';
import { unfitValue } from '../options/check-options.js';
import type { LoadInput, StoreLoadOptions } from '../options/store-options.js';

type Given = Readonly<Record<string, unknown>>;

const CONTENTS = ['path', 'text', 'bytes', 'quads'] as const;
type Content = (typeof CONTENTS)[number];

/** The keys that go along with each content, and the kind of source that it is. */
const BESIDE: Readonly<Record<Content, { readonly kind: LoadSource['kind']; readonly keys: readonly string[] }>> = {
  path: { kind: 'file', keys: ['name', 'format', 'baseIri'] },
  text: { kind: 'bytes', keys: ['name', 'format', 'baseIri'] },
  bytes: { kind: 'bytes', keys: ['name', 'format', 'baseIri', 'compression'] },
  quads: { kind: 'quads', keys: ['name'] },
};

const HINT =
  "write a path as 'data.ttl' or { path }, a text as { text, format }, bytes as { bytes, format }, quads as { quads }";

type Defaults = Pick<StoreLoadOptions, 'format' | 'baseIri' | 'onSkip'>;

/** The documents that an input stands for: of a directory all in it. */
export function toSources(input: LoadInput, options: Defaults): readonly LoadSource[] {
  if (typeof input === 'string') return sourcesOfPath(input, options);
  const content = contentOf(input);
  // With a kind it is a source as storage knows it.
  if ('kind' in input && input.kind !== undefined) return [input];
  const { name, format = options.format, baseIri = options.baseIri } = input as Defaults & { readonly name?: string };
  if (content === 'path') {
    const found = sourcesOfPath((input as { readonly path: string }).path, { ...options, format, baseIri });
    const [only, ...others] = found;
    return name === undefined || others.length > 0 ? found : [{ ...(only as LoadSource), name }];
  }
  if ('quads' in input) return [{ kind: 'quads', quads: input.quads, name: name ?? 'quads' }];
  const given =
    'text' in input ? new TextEncoder().encode(input.text) : (input as { readonly bytes: Uint8Array }).bytes;
  const { compression } = input as { readonly compression?: 'none' | 'gzip' | 'zstd' };
  return [
    {
      kind: 'bytes',
      bytes: given,
      name: name ?? content,
      format: format as NonNullable<typeof format>,
      ...(baseIri === undefined ? {} : { baseIri }),
      ...(compression === undefined ? {} : { compression }),
    },
  ];
}

function sourcesOfPath(path: string, options: Defaults): readonly LoadSource[] {
  const { sources, skipped } = findDocuments([path], options);
  for (const file of skipped) options.onSkip?.(file);
  return sources;
}

/** The key that holds the content; anything that is not a document with one content is refused. */
function contentOf(input: unknown): Content {
  if (typeof input !== 'object' || input === null)
    throw unfitDocument(`a path or an object is expected, not ${String(input)}`);
  const given = input as Given;
  const [content, other] = CONTENTS.filter((key) => given[key] !== undefined);
  if (content === undefined) throw unfitDocument(`it has none of the keys ${CONTENTS.join(', ')}`);
  if (other !== undefined) throw unfitDocument(`it has both '${content}' and '${other}'`);
  const { kind, keys } = BESIDE[content];
  if (given.kind !== undefined && (given.kind !== kind || content === 'text')) {
    throw unfitDocument(`'${content}' does not go with the kind ${JSON.stringify(given.kind)}`);
  }
  for (const [key, value] of Object.entries(given)) {
    if (value === undefined || key === content || key === 'kind') continue;
    if (!keys.includes(key)) throw unfitDocument(`'${key}' does not go with '${content}'`);
    if (typeof value !== 'string') throw unfitValue(`${key} of a document`, 'a text', value);
  }
  checkContent(content, given[content]);
  const { format } = given;
  if (format !== undefined && !FORMATS.some(({ name }) => name === format)) {
    throw unfitValue('format of a document', `one of ${FORMATS.map(({ name }) => name).join(', ')}`, format);
  }
  return content;
}

function checkContent(content: Content, value: unknown): void {
  // Quads are looked at where they are read.
  if (content === 'quads') return;
  const isBytes =
    value instanceof Uint8Array || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value);
  const fits = content === 'bytes' ? isBytes : typeof value === 'string';
  if (fits) return;
  throw unfitValue(
    `${content} of a document`,
    content === 'bytes' ? 'bytes or a stream of them' : 'a text',
    value,
    HINT,
  );
}

function unfitDocument(what: string): SvcError {
  return new SvcError('invalid_request', `a document: ${what}`, { hint: HINT });
}
