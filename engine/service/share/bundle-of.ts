/** The bundle that goes along with a write: texts of the request, and the triples as its document. */

import { SvcError } from '../../base/errors.js';
import {
  type ByteSource,
  fileSource,
  memorySource,
  type ShareBundle,
  type ShareSignature,
} from '../../share/bundle.js';
import { parseManifest } from '../../share/manifest.js';
import type { LoadSource } from '../../storage/seam/engine.js';

export interface BundleTexts {
  /** JSON text. */
  readonly manifest: string;
  readonly shapesTurtle: string;
  readonly signature?: ShareSignature | null | undefined;
}

export async function bundleOf(
  { manifest: manifestText, shapesTurtle, signature = null }: BundleTexts,
  documents: readonly LoadSource[],
): Promise<ShareBundle> {
  const manifest = parseManifest(manifestText);
  return { manifest, manifestText, exportNTriples: await sourceOf(documents[0]), shapesTurtle, signature };
}

async function sourceOf(document: LoadSource | undefined): Promise<ByteSource> {
  if (document?.kind === 'file') return fileSource(document.path);
  if (document?.kind === 'bytes' && document.bytes instanceof Uint8Array) return memorySource(document.bytes);
  throw new SvcError('invalid_request', "missing 'export_ntriples' parameter");
}
