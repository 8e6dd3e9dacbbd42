/** Which keys hold secrets. Their values stand in no message and no listing. */

import type { SchemaNode } from '../requests/schema.js';
import { configurationSchema } from './keys.js';

const SECRET_KEYS: ReadonlySet<string> = new Set(['auth_token', 'previous_auth_token', 'key_path']);

/** By the name of the key itself, wherever it stands. */
export function isSecret(key: string): boolean {
  return SECRET_KEYS.has(key);
}

function* keysBelow({ properties = {}, items }: SchemaNode): Generator<string> {
  for (const [key, child] of Object.entries(properties)) {
    yield key;
    yield* keysBelow(child);
  }
  if (items !== undefined) yield* keysBelow(items);
}

/** Whether what stands at a path (positions of lists are parts of it) is a secret or a place for one. */
export function mayHoldSecret(path: readonly string[]): boolean {
  let node: SchemaNode | undefined = configurationSchema;
  for (const part of path) {
    if (isSecret(part)) return true;
    node = node?.properties?.[part] ?? node?.items;
  }
  return node !== undefined && [...keysBelow(node)].some(isSecret);
}

const TABLE = /^\s*\[\[?\s*svc\b[\w.\s"'-]*\]?\]?\s*$/;
const ASSIGNED = /^\s*(?:[\w-]+\s*\.\s*)*([\w-]+)\s*=/;

/**
 * A line of a file as a message may quote it: a table, or a key that is known and no place for secrets. Anything else,
 * a key with a slip of the pen or the middle of a long text, may be one; then nothing is quoted.
 */
export function quotableLine(line: string): string | undefined {
  if (TABLE.test(line)) return line.trim();
  const key = ASSIGNED.exec(line)?.[1];
  if (key === undefined || [...SECRET_KEYS].some((secret) => line.includes(secret))) return undefined;
  return safeKeys().has(key) ? line.trim() : undefined;
}

let safe: ReadonlySet<string> | null = null;

function safeKeys(): ReadonlySet<string> {
  safe ??= new Set(safeBelow(configurationSchema));
  return safe;
}

/** Keys of plain values, none of them a secret. */
function* safeBelow(node: SchemaNode): Generator<string> {
  for (const [key, child] of Object.entries(node.properties ?? {})) {
    if (!isSecret(key) && [...keysBelow(child)].length === 0) yield key;
    yield* safeBelow(child);
  }
  if (node.items !== undefined) yield* safeBelow(node.items);
}
