/**
 * A parsed expression in the syntax of RE2, with its weight: the number of steps of the machine that
 * will run it, by which the work of one match is bounded (steps times characters).
 */

import { rangesOf } from './character-sets.js';
import type { RegexFlags } from './parse-regex.js';
import { type CharacterSet, partsOf, type RegexNode, RegexUnsupported, type SetItem } from './syntax.js';

/** RE2 itself takes no count, nor product of nested counts, above it. */
const COUNT_MAX = 1000;
/** Some hundred bytes each. */
export const STEPS_MAX = 10_000;

/** Null for a weight above `STEPS_MAX`. */
export function weighRegex(node: RegexNode, counted = 1): number {
  if (node.kind !== 'repeat') return Number(node.kind !== 'sequence') + sum(partsOf(node), counted);
  const count = Math.max(node.min, node.max ?? 1, 1);
  if (count * counted > COUNT_MAX) {
    throw new RegexUnsupported(`a regular expression that repeats something more than ${COUNT_MAX} times`);
  }
  return 1 + weighRegex(node.body, count * counted) * count;
}

function sum(nodes: readonly RegexNode[], counted: number): number {
  let total = 0;
  for (const node of nodes) {
    total += weighRegex(node, counted);
    if (total > STEPS_MAX) throw new RegexUnsupported(`a regular expression of more than ${STEPS_MAX} steps`);
  }
  return total;
}

export function emitRegex(node: RegexNode, flags: RegexFlags): string {
  switch (node.kind) {
    case 'character':
      return codeText(node.code);
    case 'set':
      return setText(node.set);
    case 'start':
      return flags.multiline ? '(?m:^)' : '\\A';
    case 'end':
      return flags.multiline ? '(?m:$)' : '\\z';
    case 'group':
      return `(${node.captures ? '' : '?:'}${emitRegex(node.body, flags)})`;
    case 'sequence':
      return node.items.map((item) => emitRegex(item, flags)).join('');
    case 'choice':
      return node.options.map((option) => emitRegex(option, flags)).join('|');
    case 'repeat':
      return `(?:${emitRegex(node.body, flags)})${countText(node.min, node.max)}${node.lazy ? '?' : ''}`;
  }
}

function countText(min: number, max: number | null): string {
  if (max === null) return min === 0 ? '*' : min === 1 ? '+' : `{${min},}`;
  return min === 0 && max === 1 ? '?' : `{${min},${max}}`;
}

function codeText(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function setText(set: CharacterSet): string {
  if (set.without !== null || set.items.some(isHard)) return rangesText(rangesOf(set));
  return `[${set.negated ? '^' : ''}${set.items.map(itemText).join('')}]`;
}

/** A set within a set can be written only where it is not negated and has no subtraction. */
function isHard(item: SetItem): boolean {
  return item.kind === 'set' && (item.set.negated || item.set.without !== null || item.set.items.some(isHard));
}

function itemText(item: SetItem): string {
  switch (item.kind) {
    case 'range':
      return item.from === item.to ? codeText(item.from) : `${codeText(item.from)}-${codeText(item.to)}`;
    case 'category':
      return `\\${item.negated ? 'P' : 'p'}{${item.name}}`;
    case 'set':
      return item.set.items.map(itemText).join('');
  }
}

function rangesText(ranges: readonly (readonly [number, number])[]): string {
  if (ranges.length === 0) return '[^\\x{0}-\\x{10ffff}]';
  return `[${ranges.map(([from, to]) => itemText({ kind: 'range', from, to })).join('')}]`;
}
