/** What was decided of pairs of entities: checked against the graphs, in one order, with a hash that says all of it. */

import { SvcError } from '../../base/errors.js';
import { isObject } from '../../base/objects.js';
import { compareCodePoints } from '../../base/text.js';
import { terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import { exactly } from '../../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../../storage/seam/scan.js';
import { toIri } from '../facts/entity.js';
import { checkedText } from '../options/write-options.js';
import { alignedGraph, type GraphPair, sha256Hex } from './pair.js';
import { ALIGNMENT_VERDICTS, type AlignmentVerdict } from './verdicts.js';

export interface AlignmentDecision {
  readonly left: string;
  readonly right: string;
  readonly verdict: AlignmentVerdict;
  readonly note?: string | null | undefined;
}

export interface DecidedPair {
  readonly left: string;
  readonly right: string;
  readonly verdict: AlignmentVerdict;
  readonly note: string | null;
}

/** Decisions by the IRIs of their pairs, or a refusal; nothing of a store is looked at. `name`: what the request calls them. */
export function checkDecisions(given: unknown, name: string): readonly DecidedPair[] {
  if (!Array.isArray(given) || given.length === 0) {
    throw new SvcError('invalid_request', `'${name}' is ${Array.isArray(given) ? 'empty' : 'no list'}`, {
      hint: 'give one decision at least: {"left", "right", "verdict": "accept" or "negate"}',
    });
  }
  const decisions = given.map((one, at) => checkDecision(one, `${name}[${at}]`));
  const sorted = decisions.sort((a, b) => compareCodePoints(a.left, b.left) || compareCodePoints(a.right, b.right));
  const accepted = { left: new Map<string, string>(), right: new Map<string, string>() };
  for (const [at, { left, right, verdict }] of sorted.entries()) {
    const before = sorted[at - 1];
    if (before?.left === left && before.right === right) {
      const how = before.verdict === verdict ? 'twice' : 'both ways';
      throw new SvcError('invalid_request', `${name}: the pair <${left}> <${right}> is decided ${how}`);
    }
    if (verdict === 'negate') continue;
    checkOnePartner(accepted.left, left, right, name);
    checkOnePartner(accepted.right, right, left, name);
  }
  return sorted;
}

function checkDecision(given: unknown, place: string): DecidedPair {
  if (!isObject(given)) throw new SvcError('invalid_request', `${place} is no object`);
  const { left, right, verdict, note } = given as Partial<Record<keyof AlignmentDecision, unknown>>;
  const pair = { left: toIri(left, `${place}.left`).value, right: toIri(right, `${place}.right`).value };
  if (!ALIGNMENT_VERDICTS.includes(verdict as AlignmentVerdict)) {
    throw new SvcError('invalid_request', `${place}.verdict is ${JSON.stringify(verdict)}; expected accept or negate`);
  }
  if (pair.left === pair.right) {
    throw new SvcError('invalid_request', `${place}: <${pair.left}> stands on both sides, and is one entity already`);
  }
  return {
    ...pair,
    verdict: verdict as AlignmentVerdict,
    note: checkedText(note ?? undefined, `${place}.note`) ?? null,
  };
}

function checkOnePartner(partners: Map<string, string>, one: string, partner: string, name: string): void {
  const before = partners.get(one);
  if (before !== undefined) {
    throw new SvcError('invalid_request', `${name}: <${one}> is accepted with two: <${before}> and <${partner}>`, {
      hint: 'accept the one that is meant, and negate the other',
    });
  }
  partners.set(one, partner);
}

/** Refuses an entity that has no fact in its graph. */
export function checkEntities(snapshot: StorageSnapshot, pair: GraphPair, decided: readonly DecidedPair[]): void {
  for (const side of ['left', 'right'] as const) {
    const graph = alignedGraph(snapshot, pair[side]);
    const without = decided.find((one) => !hasFacts(snapshot, graph, one[side]));
    if (without === undefined) continue;
    throw new SvcError('not_found_in_store', `entity not found: ${without[side]} has no fact in <${pair[side]}>`);
  }
}

function hasFacts(snapshot: StorageSnapshot, graph: TermId, iri: string): boolean {
  const s = snapshot.encode(terms.namedNode(iri));
  if (s === null) return false;
  return snapshot.count({ graphs: { kind: 'one', graph }, pattern: { s: exactly(s) }, time: CURRENT }) > 0;
}

/** The second half of a version: of the decisions, one line each. */
export function decisionHash(decided: readonly DecidedPair[]): string {
  return sha256Hex(decided.map(({ left, right, verdict }) => `${left}|${right}|${verdict}\n`).join(''));
}
