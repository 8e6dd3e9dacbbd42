/** Traqula's syntax trees back to SPARQL text; its generator stands behind this file only. */

import { Generator } from '@traqula/generator-sparql-1-2';

let generator: Generator | undefined;

export function generateText(query: Parameters<Generator['generate']>[0]): string {
  generator ??= new Generator();
  return generator.generate(query);
}
