/**
 * The catalogue of identifiers that must not leave with a share (semantics text 6.6): a file of the operator, no facts of
 * the store, so that no write can weaken it. Version 1: entries of tier `block` or `warn`, each a literal, an expression of
 * ECMAScript, or the beginning of IRIs. No message about it holds a pattern.
 */

import { readFileSync } from 'node:fs';
import { SvcError } from '../base/errors.js';
import { isObject } from '../base/objects.js';
import { parseStrictJson } from './strict-json.js';

export const POLICY_FILE = 'identifier-policy.json';
const VERSION = 1;
const TIERS = ['block', 'warn'] as const;
const MATCHES = ['literal', 'regex', 'iri_prefix'] as const;
const CHARACTERS_MAX = 16 * 1024 * 1024;
const ENTRIES_MAX = 10_000;

export interface PolicyEntry {
  readonly id: string;
  readonly tier: (typeof TIERS)[number];
  readonly match: (typeof MATCHES)[number];
  readonly pattern: string;
}

export interface IdentifierPolicy {
  readonly path: string;
  readonly entries: readonly PolicyEntry[];
}

/** Whether it blocks anything: a catalogue that only warns protects nobody. */
export function hasBlock({ entries }: IdentifierPolicy): boolean {
  return entries.some(({ tier }) => tier === 'block');
}

export function readIdentifierPolicy(path: string): IdentifierPolicy {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    throw policyRefusal(path, `it can't be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
  return { path, entries: parseEntries(text, path) };
}

function parseEntries(text: string, path: string): readonly PolicyEntry[] {
  let parsed: unknown;
  try {
    parsed = parseStrictJson(text, { name: POLICY_FILE, charactersMax: CHARACTERS_MAX, depthMax: 16 });
  } catch {
    // The message of a JSON error quotes the text.
    throw policyRefusal(path, 'it is not JSON, or a key stands twice');
  }
  if (!isObject(parsed)) throw policyRefusal(path, 'it is not a JSON object');
  if (parsed.version !== VERSION) throw policyRefusal(path, `'version' is not ${VERSION}`);
  const { entries } = parsed;
  if (!Array.isArray(entries)) throw policyRefusal(path, "'entries' is not an array");
  if (entries.length > ENTRIES_MAX) throw policyRefusal(path, `it has more than ${ENTRIES_MAX} entries`);
  const ids = new Set<string>();
  return entries.map((entry: unknown, at) => {
    const where = `entries[${at}]`;
    if (!isObject(entry)) throw policyRefusal(path, `${where} is not an object`);
    const { id, tier, match, pattern } = entry;
    if (typeof id !== 'string' || !/^[^\p{Cc}]{1,200}$/u.test(id))
      throw policyRefusal(path, `${where}.id is not a name`);
    if (ids.has(id)) throw policyRefusal(path, `${where}.id stands there twice`);
    ids.add(id);
    if (!isOneOf(TIERS, tier)) throw policyRefusal(path, `${where}.tier is not one of ${TIERS.join(', ')}`);
    if (!isOneOf(MATCHES, match)) throw policyRefusal(path, `${where}.match is not one of ${MATCHES.join(', ')}`);
    if (typeof pattern !== 'string' || pattern === '') throw policyRefusal(path, `${where}.pattern is empty`);
    if (match === 'regex' && !isExpression(pattern)) {
      throw policyRefusal(path, `${where}.pattern is no regular expression of ECMAScript with the flag u`);
    }
    return { id, tier, match, pattern };
  });
}

function isOneOf<Word extends string>(words: readonly Word[], value: unknown): value is Word {
  return words.some((word) => word === value);
}

function isExpression(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

export function policyRefusal(path: string, what: string): SvcError {
  return new SvcError('identifier_policy', `the identifier policy ${path} is not valid: ${what}; nothing is shared`, {
    hint: '{"version": 1, "entries": [{"id", "tier": "block"|"warn", "match": "literal"|"regex"|"iri_prefix", "pattern"}]}',
  });
}
