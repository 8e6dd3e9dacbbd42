/** Stored sets of SHACL shapes as rows of the registry graph: `<urn:svc:shapes:NAME> svc:storedShapes "JSON"`. */

import { NamedRows } from '../../query/registry/named-rows.js';
import type { StorageSnapshot } from '../../storage/seam/scan.js';

export interface ShapeSet {
  readonly name: string;
  /** The document as it was loaded. */
  readonly turtle: string;
  /** Time label of the transaction that loaded it. */
  readonly loadedAt: string;
  /** Namespace by prefix, as the document declares them; of a prefix that it declares twice the last. */
  readonly prefixes: Readonly<Record<string, string>>;
}

export const STORED_SHAPES = new NamedRows<ShapeSet>('shapes', 'storedShapes', (json) => {
  const { name, turtle, loadedAt, prefixes } = json as ShapeSet;
  const whole = [name, turtle, loadedAt].every((text) => typeof text === 'string');
  return whole && typeof prefixes === 'object' ? { name, turtle, loadedAt, prefixes } : null;
});

/** Prefixes that the loaded sets declare, for names in requests (ruling R30); of sets that differ the first by name counts. */
export function declaredPrefixes(snapshot: StorageSnapshot): ReadonlyMap<string, string> {
  const declared = new Map<string, string>();
  for (const { prefixes } of STORED_SHAPES.all(snapshot)) {
    for (const [prefix, namespace] of Object.entries(prefixes)) {
      if (!declared.has(prefix)) declared.set(prefix, namespace);
    }
  }
  return declared;
}
