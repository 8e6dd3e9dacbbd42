/** A share as one answer: all files as texts, within a bound of bytes. It is a read, and writes nothing. */

import { type Control, throwIfStopped } from '../../base/control.js';
import { SvcError, showValue } from '../../base/errors.js';
import type { AnswerLabels } from '../../graphs/labels/answer-labels.js';
import { collectShare, tooLarge } from '../../share/build-share.js';
import {
  EXPORT_FILE,
  MANIFEST_FILE,
  memorySource,
  SHAPES_FILE,
  type ShareBundle,
  VIEW_FILE,
} from '../../share/bundle.js';
import { isShareId, writeManifest } from '../../share/manifest.js';
import { viewTurtle } from '../../share/view-turtle.js';
import type { EngineQuery } from '../reads/query.js';
import { locatePolicy } from './locate-policy.js';
import { openScope, type ScopeRequest, type ShapesRequest, type SharingStore } from './open-scope.js';

export const SHARE_BYTES_MAX = 8 * 1024 * 1024;

export interface ShareOptions extends ScopeRequest, ShapesRequest, Control {
  /** Id of the share that this one follows; absent = none. Nobody checks that it exists. */
  readonly parent?: string | undefined;
  /** `view.ttl` too: the same triples in Turtle, for people. */
  readonly turtleView?: boolean | undefined;
  /** Bytes of all files together; at most, and by default, 8 MiB. */
  readonly maxBytes?: number | undefined;
  /** The identifier policy; default the file `identifier-policy.json` beside the store, where there is one. */
  readonly identifierPolicy?: string | undefined;
}

/** The texts of the files, by their names. */
export interface SharedFiles {
  readonly [EXPORT_FILE]: string;
  readonly [SHAPES_FILE]: string;
  readonly [MANIFEST_FILE]: string;
  readonly [VIEW_FILE]?: string;
}

export interface SharedBundle extends ShareBundle {
  readonly shareId: string;
  readonly files: SharedFiles;
  /** Of all files together. */
  readonly bytes: number;
  readonly labels: AnswerLabels;
  /** Entries of tier `warn` that matched, with how many texts. */
  readonly warnings: ReadonlyMap<string, number>;
}

export async function shareInMemory(
  store: SharingStore,
  options: ShareOptions,
  query: EngineQuery,
): Promise<SharedBundle> {
  const { parent, turtleView = false, identifierPolicy, signal, flag, onProgress } = options;
  const bytesMax = checkBytesMax(options.maxBytes);
  checkParent(parent);
  const policy = locatePolicy(store.path, identifierPolicy) ?? undefined;
  const control: Control = { signal, flag, onProgress };
  const { input, labels, close } = await openScope(store, options, query);
  try {
    const share = await collectShare(input, { ...control, policy, bytesMax });
    try {
      const kept: Uint8Array[] = [];
      let size = 0;
      const exported = await share.write((bytes) => {
        size += bytes.length;
        if (size <= bytesMax) kept.push(bytes);
      });
      const manifest = share.manifest(exported, parent ?? null);
      const manifestText = writeManifest(manifest);
      const { shapesTurtle, warnings } = share;
      let bytes = size + Buffer.byteLength(shapesTurtle) + Buffer.byteLength(manifestText);
      if (bytes > bytesMax) throw tooLarge(String(bytes), bytesMax);
      const exportNTriples = memorySource(Buffer.concat(kept, size));
      const view = turtleView ? await textOf(viewTurtle(exportNTriples), control) : null;
      bytes += view === null ? 0 : Buffer.byteLength(view);
      if (bytes > bytesMax) throw tooLarge(String(bytes), bytesMax);
      const bundle = { manifest, manifestText, exportNTriples, shapesTurtle, signature: null };
      const files = { ...(await filesOf(bundle, control)), ...(view === null ? {} : { [VIEW_FILE]: view }) };
      return { ...bundle, shareId: manifest.share_id, files, bytes, labels, warnings };
    } finally {
      await share.close();
    }
  } finally {
    close();
  }
}

async function filesOf(bundle: ShareBundle, control: Control): Promise<SharedFiles> {
  return {
    [EXPORT_FILE]: await textOf(bundle.exportNTriples.chunks(), control),
    [SHAPES_FILE]: bundle.shapesTurtle,
    [MANIFEST_FILE]: bundle.manifestText,
  };
}

async function textOf(chunks: AsyncIterable<Uint8Array>, control: Control): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let text = '';
  for await (const chunk of chunks) {
    throwIfStopped(control, 'the share');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

function checkBytesMax(bytesMax: number = SHARE_BYTES_MAX): number {
  if (!Number.isSafeInteger(bytesMax) || bytesMax < 1) {
    throw new SvcError('invalid_request', `'max_bytes' is ${showValue(bytesMax)}; expected a positive integer`);
  }
  if (bytesMax > SHARE_BYTES_MAX) {
    throw new SvcError(
      'invalid_request',
      `'max_bytes' is ${bytesMax}; it may lower the cap of ${SHARE_BYTES_MAX} bytes, never raise it`,
    );
  }
  return bytesMax;
}

export function checkParent(parent: string | undefined): void {
  if (parent === undefined || isShareId(parent)) return;
  throw new SvcError(
    'invalid_request',
    `'parent_share' is ${showValue(parent)}; expected sha256:<64 lower-case hex digits>`,
  );
}
