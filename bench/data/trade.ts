/**
 * Trade with two times, in the manner of TPC-BiH: customers, parts, orders and line items as they stand
 * at the start, and then business events, each a transaction. System time is the sequence of
 * transactions; application time is when things held: an order is entered when it is placed, a delivery
 * is reported days after it happened, and now and then the past is corrected. Every property of an
 * entity has one value at a time.
 */
import { date, decimal, integer, iri, string } from './ntriples.js';
import { Random } from './random.js';
import { TYPE } from './shop-names.js';

export const TRADE = 'http://trade.example/';
export const NATIONS = 25;
export const SEGMENTS = 5;

/** As TPC-H has them. */
const CUSTOMERS_PER_ORDER = 0.1;
const PARTS_PER_ORDER = 0.13;
const ITEMS_MAX = 7;

const DAY = 86_400;
/** 2015-01-01, in days since 1970. */
const FIRST_DAY = 16_436;
/** Orders of the start were placed in the months before events begin. */
const START_MONTHS = 12;
const MONTH_DAYS = 30;
/** Events spread over so many days. */
const EVENT_DAYS = 360;
/** Deliveries are reported so many days late, at most. */
const LATE_DAYS = 6;

export const property = (name: string): string => iri(`${TRADE}${name}`);
export const nation = (at: number): string => iri(`${TRADE}nation/${at}`);
export const segment = (at: number): string => iri(`${TRADE}segment/${at}`);
export const state = (name: 'open' | 'done' | 'paid'): string => iri(`${TRADE}state/${name}`);
export const partIri = (part: number): string => iri(`${TRADE}part/${part}`);
export const orderIri = (order: number): string => iri(`${TRADE}order/${order}`);
const customerIri = (customer: number): string => iri(`${TRADE}customer/${customer}`);

/** A value of a property of an entity, all in N-Triples. */
export type Setting = readonly [subject: string, predicate: string, object: string];

/** One transaction. What is set replaces what was set before; what is removed is set to nothing. */
export interface Change {
  /** Application time of everything in it, and the label of the transaction. */
  readonly instant: number;
  readonly set: readonly Setting[];
  readonly remove: ReadonlyArray<readonly [subject: string, predicate: string]>;
}

interface Order {
  readonly id: number;
  readonly items: readonly string[];
  readonly placed: number;
  state: 'open' | 'done' | 'paid' | 'cancelled';
}

const ORDER_PROPERTIES = ['customer', 'status', 'total', 'placed', 'priority'] as const;
const ITEM_PROPERTIES = ['order', 'part', 'quantity', 'price', 'shipped'] as const;

export class Trade {
  readonly #random: Random;
  readonly #startOrders: number;
  #customers = 0;
  #parts = 0;
  #items = 0;
  readonly #orders: Order[] = [];
  readonly #prices: number[] = [];

  constructor(startOrders: number, seed: number) {
    this.#random = new Random(seed);
    this.#startOrders = startOrders;
  }

  /** How things stand when events begin, month by month. */
  *start(): Generator<Change> {
    const customers = Math.max(20, Math.round(this.#startOrders * CUSTOMERS_PER_ORDER));
    const parts = Math.max(20, Math.round(this.#startOrders * PARTS_PER_ORDER));
    for (let month = 0; month < START_MONTHS; month++) {
      const day = FIRST_DAY + month * MONTH_DAYS;
      const set: Setting[] = [];
      if (month === 0) {
        for (let i = 0; i < customers; i++) set.push(...this.#customer());
        for (let i = 0; i < parts; i++) set.push(...this.#part());
      }
      const until = Math.round((this.#startOrders * (month + 1)) / START_MONTHS);
      while (this.#orders.length < until) set.push(...this.#order(day));
      yield { instant: day * DAY, set, remove: [] };
    }
  }

  /** Business events, in the mix of TPC-BiH as far as the entities are there. */
  *events(count: number): Generator<Change> {
    for (let event = 0; event < count; event++) {
      const day = FIRST_DAY + START_MONTHS * MONTH_DAYS + Math.floor((event * EVENT_DAYS) / count);
      const chance = this.#random.fraction();
      if (chance < 0.3) yield this.#newOrder(day);
      else if (chance < 0.35) yield this.#cancel(day);
      else if (chance < 0.6) yield this.#deliver(day);
      else if (chance < 0.8) yield this.#pay(day);
      else if (chance < 0.97) yield this.#changePrice(day);
      else yield this.#correct();
    }
  }

  #customer(): Setting[] {
    const random = this.#random;
    const name = customerIri(this.#customers++);
    return [
      [name, TYPE, property('Customer')],
      [name, property('name'), string(`Customer ${this.#customers}`)],
      [name, property('nation'), nation(random.below(NATIONS))],
      [name, property('segment'), segment(random.below(SEGMENTS))],
      [name, property('balance'), decimal(random.between(-100_000, 1_000_000))],
    ];
  }

  #part(): Setting[] {
    const part = this.#parts++;
    const cents = this.#random.between(1000, 200_000);
    this.#prices.push(cents);
    return [
      [partIri(part), TYPE, property('Part')],
      [partIri(part), property('name'), string(`Part ${part}`)],
      [partIri(part), property('listPrice'), decimal(cents)],
    ];
  }

  #order(day: number): Setting[] {
    const random = this.#random;
    const id = this.#orders.length;
    const name = orderIri(id);
    const items: string[] = [];
    const settings: Setting[] = [];
    let total = 0;
    for (let rest = random.between(1, ITEMS_MAX + 1); rest > 0; rest--) {
      const item = iri(`${TRADE}item/${this.#items++}`);
      const part = random.below(this.#parts);
      const quantity = random.between(1, 51);
      const price = quantity * (this.#prices[part] as number);
      total += price;
      items.push(item);
      settings.push([item, property('order'), name], [item, property('part'), partIri(part)]);
      settings.push([item, property('quantity'), integer(quantity)], [item, property('price'), decimal(price)]);
      settings.push([item, property('shipped'), date(day + random.between(1, 122))]);
    }
    this.#orders.push({ id, items, placed: day, state: 'open' });
    return [
      [name, TYPE, property('Order')],
      [name, property('customer'), customerIri(random.below(this.#customers))],
      [name, property('status'), state('open')],
      [name, property('total'), decimal(total)],
      [name, property('placed'), date(day)],
      [name, property('priority'), integer(random.between(1, 6))],
      ...settings,
    ];
  }

  #newOrder(day: number): Change {
    const customer = this.#random.happens(0.5) ? this.#customer() : [];
    return { instant: day * DAY, set: [...customer, ...this.#order(day)], remove: [] };
  }

  #pick(wanted: Order['state']): Order | null {
    for (let tries = 0; tries < 50; tries++) {
      const order = this.#random.choice(this.#orders);
      if (order.state === wanted) return order;
    }
    return null;
  }

  #cancel(day: number): Change {
    const order = this.#pick('open');
    if (order === null) return this.#newOrder(day);
    order.state = 'cancelled';
    const name = orderIri(order.id);
    const ofOrder = ORDER_PROPERTIES.map((one) => [name, property(one)] as const);
    const ofItems = order.items.flatMap((item) => ITEM_PROPERTIES.map((one) => [item, property(one)] as const));
    return { instant: day * DAY, set: [], remove: [[name, TYPE], ...ofOrder, ...ofItems] };
  }

  /** Reported late: it happened days before, so its instant lies behind that of earlier transactions. */
  #deliver(day: number): Change {
    const order = this.#pick('open');
    if (order === null) return this.#newOrder(day);
    order.state = 'done';
    const happened = Math.max(order.placed, day - this.#random.below(LATE_DAYS + 1));
    const shipped = order.items.map((item): Setting => [item, property('shipped'), date(happened)]);
    return {
      instant: happened * DAY,
      set: [[orderIri(order.id), property('status'), state('done')], ...shipped],
      remove: [],
    };
  }

  #pay(day: number): Change {
    const customer = customerIri(this.#random.below(this.#customers));
    const set: Setting[] = [[customer, property('balance'), decimal(this.#random.between(-100_000, 1_000_000))]];
    const order = this.#pick('done');
    if (order !== null) {
      order.state = 'paid';
      set.push([orderIri(order.id), property('status'), state('paid')]);
    }
    return { instant: day * DAY, set, remove: [] };
  }

  #changePrice(day: number): Change {
    const part = this.#random.below(this.#parts);
    const cents = Math.max(100, Math.round((this.#prices[part] as number) * (0.9 + this.#random.fraction() * 0.25)));
    this.#prices[part] = cents;
    return { instant: day * DAY, set: [[partIri(part), property('listPrice'), decimal(cents)]], remove: [] };
  }

  /** A price was wrong from the very beginning of what is known of it. */
  #correct(): Change {
    const part = this.#random.below(this.#parts);
    const cents = this.#random.between(1000, 200_000);
    this.#prices[part] = cents;
    return { instant: FIRST_DAY * DAY, set: [[partIri(part), property('listPrice'), decimal(cents)]], remove: [] };
  }
}
