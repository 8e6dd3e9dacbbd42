/**
 * What could stand at the cursor: dot commands and their arguments, file names, words of SPARQL, variables
 * of the statement, prefixes, names of predicates and classes, whole IRIs. A pure function of what was
 * typed and of what is known.
 */

import { FUNCTIONS, KEYWORDS } from './language.js';

export interface Vocabulary {
  /** Prefixes without their colon. */
  readonly prefixes: readonly string[];
  /** Predicates and classes as `prefix:name`, the likeliest first. */
  readonly names: readonly string[];
  /** Predicates and classes in full, for those who begin with `<`. */
  readonly iris: readonly string[];
  /** Dot commands with what their argument can be. */
  readonly commands: readonly CommandWords[];
  /** Names in a folder that begin so; a folder ends in a slash. */
  readonly files: (begun: string) => readonly string[];
}

export interface CommandWords {
  readonly name: string;
  readonly takes: 'nothing' | 'text' | 'file' | readonly string[];
}

export interface Completion {
  readonly candidates: readonly string[];
  /** The end of the line that a candidate replaces. */
  readonly word: string;
}

const CANDIDATES_MAX = 200;

/** `line` ends at the cursor; `before` is what the statement has on the lines above. */
export function complete(line: string, before: string, vocabulary: Vocabulary): Completion {
  const command = before === '' ? /^\s*([.:][\w-]*)(\s+)?/.exec(line) : null;
  if (command !== null) {
    const [whole, name = '', space] = command;
    const rest = line.slice(whole.length);
    if (space === undefined)
      return of(
        name,
        vocabulary.commands.map((known) => `${name[0]}${known.name.slice(1)}`),
      );
    const takes = vocabulary.commands.find((known) => known.name === `.${name.slice(1)}`)?.takes ?? 'nothing';
    if (takes === 'nothing') return of(rest, []);
    if (takes === 'file') return of(rest, vocabulary.files(rest));
    if (takes !== 'text') return of(rest, takes);
  }
  return completeSparql(line, before, vocabulary);
}

function completeSparql(line: string, before: string, vocabulary: Vocabulary): Completion {
  const iri = /<[^\s<>"{}|^`\\]*$/.exec(line)?.[0];
  if (iri !== undefined && iri.length > 1)
    return of(
      iri,
      vocabulary.iris.map((known) => `<${known}>`),
    );
  const variable = /[?$][\w]*$/.exec(line)?.[0];
  if (variable !== undefined) return of(variable, variablesOf(`${before}\n${line}`, variable));
  const word = /[\p{L}\p{N}_.:-]*$/u.exec(line)?.[0] ?? '';
  if (word === '') return of(word, []);
  if (word.includes(':')) return of(word, vocabulary.names);
  const prefixes = vocabulary.prefixes.map((prefix) => `${prefix}:`);
  return of(word, [...withCase(word, [...KEYWORDS, ...FUNCTIONS.map((name) => `${name}(`)]), ...prefixes]);
}

function of(word: string, known: readonly string[]): Completion {
  const candidates = [...new Set(known.filter((one) => one.startsWith(word)))];
  return { candidates: candidates.slice(0, CANDIDATES_MAX), word };
}

/** Words in the case that was begun with; a single capital decides for capitals. */
function withCase(word: string, words: readonly string[]): string[] {
  const upper = word === word.toUpperCase();
  const begun = words.filter((one) => one.startsWith(word.toUpperCase()));
  return begun.map((one) => (upper ? one : word + one.slice(word.length).toLowerCase()));
}

/** Variables of the statement, with the mark that was begun with; not the word itself. */
function variablesOf(text: string, word: string): string[] {
  const names = [...text.slice(0, text.length - word.length).matchAll(/[?$](\w+)/g)].map((match) => match[1] as string);
  return [...new Set(names)].sort().map((name) => `${word[0]}${name}`);
}
