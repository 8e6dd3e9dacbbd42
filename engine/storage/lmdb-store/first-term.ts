/** The first segment of a new store's dictionary: the ROOT graph's IRI as term 1. */

import { invariant } from '../../base/errors.js';
import { ThreadMemory } from '../../kernels/memory.js';
import { placeDatatypes } from '../bulk/datatype-table.js';
import { Epoch, epochLimits } from '../bulk/epoch.js';
import { EpochTerms } from '../bulk/epoch-terms.js';
import { DictionaryReader } from '../dictionary/reader.js';
import { KIND } from '../dictionary/stored-term.js';
import { ROOT_TERM_NUMBER } from '../ids/layout.js';
import type { LmdbFile } from '../lmdb/file.js';
import { FileSink } from '../runs/file-sink.js';
import type { Manifest } from '../runs/manifest.js';

const SCRATCH_BYTES = 4096;

export async function rootSegment(
  file: LmdbFile,
  seed: readonly [bigint, bigint],
  manifest: Manifest,
  iri: string,
): Promise<Manifest> {
  const memory = new ThreadMemory();
  const epoch = new Epoch(memory, epochLimits(0, 64, 64), seed, 1);
  const text = Buffer.from(iri, 'utf8');
  const scratch = memory.allocate(SCRATCH_BYTES);
  const address = memory.allocate(text.length);
  memory.bytes.set(text, address);
  memory.words.set([address, ((KIND.iri << 28) | text.length) >>> 0, 0, 0], scratch >>> 2);
  memory.kernels.hashTerm(seed[0], seed[1], KIND.iri, 0, 0, address, text.length, scratch + 16);
  epoch.addTerm(scratch, scratch + 16, scratch + 64);
  const sink = new FileSink(file, manifest);
  const reader = new DictionaryReader(file, memory, seed);
  const resolved = await new EpochTerms(memory, epoch, sink, false, null).resolve(
    manifest,
    reader,
    undefined,
    placeDatatypes(memory),
  );
  const next = await resolved.finish(manifest);
  sink.flush();
  invariant(next.nextTermNumber === ROOT_TERM_NUMBER + 1, 'the ROOT graph is the first term');
  return next;
}
