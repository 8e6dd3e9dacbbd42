/**
 * TOML text to plain values, and where in the text a key stands, so that a message about a value
 * can name its line.
 *
 * `smol-toml` stands behind this file: a small, complete TOML 1.0 parser without dependencies. It
 * doesn't say where keys are, so `lineOfKey` reads table headers and keys itself.
 */

import { parse, TomlError } from 'smol-toml';
import { SvcError } from '../../base/errors.js';

export type TomlValue = string | number | boolean | Date | readonly TomlValue[] | { readonly [key: string]: TomlValue };

/** `quotable`: what a message may show of a line; undefined = nothing. */
export function parseToml(
  text: string,
  file: string,
  quotable: (line: string) => string | undefined,
): Readonly<Record<string, TomlValue>> {
  try {
    return parse(text) as Record<string, TomlValue>;
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = (error.message.split('\n')[0] as string).replace(/^Invalid TOML document: /, '');
    const excerpt = quotable(text.split('\n')[error.line - 1] ?? '')?.slice(0, 120);
    // The parser's own error quotes the lines around the place, so it is no cause to hand on.
    throw new SvcError('configuration', `not valid TOML: ${reason}`, {
      position: { source: file, line: error.line, column: error.column, ...(excerpt && { excerpt }) },
    });
  }
}

/** `a."b.c".d` to its parts. */
function splitKey(text: string): string[] {
  const parts: string[] = [];
  for (const match of text.matchAll(/\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|([\w-]+))\s*(?:\.|$)/g)) {
    parts.push(match[1] ?? match[2] ?? (match[3] as string));
  }
  return parts;
}

const HEADER = /^\s*\[\[?([^\]]+)\]\]?\s*(?:#.*)?$/;
const ASSIGNMENT =
  /^\s*((?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+)(?:\s*\.\s*(?:"(?:[^"\\]|\\.)*"|'[^']*'|[\w-]+))*)\s*=(.*)$/;

/** The delimiter of a multi-line string that this text opens and does not close. */
function openDelimiter(text: string): '"""' | "'''" | null {
  const match = /"""|'''/.exec(text);
  if (match === null) return null;
  const delimiter = match[0] as '"""' | "'''";
  const close = text.indexOf(delimiter, match.index + 3);
  return close < 0 ? delimiter : openDelimiter(text.slice(close + 3));
}

/** A table within the newest entry of a list of tables: `[svc.a.b]` behind `[[svc.a]]` is `svc.a.0.b`. */
function inLists(name: readonly string[], counts: ReadonlyMap<string, number>): string[] {
  return name.flatMap((part, at) => {
    const count = at === name.length - 1 ? undefined : counts.get(name.slice(0, at + 1).join('.'));
    return count === undefined ? [part] : [part, String(count - 1)];
  });
}

/**
 * The line of the deepest part of `path` that the text spells out, from 1. `path` holds key names;
 * positions within lists (`"0"`) choose among the headers of a list of tables.
 */
export function lineOfKey(text: string, path: readonly string[]): number {
  let table: string[] = [];
  const counts = new Map<string, number>();
  let delimiter: string | null = null;
  let best = { line: 1, depth: 0 };
  const consider = (parts: readonly string[], line: number): void => {
    const depth = parts.findIndex((part, at) => part !== path[at]);
    const matched = depth < 0 ? Math.min(parts.length, path.length) : 0;
    if (matched > best.depth) best = { line, depth: matched };
  };
  text.split('\n').forEach((content, at) => {
    if (delimiter !== null) {
      if (content.includes(delimiter)) delimiter = null;
      return;
    }
    const header = HEADER.exec(content);
    if (header) {
      const name = splitKey(header[1] as string);
      table = inLists(name, counts);
      if (content.trimStart().startsWith('[[')) {
        const count = counts.get(name.join('.')) ?? 0;
        counts.set(name.join('.'), count + 1);
        table = [...name, String(count)];
      }
      consider(table, at + 1);
      return;
    }
    const assignment = ASSIGNMENT.exec(content);
    if (assignment) {
      consider([...table, ...splitKey(assignment[1] as string)], at + 1);
      delimiter = openDelimiter(assignment[2] as string);
    }
  });
  return best.line;
}
