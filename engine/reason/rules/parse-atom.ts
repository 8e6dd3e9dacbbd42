/**
 * The syntax of heads and bodies (semantics of reasoning, 1.2):
 *
 *   body := lit ("," lit)*          lit  := ["not" WS+] atom
 *   atom := name "(" term "," term ")"
 *   name := "<" IRI ">" | bare      term := "?" var | "<" IRI ">" | '"' text '"' | bare
 *
 * A bare name is the prefix and the text, or `p:local` where the document declares p.
 */

import { iriFault } from '../../rdf/formats/input/term-checks.js';
import { terms } from '../../rdf/terms.js';
import type { Atom, AtomTerm, BodyAtom } from './rule.js';

/** What bare names are made of. */
export interface Names {
  readonly prefix: string;
  /** Namespace by prefix, as the document declares them. */
  readonly declared: Readonly<Record<string, string>>;
}

/** What is wrong with a head or a body; who knows the rule says whose. */
export class AtomError extends Error {}

const WHITE = /\s/;
const NEGATION = /^not\s+/;
const PREFIXED = /^([^\s:]*):(.*)$/s;

/** The one atom of a head. */
export function parseHead(text: string, names: Names): Atom {
  const [only, ...others] = splitAtCommas(text);
  if (only === undefined) throw new AtomError('it is empty; expected one atom: name(subject, object)');
  if (others.length > 0) throw new AtomError(`it has ${others.length + 1} atoms; a head is exactly one`);
  if (NEGATION.test(only)) throw new AtomError(`'${only}' is negated; a head says what follows`);
  return parseAtom(only, names);
}

/** The atoms of a body; what is empty between commas is dropped. */
export function parseBody(text: string, names: Names): BodyAtom[] {
  const atoms = splitAtCommas(text).map((literal) => {
    const negation = NEGATION.exec(literal);
    const atom = parseAtom(negation === null ? literal : literal.slice(negation[0].length), names);
    return { ...atom, negated: negation !== null };
  });
  if (atoms.length === 0) throw new AtomError('empty body; expected atoms with commas between them');
  return atoms;
}

/** Pieces between commas outside of parentheses, quotation marks and angle brackets, trimmed; empty ones dropped. */
function splitAtCommas(text: string): string[] {
  const pieces: string[] = [];
  let begin = 0;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"' || char === '<') at = endOf(text, at);
    else if (char === '(') depth++;
    else if (char === ')') depth--;
    else if (char === ',' && depth <= 0) {
      pieces.push(text.slice(begin, at));
      begin = at + 1;
    }
  }
  pieces.push(text.slice(begin));
  return pieces.map((piece) => piece.trim()).filter((piece) => piece !== '');
}

/** Where the text in quotation marks, or the IRI in brackets, that begins at a place ends. */
function endOf(text: string, begin: number): number {
  const close = text[begin] === '"' ? '"' : '>';
  for (let at = begin + 1; at < text.length; at++) {
    if (text[at] === '\\' && close === '"') at++;
    else if (text[at] === close) return at;
  }
  throw new AtomError(`no closing '${close}' after '${shortened(text.slice(begin))}'`);
}

function parseAtom(text: string, names: Names): Atom {
  const open = openingOf(text);
  if (open < 0) throw new AtomError(`no '(' in '${shortened(text)}'; expected name(subject, object)`);
  const name = text.slice(0, open).trim();
  if (name === '') throw new AtomError(`empty predicate in '${shortened(text)}'`);
  if (!text.endsWith(')')) {
    const why = text.includes(')') ? 'text after the closing' : 'no closing';
    throw new AtomError(`${why} ')' in '${shortened(text)}'`);
  }
  const args = argumentsOf(text.slice(open + 1, -1));
  if (args.some((arg) => arg === '')) throw new AtomError(`empty argument in '${shortened(text)}'`);
  if (args.length !== 2) {
    throw new AtomError(`'${shortened(text)}' has ${args.length} arguments; an atom has two: subject and object`);
  }
  const [s, o] = args as [string, string];
  return { predicate: parseName(name, names), s: parseTerm(s, names), o: parseTerm(o, names) };
}

/** The first parenthesis outside of an IRI. */
function openingOf(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '<') at = endOf(text, at);
    else if (text[at] === '(') return at;
  }
  return -1;
}

function argumentsOf(text: string): string[] {
  const args: string[] = [];
  let begin = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"' || char === '<') at = endOf(text, at);
    else if (char === '(' || char === ')') throw new AtomError(`'${char}' inside the arguments '${shortened(text)}'`);
    else if (char === ',') {
      args.push(text.slice(begin, at).trim());
      begin = at + 1;
    }
  }
  args.push(text.slice(begin).trim());
  return args;
}

function parseTerm(text: string, names: Names): AtomTerm {
  if (text.startsWith('?')) {
    const name = text.slice(1);
    if (name === '') throw new AtomError("'?' without a name");
    if (!/^\w+$/u.test(name))
      throw new AtomError(`'${shortened(text)}' is no variable; expected letters, digits and _`);
    return { kind: 'variable', name };
  }
  if (text.startsWith('"')) return { kind: 'constant', term: terms.literal(unquoted(text)) };
  return { kind: 'constant', term: terms.namedNode(parseName(text, names)) };
}

function unquoted(text: string): string {
  if (endOf(text, 0) !== text.length - 1) {
    throw new AtomError(`text after the closing quotation mark in '${shortened(text)}'; a text is an xsd:string`);
  }
  return text.slice(1, -1).replace(/\\(["\\])/g, '$1');
}

function parseName(text: string, names: Names): string {
  const iri = text.startsWith('<') ? bracketed(text) : bareName(text, names);
  const fault = iriFault(iri);
  if (fault !== null) throw new AtomError(`<${shortened(iri)}> ${fault}`);
  return iri;
}

function bracketed(text: string): string {
  if (endOf(text, 0) !== text.length - 1) throw new AtomError(`text after the closing '>' in '${shortened(text)}'`);
  return text.slice(1, -1);
}

function bareName(text: string, { prefix, declared }: Names): string {
  for (const char of text) {
    if (WHITE.test(char)) throw new AtomError(`'${shortened(text)}' has white space in it; expected one name`);
  }
  const prefixed = PREFIXED.exec(text);
  if (prefixed === null) return prefix + text;
  const [, label = '', local = ''] = prefixed;
  const namespace = Object.hasOwn(declared, label) ? declared[label] : undefined;
  if (namespace === undefined) {
    throw new AtomError(`the prefix '${label}:' of '${shortened(text)}' is not declared in the document`);
  }
  return namespace + local;
}

function shortened(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}...`;
}
