/**
 * Writes a share to where bundles travel: a directory, as git keeps it, or an archive. A place that already holds a share
 * of the same store and scope is its parent (semantics text 6.5): built with the parent of that one, an equal id means that
 * nothing has changed, and nothing is written; otherwise the new share names that one as its parent.
 *
 * Everything is written under temporary names, flushed, and renamed; the manifest of a directory comes last. Of a
 * directory that was left between two renames, hashes and files differ: nobody accepts it, and the next share mends it.
 */

import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Control, throwIfStopped } from '../base/control.js';
import { fromSystemError, SvcError } from '../base/errors.js';
import { ARCHIVE_ENDING, readArchive, writeArchive } from './archive.js';
import type { CollectedShare } from './build-share.js';
import {
  type ByteSource,
  EXPORT_FILE,
  fileSource,
  MANIFEST_FILE,
  SHAPES_FILE,
  type ShareBundle,
  type ShareSignature,
  SIGNATURE_FILE,
  VIEW_FILE,
  writeSignature,
} from './bundle.js';
import { parseManifest, type ShareManifest, shareIdOf, writeManifest } from './manifest.js';
import { viewTurtle } from './view-turtle.js';

export interface WriteShareOptions extends Control {
  /** Absent = the share that stands there, if it is of the same store and scope. */
  readonly parent?: string | undefined;
  readonly turtleView?: boolean | undefined;
  readonly sign?: ((shareId: string) => ShareSignature) | undefined;
}

export interface WrittenShare {
  readonly manifest: ShareManifest;
  /** The same share stands there already. */
  readonly unchanged: boolean;
  /** A share of another store or scope stood there, or something that is none: it has no say in the lineage. */
  readonly replaced: boolean;
  readonly signature: ShareSignature | null;
}

/** What stands at the place. */
interface Before {
  readonly manifest: ShareManifest | null;
  /** Something is there, whatever it is. */
  readonly exists: boolean;
  /** Its files are those that the manifest vouches for. */
  readonly isWhole: boolean;
  readonly hasSignature: boolean;
  readonly hasView: boolean;
}

export function isArchivePath(path: string): boolean {
  return path.endsWith(ARCHIVE_ENDING);
}

export async function writeShare(
  share: CollectedShare,
  path: string,
  options: WriteShareOptions = {},
): Promise<WrittenShare> {
  const target = resolve(path);
  const folder = isArchivePath(target) ? dirname(target) : target;
  const draft = new Draft(folder);
  try {
    await mkdir(folder, { recursive: true });
    const before = isArchivePath(target) ? await archiveBefore(target, options) : await directoryBefore(target);
    const exported = await draft.write(EXPORT_FILE, (take) => share.write(take));
    const manifest = settled(share, exported, before, options.parent);
    const unchanged = before.isWhole && before.manifest?.share_id === manifest.share_id;
    const signature = options.sign?.(manifest.share_id) ?? null;
    const replaced = before.exists && !isOf(share, before.manifest);
    const written = { manifest, unchanged, replaced, signature };
    if (isArchivePath(target)) await putArchive(draft, target, share, written, before, options);
    else await putDirectory(draft, target, share, written, before, options);
    return written;
  } catch (error) {
    throw fromSystemError(error, `writing the share to ${path}`);
  } finally {
    await draft.discard();
  }
}

function isOf(share: CollectedShare, manifest: ShareManifest | null): boolean {
  if (manifest === null || manifest.lineage.store !== share.store) return false;
  const { kind, value } = manifest.scope;
  return kind === share.scope.kind && value === share.scope.value;
}

/** The manifest by the parent that was given, or by the share that stands there. */
function settled(
  share: CollectedShare,
  exported: Parameters<CollectedShare['manifest']>[0],
  before: Before,
  parent: string | undefined,
): ShareManifest {
  if (parent !== undefined) return share.manifest(exported, parent);
  if (before.manifest === null || !isOf(share, before.manifest)) return share.manifest(exported, null);
  const again = share.manifest(exported, before.manifest.lineage.parent_share);
  return again.share_id === before.manifest.share_id ? again : share.manifest(exported, before.manifest.share_id);
}

const NOTHING: Before = { manifest: null, exists: false, isWhole: false, hasSignature: false, hasView: false };

async function directoryBefore(folder: string): Promise<Before> {
  const text = await textOrNull(join(folder, MANIFEST_FILE));
  if (text === null) return NOTHING;
  const manifest = validManifest(text);
  if (manifest === null) return { ...NOTHING, exists: true };
  let isWhole = text === writeManifest(manifest);
  for (const name of [EXPORT_FILE, SHAPES_FILE] as const) {
    isWhole &&= (await hashOf(join(folder, name))) === manifest.files[name].sha256;
  }
  const [hasSignature, hasView] = await Promise.all([
    exists(join(folder, SIGNATURE_FILE)),
    exists(join(folder, VIEW_FILE)),
  ]);
  return { manifest, exists: true, isWhole, hasSignature, hasView };
}

async function archiveBefore(path: string, control: Control): Promise<Before> {
  if (!(await exists(path))) return NOTHING;
  try {
    const { manifestText, signature } = await readArchive(createReadStream(path), control);
    const manifest = validManifest(manifestText);
    // Whether it is whole to the byte shows when the new one has been packed.
    return { manifest, exists: true, isWhole: manifest !== null, hasSignature: signature !== null, hasView: true };
  } catch (error) {
    if (error instanceof SvcError && error.code === 'aborted') throw error;
    return { ...NOTHING, exists: true };
  }
}

function validManifest(text: string): ShareManifest | null {
  try {
    const manifest = parseManifest(text);
    return shareIdOf(manifest) === manifest.share_id ? manifest : null;
  } catch {
    return null;
  }
}

async function putDirectory(
  draft: Draft,
  folder: string,
  share: CollectedShare,
  { manifest, unchanged, signature }: WrittenShare,
  before: Before,
  { turtleView, ...control }: WriteShareOptions,
): Promise<void> {
  const wantsView = turtleView === true && !(unchanged && before.hasView);
  if (wantsView) await draft.copy(VIEW_FILE, viewTurtle(await draft.source(EXPORT_FILE)), control);
  if (signature !== null) await draft.text(SIGNATURE_FILE, writeSignature(signature));
  if (!unchanged) {
    await draft.text(SHAPES_FILE, share.shapesTurtle);
    await draft.text(MANIFEST_FILE, writeManifest(manifest));
    // What was derived of the share before, or said of it, is not of this one.
    if (before.hasView && !wantsView) await rm(join(folder, VIEW_FILE), { force: true });
    if (before.hasSignature && signature === null) await rm(join(folder, SIGNATURE_FILE), { force: true });
    for (const name of [EXPORT_FILE, SHAPES_FILE]) await draft.put(name, join(folder, name));
  }
  if (wantsView) await draft.put(VIEW_FILE, join(folder, VIEW_FILE));
  if (signature !== null) await draft.put(SIGNATURE_FILE, join(folder, SIGNATURE_FILE));
  if (!unchanged) await draft.put(MANIFEST_FILE, join(folder, MANIFEST_FILE));
  await syncFolder(folder);
}

async function putArchive(
  draft: Draft,
  path: string,
  share: CollectedShare,
  { manifest, unchanged, signature }: WrittenShare,
  before: Before,
  { turtleView, ...control }: WriteShareOptions,
): Promise<void> {
  if (unchanged && turtleView !== true && (signature === null || before.hasSignature)) return;
  const exportNTriples = await draft.source(EXPORT_FILE);
  if (turtleView === true) await draft.copy(VIEW_FILE, viewTurtle(exportNTriples), control);
  const bundle: ShareBundle = {
    manifest,
    manifestText: writeManifest(manifest),
    exportNTriples,
    shapesTurtle: share.shapesTurtle,
    signature,
  };
  const view = { viewTurtle: turtleView === true ? await draft.source(VIEW_FILE) : null };
  await draft.copy(basename(path), writeArchive(bundle, view, control), control);
  await draft.put(basename(path), path);
  await syncFolder(dirname(path));
}

/** Files under temporary names, until they are put where they belong. */
class Draft {
  readonly #suffix = `.${randomUUID().slice(0, 8)}.tmp`;
  readonly #names = new Set<string>();

  constructor(private readonly folder: string) {}

  #path(name: string): string {
    return join(this.folder, `.${name}${this.#suffix}`);
  }

  async write<Result>(
    name: string,
    fill: (take: (bytes: Uint8Array) => Promise<void>) => Promise<Result>,
  ): Promise<Result> {
    this.#names.add(name);
    const file: FileHandle = await open(this.#path(name), 'wx', 0o644);
    try {
      const result = await fill(async (bytes) => {
        await file.writeFile(bytes);
      });
      await file.sync();
      return result;
    } finally {
      await file.close();
    }
  }

  text(name: string, text: string): Promise<void> {
    return this.write(name, (take) => take(Buffer.from(text)));
  }

  copy(name: string, chunks: AsyncIterable<Uint8Array>, control: Control): Promise<void> {
    return this.write(name, async (take) => {
      for await (const chunk of chunks) {
        throwIfStopped(control, 'writing the share');
        await take(chunk);
      }
    });
  }

  source(name: string): Promise<ByteSource> {
    return fileSource(this.#path(name));
  }

  async put(name: string, path: string): Promise<void> {
    await rename(this.#path(name), path);
    this.#names.delete(name);
  }

  async discard(): Promise<void> {
    for (const name of this.#names) await rm(this.#path(name), { force: true });
  }
}

async function textOrNull(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Hex digits; null where there is no such file. */
async function hashOf(path: string): Promise<string | null> {
  if (!(await exists(path))) return null;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}

/** So that the new names outlast a loss of power. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
