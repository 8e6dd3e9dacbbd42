/** One thing to compare: data, a text over it, and for a query about the past when it asks. */

import { render, type Tree } from '../../../bench/plan-fuzz/tree.js';
import type { Quad } from '../../../engine/rdf/terms.js';
import { libraryReader } from '../../conformance/readers.js';
import { type DataLine, documentOf, PREFIXES } from './data.js';

export interface Moment {
  /** After how many of the transactions that wrote the data; null = now. */
  readonly after: number | null;
  readonly validAt: string | null;
}

export interface Case {
  readonly data: readonly DataLine[];
  readonly text: Tree;
  /** Other engines are expected to agree. */
  readonly common: boolean;
  readonly moment: Moment | null;
}

export function textOf({ text }: Case): string {
  return PREFIXES + render(text);
}

export async function quadsOf(data: readonly DataLine[]): Promise<Quad[]> {
  return libraryReader.parse(new TextEncoder().encode(documentOf(data)), 'trig', 'http://example.org/');
}
