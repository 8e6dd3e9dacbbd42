/**
 * Whether constraints that delegates inherit are evaluated for them too: where one was evaluated on a path under a chain of
 * principals, a later action on the path under a chain that goes on from there has to evaluate it again.
 */

import type { Control } from '../../base/control.js';
import { addTo, getOrInsert } from '../../base/maps.js';
import { Findings } from './findings.js';
import type { SpecSet } from './spec-set.js';
import type { TraceAudit } from './trace.js';
import type { TraceRecord, TraceSource } from './trace-file.js';
import { extendsChain, Remembered, runPasses, type TracePass } from './trace-pass.js';

export async function auditInheritance(source: TraceSource, spec: SpecSet, control: Control): Promise<TraceAudit> {
  const findings = new Findings();
  const inherited = [...spec.values()].filter((entry) => entry.inherited).map(({ id }) => id);
  if (inherited.length === 0) findings.incomplete('inheritance', 'no policy says that delegates inherit it');
  return { ...(await runPasses(source, [new InheritancePass(inherited, findings)], control)), findings };
}

interface Evaluation {
  readonly id: string;
  chain: readonly string[];
}

class InheritancePass implements TracePass {
  readonly #findings: Findings;
  readonly #chains: ReadonlyMap<string, ChainsOfId>;
  /** The last evaluation of each constraint on a path. */
  readonly #onPath = new Map<string, Evaluation[]>();
  readonly #remembered = new Remembered('evaluations of constraints on paths');

  constructor(inherited: readonly string[], findings: Findings) {
    this.#findings = findings;
    const remembered = new Remembered('chains of principals');
    this.#chains = new Map(inherited.map((id) => [id, new ChainsOfId(remembered)]));
  }

  see({ constraints, chain, path }: TraceRecord, record: number): void {
    const evaluated = new Set(constraints.flatMap(({ id }) => (id !== null && this.#chains.has(id) ? [id] : [])));
    if (path !== null) {
      for (const { id, chain: earlier } of this.#onPath.get(path) ?? []) {
        if (evaluated.has(id) || !extendsChain(chain, earlier)) continue;
        const detail = `evaluated for ${earlier.join(' > ')} on ${path}, and not for the delegate ${chain.join(' > ')}`;
        this.#findings.violation('inheritance', detail, { record, constraint: id });
      }
    }
    // Nobody inherits from somebody who is not named.
    if (chain.length === 0) return;
    for (const id of evaluated) {
      this.#chains.get(id)?.add(chain);
      if (path !== null) this.#remember(path, id, chain);
    }
  }

  end(): void {
    for (const [constraint, chains] of this.#chains) {
      if (!chains.isDelegated || chains.isExtended) continue;
      const detail = 'evaluated under delegation, and never for a delegate of one for whom it was evaluated';
      this.#findings.incomplete('inheritance', detail, { constraint });
    }
  }

  #remember(path: string, id: string, chain: readonly string[]): void {
    const known = this.#onPath.get(path)?.find((evaluation) => evaluation.id === id);
    if (known !== undefined) {
      known.chain = chain;
      return;
    }
    this.#remembered.add();
    addTo(this.#onPath, path, { id, chain });
  }
}

/** A step of chains that begin alike. */
interface Step {
  readonly next: Map<string, Step>;
  /** A chain ends here. */
  isEnd: boolean;
}

/** The chains under which a constraint was evaluated, as far as it matters whether one extends another. */
class ChainsOfId {
  /** Under more than one principal. */
  isDelegated = false;
  isExtended = false;
  readonly #first: Step = { next: new Map(), isEnd: false };

  constructor(private readonly remembered: Remembered) {}

  add(chain: readonly string[]): void {
    this.isDelegated ||= chain.length > 1;
    if (this.isExtended) return;
    let step = this.#first;
    for (const principal of chain) {
      if (step.isEnd) this.isExtended = true;
      step = getOrInsert(step.next, principal, () => {
        this.remembered.add();
        return { next: new Map(), isEnd: false };
      });
    }
    step.isEnd = true;
    if (step.next.size > 0) this.isExtended = true;
    if (this.isExtended) this.#first.next.clear();
  }
}
