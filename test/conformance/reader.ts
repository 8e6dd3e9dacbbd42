/** What a reader under test offers. */

import type { Format } from '../../engine/rdf/formats/registry.js';
import type { Quad } from '../../engine/rdf/terms.js';

export interface Reader {
  readonly name: string;
  readonly formats: readonly Format[];
  /** Suites that it is held to; absent = all of its formats. */
  readonly suites?: readonly string[];
  /** Written labels as they are; anonymous nodes as anything that no written label can be. */
  parse(bytes: Uint8Array, format: Format, baseIri: string): Promise<Quad[]>;
}
