/** The layout as the page has it: a worker that is given graphs and gives positions back, one array that goes to and fro. */
import type { LayoutGraph } from './layout-graph.js';
import type { FromLayout, LayoutState, ToLayout } from './messages.js';

export interface LayoutListener {
  communities(communities: Int32Array): void;
  /** Called as they come; the array is the listener's until `next`. */
  positions(positions: Float32Array): void;
  state(state: LayoutState, iteration: number, iterationsMax: number): void;
  failed(message: string): void;
}

export class Layout {
  readonly #worker: Worker;
  readonly #listener: LayoutListener;
  #graph = 0;
  #held: Float32Array | null = null;
  /** Messages with positions that have come. */
  received = 0;

  constructor(worker: Worker, listener: LayoutListener) {
    this.#worker = worker;
    this.#listener = listener;
    worker.onmessage = ({ data }: MessageEvent<FromLayout>) => this.#receive(data);
    worker.onerror = (event) => {
      event.preventDefault();
      listener.failed(`the layout has stopped: ${event.message || 'its worker could not be loaded'}`);
    };
  }

  lay(graph: LayoutGraph): void {
    this.#graph++;
    this.#held = null;
    this.#post({ kind: 'graph', graph: this.#graph, ...graph });
  }

  pause(): void {
    this.#post({ kind: 'pause' });
  }

  resume(): void {
    this.#post({ kind: 'resume' });
  }

  hold(node: number, x: number, y: number): void {
    this.#post({ kind: 'hold', node, x, y });
  }

  release(node: number): void {
    this.#post({ kind: 'release', node });
  }

  /** The last positions are drawn. */
  next(): void {
    const positions = this.#held;
    if (positions === null) return;
    this.#held = null;
    this.#post({ kind: 'next', graph: this.#graph, positions }, [positions.buffer as ArrayBuffer]);
  }

  end(): void {
    this.#worker.terminate();
  }

  #receive(message: FromLayout): void {
    if (message.graph !== this.#graph) return;
    if (message.kind === 'communities') {
      this.#listener.communities(message.communities);
      return;
    }
    this.received++;
    this.#held = message.positions;
    this.#listener.positions(message.positions);
    this.#listener.state(message.state, message.iteration, message.iterationsMax);
  }

  #post(message: ToLayout, transfer: ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, transfer);
  }
}
