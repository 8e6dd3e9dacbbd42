/** What a writer of one format looks like to `writer.ts`, the refusals that several share, and the simplest writer. */

import { SvcError } from '../../../base/errors.js';
import { quadToLine } from '../../canonical/lines.js';
import type { Quad } from '../../terms.js';
import { describeFormat, type Format } from '../registry.js';

/** Prefix to namespace IRI. */
export type Prefixes = Readonly<Record<string, string>>;

/** Called with quads sorted by graph and subject; each call answers text to be written, often none. */
export interface QuadWriter {
  begin(): string;
  add(quad: Quad): string;
  end(): string;
}

export interface QuadWriterOptions {
  readonly prefixes: Prefixes;
  /** Whether the prefixes are known to be just those in use, so that they can all be declared at the start. */
  readonly prefixesAreUsed: boolean;
}

/** A block is what a writer holds back (a subject with its statements); beyond this it is written in parts. */
export const BLOCK_QUADS_MAX = 50_000;

export function refuseNamedGraph(format: Format, quad: Quad): void {
  if (quad.graph.termType === 'DefaultGraph') return;
  throw new SvcError(
    'unsupported',
    `${describeFormat(format).label} has no named graphs, and a quad is in the graph ${quad.graph.value}`,
    { hint: 'export one graph at a time, or use N-Quads, TriG or JSON-LD' },
  );
}

/** N-Triples and N-Quads: a canonical line per quad, in the order in which quads come. */
export function lineWriter(format: 'ntriples' | 'nquads'): QuadWriter {
  return {
    begin: () => '',
    add: (quad) => {
      if (format === 'ntriples') refuseNamedGraph(format, quad);
      return quadToLine(quad);
    },
    end: () => '',
  };
}
