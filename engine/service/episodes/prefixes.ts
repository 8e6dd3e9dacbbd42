/** The prefixes that types and relations of an episode may use (ruling R30) besides those that everybody knows: those of loaded shapes. */

import { declaredPrefixes } from '../../graphs/shapes/stored-shapes.js';
import type { Prefix } from '../../rdf/curies.js';
import type { StorageEngine } from '../../storage/seam/engine.js';
import { lookInto } from '../../storage/seam/rows.js';
import type { Episode } from './episode.js';

/** Of loaded shapes; they are looked at only where the episode uses some prefix. */
export function prefixesOfShapes(engine: StorageEngine, { nodes, edges }: Episode): Prefix[] {
  const tokens = [...entriesOf(nodes).map((node) => node?.type), ...entriesOf(edges).map((edge) => edge?.relation)];
  if (!tokens.some((token) => typeof token === 'string' && /^[^<:]*:/.test(token))) return [];
  const declared = lookInto(engine.snapshot(), declaredPrefixes);
  return [...declared].map(([name, namespace]) => ({ name, namespace }));
}

/** What was given has not been checked yet. */
function entriesOf<Entry>(list: readonly Entry[] | null | undefined): readonly (Entry | null)[] {
  return Array.isArray(list) ? list : [];
}
