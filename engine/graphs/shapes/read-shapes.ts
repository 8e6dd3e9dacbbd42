/** Documents of shapes as quads: blank nodes of different documents are never the same. */

import { readDocument } from '../../rdf/formats/reader.js';
import { type Quad, terms } from '../../rdf/terms.js';
import type { ShapeSet } from './stored-shapes.js';

export interface ReadShapes {
  readonly quads: readonly Quad[];
  /** Namespace by prefix, as the document declares them. */
  readonly prefixes: Readonly<Record<string, string>>;
}

/** `name` is what messages call the document; its nodes get labels that begin with `scope`. */
export async function readShapes(
  turtle: string,
  name: string,
  scope: string,
  signal?: AbortSignal,
): Promise<ReadShapes> {
  const prefixes: Record<string, string> = {};
  let anonymous = 0;
  const quads = await readDocument(turtle, {
    format: 'turtle',
    sourceName: name,
    signal,
    blankNode: (label) => terms.blankNode(label === null ? `${scope}a${anonymous++}` : `${scope}-${label}`),
    onPrefix: (prefix, namespace) => {
      prefixes[prefix] = namespace;
    },
  });
  return { quads, prefixes };
}

/** The scope of the blank nodes of one of several sets. */
export function scopeOf(at: number): string {
  return `s${at}`;
}

/** The quads of stored sets, in the order of their names. */
export async function readShapeSets(
  sets: readonly Pick<ShapeSet, 'name' | 'turtle'>[],
  signal?: AbortSignal,
): Promise<Quad[]> {
  const quads: Quad[] = [];
  for (const [at, { name, turtle }] of sets.entries()) {
    const read = await readShapes(turtle, `the stored shapes '${name}'`, scopeOf(at), signal);
    for (const quad of read.quads) quads.push(quad);
  }
  return quads;
}
