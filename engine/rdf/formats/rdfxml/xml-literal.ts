/**
 * The text of an `rdf:XMLLiteral`: exclusive canonical XML (with comments) of the content of a property
 * element. Each element declares the namespaces that it uses and that no ancestor inside the literal
 * has declared; attributes are sorted; text is escaped. So the literal means the same outside its document.
 */

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
  declared.sort(([left], [right]) => compare(left, right));
  attributes.sort((left, right) => compare(left.uri, right.uri) || compare(left.local, right.local));
  const parts = declared.map(
    ([prefix, uri]) => ` ${prefix === '' ? 'xmlns' : `xmlns:${prefix}`}="${escapeAttribute(uri)}"`,
  );
  for (const attribute of attributes) parts.push(` ${attribute.name}="${escapeAttribute(attribute.value)}"`);
  const next = declared.length === 0 ? rendered : new Map([...rendered, ...declared]);
  return { text: `<${tag.name}${parts.join('')}>`, rendered: next };
}

export function escapeText(text: string): string {
  return text.replace(/[&<>\r]/g, (char) =>
    char === '&' ? '&amp;' : char === '<' ? '&lt;' : char === '>' ? '&gt;' : '&#xD;',
  );
}

function escapeAttribute(text: string): string {
  return text.replace(/[&<"\t\n\r]/g, (char) => {
    switch (char) {
      case '&':
        return '&amp;';
      case '<':
        return '&lt;';
      case '"':
        return '&quot;';
      default:
        return `&#x${char.charCodeAt(0).toString(16).toUpperCase()};`;
    }
  });
}

function isDeclaration(attribute: XmlAttribute): boolean {
  return attribute.prefix === 'xmlns' || attribute.name === 'xmlns';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
