/**
 * Configuration keys from environment variables: `SVC_` and the path of the key in capitals, `SVC_SERVER_BIND` for
 * `server.bind`. They stand above the file and below the flags of a command, and are checked like the file.
 * Lists are JSON, or words with commas between them.
 */

import type { SchemaNode } from '../requests/schema.js';
import { featureKeys } from './features.js';
import { configurationSchema } from './keys.js';
import { describeProblems, type GivenKeys, type KeyPlace, refuseKey } from './parse.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** Names that the specification gives to keys. */
const NAMED: Readonly<Record<string, readonly string[]>> = {
  SVC_AUTH_TOKEN: ['server', 'auth_token'],
  SVC_SIGNING_KEY: ['signing', 'key_path'],
};

/** Names features that are switched on. */
const FEATURES = 'SVC_FEATURES';

function* leaves(node: SchemaNode, path: readonly string[]): Generator<{ path: readonly string[]; node: SchemaNode }> {
  if (node.type !== 'object') {
    yield { path, node };
    return;
  }
  for (const [key, child] of Object.entries(node.properties ?? {})) yield* leaves(child, [...path, key]);
}

function nameOf(path: readonly string[]): string {
  return `SVC_${path.join('_').toUpperCase()}`;
}

function toList(text: string): unknown {
  if (!text.trim().startsWith('['))
    return text
      .split(',')
      .map((word) => word.trim())
      .filter((word) => word !== '');
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What does not fit stays text, for the check to name. */
function toValue(text: string, { type }: SchemaNode): unknown {
  switch (type) {
    case 'integer':
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
    case 'boolean':
      if (text === 'true' || text === '1') return true;
      return text === 'false' || text === '0' ? false : text;
    case 'array':
      return toList(text);
    default:
      return text;
  }
}

function put(given: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    given[key] = value;
    return;
  }
  const inner = { ...((given[key] ?? {}) as Record<string, unknown>) };
  put(inner, rest, value);
  given[key] = inner;
}

export interface KeysOfEnvironment {
  readonly given: GivenKeys;
  /** Variables that were used. */
  readonly names: readonly string[];
  /** Where a key stands that came from a variable; null: it did not. */
  readonly placeOf: (path: readonly string[]) => KeyPlace | null;
}

/** The keys of a file with those of the environment over them. */
export function withEnvironment(given: GivenKeys, environment: Environment): KeysOfEnvironment {
  const all: Record<string, unknown> = { ...given };
  const names = new Map<string, string>();
  if (environment[FEATURES] !== undefined) {
    for (const key of Object.keys(featureKeys(environment[FEATURES], FEATURES))) {
      put(all, ['features', key], true);
      names.set(`features.${key}`, FEATURES);
    }
  }
  for (const { path, node } of leaves(configurationSchema, [])) {
    const named = Object.keys(NAMED).find((name) => NAMED[name]?.join('.') === path.join('.'));
    const name = [named, nameOf(path)].find((one) => one !== undefined && environment[one] !== undefined);
    const text = name === undefined ? undefined : environment[name];
    if (name === undefined || text === undefined) continue;
    put(all, path, toValue(text, node));
    names.set(path.join('.'), name);
  }
  // What stands in a list belongs to the variable of the list.
  const placeOf = (path: readonly string[]): KeyPlace | null => {
    const name = names.get(path.slice(0, 2).join('.')) ?? names.get(path.slice(0, 1).join('.'));
    return name === undefined ? null : { name, position: { source: 'environment' } };
  };
  for (const { path, message } of describeProblems(all)) throw refuseKey(placeOf(path) ?? { name: null }, message);
  return { given: all, names: [...new Set(names.values())].sort(), placeOf };
}
