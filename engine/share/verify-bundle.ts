/**
 * Verifies a share bundle before anything of it counts (semantics text 6.8 A): its manifest is of this version and has the
 * id that follows from it, its files have the hashes and lengths that the manifest names, its triples are canonical, sorted,
 * each there once, and as many as the manifest says. Reads the triples once, as they come, and keeps their names.
 */

import { createHash } from 'node:crypto';
import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { SvcError } from '../base/errors.js';
import { type ByteSource, EXPORT_FILE, SHAPES_FILE, type ShareBundle } from './bundle.js';
import { CanonicalReader, type LinePlaces } from './canonical-reader.js';
import { checkManifest, type PayloadFile, type ShareManifest, shareIdOf } from './manifest.js';
import { ShareNames } from './share-names.js';

export interface VerifiedShare {
  readonly manifest: ShareManifest;
  readonly shareId: string;
  /** The triples, to be read again; `readVerified` says when they have changed. */
  readonly exportNTriples: ByteSource;
  /** Subjects, labels and words. */
  readonly names: ShareNames;
}

const WHAT = 'the verification of the share';
const REPORT_MS = 100;

export async function verifyBundle(bundle: ShareBundle, control: Control = {}): Promise<VerifiedShare> {
  const manifest = checkManifest(bundle.manifest);
  const shareId = shareIdOf(manifest);
  if (manifest.share_id !== shareId) {
    throw refusal(`its manifest says the share id ${manifest.share_id}, and its fields give ${shareId}`);
  }
  checkShapes(manifest, bundle.shapesTurtle);
  const { triples, blank_nodes: blankNodes } = manifest.counts;
  const { bytes } = manifest.files[EXPORT_FILE];
  if (bundle.exportNTriples.bytes !== bytes) throw otherLength(EXPORT_FILE, bundle.exportNTriples.bytes, bytes);
  // Before anything is kept by their numbers: each triple names two blank nodes at most.
  if (blankNodes > 2 * triples) throw refusal(`${triples} triples can't name ${blankNodes} blank nodes`);
  if (triples > bytes) throw refusal(`${bytes} bytes can't hold ${triples} triples`);
  const names = new ShareNames();
  const labels = new LabelSet(blankNodes);
  const lines = await readVerified(bundle.exportNTriples, manifest, control, (line) => {
    names.take(line);
    if (line.subjectBlank !== -1) labels.add(line.subjectBlank);
    if (line.objectBlank !== -1) labels.add(line.objectBlank);
  });
  if (lines !== triples) throw refusal(`${EXPORT_FILE} has ${lines} triples, and the manifest says ${triples}`);
  labels.check();
  return { manifest, shareId, exportNTriples: bundle.exportNTriples, names };
}

/** Reads the triples of a share, gives how many there are; refuses bytes that are not those of the manifest, after the last line. */
export async function readVerified(
  source: ByteSource,
  manifest: Pick<ShareManifest, 'files'>,
  control: Control,
  take: (line: LinePlaces) => void,
): Promise<number> {
  const reading = readVerifiedPieces(source, manifest, control, take, NO_PIECES);
  for (;;) {
    const { done, value } = await reading.next();
    if (done === true) return value;
  }
}

/** What is made of lines on the way. */
export interface LinePieces {
  /** Those that are complete. */
  full(): readonly Uint8Array[];
  /** After the last line. */
  rest(): readonly Uint8Array[];
}

const NO_PIECES: LinePieces = { full: () => [], rest: () => [] };

/** The same; what is made of the lines is handed on as they are read. */
export async function* readVerifiedPieces(
  source: ByteSource,
  { files }: Pick<ShareManifest, 'files'>,
  control: Control,
  take: (line: LinePlaces) => void,
  pieces: LinePieces,
): AsyncGenerator<Uint8Array, number> {
  const { bytes, sha256 } = files[EXPORT_FILE];
  const hash = createHash('sha256');
  const reader = new CanonicalReader(take);
  const begun = performance.now();
  let [read, reported] = [0, begun];
  for await (const chunk of source.chunks()) {
    read += chunk.length;
    // A file may grow while it is read.
    if (read > bytes) throw otherLength(EXPORT_FILE, read, bytes);
    hash.update(chunk);
    reader.push(chunk);
    yield* pieces.full();
    throwIfStopped(control, WHAT);
    const now = performance.now();
    if (now - reported < REPORT_MS) continue;
    reported = now;
    control.onProgress?.({
      phase: 'read',
      done: reader.lines,
      bytesRead: read,
      bytesTotal: bytes,
      elapsedMs: now - begun,
    });
    await breathe();
  }
  reader.end();
  if (read !== bytes) throw otherLength(EXPORT_FILE, read, bytes);
  const found = hash.digest('hex');
  if (found !== sha256) throw otherHash(EXPORT_FILE, found, sha256);
  yield* pieces.rest();
  return reader.lines;
}

function checkShapes({ files }: ShareManifest, text: string): void {
  const { bytes, sha256 } = files[SHAPES_FILE];
  const content = Buffer.from(text, 'utf8');
  if (content.length !== bytes) throw otherLength(SHAPES_FILE, content.length, bytes);
  const found = createHash('sha256').update(content).digest('hex');
  if (found !== sha256) throw otherHash(SHAPES_FILE, found, sha256);
}

/** The numbers of canonical labels: all below their count, and none left out. */
class LabelSet {
  readonly #seen: Uint8Array;
  #count = 0;

  constructor(private readonly expected: number) {
    this.#seen = new Uint8Array(Math.ceil(expected / 8));
  }

  add(label: number): void {
    if (label >= this.expected) {
      throw refusal(
        `${EXPORT_FILE} names _:c14n${label}, and the manifest says that there are ${this.expected} blank nodes`,
      );
    }
    const [byte, bit] = [label >>> 3, 1 << (label & 7)];
    if (((this.#seen[byte] as number) & bit) !== 0) return;
    this.#seen[byte] = (this.#seen[byte] as number) | bit;
    this.#count++;
  }

  check(): void {
    if (this.#count === this.expected) return;
    throw refusal(`${EXPORT_FILE} has ${this.#count} blank nodes, and the manifest says ${this.expected}`);
  }
}

function otherLength(file: PayloadFile, found: number, expected: number): SvcError {
  return refusal(`${file} has ${found} bytes, and the manifest says ${expected}`);
}

export function otherHash(file: PayloadFile, found: string, expected: string): SvcError {
  return refusal(`${file} has the SHA-256 ${found}, and the manifest says ${expected}`);
}

function refusal(what: string): SvcError {
  return new SvcError('invalid_request', `the share is not what its manifest says: ${what}`, {
    hint: 'nothing was stored; get the bundle again from who made it',
  });
}
