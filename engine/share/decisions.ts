/**
 * Conflicts of a merge as people decide them (semantics text 6.10): a document with one decision for each, which the merge
 * writes with `resolution: null` and takes back with a choice. Values are canonical N-Triples terms.
 */

import { createHash } from 'node:crypto';
import { SvcError, showValue } from '../base/errors.js';
import { isObject } from '../base/objects.js';
import { parseStrictJson } from './strict-json.js';

export type Resolution = 'ours' | 'theirs' | 'base' | { readonly values: readonly string[] };

/** One subject and predicate with more values than a shape allows. */
export interface Conflict {
  readonly id: string;
  readonly subject: string;
  readonly predicate: string;
  readonly max_count: number;
  readonly base: readonly string[];
  readonly ours: readonly string[];
  readonly theirs: readonly string[];
}

export interface Decision extends Conflict {
  readonly resolution: Resolution | null;
}

export interface DecisionsDocument {
  readonly share_id: string;
  readonly base: string | null;
  readonly decisions: readonly Decision[];
}

export const DECISIONS_FILE = 'merge-decisions.json';
const CHARACTERS_MAX = 256 * 1024 * 1024;
const DEPTH_MAX = 16;
const ID_DIGITS = 16;
const NAMED_MAX = 3;

/** Of canonical terms. */
export function decisionId(subject: string, predicate: string): string {
  return createHash('sha256')
    .update(subject + predicate, 'utf8')
    .digest('hex')
    .slice(0, ID_DIGITS);
}

export function undecided(shareId: string, base: string | null, conflicts: readonly Conflict[]): DecisionsDocument {
  const decisions = conflicts.map((conflict) => ({ ...conflict, resolution: null }));
  return { share_id: shareId, base, decisions };
}

export function writeDecisions(document: DecisionsDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** By the ids of their conflicts; of a document for this share. */
export type Resolutions = ReadonlyMap<string, Resolution>;

/** What was decided, from the text of the document; only share id, ids and resolutions are looked at. */
export function parseDecisions(text: string, shareId: string): Resolutions {
  const value = parseStrictJson(text, { name: 'the decisions', charactersMax: CHARACTERS_MAX, depthMax: DEPTH_MAX });
  if (!isObject(value)) throw refusal(`they are ${showValue(value)}; expected an object with share_id and decisions`);
  if (value.share_id !== shareId) {
    throw refusal(`they are for the share ${showValue(value.share_id)}, and this is ${shareId}`);
  }
  if (!Array.isArray(value.decisions)) {
    throw refusal(`'decisions' is ${showValue(value.decisions)}; expected a list`);
  }
  const resolutions = new Map<string, Resolution>();
  for (const [at, one] of value.decisions.entries()) {
    const where = `decisions[${at}]`;
    if (!isObject(one)) throw refusal(`${where} is ${showValue(one)}; expected an object`);
    const { id, resolution } = one;
    if (typeof id !== 'string') throw refusal(`${where}.id is ${showValue(id)}; expected the id of a conflict`);
    if (resolutions.has(id)) throw refusal(`${where} decides ${id} a second time`);
    resolutions.set(id, resolutionAt(resolution, where));
  }
  return resolutions;
}

const CHOICES = ['ours', 'theirs', 'base'] as const;

function resolutionAt(value: unknown, where: string): Resolution {
  const choice = CHOICES.find((known) => known === value);
  if (choice !== undefined) return choice;
  if (isObject(value) && Object.keys(value).join() === 'values' && Array.isArray(value.values)) {
    const { values } = value;
    if (values.every((one): one is string => typeof one === 'string')) return { values };
  }
  const found = value === null ? 'is not decided: resolution is null' : `.resolution is ${showValue(value)}`;
  throw refusal(`${where}${value === null ? ' ' : ''}${found}; expected "ours", "theirs", "base" or {"values": [...]}`);
}

/** The chosen values of each conflict; refuses when ids are missing or unknown, or when a choice has too many values. */
export function chosenValues(
  conflicts: readonly Conflict[],
  resolutions: Resolutions,
): readonly { readonly conflict: Conflict; readonly values: readonly string[] }[] {
  const ids = new Set(conflicts.map(({ id }) => id));
  const unknown = [...resolutions.keys()].filter((id) => !ids.has(id));
  if (unknown.length > 0) {
    throw refusal(
      `there is no conflict ${listed(unknown)}; the store or the share has changed since they were written`,
    );
  }
  const missing = conflicts.filter(({ id }) => !resolutions.has(id));
  if (missing.length > 0) {
    const named = missing.map(({ id, subject, predicate }) => `${id} (${subject} ${predicate})`);
    throw refusal(`the conflict ${listed(named)} is not decided`);
  }
  return conflicts.map((conflict) => {
    const resolution = resolutions.get(conflict.id) as Resolution;
    const values = [...new Set(typeof resolution === 'string' ? conflict[resolution] : resolution.values)];
    if (values.length > conflict.max_count) {
      const { id, max_count: most } = conflict;
      throw refusal(`the resolution of ${id} has ${values.length} values; at most ${most} are allowed there`);
    }
    return { conflict, values };
  });
}

function listed(names: readonly string[]): string {
  return names.length <= NAMED_MAX ? names.join(', ') : `${names.slice(0, NAMED_MAX).join(', ')}, ...`;
}

/** A mistake in a file that the caller brings with the command. */
function refusal(what: string): SvcError {
  return new SvcError('usage', `the decisions can't be taken: ${what}`, {
    hint: `nothing was written; merge without decisions writes ${DECISIONS_FILE} anew`,
  });
}
