/**
 * The world of a document: its classes, what their things have, and samples of what stands there, drawn as the lines come. What is
 * frequent in the data is frequent in the samples. A thing of several classes is one of each; what has no type belongs to a class without a name.
 */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { addTo } from '../../engine/base/maps.js';
import { Random } from '../data/random.js';
import { KINDS_BY_DATATYPE, type LiteralKind, type Property, RDF_TYPE, type World, type WorldClass } from './world.js';

const SAMPLE_MAX = 200;
const CLASSES_MAX = 24;
const PROPERTIES_MAX = 160;
const LINE = /^(\S+) (<[^>]*>) (.*?)(?: (<[^>]*>))? \.\s*$/;
const LITERAL = /^"((?:[^"\\]|\\.)*)"(?:@(\S+)|\^\^<([^>]*)>)?$/;
/** Longer texts say no more. */
const TERM_LENGTH_MAX = 200;
const WORD = /[\p{L}]{3,9}/u;
const WORDS_MAX = 40;

/** Some of what passes, each as likely as the next. */
class Sample {
  readonly items: string[] = [];
  seen = 0;

  add(item: string, random: Random): void {
    this.seen++;
    if (this.items.length < SAMPLE_MAX) this.items.push(item);
    else {
      const at = random.below(this.seen);
      if (at < SAMPLE_MAX) this.items[at] = item;
    }
  }
}

interface Found {
  readonly values: Sample;
  readonly ranges: Map<number | LiteralKind, number>;
}

export interface DrawnFrom {
  readonly path: string;
  readonly quads: boolean;
}

export interface Drawn {
  readonly world: World;
  readonly triples: number;
}

/** The document is read twice: for the classes of things, and for what they have. */
export async function drawWorld(data: DrawnFrom, seed: number): Promise<Drawn> {
  const random = new Random(seed);
  const typesOf = new Map<string, Set<string>>();
  const graphs = new Set<string>();
  let triples = 0;
  for await (const [subject, predicate, object, graph] of linesOf(data)) {
    if (predicate === RDF_TYPE) typesOf.set(subject, (typesOf.get(subject) ?? new Set()).add(object));
    if (graph !== null) graphs.add(graph);
    triples++;
  }
  const counts = new Map<string, number>();
  for (const types of typesOf.values()) for (const type of types) counts.set(type, (counts.get(type) ?? 0) + 1);
  const names = [...counts.keys()]
    .sort((a, b) => (counts.get(b) as number) - (counts.get(a) as number))
    .slice(0, CLASSES_MAX);
  const numbers = new Map(names.map((name, at) => [name, at]));
  const things = [...names, null].map(() => new Sample());
  for (const [thing, types] of typesOf) {
    if (thing.startsWith('_:')) continue;
    for (const type of types) things[numbers.get(type) ?? names.length]?.add(thing, random);
  }
  const classesOf = (term: string): number[] => {
    const own = [...(typesOf.get(term) ?? [])].flatMap((type) => numbers.get(type) ?? []);
    return own.length > 0 ? own : [names.length];
  };
  const found = new Map<string, Found>();
  for await (const [subject, predicate, object] of linesOf(data)) {
    if (predicate === RDF_TYPE) continue;
    const range = object.startsWith('"') ? kindOf(object) : random.choice(classesOf(object));
    for (const domain of classesOf(subject)) {
      const key = `${domain} ${predicate}`;
      let entry = found.get(key);
      if (entry === undefined) {
        entry = { values: new Sample(), ranges: new Map() };
        found.set(key, entry);
      }
      entry.ranges.set(range, (entry.ranges.get(range) ?? 0) + 1);
      if (!object.startsWith('_:') && object.length < TERM_LENGTH_MAX) entry.values.add(object, random);
    }
    if (!object.startsWith('"') && !object.startsWith('_:') && !typesOf.has(object)) {
      things[names.length]?.add(object, random);
    }
  }
  const classes = [...names, null].map(
    (name, at): WorldClass => ({
      name: name === null ? null : name.slice(1, -1),
      count: name === null ? (things[at]?.seen ?? 0) : (counts.get(name) as number),
      things: (things[at] as Sample).items,
    }),
  );
  const properties = [...found]
    .sort(([, a], [, b]) => b.values.seen - a.values.seen)
    .slice(0, PROPERTIES_MAX)
    .map(([key, entry]) => propertyOf(key, entry));
  const starts = [...new Set(properties.map(({ domain }) => domain))];
  const world = { seed, classes, properties, starts, words: wordsOf(properties), graphs: [...graphs] };
  return { world, triples };
}

function propertyOf(key: string, { values, ranges }: Found): Property {
  const [domain, predicate] = key.split(' ') as [string, string];
  const [range] = [...ranges].reduce((a, b) => (b[1] > a[1] ? b : a));
  return {
    name: predicate.slice(1, -1),
    domain: Number(domain),
    range,
    distinct: values.items.length,
    share: 1,
    valuesMax: 1,
    steepness: 1,
    follows: false,
    values: values.items.filter((term) => term.startsWith('"') === (typeof range !== 'number')),
  };
}

function wordsOf(properties: readonly Property[]): string[] {
  const texts = properties.filter(({ range }) => range === 'text' || range === 'label' || range === 'word');
  const words = new Map<string, true[]>();
  for (const { values = [] } of texts) {
    for (const value of values) {
      const word = WORD.exec(value)?.[0];
      if (word !== undefined) addTo(words, word, true as const);
    }
  }
  return [...words.keys()].slice(0, WORDS_MAX);
}

function kindOf(literal: string): LiteralKind {
  const [, text = '', language, datatype] = LITERAL.exec(literal) ?? [];
  if (language !== undefined) return 'label';
  if (datatype !== undefined) return KINDS_BY_DATATYPE.get(datatype) ?? 'other';
  return text.includes(' ') ? 'text' : 'word';
}

type Line = readonly [subject: string, predicate: string, object: string, graph: string | null];

async function* linesOf({ path, quads }: DrawnFrom): AsyncGenerator<Line> {
  for await (const line of createInterface({ input: createReadStream(path) })) {
    const match = LINE.exec(line);
    if (match === null) continue;
    const [, subject, predicate, object, last] = match as unknown as [string, string, string, string, string?];
    if (quads || last === undefined) yield [subject, predicate, object, quads ? (last ?? null) : null];
  }
}
