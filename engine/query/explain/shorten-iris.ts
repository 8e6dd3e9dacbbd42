/** Texts for people: `<iri>` in them as a prefixed name, where a prefix fits. String literals stay as they are. */

import { PrefixTable } from '../../rdf/formats/output/prefixes.js';

const STRING_OR_IRI = /"(?:[^"\\]|\\.)*"|<([^<>"{}|^`\\\s]*)>/g;

export function iriShortener(prefixes: Readonly<Record<string, string>>): (text: string) => string {
  const table = new PrefixTable(prefixes, () => undefined);
  return (text) =>
    text.replace(STRING_OR_IRI, (whole, iri: string | undefined) => (iri === undefined ? whole : table.nameOf(iri)));
}
