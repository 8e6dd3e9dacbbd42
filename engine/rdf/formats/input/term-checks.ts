/**
 * What every reader holds terms to, whatever its library lets pass: IRIs are absolute and have only
 * the characters of an IRIREF, language tags are well formed, blank node labels are legal in N-Triples.
 */

/** No scheme, no IRI: a relative reference that nothing resolved. */
const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what an IRIREF excludes
const NOT_IN_IRI = /[\u0000-\u0020<>"{}|^`\\]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const LANGUAGE_TAG = /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

const PN_CHARS_BASE =
  'A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u02ff\\u0370-\\u037d\\u037f-\\u1fff\\u200c\\u200d\\u2070-\\u218f' +
  '\\u2c00-\\u2fef\\u3001-\\ud7ff\\uf900-\\ufdcf\\ufdf0-\\ufffd\\u{10000}-\\u{effff}';
const PN_CHARS = `${PN_CHARS_BASE}_0-9\\u00b7\\u0300-\\u036f\\u203f\\u2040\\-`;
const BLANK_NODE_LABEL = new RegExp(`^[${PN_CHARS_BASE}_0-9](?:[${PN_CHARS}.]*[${PN_CHARS}])?$`, 'u');
const PN_LOCAL_PLAIN = new RegExp(`^(?:[${PN_CHARS_BASE}_0-9:](?:[${PN_CHARS}.:]*[${PN_CHARS}:])?)?$`, 'u');
const PN_PREFIX = new RegExp(`^(?:[${PN_CHARS_BASE}](?:[${PN_CHARS}.]*[${PN_CHARS}])?)?$`, 'u');

/** Names of XML without a colon; they differ from labels in what they may start and end with. */
const XML_NAME_START = `${PN_CHARS_BASE}_`;
const XML_NAME = new RegExp(`^[${XML_NAME_START}][${PN_CHARS}.]*$`, 'u');
const XML_NAME_AT_END = new RegExp(`[${XML_NAME_START}][${PN_CHARS}.]*$`, 'u');

/** Whether an IRI reference is absolute. */
export function hasScheme(iri: string): boolean {
  return SCHEME.test(iri);
}

/** What is wrong with an IRI, or null. */
export function iriFault(iri: string): string | null {
  if (!hasScheme(iri)) return 'is relative, and there is no base IRI to resolve it against';
  const bad = NOT_IN_IRI.exec(iri);
  if (bad === null) return null;
  const point = bad[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `has a character that no IRI may have (U+${point})`;
}

/** What is wrong with a text as a namespace, which names are put behind to make IRIs; null when nothing is. */
export function namespaceFault(text: string): string | null {
  return iriFault(text) ?? iriFault(`${text}name`);
}

export function isLanguageTag(tag: string): boolean {
  return LANGUAGE_TAG.test(tag);
}

export function isBlankNodeLabel(label: string): boolean {
  return BLANK_NODE_LABEL.test(label);
}

/** Whether a local name can be written after its prefix without any escape. */
export function isPlainLocalName(local: string): boolean {
  return PN_LOCAL_PLAIN.test(local);
}

export function isPrefixName(prefix: string): boolean {
  return PN_PREFIX.test(prefix);
}

export function isXmlName(name: string): boolean {
  return XML_NAME.test(name);
}

/** The longest XML name at the end of an IRI, or null. */
export function xmlNameAtEnd(iri: string): string | null {
  return XML_NAME_AT_END.exec(iri)?.[0] ?? null;
}

/** Half of a surrogate pair is not a character and can't be stored as UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}
