/** What callers give as a bundle, as the request and the document of a write. */

import type { Control } from '../../base/control.js';
import { SvcError, showValue } from '../../base/errors.js';
import { isObject } from '../../base/objects.js';
import { parseSignature, type ShareSignature } from '../../share/bundle.js';
import { canonicalJson } from '../../share/manifest.js';
import type { LoadSource } from '../../storage/seam/engine.js';
import { unfitValue } from '../options/check-options.js';
import type { WriteOptions } from '../options/write-options.js';
import type { ImportShareRequest } from './import-work.js';
import { documentOf, readBundle } from './read-bundle.js';
import { RESOLUTION_DEFAULT, type ResolutionLimits } from './resolve-share.js';

export interface BundleInput {
  /** The manifest, or its JSON text. */
  readonly manifest: object | string;
  /** The triples: their text, their bytes, or the path of their file. */
  readonly exportNTriples: string | Uint8Array | { readonly path: string };
  readonly shapesTurtle: string;
  /** Who vouches for the share. */
  readonly signature?: ShareSignature | undefined;
}

export interface ImportOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {
  /** What the operator calls who it came from; of a directory or an archive by default its name. */
  readonly source?: string | undefined;
  /** Judges a share that is in quarantine again, by the shapes of now. */
  readonly recheck?: boolean | undefined;
  /** How names are compared with what is there. */
  readonly resolution?: ResolutionLimits | undefined;
}

export async function toImport(
  input: string | BundleInput,
  options: ImportOptions,
): Promise<{ readonly request: ImportShareRequest; readonly documents: readonly LoadSource[] }> {
  const { source, recheck = false, resolution = RESOLUTION_DEFAULT } = options;
  if (typeof recheck !== 'boolean') throw unfitValue('recheck', 'true or false', recheck);
  const { name, document, ...texts } = await toBundle(input, options);
  return { request: { ...texts, source: namedSource(source ?? name), recheck, resolution }, documents: [document] };
}

/** A bundle as it goes along with a write. */
export interface BundleParts {
  /** Of its directory or archive. */
  readonly name: string | undefined;
  /** JSON text. */
  readonly manifest: string;
  readonly shapesTurtle: string;
  readonly signature: ShareSignature | null;
  /** The triples. */
  readonly document: LoadSource;
}

export async function toBundle(input: string | BundleInput, control: Control): Promise<BundleParts> {
  if (typeof input === 'string') {
    const { name, manifestText: manifest, exportNTriples: document, ...more } = await readBundle(input, control);
    return { name, manifest, document, ...more };
  }
  if (!isObject(input)) throw unfitValue('bundle', 'a path, or an object with its parts', input);
  const { manifest, exportNTriples, shapesTurtle, signature } = input;
  if (typeof shapesTurtle !== 'string') throw unfitValue('shapesTurtle of a bundle', 'a text', shapesTurtle);
  return {
    name: undefined,
    manifest: manifestTextOf(manifest),
    shapesTurtle,
    signature: signature === undefined || signature === null ? null : parseSignature(JSON.stringify(signature)),
    document: triplesOf(exportNTriples),
  };
}

function manifestTextOf(manifest: unknown): string {
  if (typeof manifest === 'string') return manifest;
  if (isObject(manifest)) return canonicalJson(manifest);
  throw new SvcError('invalid_request', `'manifest' is ${showValue(manifest)}; expected an object, or its JSON text`);
}

function namedSource(source: unknown): string {
  if (typeof source === 'string' && source.trim() !== '') return source;
  throw new SvcError('invalid_request', "missing 'source' parameter", {
    hint: 'name who the share came from, in words of your own',
  });
}

function triplesOf(given: unknown): LoadSource {
  if (typeof given === 'string') return documentOf(new TextEncoder().encode(given));
  if (given instanceof Uint8Array) return documentOf(given);
  if (isObject(given) && typeof given.path === 'string') {
    return { kind: 'file', path: given.path, name: given.path, format: 'ntriples' };
  }
  throw unfitValue('exportNTriples of a bundle', 'a text, bytes, or { path }', given);
}
