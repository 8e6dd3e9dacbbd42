/** The terms of canonical lines. */

import { type BlankNode, type Literal, type NamedNode, terms } from '../rdf/terms.js';
import type { LinePlaces } from './canonical-reader.js';

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', '"': '"', '\\': '\\' };

/** The lexical form that a literal of a canonical line stands for. */
export function unescapeLiteral(text: string, escaped: boolean): string {
  if (!escaped) return text;
  return text.replace(/\\(?:u([0-9A-F]{4})|(.))/gs, (_, digits: string | undefined, name: string) =>
    digits === undefined ? (ESCAPES[name] as string) : String.fromCharCode(Number.parseInt(digits, 16)),
  );
}

/** The object of a line; blank nodes by `label`, IRIs by `iri`. */
export function objectOf(line: LinePlaces, label: (number: number) => string): NamedNode | BlankNode | Literal {
  const { bytes, objectStart, objectEnd, objectKind } = line;
  if (objectKind === 'iri') return terms.namedNode(bytes.toString('utf8', objectStart + 1, objectEnd - 1));
  if (objectKind === 'blank') return terms.blankNode(label(line.objectBlank));
  const text = unescapeLiteral(bytes.toString('utf8', objectStart + 1, line.quote), line.escaped);
  return literalOf(text, bytes.toString('utf8', line.quote + 1, objectEnd));
}

/** An IRI or a literal as it stands in a line. */
export function termOfText(term: string): NamedNode | Literal {
  if (term.startsWith('<')) return terms.namedNode(term.slice(1, -1));
  const quote = term.lastIndexOf('"');
  return literalOf(unescapeLiteral(term.slice(1, quote), term.includes('\\')), term.slice(quote + 1));
}

function literalOf(text: string, suffix: string): Literal {
  if (suffix === '') return terms.literal(text);
  if (suffix.startsWith('^^')) return terms.literal(text, terms.namedNode(suffix.slice(3, -1)));
  const [language = '', direction] = suffix.slice(1).split('--');
  return terms.literal(text, direction === undefined ? language : { language, direction: direction as 'ltr' | 'rtl' });
}

/** The stored label of a canonical blank node of a share: those of two shares are never one node (semantics text 6.8 C). */
export function importedLabel(shareId: string, number: number): string {
  return `imp-${shareId.slice('sha256:'.length, 'sha256:'.length + 16)}-c14n${number}`;
}

const IMPORTED = /^imp-[0-9a-f]{16}-(c14n[0-9]+)$/;

/** The canonical label behind a stored one; null for a node that came with no share. */
export function canonicalLabelOf(stored: string): string | null {
  return IMPORTED.exec(stored)?.[1] ?? null;
}
