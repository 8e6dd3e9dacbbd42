/**
 * JSON texts of strangers: bounded in size and depth before anything is built from them, and without a key that stands
 * twice in an object, which two readers could understand differently.
 */

import { SvcError } from '../base/errors.js';

export interface JsonBounds {
  /** What messages call the text: `manifest.json`. */
  readonly name: string;
  readonly charactersMax: number;
  readonly depthMax: number;
}

/** Strings, and what opens, closes and divides; the rest of the text is the parser's to judge. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]/gsu;

export function parseStrictJson(text: string, bounds: JsonBounds): unknown {
  const { name, charactersMax } = bounds;
  if (text.length > charactersMax) {
    throw refusal(name, `it has ${text.length} characters; at most ${charactersMax} are read`);
  }
  checkNesting(text, bounds);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusal(name, `it is not JSON: ${(error as Error).message}`);
  }
}

/** Where a text is no JSON, whatever this makes of it is not used: the parser refuses it. */
function checkNesting(text: string, { name, depthMax }: JsonBounds): void {
  /** Of each open container the keys that it has had; null for an array. */
  const open: (Set<string> | null)[] = [];
  let last = '';
  let before = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') {
      if (open.length === depthMax) throw refusal(name, `it is nested more than ${depthMax} deep`);
      open.push(token === '{' ? new Set() : null);
    } else if (token === '}' || token === ']') open.pop();
    else if (token === ':') {
      const keys = open.at(-1);
      // A colon of an object stands behind a key, which stands behind `{` or a comma.
      if (keys !== null && keys !== undefined && (before === '{' || before === ',')) addKey(keys, last, name);
    }
    before = last;
    last = token;
  }
}

function addKey(keys: Set<string>, written: string, name: string): void {
  let key: unknown = written;
  try {
    key = JSON.parse(written);
  } catch {
    // The parser refuses it in its own words.
  }
  if (keys.has(key as string)) throw refusal(name, `the key ${written.slice(0, 80)} stands twice in one object`);
  keys.add(key as string);
}

function refusal(name: string, what: string): SvcError {
  return new SvcError('invalid_request', `${name} can't be read: ${what}`);
}
