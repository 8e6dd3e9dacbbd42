/** A share bundle that a line names, as fields of a request and the document of its triples. */

import { readFile } from 'node:fs/promises';
import type { Control } from '../../../engine/base/control.js';
import { SvcError } from '../../../engine/base/errors.js';
import type { Body } from '../../../engine/service/operations/definition/operation.js';
import { type FoundBundle, readBundle } from '../../../engine/service/share/read-bundle.js';
import { textOf } from '../../../engine/share/archive-reader.js';
import { EXPORT_FILE } from '../../../engine/share/bundle.js';
import type { LoadSource } from '../../../engine/storage/seam/engine.js';
import type { DocumentGroup } from './gather.js';

interface BundleLine {
  readonly words: readonly string[];
  readonly control: Control;
}

/** For a store of this machine: the triples stay where they are. */
export async function foundBundle(
  line: BundleLine,
  request: Body,
): Promise<{ readonly request: Body; readonly group: DocumentGroup }> {
  const bundle = await bundleOf(line);
  const documents = [bundle.exportNTriples];
  return {
    request: withParts(request, bundle),
    group: { documents, title: line.words[0] as string, source: bundle.name },
  };
}

/** For a server, which takes the triples as a text. */
export async function sentBundle(line: BundleLine, request: Body): Promise<Body> {
  const bundle = await bundleOf(line);
  return { ...withParts(request, bundle), export_ntriples: textOf(await bytesOf(bundle.exportNTriples), EXPORT_FILE) };
}

async function bundleOf({ words: [path], control }: BundleLine): Promise<FoundBundle> {
  if (path === undefined) throw new SvcError('usage', 'missing argument: bundle');
  return readBundle(path, control);
}

function withParts(request: Body, { name, manifestText, shapesTurtle, signature }: FoundBundle): Body {
  return {
    source: name,
    ...request,
    manifest: manifestText,
    shapes_turtle: shapesTurtle,
    ...(signature === null ? {} : { signature }),
  };
}

async function bytesOf(document: LoadSource): Promise<Uint8Array> {
  if (document.kind === 'file') return readFile(document.path);
  if (document.kind === 'bytes' && document.bytes instanceof Uint8Array) return document.bytes;
  throw new SvcError('internal', 'invariant broken: the triples of a bundle are a file or bytes');
}
