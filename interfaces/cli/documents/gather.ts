/** The documents that a command line names, grouped by the transaction that will load them. */

import { SvcError } from '../../../engine/base/errors.js';
import { formatOfName } from '../../../engine/rdf/formats/registry.js';
import { findDocuments } from '../../../engine/service/documents/documents.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import { baseOf } from '../line/base.js';
import { BASE_OF_FILE } from '../line/commands.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';
import { isWebAddress } from './fetch.js';
import type { WebDocuments } from './web-documents.js';

export interface DocumentGroup {
  readonly documents: readonly LoadSource[];
  /** For the line that tells what was done. */
  readonly title: string;
  /** The transaction's source, unless the caller names one. */
  readonly source: string;
}

const STANDARD_INPUT = 'standard input';
/** Longer lists of paths are cut; the source of a transaction is a label. */
const SOURCE_CHARACTERS_MAX = 500;
/** A directory full of other files is told in a screen. */
const SKIPPED_TOLD_MAX = 20;

function nameOf(document: LoadSource): string {
  return document.name ?? (document.kind === 'file' ? document.path : document.kind);
}

function based(source: LoadSource, options: CliOptions): LoadSource {
  if (source.kind !== 'file') return source;
  const baseIri = baseOf(options, source.path);
  return baseIri === undefined ? source : { ...source, baseIri };
}

export async function gatherDocuments(
  words: readonly string[],
  options: CliOptions,
  streams: CliStreams,
  web: WebDocuments,
  signal: AbortSignal | undefined,
): Promise<DocumentGroup[]> {
  const given = textOption(options, 'format');
  const format = given === undefined ? undefined : formatOfName(given);
  if (words.filter((word) => word === '-').length > 1)
    throw new SvcError('usage', 'standard input (-) can be read once only');
  const documents: LoadSource[] = [];
  for (const word of words) {
    if (word === '-') {
      const baseIri = baseOf(options, word);
      const base = baseIri === undefined ? {} : { baseIri };
      documents.push({
        kind: 'bytes',
        bytes: streams.stdin,
        name: STANDARD_INPUT,
        format: format ?? 'turtle',
        ...base,
      });
      continue;
    }
    if (isWebAddress(word)) {
      const document = await web.fetch(word, format, signal);
      const given = textOption(options, 'base') === BASE_OF_FILE ? undefined : baseOf(options, word);
      documents.push(given === undefined ? document : { ...document, baseIri: given });
      continue;
    }
    const found = findDocuments([word], { format, fallbackFormat: 'turtle' });
    documents.push(...found.sources.map((source) => based(source, options)));
    const told = found.skipped.slice(0, SKIPPED_TOLD_MAX);
    for (const { path, reason } of told) streams.stderr.write(`skipped ${path}: ${reason}\n`);
    const more = found.skipped.length - told.length;
    if (more > 0) streams.stderr.write(`skipped ${more} more\n`);
  }
  if (options.each) {
    return documents.map((document) => ({ documents: [document], title: nameOf(document), source: nameOf(document) }));
  }
  const names = words.map((word) => (word === '-' ? STANDARD_INPUT : word));
  const title = names.length === 1 ? (names[0] as string) : `${documents.length} files`;
  return [{ documents, title, source: names.join(', ').slice(0, SOURCE_CHARACTERS_MAX) }];
}
