/** N-Triples and N-Quads: a canonical line per quad, in the order in which quads come. */

import { quadToLine } from '../../canonical/lines.js';
import { type QuadWriter, refuseNamedGraph } from './quad-writer.js';

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
