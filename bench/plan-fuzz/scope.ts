/** What the parts of a random query share: the world that it asks, and the variables with what they stand for. */
import type { Random } from '../data/random.js';
import { iri, type LiteralKind, type Property, termOf, thing, valuesOf, type World, type WorldClass } from './world.js';

const CONSTANT_MAX = 400;
const NOBODY = iri('nobody');

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
    if (property.values !== undefined) return property.values.length > 0 ? this.random.choice(property.values) : NOBODY;
    const limit = valuesOf(property, this.world);
    return termOf(property, this.random.popular(limit, this.random.choice([1, property.steepness])));
  }

  /** What values of a kind are compared with. */
  constantOf(kind: LiteralKind): string {
    const property = this.world.properties.find(({ range, values }) => range === kind && (values?.length ?? 0) > 0);
    const values = property?.values ?? [];
    return values.length > 0
      ? this.random.choice(values)
      : termOf({ range: kind }, this.random.popular(CONSTANT_MAX, 2));
  }

  thingOf(number: number): string {
    const { things, count } = this.world.classes[number] as WorldClass;
    if (things === undefined) return thing(number, this.random.below(count));
    return things.length > 0 ? this.random.choice(things) : NOBODY;
  }

  /** Of things without a class, that of others. */
  classOf(number: number): string {
    const { name } = this.world.classes[number] as WorldClass;
    return iri(name ?? (this.world.classes[0] as WorldClass).name ?? 'Any');
  }

  /** A class that things of others have, too. */
  anyClass(): string {
    const { classes } = this.world;
    if (classes.every(({ things }) => things === undefined)) return iri('Any');
    return this.classOf(this.random.below(classes.length));
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
