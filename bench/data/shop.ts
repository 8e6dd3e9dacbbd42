/**
 * E-commerce data after the public description of the Berlin SPARQL Benchmark (BSBM): a tree of
 * product types with features, producers with products, vendors with offers, reviewers with reviews.
 * Per product there are 20 offers and 10 reviews; texts make up most of the bytes.
 */
import { Catalogue, COUNTRIES } from './catalogue.js';
import { date, dateTime, dayOf, double, inLanguage, integer, iri, string, TripleFile } from './ntriples.js';
import { Random } from './random.js';
import { BSBM, DC, FOAF, INSTANCES, predicate, REV, TYPE } from './shop-names.js';
import { Words } from './words.js';

/** Measured: what a product brings with it, its offers, reviews and share of the rest included. */
const TRIPLES_PER_PRODUCT = 340;
const OFFERS_PER_PRODUCT = 20;
const REVIEWS_PER_PRODUCT = 10;
const LAST_DAY = dayOf('2008-06-20');
const LANGUAGE_OF: Readonly<Record<string, string>> = {
  US: 'en',
  GB: 'en',
  JP: 'ja',
  CN: 'zh',
  DE: 'de',
  FR: 'fr',
  ES: 'es',
  RU: 'ru',
  KR: 'ko',
  AT: 'de',
};

export function writeShop(path: string, triples: number, seed: number): number {
  const random = new Random(seed);
  const words = new Words(random, 30_000, [...new Set(Object.values(LANGUAGE_OF))]);
  const out = new TripleFile(path);
  const products = Math.max(40, Math.round(triples / TRIPLES_PER_PRODUCT));
  const catalogue = new Catalogue({ random, words, out }, products);
  catalogue.write();
  new Trade(random, words, out, catalogue.products).write();
  out.close();
  return out.triples;
}

class Trade {
  readonly #random: Random;
  readonly #words: Words;
  readonly #out: TripleFile;
  readonly #products: readonly string[];

  constructor(random: Random, words: Words, out: TripleFile, products: readonly string[]) {
    this.#random = random;
    this.#words = words;
    this.#out = out;
    this.#products = products;
  }

  write(): void {
    this.#offers(this.#products.length * OFFERS_PER_PRODUCT);
    this.#reviews(this.#products.length * REVIEWS_PER_PRODUCT);
  }

  #offers(count: number): void {
    const random = this.#random;
    let offer = 0;
    for (let vendor = 1; offer < count; vendor++) {
      const place = `${INSTANCES}dataFromVendor${vendor}/`;
      const name = iri(`${place}Vendor${vendor}`);
      this.#vendor(vendor, name);
      for (let rest = random.around(2000, 700, 20); rest > 0 && offer < count; rest--) {
        offer++;
        this.#offer(iri(`${place}Offer${offer}`), name, `http://www.vendor${vendor}.com/offers/Offer${offer}`);
      }
    }
  }

  #vendor(vendor: number, name: string): void {
    const out = this.#out;
    out.add(name, TYPE, iri(`${BSBM}Vendor`));
    out.add(name, predicate.label, string(this.#words.text(1, 4)));
    out.add(name, predicate.comment, string(this.#words.text(20, 51)));
    out.add(name, predicate.homepage, iri(`http://www.vendor${vendor}.com/`));
    out.add(name, predicate.country, COUNTRIES.pick(this.#random));
    this.#published(name, name, LAST_DAY - this.#random.below(700));
  }

  #offer(name: string, vendor: string, page: string): void {
    const random = this.#random;
    const out = this.#out;
    const from = LAST_DAY - random.between(1, 91);
    out.add(name, TYPE, iri(`${BSBM}Offer`));
    out.add(name, predicate.product, random.choice(this.#products));
    out.add(name, predicate.vendor, vendor);
    out.add(name, predicate.price, double(random.between(500, 1_000_000)));
    out.add(name, predicate.validFrom, dateTime(from));
    out.add(name, predicate.validTo, dateTime(from + random.between(30, 121)));
    out.add(name, predicate.deliveryDays, integer(random.happens(0.3) ? random.between(1, 4) : random.between(1, 22)));
    out.add(name, predicate.offerWebpage, iri(page));
    this.#published(name, vendor, from);
  }

  #reviews(count: number): void {
    const random = this.#random;
    let review = 0;
    let site = 0;
    let left = 0;
    for (let reviewer = 1; review < count; reviewer++) {
      if (left <= 0) {
        site++;
        left = random.around(10_000, 3500, 200);
      }
      const place = `${INSTANCES}dataFromRatingSite${site}/`;
      const country = COUNTRIES.code(random);
      const name = iri(`${place}Reviewer${reviewer}`);
      this.#reviewer(name, country, iri(`${place}RatingSite${site}`));
      for (let rest = random.around(20, 7, 1); rest > 0 && review < count; rest--) {
        review++;
        left--;
        this.#review(iri(`${place}Review${review}`), name, country, iri(`${place}RatingSite${site}`));
      }
    }
  }

  #reviewer(name: string, country: string, site: string): void {
    const random = this.#random;
    const out = this.#out;
    let digest = '';
    for (let i = 0; i < 5; i++) digest += random.word().toString(16).padStart(8, '0');
    out.add(name, TYPE, iri(`${FOAF}Person`));
    out.add(name, iri(`${FOAF}name`), string(`${this.#words.name()} ${this.#words.name()}`));
    out.add(name, iri(`${FOAF}mbox_sha1sum`), string(digest));
    out.add(name, predicate.country, COUNTRIES.iri(country));
    this.#published(name, site, LAST_DAY - random.below(1000));
  }

  #review(name: string, reviewer: string, country: string, site: string): void {
    const random = this.#random;
    const out = this.#out;
    const language = LANGUAGE_OF[country] as string;
    const day = LAST_DAY - random.below(366);
    out.add(name, TYPE, iri(`${REV}Review`));
    out.add(name, predicate.reviewFor, random.choice(this.#products));
    out.add(name, iri(`${REV}reviewer`), reviewer);
    out.add(name, predicate.reviewDate, dateTime(day));
    out.add(name, iri(`${DC}title`), string(this.#words.text(4, 16, language)));
    out.add(name, iri(`${REV}text`), inLanguage(this.#words.text(50, 201, language), language));
    for (const rating of predicate.ratings)
      if (random.happens(0.7)) out.add(name, rating, integer(random.between(1, 11)));
    this.#published(name, site, day);
  }

  #published(name: string, by: string, day: number): void {
    this.#out.add(name, predicate.publisher, by);
    this.#out.add(name, predicate.date, date(day));
  }
}
