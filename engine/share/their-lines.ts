/**
 * The ground lines of a verified share as this store would write them: with foreign names rewritten, in order. Triples with blank
 * nodes come apart, as terms. Where there are neither, the bytes go on as they are.
 */

import { createHash } from 'node:crypto';
import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { type Quad, terms } from '../rdf/terms.js';
import { EXPORT_FILE } from './bundle.js';
import type { LinePlaces } from './canonical-reader.js';
import { LineSorter } from './line-sorter.js';
import { objectOf } from './line-terms.js';
import { RDF_TYPE_IRI } from './name-rewrite.js';
import { LineWriter } from './rewritten-lines.js';
import { otherHash, readVerifiedPieces, type VerifiedShare } from './verify-bundle.js';

export class TheirLines {
  /** With canonical labels, as they stand in the share; all of them when the lines were read. */
  readonly blank: Quad[] = [];

  constructor(
    private readonly share: VerifiedShare,
    /** From foreign to local IRI. */
    private readonly targets: ReadonlyMap<string, string>,
    private readonly control: Control,
  ) {}

  read(): AsyncIterable<Uint8Array> {
    if (this.targets.size > 0) return this.#sorted();
    return this.share.manifest.counts.blank_nodes === 0 ? this.#asTheyAre() : this.#withoutBlank();
  }

  async *#asTheyAre(): AsyncGenerator<Uint8Array> {
    const { exportNTriples, manifest } = this.share;
    const { sha256 } = manifest.files[EXPORT_FILE];
    const hash = createHash('sha256');
    for await (const chunk of exportNTriples.chunks()) {
      throwIfStopped(this.control, 'the comparison with the share');
      hash.update(chunk);
      yield chunk;
      await breathe();
    }
    const found = hash.digest('hex');
    if (found !== sha256) throw otherHash(EXPORT_FILE, found, sha256);
  }

  #withoutBlank(): AsyncGenerator<Uint8Array> {
    const { exportNTriples, manifest, shareId } = this.share;
    const writer = new LineWriter(shareId, this.targets);
    const take = (line: LinePlaces) => this.#put(writer, line);
    return readVerifiedPieces(exportNTriples, manifest, this.control, take, writer);
  }

  /** Names that are rewritten stand elsewhere in the order. */
  async *#sorted(): AsyncGenerator<Uint8Array> {
    const sorter = new LineSorter(this.control);
    try {
      for await (const piece of this.#withoutBlank()) if (sorter.add(piece)) await sorter.spill();
      for await (const { bytes } of sorter.sorted()) yield bytes;
    } finally {
      await sorter.close();
    }
  }

  #put(writer: LineWriter, line: LinePlaces): void {
    if (line.subjectBlank === -1 && line.objectBlank === -1) writer.put(line);
    else this.blank.push(this.#quadOf(line));
  }

  #quadOf(line: LinePlaces): Quad {
    const { bytes, start, subjectEnd, predicateStart, predicateEnd, subjectBlank } = line;
    const iri = (from: number, to: number): string => bytes.toString('utf8', from + 1, to - 1);
    const predicate = iri(predicateStart, predicateEnd);
    const subject = subjectBlank === -1 ? this.#local(iri(start, subjectEnd)) : terms.blankNode(labelOf(subjectBlank));
    const object = objectOf(line, labelOf);
    const isName = line.objectKind === 'iri' && predicate !== RDF_TYPE_IRI;
    return terms.quad(subject, terms.namedNode(predicate), isName ? this.#local(object.value) : object);
  }

  #local(iri: string) {
    return terms.namedNode(this.targets.get(iri) ?? iri);
  }
}

function labelOf(number: number): string {
  return `c14n${number}`;
}
