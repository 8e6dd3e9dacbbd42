/** What could be meant by what is being written: keywords, variables of the text, prefixes, and names of the store with their counts. */

import { declaredPrefixes, type Prefixes } from '../../parts/prefixes.js';
import { count as shownCount } from '../../parts/text.js';
import type { Completion, CompletionContext, CompletionResult, EditorView } from './codemirror.js';
import { type Name, type NameIndex, writtenName } from './name-index.js';
import { FUNCTIONS, KEYWORDS } from './sparql-words.js';
import type { Vocabulary } from './vocabulary.js';

/** Of predicates and classes each: more than anybody reads cost time with every key. */
const OFFERED_MAX = 20;
/** The text before the word, as far as it says what stands there. */
const BEFORE_CHARACTERS = 200;
const WORD =
  /(?:[?$][\p{L}\p{N}_]*|<[^<>"{}|^`\\\s]*|(?:\p{L}[\p{L}\p{N}_.-]*)?:[\p{L}\p{N}_.-]*|\p{L}[\p{L}\p{N}_-]*)$/u;
/** A class stands behind these. */
const CLASS_COMES = /(?:\ba|\brdf:type|\brdfs:subClassOf)\s+$/;
/** A predicate stands behind a term that is a subject, or behind `;`. */
const PREDICATE_COMES = /(?:;|[{.]\s*(?:[?$][\p{L}\p{N}_]+|<[^<>\s]*>|[\p{L}\p{N}_.-]*:[\p{L}\p{N}_.-]*|\]))\s*$/u;

export interface Written {
  readonly prefixes: Prefixes;
  readonly variables: readonly string[];
}

/** `vocabulary`: as it is known by now. */
export function completionOf(vocabulary: () => Vocabulary) {
  let read: { readonly text: unknown; readonly written: Written } | null = null;
  return (context: CompletionContext): CompletionResult | null => {
    const { state, pos } = context;
    const before = state.sliceDoc(Math.max(0, pos - BEFORE_CHARACTERS), pos);
    const word = WORD.exec(before)?.[0] ?? '';
    if (word === '' && !context.explicit) return null;
    if (read?.text !== state.doc) read = { text: state.doc, written: writtenIn(state.doc.toString()) };
    const options = optionsFor(word, before.slice(0, before.length - word.length), read.written, vocabulary());
    return options.length === 0 ? null : { from: pos - word.length, options, filter: false };
  };
}

function writtenIn(text: string): Written {
  const variables = new Set(Array.from(text.matchAll(/[?$][\p{L}\p{N}_]+/gu), ([name]) => name));
  return { prefixes: declaredPrefixes(text), variables: [...variables] };
}

export function optionsFor(word: string, before: string, written: Written, vocabulary: Vocabulary): Completion[] {
  if (/^[?$]/.test(word)) {
    return written.variables
      .filter((name) => name !== word && name.startsWith(word))
      .map((label) => ({ label, type: 'variable' }));
  }
  if (/\bPREFIX\s+$/i.test(before)) return declarations(word, vocabulary.prefixes);
  const { predicates, classes } = vocabulary;
  const comesClass = CLASS_COMES.test(before);
  const comesPredicate = PREDICATE_COMES.test(before);
  const sources: [NameIndex, string][] = comesClass
    ? [[classes, 'class']]
    : comesPredicate
      ? [[predicates, 'property']]
      : [
          [predicates, 'property'],
          [classes, 'class'],
        ];
  const names = sources.flatMap(([index, type]) =>
    found(index, word, written, vocabulary).map((name) => offered(name, type, written, vocabulary)),
  );
  const words = comesClass || word.includes(':') || word.startsWith('<') ? [] : wordsFor(word);
  return comesPredicate || comesClass ? [...names, ...words] : [...words, ...names];
}

function found(index: NameIndex, word: string, { prefixes }: Written, vocabulary: Vocabulary): readonly Name[] {
  if (word.startsWith('<')) return index.byIri(word.slice(1), OFFERED_MAX);
  const colon = word.indexOf(':');
  if (colon < 0) return index.byLocal(word, OFFERED_MAX);
  const prefix = word.slice(0, colon);
  const namespace = prefixes[prefix] ?? vocabulary.prefixes[prefix];
  return namespace === undefined ? [] : index.byIri(namespace + word.slice(colon + 1), OFFERED_MAX);
}

function offered(name: Name, type: string, written: Written, vocabulary: Vocabulary): Completion {
  const { text, missing } = writtenName(name.iri, written.prefixes, vocabulary.prefixes);
  return {
    label: text,
    type,
    detail: shownCount(name.count),
    apply: (view: EditorView, _completion: Completion, from: number, to: number) => {
      const declared = missing === null ? [] : [{ from: 0, insert: missing }];
      view.dispatch({
        changes: [...declared, { from, to, insert: text }],
        selection: { anchor: from + text.length + (missing?.length ?? 0) },
        userEvent: 'input.complete',
      });
    },
  };
}

function wordsFor(word: string): Completion[] {
  const upper = word.toUpperCase();
  const keywords = KEYWORDS.filter((one) => one.startsWith(upper)).map((label) => ({ label, type: 'keyword' }));
  const functions = FUNCTIONS.filter((one) => upper !== '' && one.startsWith(upper)).map((one) => ({
    label: `${one}(`,
    type: 'function',
  }));
  return [...keywords, ...functions];
}

function declarations(word: string, prefixes: Prefixes): Completion[] {
  return Object.entries(prefixes)
    .filter(([prefix]) => prefix.startsWith(word.replace(/:$/, '')))
    .map(([prefix, namespace]) => ({ label: `${prefix}: <${namespace}>`, type: 'namespace' }));
}
