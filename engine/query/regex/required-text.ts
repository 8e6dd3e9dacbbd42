/** The longest text that every match of an expression holds, by which texts are searched before the expression is asked. */

import type { RegexNode } from './syntax.js';

/** The case in which texts are searched; other than `as-is` only where they are ASCII. */
export type Fold = 'as-is' | 'lower' | 'upper';

/** What to look for in many texts at once: a text that lacks it fails the test that it belongs to. */
export interface Needle {
  readonly text: string;
  readonly fold: Fold;
}

/** A shorter one is in most texts. */
const LENGTH_MIN = 2;
const ASCII_MAX = 0x7f;

/** Of an expression for any case: in lower case, and of ASCII only. */
export function requiredText(node: RegexNode, caseless: boolean): Needle | undefined {
  let longest: readonly number[] = [];
  for (const run of runsOf(node)) {
    if (run.length > longest.length && !(caseless && run.some((code) => code > ASCII_MAX))) longest = run;
  }
  if (longest.length < LENGTH_MIN) return undefined;
  const text = String.fromCodePoint(...longest);
  return caseless ? { text: text.toLowerCase(), fold: 'lower' } : { text, fold: 'as-is' };
}

/** Characters that stand one after the other in every match. */
function runsOf(node: RegexNode): readonly (readonly number[])[] {
  switch (node.kind) {
    case 'character':
      return [[node.code]];
    case 'group':
      return runsOf(node.body);
    case 'repeat':
      return node.min === 0 ? [] : runsOf(node.body);
    case 'sequence':
      return runsOfSequence(node.items);
    default:
      return [];
  }
}

function runsOfSequence(items: readonly RegexNode[]): readonly (readonly number[])[] {
  const runs: (readonly number[])[] = [];
  let run: number[] = [];
  for (const item of items) {
    if (item.kind === 'character') {
      run.push(item.code);
      continue;
    }
    runs.push(run, ...runsOf(item));
    run = [];
  }
  runs.push(run);
  return runs;
}
