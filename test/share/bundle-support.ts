/** Bundles as a peer would make them, of Turtle documents. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareCodePoints } from '../../engine/base/text.js';
import { canonize } from '../../engine/rdf/canonical/rdfc.js';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { canonicalTriple } from '../../engine/share/canonical-lines.js';
import { finishManifest, type ManifestFields, type ShareManifest, writeManifest } from '../../engine/share/manifest.js';
import type { BundleInput } from '../../interfaces/library/index.js';

export const EX = 'http://example.org/';
export const PREFIXES = `@prefix ex: <${EX}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . `;
export const PEER = 'urn:svc:store:00000000-0000-4000-8000-00000000000a';

export const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');

export interface MadeBundle extends BundleInput {
  readonly manifest: ShareManifest;
  readonly exportNTriples: string;
}

/** Of lines that are canonical, or are meant not to be; the manifest says what they are. */
export function bundleOfLines(lines: string, more: Partial<ManifestFields> = {}, shapesTurtle = ''): MadeBundle {
  const manifest = finishManifest({
    version: 'v1',
    scope: { kind: 'root', value: null },
    files: {
      'export.nt': { sha256: sha256(lines), bytes: Buffer.byteLength(lines) },
      'shapes.ttl': { sha256: sha256(shapesTurtle), bytes: Buffer.byteLength(shapesTurtle) },
    },
    counts: {
      triples: lines.split('\n').length - 1,
      blank_nodes: new Set(lines.match(/_:c14n[0-9]+/g) ?? []).size,
      shapes: 0,
    },
    shapes: [],
    lineage: { store: PEER, anchor_tx: 1, parent_share: null },
    canonicalization: 'rdfc-1.0+ntriples',
    generator: 'svc-share/1',
    ...more,
  });
  return { manifest, exportNTriples: lines, shapesTurtle };
}

export async function canonicalExport(quads: readonly Quad[]): Promise<string> {
  const { labels } = await canonize(quads);
  const renamed = quads.map(({ subject, predicate, object }) => {
    const named = <Term extends Quad['subject'] | Quad['object']>(term: Term) =>
      term.termType === 'BlankNode' ? terms.blankNode(labels.get(term.value) ?? term.value) : term;
    return canonicalTriple(terms.quad(named(subject) as Quad['subject'], predicate, named(object) as Quad['object']));
  });
  return [...new Set(renamed)]
    .sort(compareCodePoints)
    .map((line) => `${line}\n`)
    .join('');
}

export async function bundleOf(turtle: string, more: Partial<ManifestFields> = {}): Promise<MadeBundle> {
  const quads = await readDocument(PREFIXES + turtle, { format: 'turtle', sourceName: 'share', blankNode: named() });
  return bundleOfLines(await canonicalExport(quads), more);
}

function named() {
  let anonymous = 0;
  return (label: string | null) => terms.blankNode(label ?? `anonymous${anonymous++}`);
}

/** As a directory, which is made. */
export function writeBundle(folder: string, { manifest, exportNTriples, shapesTurtle }: MadeBundle): void {
  mkdirSync(folder);
  writeFileSync(join(folder, 'manifest.json'), writeManifest(manifest));
  writeFileSync(join(folder, 'export.nt'), exportNTriples);
  writeFileSync(join(folder, 'shapes.ttl'), shapesTurtle);
}
