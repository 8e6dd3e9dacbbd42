/** What a policy says about a node (semantics of reasoning, 5.3 and 5.7), and how its evidence is hashed. */

/** How sure the service is of what it says: it stands in its own transaction log. */
export const COMMITTED = 'committed';

export const OUTCOMES = ['satisfied', 'unsatisfied', 'unknown'] as const;
export type Outcome = (typeof OUTCOMES)[number];

const FNV_OFFSET = 0xcbf29ce484222325n;
const FNV_PRIME = 0x100000001b3n;

/** FNV-1a of 64 bits over the UTF-8 bytes of a text, as hexadecimal digits (Fowler, Noll, Vo). */
export function fnv1a(text: string): string {
  let hash = FNV_OFFSET;
  for (const byte of Buffer.from(text, 'utf8')) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * FNV_PRIME);
  return `fnv1a:${hash.toString(16).padStart(16, '0')}`;
}
