/** Paths of any or optional length, walked from one node by lookups (SPARQL 1.1, 9.3): each end once. */

import { getOrInsert } from '../../base/maps.js';
import { type NamedNode, terms } from '../../rdf/terms.js';
import type { TermId } from '../../storage/ids/layout.js';
import type { NodeOf } from '../algebra/algebra.js';
import type { Path } from '../algebra/path.js';
import { automatonOf, matchesEmpty, type PathState, type PathStep } from '../execute/paths/automaton.js';
import type { Lookups } from './lookups.js';

type Closure = NodeOf<'closure'>;

/** A step with terms that stay the same objects, as lookups want them. */
interface Step {
  readonly kind: PathStep['kind'];
  readonly backward: boolean;
  readonly predicates: readonly NamedNode[];
}

interface Compiled {
  readonly steps: readonly Step[];
  readonly states: readonly PathState[];
  /** Nodes of the graph are related to themselves; and terms of the query, nodes or not. */
  readonly empty: boolean;
  readonly emptyAnywhere: boolean;
}

/** By direction; as long as the query is kept. */
const compiled = new WeakMap<Closure, Map<boolean, Compiled>>();

export class Walks {
  constructor(
    private readonly lookups: Lookups,
    /** Counts what is looked at, and throws when it is enough. */
    private readonly step: () => void,
  ) {}

  /** `isNamed`: an end of the path is a term of the query. */
  *from(
    node: Closure,
    start: TermId,
    { isBackward, isNamed }: { readonly isBackward: boolean; readonly isNamed: boolean },
  ): Generator<TermId> {
    const path = getOrInsert(
      getOrInsert(compiled, node, () => new Map<boolean, Compiled>()),
      isBackward,
      () => compile(node, isBackward),
    );
    const given = new Set<TermId>();
    if ((path.emptyAnywhere && isNamed) || (path.empty && this.#isInGraph(start))) {
      given.add(start);
      yield start;
    }
    const seen = path.states.map(() => new Set<TermId>());
    for (let frontier: (readonly [TermId, number])[] = [[start, 0]]; frontier.length > 0; ) {
      const next: (readonly [TermId, number])[] = [];
      for (const [from, at] of frontier) {
        const { moves } = path.states[at] as PathState;
        for (let move = 0; move < moves.length; move += 2) {
          const to = moves[move + 1] as number;
          for (const reached of this.#follow(path.steps[moves[move] as number] as Step, from)) {
            this.step();
            if (seen[to]?.has(reached)) continue;
            seen[to]?.add(reached);
            next.push([reached, to]);
            if (!path.states[to]?.final || given.has(reached)) continue;
            given.add(reached);
            yield reached;
          }
        }
      }
      frontier = next;
    }
  }

  *#follow({ kind, backward, predicates }: Step, from: TermId): Generator<TermId> {
    const [s, o] = backward ? [undefined, from] : [from, undefined];
    this.step();
    const ids = predicates.map((one) => this.lookups.id(one));
    if (kind === 'predicate') {
      const [p] = ids;
      if (p !== null) for (const row of this.lookups.find(s, p, o)) yield backward ? row.s : row.o;
      return;
    }
    for (const row of this.lookups.find(s, undefined, o)) {
      this.step();
      if (!ids.includes(row.p)) yield backward ? row.s : row.o;
    }
  }

  #isInGraph(node: TermId): boolean {
    this.step();
    for (const _ of this.lookups.find(node, undefined, undefined)) return true;
    for (const _ of this.lookups.find(undefined, undefined, node)) return true;
    return false;
  }
}

function compile({ path, min, max }: Closure, isBackward: boolean): Compiled {
  const whole: Path = { kind: 'closure', path, min, max };
  const { steps, states } = automatonOf(whole, isBackward);
  return {
    steps: steps.map((step) => ({
      kind: step.kind,
      backward: step.backward,
      predicates: (step.kind === 'predicate' ? [step.iri] : step.except).map((iri) => terms.namedNode(iri)),
    })),
    states,
    empty: matchesEmpty(whole),
    emptyAnywhere: matchesEmpty(whole, true),
  };
}
