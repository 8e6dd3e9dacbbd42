/**
 * Vectors in clusters, as texts give them: topics in themes, some vectors between two topics, with common directions and
 * noise. Queries like them, and queries far from all: between three topics, with more noise. They depend on the seed alone.
 */
import { Random } from '../data/random.js';

const THEMES = 100;
const TOPICS = 6000;
const DIRECTIONS = 512;
const SEED = 384;
const NORMAL_NUMBERS = 65_536;

interface Mixture {
  readonly topics: number;
  readonly common: number;
  readonly noise: number;
}

const NEAR: Mixture = { topics: 1, common: 0.5, noise: 0.35 };
const BETWEEN: Mixture = { topics: 2, common: 0.5, noise: 0.35 };
const FAR: Mixture = { topics: 3, common: 0.8, noise: 0.9 };
const BETWEEN_SHARE = 0.3;
const COMMON_DIRECTIONS = 8;

export class ClusteredVectors {
  readonly #random = new Random(SEED);
  /** Normal numbers, made once; noise is a walk through them. */
  readonly #normal: Float32Array;
  readonly #topics: readonly Float32Array[];
  readonly #directions: readonly Float32Array[];

  constructor(readonly dimension: number) {
    this.#normal = Float32Array.from({ length: NORMAL_NUMBERS }, () => this.#one());
    const random = () => unit(Float32Array.from({ length: dimension }, () => this.#one()));
    const themes = Array.from({ length: THEMES }, random);
    this.#topics = Array.from({ length: TOPICS }, () => {
      const own = random();
      const theme = themes[this.#random.below(THEMES)] as Float32Array;
      return unit(own.map((number, at) => 0.8 * number + 0.75 * (theme[at] as number)));
    });
    this.#directions = Array.from({ length: DIRECTIONS }, random);
  }

  /** One of the data, or a query like them. */
  next(): Float32Array {
    return this.#mixed(this.#random.below(1000) < 1000 * BETWEEN_SHARE ? BETWEEN : NEAR);
  }

  /** A query that little of the data is near to. */
  far(): Float32Array {
    return this.#mixed(FAR);
  }

  #mixed({ topics, common, noise }: Mixture): Float32Array {
    const vector = new Float32Array(this.dimension);
    const add = (other: Float32Array, factor: number): void => {
      for (let at = 0; at < vector.length; at++) {
        vector[at] = (vector[at] as number) + factor * (other[at] as number);
      }
    };
    for (let at = 0; at < topics; at++) {
      add(
        this.#topics[this.#random.below(TOPICS)] as Float32Array,
        at === 0 ? 1 : (0.7 * this.#random.below(1000)) / 1000,
      );
    }
    for (let at = 0; at < COMMON_DIRECTIONS; at++) {
      const size = (common * this.#one()) / Math.sqrt(COMMON_DIRECTIONS);
      add(this.#directions[this.#random.below(DIRECTIONS)] as Float32Array, size);
    }
    const [from, step] = [this.#random.below(NORMAL_NUMBERS), 1 + 2 * this.#random.below(50)];
    const size = noise / Math.sqrt(this.dimension);
    for (let at = 0; at < vector.length; at++) {
      const number = this.#normal[(from + step * at) % NORMAL_NUMBERS] as number;
      vector[at] = (vector[at] as number) + size * number;
    }
    return unit(vector);
  }

  /** By Box and Muller. */
  #one(): number {
    const [a, b] = [(1 + this.#random.below(1_000_000)) / 1_000_001, this.#random.below(1_000_000) / 1_000_000];
    return Math.sqrt(-2 * Math.log(a)) * Math.cos(2 * Math.PI * b);
  }
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return vector.map((number) => number / length);
}
