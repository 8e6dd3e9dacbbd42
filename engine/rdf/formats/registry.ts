/**
 * The formats that are read and written: names, media types, file extensions. Everything that must
 * decide what a file or a request body is asks here; nothing else knows an extension or a media type.
 *
 * A name may carry one compression on top: `data.ttl.gz`, `data.nq.zst`.
 */

import { SvcError } from '../../base/errors.js';

export type Format = 'ntriples' | 'nquads' | 'turtle' | 'trig' | 'rdfxml' | 'jsonld';
export type Compression = 'none' | 'gzip' | 'zstd';

export interface FormatDescription {
  readonly name: Format;
  /** For people: `N-Triples`. */
  readonly label: string;
  /** The first one is the one that is sent. */
  readonly mediaTypes: readonly string[];
  /** With their dot; the first one is the one that is written. */
  readonly extensions: readonly string[];
  /** Whether it can say in which graph a triple is. */
  readonly namedGraphs: boolean;
}

type Row = [name: Format, label: string, mediaTypes: string[], extensions: string[], namedGraphs: boolean];

const ROWS: readonly Row[] = [
  ['ntriples', 'N-Triples', ['application/n-triples', 'text/plain'], ['.nt', '.ntriples'], false],
  ['nquads', 'N-Quads', ['application/n-quads', 'text/x-nquads'], ['.nq', '.nquads'], true],
  ['turtle', 'Turtle', ['text/turtle', 'application/x-turtle'], ['.ttl', '.turtle'], false],
  ['trig', 'TriG', ['application/trig', 'application/x-trig'], ['.trig'], true],
  ['rdfxml', 'RDF/XML', ['application/rdf+xml', 'application/xml', 'text/xml'], ['.rdf', '.owl', '.xml'], false],
  ['jsonld', 'JSON-LD', ['application/ld+json', 'application/json'], ['.jsonld', '.json'], true],
];

export const FORMATS: readonly FormatDescription[] = ROWS.map(([name, label, mediaTypes, extensions, namedGraphs]) => ({
  name,
  label,
  mediaTypes,
  extensions,
  namedGraphs,
}));

const COMPRESSION_EXTENSIONS: readonly { extension: string; compression: Compression }[] = [
  { extension: '.gz', compression: 'gzip' },
  { extension: '.zst', compression: 'zstd' },
];

export interface FileForm {
  readonly format: Format;
  readonly compression: Compression;
}

const byName = new Map(FORMATS.map((format) => [format.name, format]));
const byMediaType = new Map(FORMATS.flatMap((format) => format.mediaTypes.map((type) => [type, format] as const)));
const byExtension = new Map(
  FORMATS.flatMap((format) => format.extensions.map((extension) => [extension, format] as const)),
);
/** What people write for a format besides its name: `n-triples`, `nt`, `json-ld`, a media type. */
const bySpelling = new Map<string, FormatDescription>([
  ...FORMATS.flatMap((format) => format.extensions.map((extension) => [extension.slice(1), format] as const)),
  ...FORMATS.map((format) => [format.label.toLowerCase(), format] as const),
  ...byMediaType,
  ...byName,
]);

export function describeFormat(format: Format): FormatDescription {
  return byName.get(format)!;
}

/** A format by what a person calls it: `turtle`, `ttl`, `N-Triples`, `text/turtle`. */
export function formatOfName(name: string): Format {
  const found = bySpelling.get(name.trim().toLowerCase());
  if (found !== undefined) return found.name;
  throw new SvcError('unknown_format', `unknown format ${JSON.stringify(name)}`, {
    hint: `known formats: ${FORMATS.map((format) => format.name).join(', ')}`,
  });
}

/** The compression that the last extension of a path names, and the path without it. */
export function compressionOfPath(path: string): { compression: Compression; path: string } {
  const lower = path.toLowerCase();
  for (const { extension, compression } of COMPRESSION_EXTENSIONS) {
    if (lower.endsWith(extension)) return { compression, path: path.slice(0, -extension.length) };
  }
  return { compression: 'none', path };
}

/** What a path says about its content, or null where its extension is not one of ours. */
export function knownFormOfPath(path: string): FileForm | null {
  const { compression, path: bare } = compressionOfPath(path);
  const name = bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1);
  const dot = name.lastIndexOf('.');
  const format = dot < 0 ? undefined : byExtension.get(name.slice(dot).toLowerCase());
  return format === undefined ? null : { format: format.name, compression };
}

/** As `knownFormOfPath`, but an unknown extension is an error that lists the known ones. */
export function formatOfPath(path: string): FileForm {
  const form = knownFormOfPath(path);
  if (form !== null) return form;
  throw new SvcError('unknown_format', `${path}: the extension names no known format`, {
    hint: `known extensions: ${listExtensions()}; or name the format`,
  });
}

/** The format of a media type; parameters such as `charset` are ignored. */
export function formatOfMediaType(mediaType: string): Format {
  const bare = mediaType.split(';', 1)[0]!.trim().toLowerCase();
  const format = byMediaType.get(bare);
  if (format !== undefined) return format.name;
  throw new SvcError('unknown_format', `unknown media type ${JSON.stringify(bare)}`, {
    hint: `known media types: ${FORMATS.map((known) => known.mediaTypes[0]).join(', ')}`,
  });
}

/** `.nt, .ntriples ... (each also with .gz, .zst)`, for messages and help. */
export function listExtensions(): string {
  const compressed = COMPRESSION_EXTENSIONS.map(({ extension }) => extension).join(', ');
  return `${[...byExtension.keys()].join(', ')} (each also with ${compressed})`;
}
