/**
 * Who may vouch for what (semantics of reasoning, 5.9): `base:VerifierRegistration`s of ROOT, each with a verifier, what it
 * attests, and its keys. They are facts that somebody with the right to write has written; no service registers itself.
 */

import { SvcError, showValue } from '../base/errors.js';
import { getOrInsert } from '../base/maps.js';
import { RDF_NS, terms } from '../rdf/terms.js';
import type { TermId } from '../storage/ids/layout.js';
import { decodeIds, patternOf, ROOT_ONLY, readIds } from '../storage/seam/rows.js';
import { CURRENT, type StorageSnapshot } from '../storage/seam/scan.js';
import { isSigned, type VerdictFields, verdictMessage } from './signatures.js';

export interface VerifierRegistration {
  readonly verifiers: readonly string[];
  readonly attests: readonly string[];
  /** Hex digits, in lower case. */
  readonly publicKeys: readonly string[];
}

const TYPE = terms.namedNode(`${RDF_NS}type`);

export function verifierRegistrations(
  snapshot: StorageSnapshot,
  baseNamespace: string,
): readonly VerifierRegistration[] {
  const idOf = (iri: string) => snapshot.encode(terms.namedNode(iri));
  const [type, kind] = [snapshot.encode(TYPE), idOf(`${baseNamespace}VerifierRegistration`)];
  if (type === null || kind === null) return [];
  const [verifier, attests, publicKey] = ['verifier', 'attests', 'publicKey'].map((name) => idOf(baseNamespace + name));
  const found = [...read(snapshot, { p: type, o: kind }, 's')];
  return found.map((s) => {
    const texts = (p: TermId | null | undefined) =>
      p == null ? [] : decodeIds(snapshot, [...read(snapshot, { s, p }, 'o')]).map(({ value }) => value);
    return {
      verifiers: texts(verifier),
      attests: texts(attests),
      publicKeys: texts(publicKey).map((key) => key.toLowerCase()),
    };
  });
}

function read(snapshot: StorageSnapshot, ids: Parameters<typeof patternOf>[0], column: 's' | 'o'): Generator<TermId> {
  return readIds(snapshot, { graphs: ROOT_ONLY, pattern: patternOf(ids), time: CURRENT }, column);
}

/** Whether one registration is of that verifier and attests that predicate. */
export function isAuthorized(
  registrations: readonly VerifierRegistration[],
  verifier: string,
  predicate: string,
): boolean {
  for (const [name, value] of Object.entries({ verifier, predicate })) {
    if (!/["\\\n\r]/.test(value)) continue;
    throw new SvcError(
      'invalid_request',
      `'${name}' is ${showValue(value)}; it can't hold a quote, backslash or newline`,
    );
  }
  return registrations.some(({ verifiers, attests }) => verifiers.includes(verifier) && attests.includes(predicate));
}

/** Of a verifier the keys of all its registrations. */
export function keysByVerifier(registrations: readonly VerifierRegistration[]): ReadonlyMap<string, readonly string[]> {
  const keys = new Map<string, string[]>();
  for (const { verifiers, publicKeys } of registrations) {
    for (const verifier of verifiers) getOrInsert(keys, verifier, () => []).push(...publicKeys);
  }
  return keys;
}

export interface VerdictTrust {
  readonly signature_valid: boolean;
  readonly verifier_registered: boolean;
  readonly verifier_authorized: boolean;
  readonly trusted: boolean;
}

/** A signature that is none, or of another message, is not valid; it is never an error. */
export function trustInVerdict(
  registrations: readonly VerifierRegistration[],
  verdict: VerdictFields,
  signature: string,
): VerdictTrust {
  const keys = keysByVerifier(registrations).get(verdict.verifier) ?? [];
  const message = verdictMessage(verdict);
  const valid = keys.some((key) => isSigned(message, signature, key));
  const authorized = isAuthorized(registrations, verdict.verifier, verdict.predicate_id);
  return {
    signature_valid: valid,
    verifier_registered: keys.length > 0,
    verifier_authorized: authorized,
    trusted: valid && authorized,
  };
}
