/** Constraints on the text of a term and on its language (SHACL 4.4). A blank node has no text. */

import { matchesRange } from '../../query/expressions/functions/terms.js';
import { lexicalStart } from '../../storage/dictionary/stored-term.js';
import { isDictionaryTag, TAG } from '../../storage/ids/layout.js';
import type { DataGraph } from '../data/data-graph.js';
import { IdList, type IdSet } from '../data/id-columns.js';
import { NO, rememberedTest, termTest, UNDECIDED, type ValueTest, YES } from './value-test.js';

function byText(_: number, high: number): number {
  const tag = high >>> 24;
  return tag === TAG.blank || tag === TAG.triple ? NO : UNDECIDED;
}

/** A code point is one unit or two, so that most texts need not be counted. */
export function minLengthTest(length: number, view: DataGraph): ValueTest {
  return textTest(view, (text) => text.length >= length && (text.length >= 2 * length || codePointsOf(text) >= length));
}

export function maxLengthTest(length: number, view: DataGraph): ValueTest {
  return textTest(view, (text) => text.length <= length || codePointsOf(text) <= length);
}

function codePointsOf(text: string): number {
  let count = text.length;
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count--;
  }
  return count;
}

export function languageTest(ranges: readonly string[], view: DataGraph): ValueTest {
  return termTest(
    view,
    (_, high) => {
      const tag = high >>> 24;
      return tag === TAG.langString || tag === TAG.dirLangString || tag === TAG.local ? UNDECIDED : NO;
    },
    (term) => {
      if (term.termType !== 'Literal' || term.language === '') return false;
      return ranges.some((range) => matchesRange(term.language, range));
    },
  );
}

/** A test of the texts of IRIs and literals. */
export function textTest(view: DataGraph, test: (text: string) => boolean): ValueTest {
  return rememberedTest(byText, (ids, answers) => testTexts(view, ids, answers, test));
}

/** Texts of the dictionary are read from its bytes; no term is made of them. */
function testTexts(view: DataGraph, nodes: IdSet, answers: Uint8Array, test: (text: string) => boolean): void {
  const [stored, others] = [new IdList(nodes.count), new IdList(4)];
  const [storedAt, othersAt]: [number[], number[]] = [[], []];
  for (let at = 0; at < nodes.count; at++) {
    const [low, high] = [nodes.ids[2 * at] as number, nodes.ids[2 * at + 1] as number];
    const isStored = isDictionaryTag(high >>> 24);
    (isStored ? stored : others).push(low, high);
    (isStored ? storedAt : othersAt).push(at);
  }
  if (stored.count > 0) {
    view.names.snapshot.stored(stored.ids, stored.count, ({ bytes, count, places, starts, ends }) => {
      for (let at = 0; at < count; at++) {
        const end = ends[at] as number;
        const text = bytes.toString('utf8', lexicalStart(bytes, starts[at] as number, end), end);
        answers[storedAt[places[at] as number] as number] = test(text) ? YES : NO;
      }
    });
  }
  if (others.count === 0) return;
  for (const [at, term] of view.decode(others.ids, others.count).entries()) {
    const hasText = term.termType === 'NamedNode' || term.termType === 'Literal';
    answers[othersAt[at] as number] = hasText && test(term.value) ? YES : NO;
  }
}
