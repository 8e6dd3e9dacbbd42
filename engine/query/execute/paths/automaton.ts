/**
 * A path as an automaton without empty moves (Glushkov's construction): states are the steps of the
 * path, the moves out of a state are the steps that may follow. Two nodes are related by the path
 * exactly when some walk from one to the other goes from state 0 to a final state. Nested closures,
 * sequences and alternatives cost states, not intermediate results.
 *
 * Whether a path relates a term to itself without a step is said by `matchesEmpty`; state 0 may serve as
 * another state too, so that `p*` and `p+` have one state, and its finality counts only when a step
 * has led into it.
 */

import { SvcError } from '../../../base/errors.js';
import { getOrInsert } from '../../../base/maps.js';
import type { Path } from '../../algebra/path.js';

/** One step from node to node; every step of a kind is listed once. */
export type PathStep =
  | { readonly kind: 'predicate'; readonly iri: string; readonly backward: boolean }
  | { readonly kind: 'negated'; readonly except: readonly string[]; readonly backward: boolean };

export interface PathState {
  readonly final: boolean;
  /** Pairs: number of the step, number of the state it leads to. */
  readonly moves: Int32Array;
}

export interface PathAutomaton {
  readonly steps: readonly PathStep[];
  readonly states: readonly PathState[];
}

/** Longer paths are machine-made. */
const POSITIONS_MAX = 10_000;
const MOVES_MAX = 100_000;
/** Walks keep a mark for each state of each node. */
const STATES_MAX = 1000;
/** Each round merges states that behave alike; a few rounds find what people write. */
const MERGE_ROUNDS_MAX = 8;

/**
 * True when the path relates every node of the graph to itself without a step; with `anywhere`, when it does so for a term
 * that the query names even where that is no node of the graph. The parts of a sequence meet in a variable, which ranges
 * over the nodes of the graph (SPARQL 1.1, 18.4), so a sequence does not.
 */
export function matchesEmpty(path: Path, anywhere = false): boolean {
  switch (path.kind) {
    case 'predicate':
    case 'negated':
      return false;
    case 'inverse':
      return matchesEmpty(path.path, anywhere);
    case 'sequence':
      return (!anywhere || path.paths.length === 1) && path.paths.every((part) => matchesEmpty(part, anywhere));
    case 'alternative':
      return path.paths.some((part) => matchesEmpty(part, anywhere));
    case 'closure':
      return path.min === 0 || matchesEmpty(path.path, anywhere);
  }
}

/** The automaton of the path, or with `backward` of the path read from its end to its start. */
export function automatonOf(path: Path, backward: boolean): PathAutomaton {
  const builder = new Builder();
  const whole = builder.build(path, backward);
  return { steps: builder.steps, states: merge(builder.states(whole)) };
}

/** The moves the other way round; such walks begin in the final states of the automaton. */
export function reversed(states: readonly PathState[]): PathState[] {
  const moves = states.map((): number[] => []);
  states.forEach((state, from) => {
    for (let move = 0; move < state.moves.length; move += 2) {
      moves[state.moves[move + 1] as number]?.push(state.moves[move] as number, from);
    }
  });
  return moves.map((back) => ({ final: false, moves: Int32Array.from(back) }));
}

/** A piece of a path: the positions it can begin and end with. */
interface Fragment {
  readonly empty: boolean;
  readonly first: readonly number[];
  readonly last: readonly number[];
}

interface Move {
  readonly step: number;
  readonly state: number;
}

interface LooseState {
  readonly final: boolean;
  readonly moves: readonly Move[];
}

class Builder {
  readonly steps: PathStep[] = [];
  private readonly stepNumbers = new Map<string, number>();
  /** position -> its step */
  private readonly stepOf: number[] = [];
  /** position -> the sets of positions that may follow; sets are shared, so that they stay few. */
  private readonly follow: (readonly number[])[][] = [];

  build(path: Path, backward: boolean): Fragment {
    switch (path.kind) {
      case 'predicate':
        return this.position({ kind: 'predicate', iri: path.iri, backward });
      case 'negated':
        return this.negated(path, backward);
      case 'inverse':
        return this.build(path.path, !backward);
      case 'alternative':
        return eitherOf(path.paths.map((part) => this.build(part, backward)));
      case 'sequence': {
        const parts = path.paths.map((part) => this.build(part, backward));
        return (backward ? parts.reverse() : parts).reduce((before, after) => this.chain(before, after));
      }
      case 'closure': {
        const inner = this.build(path.path, backward);
        if (path.max === null) this.connect(inner.last, inner.first);
        return { ...inner, empty: inner.empty || path.min === 0 };
      }
    }
  }

  /** State 0 is the start; position p is state p + 1. States that may go on alike share their moves. */
  states(whole: Fragment): LooseState[] {
    if (this.stepOf.length > POSITIONS_MAX) throw tooLong(`${this.stepOf.length} steps; at most ${POSITIONS_MAX}`);
    const last = new Set(whole.last);
    const numbers = new Map<readonly number[], number>();
    const known = new Map<string, readonly Move[]>();
    let moves = 0;
    const movesTo = (sets: readonly (readonly number[])[]) => {
      const numbered = sets.map((set) => {
        if (!numbers.has(set)) numbers.set(set, numbers.size);
        return numbers.get(set) as number;
      });
      const key = [...new Set(numbered)].sort((a, b) => a - b).join(' ');
      const made = known.get(key) ?? this.movesTo(sets);
      if (!known.has(key)) moves += made.length;
      if (moves > MOVES_MAX) throw tooLong(`more than ${MOVES_MAX} ways to go from step to step`);
      known.set(key, made);
      return made;
    };
    const start = { final: false, moves: movesTo([whole.first]) };
    return [start, ...this.follow.map((sets, position) => ({ final: last.has(position), moves: movesTo(sets) }))];
  }

  private negated(path: Extract<Path, { kind: 'negated' }>, backward: boolean): Fragment {
    const directions = [
      { except: path.forward, backward },
      { except: path.backward, backward: !backward },
    ];
    return eitherOf(
      directions.flatMap(({ except, backward: towards }) =>
        except === null ? [] : [this.position({ kind: 'negated', except, backward: towards })],
      ),
    );
  }

  private position(step: PathStep): Fragment {
    const key = JSON.stringify(step);
    const number = getOrInsert(this.stepNumbers, key, () => this.steps.push(step) - 1);
    const position = this.stepOf.push(number) - 1;
    this.follow.push([]);
    return { empty: false, first: [position], last: [position] };
  }

  private chain(before: Fragment, after: Fragment): Fragment {
    this.connect(before.last, after.first);
    return {
      empty: before.empty && after.empty,
      first: before.empty ? [...before.first, ...after.first] : before.first,
      last: after.empty ? [...before.last, ...after.last] : after.last,
    };
  }

  private connect(from: readonly number[], to: readonly number[]): void {
    for (const position of from) (this.follow[position] as (readonly number[])[]).push(to);
  }

  private movesTo(sets: readonly (readonly number[])[]): Move[] {
    const positions = [...new Set(sets.flat())].sort((a, b) => a - b);
    return positions.map((position) => ({ step: this.stepOf[position] as number, state: position + 1 }));
  }
}

function eitherOf(parts: readonly Fragment[]): Fragment {
  return {
    empty: parts.some((part) => part.empty),
    first: parts.flatMap((part) => part.first),
    last: parts.flatMap((part) => part.last),
  };
}

/** States with the same moves and finality become one. */
function merge(states: readonly LooseState[]): PathState[] {
  let merged = states;
  for (let round = 0; round < MERGE_ROUNDS_MAX; round++) {
    const smaller = mergeOnce(merged);
    if (smaller.length === merged.length) break;
    merged = smaller;
  }
  if (merged.length > STATES_MAX) throw tooLong(`${merged.length} states; at most ${STATES_MAX}`);
  return merged.map(({ final, moves }) => ({
    final,
    moves: Int32Array.from(moves.flatMap(({ step, state }) => [step, state])),
  }));
}

function mergeOnce(states: readonly LooseState[]): LooseState[] {
  const texts = new Map<readonly Move[], string>();
  const keys = states.map(({ moves }) => {
    const text = texts.get(moves) ?? moves.map(({ step, state }) => `${step}>${state}`).join(' ');
    texts.set(moves, text);
    return text;
  });
  const kept: LooseState[] = [];
  const numbers = new Map<string, number>();
  const renumbered: number[] = [];
  // While no step leads into state 0, it takes the finality of a state that it can stand for.
  const entered = states.some(({ moves }) => moves.some(({ state }) => state === 0));
  const twin = entered ? -1 : keys.findIndex((key, number) => number > 0 && key === keys[0]);
  states.forEach((state, number) => {
    const final = number === 0 && twin > 0 ? (states[twin] as LooseState).final : state.final;
    const key = `${final} ${keys[number]}`;
    const known = numbers.get(key);
    renumbered.push(known ?? kept.length);
    if (known !== undefined) return;
    numbers.set(key, kept.length);
    kept.push({ final, moves: state.moves });
  });
  return kept.map(({ final, moves }) => ({ final, moves: distinctMoves(moves, renumbered) }));
}

function distinctMoves(moves: readonly Move[], renumbered: readonly number[]): Move[] {
  const seen = new Map<string, Move>();
  for (const { step, state } of moves) {
    const move = { step, state: renumbered[state] as number };
    seen.set(`${move.step}>${move.state}`, move);
  }
  return [...seen.values()].sort((a, b) => a.step - b.step || a.state - b.state);
}

function tooLong(what: string): SvcError {
  return new SvcError('query_complexity', `a property path has ${what}`, {
    hint: 'split the path, or put the predicates into VALUES',
  });
}
