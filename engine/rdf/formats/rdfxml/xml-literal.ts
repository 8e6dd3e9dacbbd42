/**
 * The text of an `rdf:XMLLiteral`: exclusive canonical XML (with comments) of the content of a property
 * element. Each element declares the namespaces that it uses and that no ancestor inside the literal
 * has declared; attributes are sorted; text is escaped. So the literal means the same outside its document.
 */

import { compareCodePoints } from '../../../base/text.js';

export interface XmlAttribute {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  value: string;
}

export interface XmlTag {
  readonly name: string;
  readonly prefix: string;
  readonly local: string;
  readonly uri: string;
  readonly attributes: Record<string, XmlAttribute>;
}

/** Prefix to namespace, as already written by the ancestors inside the literal. */
export type RenderedNamespaces = ReadonlyMap<string, string>;

export const NOTHING_RENDERED: RenderedNamespaces = new Map();

export function openTag(tag: XmlTag, rendered: RenderedNamespaces): { text: string; rendered: RenderedNamespaces } {
  const attributes = Object.values(tag.attributes).filter((attribute) => !isDeclaration(attribute));
  const used = new Map<string, string>([[tag.prefix, tag.uri]]);
  for (const attribute of attributes) if (attribute.prefix !== '') used.set(attribute.prefix, attribute.uri);
  const declared = [...used].filter(([prefix, uri]) => prefix !== 'xml' && (rendered.get(prefix) ?? '') !== uri);
  declared.sort(([left], [right]) => compareCodePoints(left, right));
  attributes.sort(
    (left, right) => compareCodePoints(left.uri, right.uri) || compareCodePoints(left.local, right.local),
  );
  const parts = declared.map(
    ([prefix, uri]) => ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`,
  );
  for (const attribute of attributes) parts.push(` ${attribute.name}="${escapeAttribute(attribute.value)}"`);
  const next = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  return { text: `<${tag.name}${parts.join('')}>`, rendered: next };
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, escaped);
}

export function escapeAttribute(text: string): string {
  return text.replace(/[&<"\t\n\r]/g, escaped);
}

function escaped(char: string): string {
  return ESCAPES[char] ?? `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`;
}

function isDeclaration(attribute: XmlAttribute): boolean {
  return attribute.prefix === 'xmlns' || attribute.name === 'xmlns';
}
