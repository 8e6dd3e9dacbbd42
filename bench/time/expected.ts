/** The answers to every question at a slice, from the list of rows. */
import { Random } from '../data/random.js';
import { shuffle } from '../storage/sample.js';
import type { Expected, Lookup } from './case.js';
import { type Facts, LOCATED_IN, PART_OF, PER_ENTITY, PRICE, STATUS, TYPE_AT } from './facts.js';
import type { HistoryStore } from './history.js';
import type { Slice } from './row-list.js';

/** The constants that queries name. */
export const CLASS_ASKED = 3;
export const PLACE_ASKED = 7;
export const STATUS_ASKED = 1;

const LOOKUPS = 300;
const SEED = 5;

export function expectedAt({ rows, facts }: HistoryStore, slice: Slice): Expected {
  const visible: number[] = [];
  for (let row = 0; row < rows.count; row++) if (rows.isVisible(row, slice)) visible.push(row);
  const of = (predicate: number): Array<readonly [entity: number, value: number]> =>
    visible
      .filter((row) => (rows.fact[row] as number) % PER_ENTITY === predicate)
      .map((row) => {
        const fact = rows.fact[row] as number;
        return [Math.floor(fact / PER_ENTITY), facts.value(fact, rows.version[row] as number)];
      });
  const prices = of(PRICE);
  const parts = of(PART_OF);
  const places = of(LOCATED_IN);
  const placesOf = countBy(facts, places);
  const typesOf = countBy(
    facts,
    of(TYPE_AT).filter(([, value]) => value === CLASS_ASKED),
  );
  const statusOf = countBy(
    facts,
    of(STATUS).filter(([, value]) => value === STATUS_ASKED),
  );
  const placed = countBy(
    facts,
    places.filter(([, value]) => value === PLACE_ASKED),
  );
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    rows: visible.length,
    predicateRows: prices.length,
    sum: sum(prices.map(([, value]) => value)),
    join2: sum(parts.map(([, whole]) => placesOf[whole] as number)),
    narrow2: sum(prices.map(([entity]) => placed[entity] as number)),
    join3: sum(parts.map(([entity, whole]) => (typesOf[entity] as number) * (statusOf[whole] as number))),
    lookups: lookups(
      facts,
      visible.map((row) => rows.fact[row] as number),
    ),
  };
}

function countBy(facts: Facts, rows: ReadonlyArray<readonly [entity: number, value: number]>): Uint32Array {
  const counts = new Uint32Array(facts.entities);
  for (const [entity] of rows) counts[entity] = (counts[entity] as number) + 1;
  return counts;
}

function lookups(facts: Facts, visible: readonly number[]): Lookup[] {
  const values = new Uint32Array(facts.count);
  for (const fact of visible) values[fact] = (values[fact] as number) + 1;
  const random = new Random(SEED);
  const chosen = new Set<number>();
  while (chosen.size < Math.min(LOOKUPS, visible.length >> 4)) chosen.add(random.choice(visible));
  return shuffle([...chosen], random).map((fact) => ({
    subject: facts.subject(fact),
    predicate: facts.predicate(fact),
    values: values[fact] as number,
  }));
}
