/**
 * ForceAtlas2 (Jacomy and others 2014), an iteration at a time, by `iterate` of `graphology-layout-forceatlas2`. It
 * settles: when nodes move less than `STILL` of the extent of the graph for some iterations, or after `iterationsMax`.
 */
/// <reference path="./libraries.d.ts" />
import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { WeightedEdges } from './layout-graph.js';

const NUMBERS_PER_NODE = 10;
const NUMBERS_PER_EDGE = 3;
const X = 0;
const Y = 1;
const MASS = 6;
const CONVERGENCE = 7;
const SIZE = 8;
const FIXED = 9;

/** Above it repulsion is computed by regions (Barnes and Hut), which costs more than pairs do below it. */
const PAIRS_NODES_MAX = 1000;
/** Share of the extent of the graph that nodes move in an iteration, on average, when they are still. */
const STILL = 2e-4;
const STILL_ITERATIONS = 8;
/** Small graphs are cheap and need more of them; the largest settle from their seed in a fraction. */
const ITERATIONS = { few: 600, many: 200, manyNodes: 5000 };

export class ForceLayout {
  iteration = 0;
  readonly iterationsMax: number;
  readonly nodeCount: number;
  readonly #nodes: Float32Array;
  readonly #edges: Float32Array;
  readonly #settings: Parameters<typeof iterate>[0];
  #still = 0;

  /** `positions`: x, y a node, all finite. */
  constructor(positions: Float32Array, { pairs, weights }: WeightedEdges) {
    this.nodeCount = positions.length / 2;
    this.iterationsMax = this.nodeCount >= ITERATIONS.manyNodes ? ITERATIONS.many : ITERATIONS.few;
    this.#nodes = new Float32Array(this.nodeCount * NUMBERS_PER_NODE);
    this.#edges = new Float32Array(weights.length * NUMBERS_PER_EDGE);
    for (let node = 0; node < this.nodeCount; node++) {
      const at = node * NUMBERS_PER_NODE;
      this.#nodes[at + X] = positions[2 * node]!;
      this.#nodes[at + Y] = positions[2 * node + 1]!;
      this.#nodes[at + MASS] = 1;
      this.#nodes[at + CONVERGENCE] = 1;
      this.#nodes[at + SIZE] = 1;
    }
    for (let edge = 0; edge < weights.length; edge++) {
      const [from, to] = [pairs[2 * edge]! * NUMBERS_PER_NODE, pairs[2 * edge + 1]! * NUMBERS_PER_NODE];
      this.#edges.set([from, to, weights[edge]!], edge * NUMBERS_PER_EDGE);
      this.#nodes[from + MASS]! += 1;
      this.#nodes[to + MASS]! += 1;
    }
    this.#settings = {
      linLogMode: true,
      outboundAttractionDistribution: false,
      adjustSizes: false,
      edgeWeightInfluence: 0.5,
      scalingRatio: 4,
      strongGravityMode: true,
      gravity: 0.12,
      slowDown: 1 + Math.log(Math.max(1, this.nodeCount)),
      barnesHutOptimize: this.nodeCount > PAIRS_NODES_MAX,
      barnesHutTheta: 0.8,
    };
  }

  get isSettled(): boolean {
    return this.nodeCount < 2 || this.iteration >= this.iterationsMax || this.#still >= STILL_ITERATIONS;
  }

  step(): void {
    const before = new Float32Array(this.nodeCount * 2);
    this.write(before);
    iterate(this.#settings, this.#nodes, this.#edges);
    this.iteration++;
    let moved = 0;
    let extent = 0;
    for (let node = 0; node < this.nodeCount; node++) {
      const at = node * NUMBERS_PER_NODE;
      moved += Math.hypot(this.#nodes[at + X]! - before[2 * node]!, this.#nodes[at + Y]! - before[2 * node + 1]!);
      extent = Math.max(extent, Math.abs(this.#nodes[at + X]!), Math.abs(this.#nodes[at + Y]!));
    }
    this.#still = moved / this.nodeCount <= STILL * extent ? this.#still + 1 : 0;
  }

  /** Holds a node where it is put, as long as it is dragged. What has settled moves again. */
  hold(node: number, x: number, y: number): void {
    const at = node * NUMBERS_PER_NODE;
    this.#nodes[at + X] = x;
    this.#nodes[at + Y] = y;
    this.#nodes[at + FIXED] = 1;
    this.wake();
  }

  release(node: number): void {
    this.#nodes[node * NUMBERS_PER_NODE + FIXED] = 0;
    this.wake();
  }

  /** Lets a layout that has settled go on for some iterations. */
  wake(): void {
    this.#still = 0;
    this.iteration = Math.min(this.iteration, Math.floor(this.iterationsMax * 0.8));
  }

  /** Writes x and y of each node. */
  write(positions: Float32Array): void {
    for (let node = 0; node < this.nodeCount; node++) {
      positions[2 * node] = this.#nodes[node * NUMBERS_PER_NODE + X]!;
      positions[2 * node + 1] = this.#nodes[node * NUMBERS_PER_NODE + Y]!;
    }
  }
}
