/** What an answer says of the companions that `inferred: true` put into its default graph (ruling R66). */

import { compareCodePoints } from '../../base/text.js';
import { decodeIds } from '../../storage/seam/rows.js';
import type { AskedGraphs } from './asked-graphs.js';

/** `applied: false` = FROM in the text, or the dataset of the protocol, says which graphs are read. */
export type InferredReport =
  | {
      readonly applied: true;
      /** IRIs of the companions that there are, by code point: the first 100. */
      readonly graphs: readonly string[];
      /** There are more than those. */
      readonly graphsTruncated: boolean;
    }
  | { readonly applied: false; readonly note: string };

/** An answer is no list of graphs: a dataset may have thousands. */
const GRAPHS_MAX = 100;

/** Null = the query did not ask for what was derived. */
export function inferredReport({ snapshot, companions }: AskedGraphs): InferredReport | null {
  if (companions === null) return null;
  if (companions === undefined) return { applied: false, note: 'FROM says which graphs are read' };
  const iris = decodeIds(snapshot, companions).map(({ value }) => value);
  const graphs = iris.sort(compareCodePoints).slice(0, GRAPHS_MAX);
  return { applied: true, graphs, graphsTruncated: graphs.length < iris.length };
}
