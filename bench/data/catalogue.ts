/** The catalogue of the shop data: product types in a tree, their features, producers, products. */
import { date, dayOf, integer, iri, string, type TripleFile } from './ntriples.js';
import type { Random } from './random.js';
import { BSBM, COUNTRY_PLACE, INSTANCES, predicate, TYPE } from './shop-names.js';
import type { Words } from './words.js';

const FIRST_DAY = dayOf('2000-06-20');
const INSTITUTION = iri(`${INSTANCES}StandardizationInstitution1`);
/** How many of the six numeric and of the six textual properties a product has: chance of each. */
const PROPERTY_CHANCES = [1, 1, 1, 0.7, 0.8, 0.2];

/** Countries by frequency, in twentieths. */
export const COUNTRIES = {
  codes: [
    ['US', 8],
    ['GB', 2],
    ['JP', 2],
    ['CN', 2],
    ['DE', 1],
    ['FR', 1],
    ['ES', 1],
    ['RU', 1],
    ['KR', 1],
    ['AT', 1],
  ].flatMap(([code, parts]) => Array<string>(parts as number).fill(code as string)),
  code(random: Random): string {
    return random.choice(this.codes);
  },
  iri(code: string): string {
    return iri(COUNTRY_PLACE + code);
  },
  pick(random: Random): string {
    return this.iri(this.code(random));
  },
};

interface ProductType {
  readonly name: string;
  /** The type itself and the types above it. */
  readonly line: readonly ProductType[];
  readonly features: readonly string[];
}

interface Tools {
  readonly random: Random;
  readonly words: Words;
  readonly out: TripleFile;
}

export class Catalogue {
  readonly products: string[] = [];
  readonly #tools: Tools;
  readonly #productCount: number;
  #types = 0;
  #features = 0;

  constructor(tools: Tools, productCount: number) {
    this.#tools = tools;
    this.#productCount = productCount;
  }

  write(): void {
    const { random } = this.#tools;
    const leaves = this.#writeTypes();
    for (let producer = 1; this.products.length < this.#productCount; producer++) {
      const place = `${INSTANCES}dataFromProducer${producer}/`;
      const name = iri(`${place}Producer${producer}`);
      this.#producer(producer, name);
      for (let rest = random.around(50, 17, 1); rest > 0 && this.products.length < this.#productCount; rest--) {
        this.#product(iri(`${place}Product${this.products.length + 1}`), name, random.choice(leaves));
      }
    }
  }

  /** A tree, wider with more products; returns its leaves. */
  #writeTypes(): readonly ProductType[] {
    const magnitude = Math.round(Math.log10(this.#productCount));
    let level = [this.#type([], 0)];
    const widths = [2 * magnitude, 8, 4].slice(0, Math.max(2, magnitude - 1));
    for (const [at, width] of widths.entries()) {
      if (at > 0 && level.length * width * 5 > this.#productCount) break;
      level = level.flatMap((above) => Array.from({ length: width }, () => this.#type(above.line, at + 1)));
    }
    return level;
  }

  #type(above: readonly ProductType[], depth: number): ProductType {
    const { random, out } = this.#tools;
    const name = iri(`${INSTANCES}ProductType${++this.#types}`);
    const features =
      depth === 0 ? [] : Array.from({ length: random.between(7 * depth, 15 * depth) }, () => this.#feature());
    const line: ProductType[] = [];
    const type: ProductType = { name, line, features };
    line.push(type, ...above);
    out.add(name, TYPE, iri(`${BSBM}ProductType`));
    this.#described(name);
    if (above[0]) out.add(name, predicate.subClassOf, above[0].name);
    this.#published(name, INSTITUTION, FIRST_DAY + random.below(300));
    return type;
  }

  #feature(): string {
    const { random, out } = this.#tools;
    const name = iri(`${INSTANCES}ProductFeature${++this.#features}`);
    out.add(name, TYPE, iri(`${BSBM}ProductFeature`));
    this.#described(name);
    this.#published(name, INSTITUTION, FIRST_DAY + random.below(300));
    return name;
  }

  #producer(producer: number, name: string): void {
    const { random, out } = this.#tools;
    out.add(name, TYPE, iri(`${BSBM}Producer`));
    this.#described(name);
    out.add(name, predicate.homepage, iri(`http://www.Producer${producer}.com/`));
    out.add(name, predicate.country, COUNTRIES.pick(random));
    this.#published(name, name, FIRST_DAY + random.below(2000));
  }

  #product(name: string, producer: string, leaf: ProductType): void {
    const { random, words, out } = this.#tools;
    out.add(name, TYPE, iri(`${BSBM}Product`));
    for (const type of leaf.line) out.add(name, TYPE, type.name);
    out.add(name, predicate.label, string(words.text(1, 4)));
    out.add(name, predicate.comment, string(words.text(50, 151)));
    out.add(name, predicate.producer, producer);
    for (const [at, chance] of PROPERTY_CHANCES.entries()) {
      const value = Math.min(2000, random.around(1000, 330, 1));
      if (random.happens(chance)) out.add(name, predicate.numbers[at] as string, integer(value));
    }
    for (const [at, chance] of PROPERTY_CHANCES.entries()) {
      if (random.happens(chance)) out.add(name, predicate.texts[at] as string, string(words.text(3, 16)));
    }
    for (const type of leaf.line) {
      for (const feature of type.features) if (random.happens(0.25)) out.add(name, predicate.productFeature, feature);
    }
    this.#published(name, producer, FIRST_DAY + random.below(2500));
    this.products.push(name);
  }

  #described(name: string): void {
    const { words, out } = this.#tools;
    out.add(name, predicate.label, string(words.text(1, 4)));
    out.add(name, predicate.comment, string(words.text(20, 51)));
  }

  #published(name: string, by: string, day: number): void {
    this.#tools.out.add(name, predicate.publisher, by);
    this.#tools.out.add(name, predicate.date, date(day));
  }
}
