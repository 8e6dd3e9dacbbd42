/**
 * Random data for the plan fuzzer: classes of very different sizes, properties with skew, gaps and correlations, literals of
 * every kind that compares, a tree, a chain and a graph of links. All of it follows from the seed; what a query can
 * ask for stands in the schema.
 */
import { closeSync, openSync, writeSync } from 'node:fs';
import { Random } from '../data/random.js';

export const NAMESPACE = 'http://fuzz.test/';
const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const RDF_TYPE = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>';
const CHUNK_BYTES = 1 << 20;

export const LITERAL_KINDS = [
  'integer',
  'decimal',
  'double',
  'number',
  'word',
  'text',
  'label',
  'date',
  'dateTime',
  'gYear',
  'gYearMonth',
  'gMonthDay',
  'time',
  'duration',
  'boolean',
  /** Of another datatype; random worlds have none. */
  'other',
] as const;
export type LiteralKind = (typeof LITERAL_KINDS)[number];
export const MADE_KINDS = LITERAL_KINDS.filter((kind) => kind !== 'other');

/** The kinds of the literals of a document. */
export const KINDS_BY_DATATYPE: ReadonlyMap<string, LiteralKind> = new Map<string, LiteralKind>(
  [
    ...(['integer', 'int', 'long', 'short', 'nonNegativeInteger', 'positiveInteger'] as const).map(
      (name) => [name, 'integer'] as const,
    ),
    ...(['decimal', 'double', 'date', 'dateTime', 'gYear', 'gYearMonth', 'gMonthDay', 'time', 'boolean'] as const).map(
      (name) => [name, name] as const,
    ),
    ['float', 'double'] as const,
    ['string', 'text'] as const,
    ['dayTimeDuration', 'duration'] as const,
  ].map(([name, kind]) => [XSD + name, kind]),
);
/** Parts of the words of random worlds. */
const WORDS: readonly string[] = ['kalo', 'mi', 'tor', 'wexyon', 'ka', 'lo', 'sta', 'ne', 'ru'];

export interface WorldClass {
  /** Its IRI, or its local name in the namespace; null = what has no class. */
  readonly name: string | null;
  readonly count: number;
  /** Some of its things, where a document tells them; otherwise they are numbered. */
  readonly things?: readonly string[];
}

export interface Property {
  /** Its IRI, or its local name. */
  readonly name: string;
  /** Number of the class whose things have it. */
  readonly domain: number;
  /** Number of the class that it leads to, or the kind of its literals. */
  readonly range: number | LiteralKind;
  /** Different literals. */
  readonly distinct: number;
  /** The share of the things that have it, and how many values one has at most. */
  readonly share: number;
  readonly valuesMax: number;
  /** How much more frequent the first values are than the last. */
  readonly steepness: number;
  /** Nine times of ten the value follows from that of the property before. */
  readonly follows: boolean;
  /** Some of what the document has; otherwise values are numbered. */
  readonly values?: readonly string[];
}

export interface World {
  readonly seed: number;
  readonly classes: readonly WorldClass[];
  readonly properties: readonly Property[];
  /** Numbers of the classes whose things have something. */
  readonly starts: readonly number[];
  /** What texts are searched for. */
  readonly words: readonly string[];
  /** Where all triples stand in named graphs: those. */
  readonly graphs: readonly string[];
}

/** Classes, and for each some properties to literals and to other classes, a parent and a next thing of its own. */
export function makeWorld(seed: number, triples: number): World {
  const random = new Random(seed);
  const classCount = random.between(4, 8);
  const weights = Array.from({ length: classCount }, (_, at) => 1 / (at + 1) ** (1 + random.fraction()));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  /** A thing has some eight triples. */
  const things = triples / 8;
  const classes = weights.map((weight, at) => ({
    name: `C${at}`,
    count: Math.max(3, Math.round((things * weight) / total)),
  }));
  const properties: Property[] = [];
  for (const domain of classes.keys()) {
    const count = (classes[domain] as WorldClass).count;
    const add = (range: number | LiteralKind, more: Partial<Property> = {}): void => {
      const every = random.happens(0.5);
      properties.push({
        name: `p${properties.length}`,
        domain,
        range,
        distinct: Math.max(2, Math.round(count ** (0.2 + 0.8 * random.fraction()))),
        share: every ? 1 : random.fraction() ** 2,
        valuesMax: random.happens(0.7) ? 1 : random.between(2, 8),
        steepness: 1 + 4 * random.fraction(),
        follows: random.happens(0.3),
        ...more,
      });
    };
    for (let left = random.between(2, 5); left > 0; left--) add(random.choice(MADE_KINDS));
    for (let left = random.between(1, 4); left > 0; left--) add(random.below(classCount));
    // A label that most things have, a tree or a chain, and links among themselves.
    add('label', { share: 0.9, valuesMax: 2, follows: false });
    if (random.happens(0.7)) add(domain, { share: 0.95, valuesMax: 1, steepness: random.choice([1, 3]) });
  }
  return { seed, classes, properties, starts: [...classes.keys()], words: WORDS, graphs: [] };
}

/** Writes the data as N-Triples; gives the number of triples. */
export function writeWorld(world: World, path: string): number {
  const random = new Random(world.seed + 1);
  const file = openSync(path, 'w');
  let lines: string[] = [];
  let length = 0;
  let triples = 0;
  const add = (subject: string, predicate: string, object: string): void => {
    const line = `${subject} ${predicate} ${object} .\n`;
    lines.push(line);
    length += line.length;
    triples++;
    if (length < CHUNK_BYTES) return;
    writeSync(file, lines.join(''));
    lines = [];
    length = 0;
  };
  try {
    for (const [number, { name, count }] of world.classes.entries()) {
      const properties = world.properties.filter(({ domain }) => domain === number);
      for (let at = 0; at < count; at++) {
        const subject = thing(number, at);
        add(subject, RDF_TYPE, iri(name as string));
        if (at % 3 === 0) add(subject, RDF_TYPE, iri('Any'));
        let before = 0;
        for (const property of properties) {
          if (!random.happens(property.share)) continue;
          const seen = new Set<string>();
          for (let left = random.between(1, property.valuesMax + 1); left > 0; left--) {
            const limit = valuesOf(property, world);
            const follows = property.follows && random.happens(0.9);
            const value = follows ? (before * 7) % limit : random.popular(limit, property.steepness);
            seen.add(termOf(property, value));
            before = value;
          }
          for (const object of seen) add(subject, iri(property.name), object);
        }
      }
    }
    writeSync(file, lines.join(''));
  } finally {
    closeSync(file);
  }
  return triples;
}

/** Of a local name; an IRI stays what it is. */
export function iri(name: string): string {
  return name.includes(':') ? `<${name}>` : `<${NAMESPACE}${name}>`;
}

export function thing(number: number, at: number): string {
  return iri(`t${number}-${at}`);
}

/** How many values a property has to choose from. */
export function valuesOf({ range, distinct }: Property, { classes }: World): number {
  return typeof range === 'number' ? (classes[range] as WorldClass).count : distinct;
}

/** The value of a property by its number, as N-Triples and SPARQL write it. */
export function termOf({ range }: Pick<Property, 'range'>, value: number): string {
  return typeof range === 'number' ? thing(range, value) : literalOf(range, value);
}

const SYLLABLES = ['ka', 'lo', 'mi', 'ne', 'ru', 'sta', 'tor', 'vel', 'wex', 'yon'];
const LANGUAGES = ['en', 'de', 'fr', 'it'];
const DAYS = 28;
const MONTHS = 12;

function wordOf(value: number): string {
  let word = '';
  for (let left = value + 10; left > 0; left = Math.floor(left / 10)) word += SYLLABLES[left % 10];
  return word;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function dateOf(value: number): string {
  const months = Math.floor(value / DAYS);
  return `${1950 + Math.floor(months / MONTHS)}-${two(1 + (months % MONTHS))}-${two(1 + (value % DAYS))}`;
}

/** In its canonical form: another store may keep nothing else. */
function durationOf(seconds: number): string {
  const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
  const hours = Math.floor(minutes / 60);
  const [h, m, s] = [
    hours > 0 ? `${hours}H` : '',
    minutes % 60 > 0 ? `${minutes % 60}M` : '',
    rest > 0 ? `${rest}S` : '',
  ];
  return seconds === 0 ? 'PT0S' : `PT${h}${m}${s}`;
}

function literalOf(kind: LiteralKind, value: number): string {
  const typed = (text: string, type: string): string => `"${text}"^^<${XSD}${type}>`;
  switch (kind) {
    case 'integer':
      return typed(String(value), 'integer');
    case 'decimal':
      return typed((value / 10 + 0.05).toFixed(2), 'decimal');
    case 'double':
      return typed(`${(value % 9) + 1}.5E${Math.floor(value / 9) % 9}`, 'double');
    case 'number':
      // The same values in several types.
      return [
        typed(String(value >> 2), 'integer'),
        typed(`${value >> 2}.5`, 'decimal'),
        typed(`${value >> 2}.0E0`, 'double'),
      ][value % 3] as string;
    case 'word':
      return `"${wordOf(value)}"`;
    case 'text':
      return `"${[0, 1, 2, 3, 4].map((at) => wordOf((value * (at + 3)) % 997)).join(' ')} ${value}"`;
    case 'label':
      return `"${value % 2 === 0 ? wordOf(value >> 1) : wordOf(value >> 1).toUpperCase()}"@${LANGUAGES[value % LANGUAGES.length]}`;
    case 'date':
      return typed(dateOf(value), 'date');
    case 'dateTime':
      return typed(`${dateOf(value >> 3)}T${two(value % 24)}:${two(value % 60)}:00Z`, 'dateTime');
    case 'gYear':
      return typed(String(1900 + (value % 200)), 'gYear');
    case 'gYearMonth':
      return typed(dateOf(value * DAYS).slice(0, 7), 'gYearMonth');
    case 'gMonthDay':
      return typed(`-${dateOf(value).slice(4)}`.replace(/^-+/, '--'), 'gMonthDay');
    case 'time':
      return typed(`${two(value % 24)}:${two((value >> 3) % 60)}:00`, 'time');
    case 'duration':
      return typed(durationOf(value), 'dayTimeDuration');
    case 'boolean':
      return typed(value % 2 === 0 ? 'true' : 'false', 'boolean');
    case 'other':
      return typed(String(value), 'token');
  }
}
