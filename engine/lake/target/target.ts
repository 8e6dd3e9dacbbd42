/** Where a lake stands: a folder, or a prefix of a bucket. Paths are within it, with `/` between their parts. */

export interface TargetFile {
  /** Returns when more can be taken. */
  write(bytes: Uint8Array): Promise<void>;
  /** The file is there, whole and durable, when this settles. */
  finish(): Promise<void>;
  /** Nothing is left of it. */
  abandon(): Promise<void>;
}

/** What a file was when it was read, for a change that must not meet another. */
export interface ReadFile {
  readonly bytes: Uint8Array;
  readonly version: string;
}

export interface LakeTarget {
  /** As messages call it; no credentials are in it. */
  readonly name: string;
  /** The URI under which tables know it. */
  readonly location: string;
  /** Null: there is no such file. */
  read(path: string): Promise<ReadFile | null>;
  has(path: string): Promise<boolean>;
  /** The bytes of a file, for a check; throws when there is none. */
  stream(path: string): AsyncIterable<Uint8Array>;
  /** A new file; one of that name that was cut off is replaced. */
  create(path: string): Promise<TargetFile>;
  /**
   * Gives a file new content at once: readers see the old or the new. `before` is what was read of it, null when there was
   * none: throws `version_conflict` when it is another now.
   */
  replace(path: string, bytes: Uint8Array, before: ReadFile | null): Promise<void>;
  /** All files, of a folder within it or of the whole. */
  list(folder?: string): AsyncIterable<string>;
  remove(paths: readonly string[]): Promise<void>;
  /** Keeps others from exporting to it, as far as it can; returns what ends that. */
  lock(): Promise<() => Promise<void>>;
  close(): void;
}

/** The same for small files that are written once. */
export async function putFile(target: LakeTarget, path: string, bytes: Uint8Array): Promise<void> {
  const file = await target.create(path);
  try {
    await file.write(bytes);
    await file.finish();
  } catch (error) {
    await file.abandon();
    throw error;
  }
}
