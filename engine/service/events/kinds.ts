/**
 * Types of events (semantics of graphs, 10.2). Those that follow from the changes of a transaction have a place in the
 * list of derived kinds; the log records hold their numbers in this order, so it never changes.
 */

/** The places of the derived kinds in a count. */
export const KIND = { typeNew: 0, predicateNew: 1, entity: 2, edgeAdded: 3, edgeRetracted: 4 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];
export const KINDS: readonly Kind[] = [0, 1, 2, 3, 4];

/** The types that events of a kind may have. */
export const TYPES_OF_KIND: readonly (readonly string[])[] = [
  ['type.new'],
  ['predicate.new'],
  ['entity.added', 'entity.updated'],
  ['edge.added'],
  ['edge.retracted'],
];

export const EPISODE_INGESTED = 'episode.ingested';
export const WRITE_REFUSED = 'write.refused';
export const EVENT_SCHEMA = 'svc.event/v1';

/** Stands in the log records: before the derived events. */
const IN_RECORDS: ReadonlySet<string> = new Set([EPISODE_INGESTED, ...TYPES_OF_KIND.flat()]);

/** Whether an event of the type has to be looked for in the records of transactions. */
export function standsInRecords(type: string): boolean {
  return IN_RECORDS.has(type);
}
