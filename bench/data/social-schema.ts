/** The table of kinds and properties of the social data, in the vocabularies that WatDiv uses. */
import { date, dayOf, integer, iri, string } from './ntriples.js';
import type { Random } from './random.js';
import type { Words } from './words.js';

export const WSDBM = 'http://db.uwaterloo.ca/~galuc/wsdbm/';
const SCHEMA = 'http://schema.org/';
const GOOD = 'http://purl.org/goodrelations/';
const OGP = 'http://ogp.me/ns#';
const FOAF = 'http://xmlns.com/foaf/0.1/';
const REV = 'http://purl.org/stuff/rev#';
const MUSIC = 'http://purl.org/ontology/mo/';
const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const LOCATION = 'http://purl.org/dc/terms/Location';
const PARENT_COUNTRY = 'http://www.geonames.org/ontology#parentCountry';
export const CATEGORIES = 15;
const FIRST_DAY = dayOf('2000-01-01');

export interface Entities {
  readonly random: Random;
  readonly words: Words;
  count(kind: string): number;
  any(kind: string): string;
  /** Low numbers are more frequent, the more the higher `steepness` is. */
  popular(kind: string, steepness: number): string;
  text(from: number, to: number): () => string;
  /** In one of several languages. */
  textIn(from: number, to: number): () => string;
}

export interface Property {
  readonly predicate: string;
  /** How likely an entity has it. */
  readonly chance: number;
  /** Average number of objects of those that have it; absent = 1. */
  readonly mean?: number;
  readonly object: (index: number) => string;
  /** The entity is the object, and this gives the subject. */
  readonly owner?: () => string;
  /** Which entities may have it. */
  readonly when?: (index: number) => boolean;
}

interface Kind {
  readonly kind: string;
  readonly properties: readonly Property[];
}

/** The category of a product follows from its number alone. */
const categoryOf = (index: number): number => (Math.imul(index, 0x9e3779b1) >>> 8) % CATEGORIES;

const one = (predicate: string, chance: number, object: (index: number) => string): Property => ({
  predicate: iri(predicate),
  chance,
  object,
});
const many = (predicate: string, chance: number, mean: number, object: () => string): Property => ({
  predicate: iri(predicate),
  chance,
  mean,
  object,
});
const owned = (predicate: string, owner: () => string): Property => ({
  predicate: iri(predicate),
  chance: 1,
  object: owner,
  owner,
});
const within = (categories: readonly number[], properties: readonly Property[]): Property[] =>
  properties.map((property) => ({ ...property, when: (index) => categories.includes(categoryOf(index)) }));

/** Kinds in the order in which they are written. */
export function schema(entities: Entities): readonly Kind[] {
  return [
    { kind: 'City', properties: [one(PARENT_COUNTRY, 1, () => entities.any('Country'))] },
    {
      kind: 'SubGenre',
      properties: [one(TYPE, 1, () => entities.any('Genre')), many(`${OGP}tag`, 1, 6, () => entities.any('Topic'))],
    },
    websites(entities),
    users(entities),
    products(entities),
    reviews(entities),
    purchases(entities),
    retailers(entities),
    offers(entities),
  ];
}

const someDay =
  ({ random }: Entities) =>
  () =>
    date(FIRST_DAY + random.below(5000));
const number =
  ({ random }: Entities, from: number, to: number) =>
  () =>
    integer(random.between(from, to));
const digits =
  ({ random }: Entities, from: number, to: number) =>
  () =>
    string(String(random.between(from, to)));

function websites(entities: Entities): Kind {
  const { words } = entities;
  return {
    kind: 'Website',
    properties: [
      one(`${SCHEMA}url`, 1, (index) => string(`http://www.${words.word()}${index}.tld/`)),
      one(`${WSDBM}hits`, 1, number(entities, 1, 1_000_000)),
      one(`${SCHEMA}language`, 0.4, () => entities.any('Language')),
    ],
  };
}

function users(entities: Entities): Kind {
  const { random, words } = entities;
  return {
    kind: 'User',
    properties: [
      one(TYPE, 1, () => entities.any('Role')),
      one(`${WSDBM}userId`, 1, (index) => integer(1_000_000 + index)),
      one(LOCATION, 0.4, () => entities.any('City')),
      one(`${FOAF}age`, 0.5, () => entities.any('AgeGroup')),
      one(`${WSDBM}gender`, 0.6, () => entities.any('Gender')),
      one(`${FOAF}givenName`, 0.7, () => string(words.name())),
      one(`${FOAF}familyName`, 0.7, () => string(words.name())),
      one(`${SCHEMA}birthDate`, 0.2, someDay(entities)),
      one(`${SCHEMA}nationality`, 0.2, () => entities.any('Country')),
      one(`${SCHEMA}email`, 0.9, (index) => string(`${words.word()}${index}@${words.word()}.tld`)),
      one(`${SCHEMA}jobTitle`, 0.05, entities.textIn(1, 4)),
      one(`${SCHEMA}telephone`, 0.05, () => string(`+${random.between(1_000_000_000, 4_000_000_000)}`)),
      one(`${FOAF}homepage`, 0.05, () => entities.any('Website')),
      many(`${WSDBM}subscribes`, 0.2, 6, () => entities.popular('Website', 2)),
      many(`${WSDBM}likes`, 0.25, 5, () => entities.popular('Product', 2)),
      many(`${WSDBM}friendOf`, 0.4, 105, () => entities.any('User')),
      many(`${WSDBM}follows`, 0.35, 95, () => entities.popular('User', 1.5)),
    ],
  };
}

function products(entities: Entities): Kind {
  const user = (): string => entities.any('User');
  return {
    kind: 'Product',
    properties: [
      one(TYPE, 1, (index) => iri(`${WSDBM}ProductCategory${categoryOf(index)}`)),
      one(`${SCHEMA}caption`, 0.15, entities.text(3, 9)),
      one(`${SCHEMA}description`, 0.15, entities.textIn(10, 41)),
      one(`${SCHEMA}keywords`, 0.3, entities.text(3, 11)),
      one(`${SCHEMA}text`, 0.3, entities.textIn(20, 61)),
      one(`${SCHEMA}contentRating`, 0.4, digits(entities, 6, 19)),
      one(`${SCHEMA}contentSize`, 0.1, number(entities, 1, 5001)),
      one(`${SCHEMA}language`, 0.2, () => entities.any('Language')),
      one(`${OGP}title`, 0.9, entities.text(1, 6)),
      many(`${OGP}tag`, 0.6, 10, () => entities.popular('Topic', 2)),
      many(`${WSDBM}hasGenre`, 1, 2, () => entities.any('SubGenre')),
      one(`${FOAF}homepage`, 0.25, () => entities.any('Website')),
      one(`${SCHEMA}publisher`, 0.2, entities.text(1, 4)),
      one(`${SCHEMA}expires`, 0.15, someDay(entities)),
      one(`${SCHEMA}trailer`, 0.2, () => entities.any('Website')),
      ...within(
        [0, 1],
        [
          many(`${SCHEMA}author`, 0.7, 2, user),
          one(`${SCHEMA}bookEdition`, 0.3, number(entities, 1, 10)),
          one(`${SCHEMA}isbn`, 0.5, digits(entities, 100_000_000, 4_000_000_000)),
          one(`${SCHEMA}numberOfPages`, 0.3, number(entities, 50, 1201)),
        ],
      ),
      ...within(
        [2],
        [
          many(`${SCHEMA}actor`, 0.7, 6, user),
          one(`${SCHEMA}director`, 0.5, user),
          one(`${SCHEMA}duration`, 0.3, number(entities, 60, 241)),
          one(`${SCHEMA}award`, 0.3, entities.text(1, 4)),
        ],
      ),
      ...within(
        [4],
        [
          one(`${MUSIC}artist`, 0.7, user),
          one(`${MUSIC}conductor`, 0.2, user),
          one(`${MUSIC}releaseDate`, 0.4, someDay(entities)),
        ],
      ),
    ],
  };
}

function reviews(entities: Entities): Kind {
  return {
    kind: 'Review',
    properties: [
      owned(`${REV}hasReview`, () => entities.popular('Product', 2)),
      one(`${REV}rating`, 1, number(entities, 1, 11)),
      one(`${REV}reviewer`, 1, () => entities.any('User')),
      one(`${REV}title`, 0.3, entities.text(3, 9)),
      one(`${REV}text`, 0.5, entities.textIn(15, 61)),
      one(`${REV}totalVotes`, 0.05, number(entities, 1, 201)),
    ],
  };
}

function purchases(entities: Entities): Kind {
  return {
    kind: 'Purchase',
    properties: [
      owned(`${WSDBM}makesPurchase`, () => entities.any('User')),
      one(`${WSDBM}purchaseFor`, 1, () => entities.popular('Product', 2)),
      one(`${WSDBM}purchaseDate`, 0.3, someDay(entities)),
      one(`${GOOD}price`, 0.5, number(entities, 1, 901)),
    ],
  };
}

function retailers(entities: Entities): Kind {
  const { random, words } = entities;
  return {
    kind: 'Retailer',
    properties: [
      one(TYPE, 1, () => iri(`${WSDBM}Retailer`)),
      one(`${SCHEMA}legalName`, 1, entities.text(1, 4)),
      one(`${GOOD}description`, 0.5, entities.textIn(10, 31)),
      one(`${SCHEMA}openingHours`, 0.8, () => string(`Mo-Fr ${random.between(6, 11)}-${random.between(16, 23)}`)),
      one(`${SCHEMA}paymentAccepted`, 0.5, () => string(random.choice(['Cash', 'Card', 'Invoice']))),
      one(`${SCHEMA}email`, 0.5, () => string(`shop@${words.word()}.tld`)),
      one(`${SCHEMA}contactPoint`, 0.4, () => entities.any('User')),
      one(`${FOAF}homepage`, 0.7, () => entities.any('Website')),
      one(`${SCHEMA}employee`, 0.3, () => entities.any('User')),
    ],
  };
}

function offers(entities: Entities): Kind {
  return {
    kind: 'Offer',
    properties: [
      owned(`${GOOD}offers`, () => entities.popular('Retailer', 1.5)),
      one(`${GOOD}includes`, 1, () => entities.popular('Product', 2)),
      one(`${GOOD}price`, 1, number(entities, 1, 901)),
      one(`${GOOD}serialNumber`, 0.9, digits(entities, 1_000_000, 9_000_000)),
      one(`${GOOD}validFrom`, 0.6, someDay(entities)),
      one(`${GOOD}validThrough`, 0.6, someDay(entities)),
      one(`${SCHEMA}priceValidUntil`, 0.5, someDay(entities)),
      one(`${SCHEMA}eligibleQuantity`, 0.7, number(entities, 1, 21)),
      many(`${SCHEMA}eligibleRegion`, 0.6, 3, () => entities.any('Country')),
    ],
  };
}
