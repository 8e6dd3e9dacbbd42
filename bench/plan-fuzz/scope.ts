/** What the parts of a random query share: the world that it asks, and the variables with what they stand for. */
import type { Random } from '../data/random.js';
import { iri, type LiteralKind, type Property, termOf, thing, valuesOf, type World } from './world.js';

/** A variable, with the number of its class or the kind of its literals. */
export interface Bound {
  readonly name: string;
  readonly of: number | LiteralKind;
}

export class Scope {
  #taken: { count: number };

  constructor(
    readonly random: Random,
    readonly world: World,
    /** Those of the group, in the order in which they appear. */
    readonly bound: Bound[] = [],
    taken = { count: 0 },
  ) {
    this.#taken = taken;
  }

  /** For a group inside: it sees what is bound here, and its own stays its own. */
  inner(bound: readonly Bound[] = this.bound): Scope {
    return new Scope(this.random, this.world, [...bound], this.#taken);
  }

  /** A variable that nothing else binds. */
  fresh(of: number | LiteralKind): Bound {
    const made = { name: `?v${this.#taken.count++}`, of };
    this.bound.push(made);
    return made;
  }

  get things(): readonly Bound[] {
    return this.bound.filter(({ of }) => typeof of === 'number');
  }

  get literals(): readonly Bound[] {
    return this.bound.filter(({ of }) => typeof of !== 'number');
  }

  propertiesFrom(domain: number): readonly Property[] {
    return this.world.properties.filter((property) => property.domain === domain);
  }

  propertiesTo(range: number): readonly Property[] {
    return this.world.properties.filter((property) => property.range === range);
  }

  /** One of the values that the data has, frequent ones more often. */
  valueFor(property: Property): string {
    const limit = valuesOf(property, this.world);
    return termOf(property, this.random.popular(limit, this.random.choice([1, property.steepness])));
  }

  thingOf(number: number): string {
    return thing(number, this.random.below((this.world.classes[number] as { readonly count: number }).count));
  }

  classOf(number: number): string {
    return iri((this.world.classes[number] as { readonly name: string }).name);
  }

  weighted<Item>(choices: readonly (readonly [weight: number, item: Item])[]): Item {
    let left = this.random.fraction() * choices.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, item] of choices) {
      if (left < weight) return item;
      left -= weight;
    }
    return (choices.at(-1) as readonly [number, Item])[1];
  }
}
