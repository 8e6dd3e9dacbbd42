/**
 * Social and shop data of diverse structure after the public description of WatDiv: users who follow
 * and befriend each other (most of the triples), products, reviews, purchases, retailers, offers.
 * The schema is a table: which kinds of entity there are, and with what chance each has a property.
 */
import { inLanguage, iri, string, TripleFile } from './ntriples.js';
import { Random } from './random.js';
import { CATEGORIES, type Entities, type Property, schema, WSDBM } from './social-schema.js';
import { LANGUAGES, Words } from './words.js';

/** Measured: triples for one unit of scale, that is 1,000 users and what goes with them. */
const TRIPLES_PER_SCALE = 103_500;
/** Kinds whose number grows with the data, per unit of scale; the others are constant. */
const GROWING: Readonly<Record<string, number>> = {
  User: 1000,
  Product: 250,
  Website: 50,
  Review: 1500,
  Retailer: 12,
  Offer: 900,
  Purchase: 1500,
};
const CONSTANT: Readonly<Record<string, number>> = {
  City: 240,
  Country: 25,
  Topic: 250,
  SubGenre: 145,
  Genre: 21,
  ProductCategory: CATEGORIES,
  Role: 3,
  AgeGroup: 9,
  Gender: 2,
  Language: 25,
};

export function writeSocial(path: string, triples: number, seed: number): number {
  const random = new Random(seed);
  const words = new Words(random, 8000, LANGUAGES);
  const out = new TripleFile(path);
  const counts = new Map(Object.entries(CONSTANT));
  for (const [kind, count] of Object.entries(GROWING)) {
    counts.set(kind, Math.max(2, Math.round((count * triples) / TRIPLES_PER_SCALE)));
  }
  const count = (kind: string): number => counts.get(kind) as number;
  const entities: Entities = {
    random,
    words,
    count,
    any: (kind) => iri(`${WSDBM}${kind}${random.below(count(kind))}`),
    popular: (kind, steepness) => iri(`${WSDBM}${kind}${random.popular(count(kind), steepness)}`),
    text: (from, to) => () => string(words.text(from, to)),
    textIn: (from, to) => () => {
      const language = random.choice(LANGUAGES);
      return inLanguage(words.text(from, to, language), language);
    },
  };
  for (const { kind, properties } of schema(entities)) {
    for (let index = 0; index < count(kind); index++) {
      const entity = iri(`${WSDBM}${kind}${index}`);
      for (const property of properties) writeProperty(out, random, property, entity, index);
    }
  }
  out.close();
  return out.triples;
}

function writeProperty(out: TripleFile, random: Random, property: Property, entity: string, index: number): void {
  if (property.when !== undefined && !property.when(index)) return;
  if (!random.happens(property.chance)) return;
  if (property.owner !== undefined) {
    out.add(property.owner(), property.predicate, entity);
    return;
  }
  if (property.mean === undefined) {
    out.add(entity, property.predicate, property.object(index));
    return;
  }
  const objects = new Set<string>();
  for (let rest = random.around(property.mean, property.mean / 3, 1); rest > 0; rest--)
    objects.add(property.object(index));
  for (const object of objects) out.add(entity, property.predicate, object);
}
