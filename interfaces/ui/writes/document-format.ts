/** The formats of documents that can be loaded, by what a file is called. */

export interface DocumentFormat {
  readonly label: string;
  readonly mediaType: string;
  /** Endings of names, in small letters. */
  readonly endings: readonly string[];
  /** Terms stand in it as Turtle writes them, so that one can be changed in place. */
  readonly isLikeTurtle: boolean;
}

export const FORMATS = {
  turtle: format('Turtle', 'text/turtle', ['ttl', 'turtle'], { isLikeTurtle: true }),
  ntriples: format('N-Triples', 'application/n-triples', ['nt', 'ntriples'], { isLikeTurtle: true }),
  trig: format('TriG', 'application/trig', ['trig'], { isLikeTurtle: true }),
  nquads: format('N-Quads', 'application/n-quads', ['nq', 'nquads'], { isLikeTurtle: true }),
  rdfxml: format('RDF/XML', 'application/rdf+xml', ['rdf', 'owl', 'xml'], { isLikeTurtle: false }),
  jsonld: format('JSON-LD', 'application/ld+json', ['jsonld', 'json'], { isLikeTurtle: false }),
} as const;

export type FormatName = keyof typeof FORMATS;

export const ENDINGS: readonly string[] = Object.values(FORMATS).flatMap(({ endings }) => endings);

const PACKED = /\.(gz|zst|zip|bz2|xz)$/i;

function format(
  label: string,
  mediaType: string,
  endings: readonly string[],
  what: Pick<DocumentFormat, 'isLikeTurtle'>,
): DocumentFormat {
  return { label, mediaType, endings, ...what };
}

/** Null where the ending names none. Throws for a packed file, which a browser would have to unpack. */
export function formatOf(name: string): FormatName | null {
  if (PACKED.test(name)) {
    throw new TypeError(`${name} is packed: unpack it first. svc knot reads .gz and .zst as they are.`);
  }
  const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  const found = Object.entries(FORMATS).find(([, { endings }]) => endings.includes(ending));
  return found === undefined ? null : (found[0] as FormatName);
}
