/** Beginnings of IRIs that a store mints: the namespace and a name behind it. */

import { iriFault } from './formats/term-checks.js';

/** What is wrong with a text as a namespace; null when nothing is. */
export function namespaceFault(text: string): string | null {
  return iriFault(text) ?? iriFault(`${text}name`);
}
