/**
 * The lines of a verified share as a document for the loader: blank nodes get the labels that they are stored under, names
 * that were found are rewritten; where there is nothing of either, the bytes go on as they came.
 */

import { createHash } from 'node:crypto';
import { type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { EXPORT_FILE } from './bundle.js';
import { CanonicalReader, type LinePlaces } from './canonical-reader.js';
import { importedLabel } from './line-terms.js';
import { RDF_TYPE_IRI } from './name-rewrite.js';
import type { VerifiedShare } from './verify-bundle.js';

const TYPE = Buffer.from(`<${RDF_TYPE_IRI}>`);
const PIECE_BYTES = 256 * 1024;

export async function* rewrittenLines(
  { exportNTriples, manifest, shareId }: VerifiedShare,
  targets: ReadonlyMap<string, string>,
  control: Control,
): AsyncGenerator<Uint8Array> {
  const { sha256 } = manifest.files[EXPORT_FILE];
  const hash = createHash('sha256');
  const asItIs = targets.size === 0 && manifest.counts.blank_nodes === 0;
  const writer = new LineWriter(shareId, targets);
  const reader = new CanonicalReader((line) => writer.put(line));
  for await (const chunk of exportNTriples.chunks()) {
    throwIfStopped(control, 'the import of a share');
    hash.update(chunk);
    if (asItIs) {
      yield chunk;
      continue;
    }
    reader.push(chunk);
    yield* writer.full();
  }
  if (!asItIs) {
    reader.end();
    yield* writer.rest();
  }
  // What was verified has to be what is stored.
  if (hash.digest('hex') === sha256) return;
  throw new SvcError('invalid_request', `${EXPORT_FILE} has changed while it was imported`, {
    hint: 'nothing was stored; import it when nobody writes to it',
  });
}

/** Writes lines as this store knows their terms, in pieces. */
export class LineWriter {
  readonly #full: Uint8Array[] = [];
  readonly #targets: ReadonlyMap<string, Buffer>;
  #piece = Buffer.allocUnsafe(PIECE_BYTES);
  #used = 0;

  constructor(
    private readonly shareId: string,
    targets: ReadonlyMap<string, string>,
  ) {
    // By the bytes of both, as they stand in lines.
    const bytes = ([from, to]: [string, string]) => [latin1(`<${from}>`), Buffer.from(`<${to}>`)] as const;
    this.#targets = new Map([...targets].map(bytes));
  }

  put(line: LinePlaces): void {
    const { bytes, start, subjectEnd, predicateStart, predicateEnd, objectStart, objectEnd, end } = line;
    this.#term(bytes, start, subjectEnd, line.subjectBlank, true);
    this.#copy(bytes, subjectEnd, objectStart);
    const isClass = bytes.compare(TYPE, 0, TYPE.length, predicateStart, predicateEnd) === 0;
    this.#term(bytes, objectStart, objectEnd, line.objectBlank, line.objectKind === 'iri' && !isClass);
    this.#copy(bytes, objectEnd, end + 1);
  }

  /** The pieces that are complete. */
  full(): Uint8Array[] {
    return this.#full.splice(0);
  }

  rest(): Uint8Array[] {
    const last = this.#piece.subarray(0, this.#used);
    return [...this.full(), ...(last.length > 0 ? [last] : [])];
  }

  #term(bytes: Buffer, from: number, to: number, blank: number, isName: boolean): void {
    if (blank !== -1) {
      const label = Buffer.from(`_:${importedLabel(this.shareId, blank)}`);
      this.#copy(label, 0, label.length);
      return;
    }
    const target = isName && this.#targets.size > 0 ? this.#targets.get(bytes.toString('latin1', from, to)) : undefined;
    if (target === undefined) this.#copy(bytes, from, to);
    else this.#copy(target, 0, target.length);
  }

  #copy(bytes: Buffer, from: number, to: number): void {
    const length = to - from;
    if (this.#used + length > this.#piece.length) {
      this.#full.push(this.#piece.subarray(0, this.#used));
      this.#piece = Buffer.allocUnsafe(Math.max(PIECE_BYTES, length));
      this.#used = 0;
    }
    bytes.copy(this.#piece, this.#used, from, to);
    this.#used += length;
  }
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
