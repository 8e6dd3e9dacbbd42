/**
 * What the worker of the layout does, without the worker. For each graph: communities, first places, then iterations
 * until they settle. Positions are sent when the page has asked for the next, so there is at most one message a frame, and
 * none from a layout that rests. Between two iterations messages are read: a pause takes effect at once.
 */
import { ForceLayout } from './force-layout.js';
import { joined, type LayoutGraph } from './layout-graph.js';
import { communitiesOf } from './louvain.js';
import type { FromLayout, LayoutState, ToLayout } from './messages.js';
import { seed } from './seed.js';

export interface Outside {
  send(message: FromLayout, transfer: ArrayBuffer[]): void;
  /** Calls back when messages that have come meanwhile are read. */
  later(call: () => void): void;
}

export class LayoutTurns {
  readonly #outside: Outside;
  #graph = 0;
  #layout: ForceLayout | null = null;
  /** The array to send next; null while the page has it. */
  #spare: Float32Array | null = null;
  #isPaused = false;
  #isScheduled = false;
  /** What the page was last told. */
  #told: { readonly iteration: number; readonly state: LayoutState } | null = null;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  take(message: ToLayout): void {
    switch (message.kind) {
      case 'graph':
        this.#begin(message.graph, message);
        break;
      case 'pause':
        this.#isPaused = true;
        break;
      case 'resume':
        this.#isPaused = false;
        if (this.#layout?.isSettled) this.#layout.wake();
        break;
      case 'hold':
        this.#layout?.hold(message.node, message.x, message.y);
        break;
      case 'release':
        this.#layout?.release(message.node);
        break;
      case 'next':
        if (message.graph === this.#graph) this.#spare = message.positions;
        break;
    }
    this.#schedule();
  }

  #begin(graph: number, given: LayoutGraph): void {
    this.#graph = graph;
    const edges = joined(given);
    const communities = communitiesOf(given.nodeCount, edges);
    const positions = given.positions.slice();
    seed(positions, edges, communities);
    this.#layout = new ForceLayout(positions, edges);
    this.#spare = positions;
    this.#told = null;
    this.#outside.send({ kind: 'communities', graph, communities }, [communities.buffer as ArrayBuffer]);
  }

  get #state(): LayoutState {
    if (this.#layout === null || this.#layout.isSettled) return 'settled';
    return this.#isPaused ? 'paused' : 'running';
  }

  #schedule(): void {
    if (this.#isScheduled || this.#layout === null) return;
    this.#isScheduled = true;
    this.#outside.later(() => {
      this.#isScheduled = false;
      this.#turn();
    });
  }

  #turn(): void {
    const layout = this.#layout;
    if (layout === null) return;
    // First places are shown before the first iteration.
    if (this.#state === 'running' && this.#told !== null) layout.step();
    const isNews = this.#told?.iteration !== layout.iteration || this.#told.state !== this.#state;
    if (this.#spare !== null && isNews) this.#tell(layout, this.#spare);
    // What has come to rest waits for a message; the last positions wait for the page.
    if (this.#state === 'running') this.#schedule();
  }

  #tell(layout: ForceLayout, positions: Float32Array): void {
    layout.write(positions);
    const { iteration, iterationsMax } = layout;
    const state = this.#state;
    this.#told = { iteration, state };
    this.#spare = null;
    const message: FromLayout = { kind: 'positions', graph: this.#graph, positions, iteration, iterationsMax, state };
    this.#outside.send(message, [positions.buffer as ArrayBuffer]);
  }
}
