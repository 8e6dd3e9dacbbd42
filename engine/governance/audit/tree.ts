/** Who acted on whose behalf: the chains of principals of a trace as a forest, with the records of each chain. */

import type { Control } from '../../base/control.js';
import { getOrInsert } from '../../base/maps.js';
import type { TraceCounts, TraceRecord, TraceSource } from './trace-file.js';
import { Remembered, runPasses, type TracePass } from './trace-pass.js';

export interface ChainForest extends TraceCounts {
  /** Records without a chain. */
  readonly unattributed: number;
  /** Chains without records of their own. */
  readonly implied: readonly (readonly string[])[];
  /** Chains with more than one record. */
  readonly collapsed: readonly (readonly string[])[];
  /** A chain each, below the one that it extends. */
  readonly lines: readonly string[];
  readonly roots: number;
}

/** Principals of all chains together: what is listed of each chain grows with its length. */
const PRINCIPALS_MAX = 10_000_000;

export async function chainForest(source: TraceSource, control: Control): Promise<ChainForest> {
  const pass = new TreePass();
  const counts = await runPasses(source, [pass], control);
  return { ...counts, ...pass.forest() };
}

/** A chain. */
interface Node {
  readonly children: Map<string, Node>;
  own: number;
  /** With those below. */
  all: number;
}

const newNode = (): Node => ({ children: new Map(), own: 0, all: 0 });

class TreePass implements TracePass {
  #unattributed = 0;
  readonly #top = newNode();
  readonly #remembered = new Remembered('principals of chains', PRINCIPALS_MAX);

  see({ chain }: TraceRecord): void {
    if (chain.length === 0) {
      this.#unattributed++;
      return;
    }
    let node = this.#top;
    for (const [at, principal] of chain.entries()) {
      node = getOrInsert(node.children, principal, () => {
        this.#remembered.add(at + 1);
        return newNode();
      });
      node.all++;
    }
    node.own++;
  }

  forest(): Omit<ChainForest, keyof TraceCounts> {
    const [implied, collapsed, lines]: [string[][], string[][], string[]] = [[], [], []];
    // By hand, since chains may be longer than calls can be nested.
    const waiting = childrenOf(this.#top, []);
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { chain, node } = next;
      if (node.own === 0) implied.push(chain);
      if (node.own > 1) collapsed.push(chain);
      const indent = '  '.repeat(chain.length - 1);
      lines.push(`${indent}${chain.at(-1)}: ${node.own} record(s), ${node.all} in subtree`);
      waiting.push(...childrenOf(node, chain));
    }
    return { unattributed: this.#unattributed, implied, collapsed, lines, roots: this.#top.children.size };
  }
}

/** The last first, as they are taken from the end. */
function childrenOf({ children }: Node, chain: readonly string[]): { readonly chain: string[]; readonly node: Node }[] {
  const names = [...children.keys()].sort().reverse();
  return names.map((name) => ({ chain: [...chain, name], node: children.get(name) as Node }));
}
