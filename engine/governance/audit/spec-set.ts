/** Sigma: the policies of a store that judge actions, by the id under which traces cite them (semantics of reasoning, 5.10). */

import { localName } from '../../validate/likeness.js';
import { type GovernanceReader, type GovernanceRecord, LABEL } from '../records.js';

export interface SpecEntry {
  readonly id: string;
  readonly class: string | null;
  readonly point: string | null;
  /** Absent means deny, as at the gate. */
  readonly effect: string;
  readonly layer: string | null;
  readonly inherited: boolean;
}

export type SpecSet = ReadonlyMap<string, SpecEntry>;

const FIELDS = ['constraintClass', 'verificationPoint', 'effect', 'hostedAtLayer', 'inheritedByDelegates'] as const;
type Fields = Partial<Record<(typeof FIELDS)[number], string>>;

/** In the order of the ids. Of policies with one id the first that has a value for a field gives it. */
export function specSet(reader: GovernanceReader): SpecSet {
  const byId = new Map<string, Fields>();
  for (const policy of reader.ofClass('Policy')) {
    if (!policy.all('boundary').includes('action')) continue;
    const id = idOf(policy);
    const fields = byId.get(id) ?? {};
    for (const name of FIELDS) {
      const value = policy.one(name);
      if (value !== null) fields[name] ??= value;
    }
    byId.set(id, fields);
  }
  const ids = [...byId.keys()].sort();
  return new Map(ids.map((id) => [id, entryOf(id, byId.get(id) as Fields)]));
}

const idOf = (policy: GovernanceRecord): string => policy.one(LABEL) ?? localName(policy.node);

function entryOf(id: string, fields: Fields): SpecEntry {
  return {
    id,
    class: fields.constraintClass ?? null,
    point: fields.verificationPoint ?? null,
    effect: fields.effect ?? 'deny',
    layer: fields.hostedAtLayer ?? null,
    inherited: isTrue(fields.inheritedByDelegates ?? null),
  };
}

/** Of the lexical forms of xsd:boolean. */
export const isTrue = (text: string | null): boolean => text === 'true' || text === '1';
