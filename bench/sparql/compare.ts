/**
 * What the figures of all peers say together: the answer that most of them give, who gives another one, and by how much
 * each is slower than this store. Ratios are above 1 where this store is faster.
 */
import type { PeerResults, QueryFigures } from './results.js';

/** Below it a peer's time is mostly the way there and back; the bars differ. */
export const SMALL_MS = 1;

export type Standing = 'right' | 'differs' | 'timeout' | 'error' | 'absent';

export interface Cell {
  readonly peer: string;
  readonly standing: Standing;
  readonly figures: QueryFigures | null;
  /** Its time over that of this store; null where one of the two has no right answer. */
  readonly ratio: number | null;
}

export interface ComparedQuery {
  readonly label: string;
  /** Of the answer that most give; null where nobody gives one. */
  readonly rows: number | null;
  readonly ours: Cell;
  readonly peers: readonly Cell[];
  /** The fastest peer with a right answer. */
  readonly fastest: Cell | null;
}

export const OURS = 'svc';

export function compareSet(set: string, results: readonly PeerResults[]): readonly ComparedQuery[] {
  const ours = results.find(({ peer }) => peer === OURS);
  if (ours === undefined) return [];
  const others = results.filter(({ peer }) => peer !== OURS);
  return Object.entries(ours.queries[set] ?? {}).map(([label, figures]) =>
    compareQuery(
      label,
      figures,
      others.map((one) => [one.peer, sameQuestion(one, set, label, figures)] as const),
    ),
  );
}

/** Figures of another text, of another run for instance, say nothing here. */
function sameQuestion(results: PeerResults, set: string, label: string, { text }: QueryFigures): QueryFigures | null {
  const figures = results.queries[set]?.[label];
  return figures?.text === text ? figures : null;
}

function compareQuery(
  label: string,
  ours: QueryFigures,
  others: readonly (readonly [string, QueryFigures | null])[],
): ComparedQuery {
  const right = majority([ours, ...others.map(([, figures]) => figures)]);
  const cell = (peer: string, figures: QueryFigures | null): Cell => {
    const standing = standingOf(figures, right);
    const bothRight = standing === 'right' && standingOf(ours, right) === 'right';
    return { peer, standing, figures, ratio: bothRight ? (figures?.ms as number) / (ours.ms as number) : null };
  };
  const peers = others.map(([peer, figures]) => cell(peer, figures));
  const fastest = peers
    .filter(({ standing }) => standing === 'right')
    .reduce<Cell | null>((best, one) => (best === null || timeOf(one) < timeOf(best) ? one : best), null);
  const rows = [ours, ...others.map(([, figures]) => figures)].find((one) => one?.loose === right)?.rows ?? null;
  return { label, rows: right === null ? null : rows, ours: cell(OURS, ours), peers, fastest };
}

const timeOf = ({ figures }: Cell): number => figures?.ms ?? Number.POSITIVE_INFINITY;

/** The digest that most have; of equally many, the one that comes first. */
function majority(all: readonly (QueryFigures | null)[]): string | null {
  const votes = new Map<string, number>();
  for (const figures of all) {
    if (figures?.loose !== undefined) votes.set(figures.loose, (votes.get(figures.loose) ?? 0) + 1);
  }
  return (
    [...votes].reduce<[string, number] | null>(
      (best, one) => (best === null || one[1] > best[1] ? one : best),
      null,
    )?.[0] ?? null
  );
}

function standingOf(figures: QueryFigures | null, right: string | null): Standing {
  if (figures === null) return 'absent';
  if (figures.error !== undefined) return figures.error.startsWith('timeout') ? 'timeout' : 'error';
  return figures.loose === right ? 'right' : 'differs';
}

export function geometricMean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}

/** Behind: more than 1.1 times the fastest peer and more than 0.2 ms. */
export function isBehind({ ours, fastest }: ComparedQuery): boolean {
  const mine = ours.figures?.ms;
  const best = fastest?.figures?.ms;
  if (mine === undefined || best === undefined) return ours.standing !== 'right' && fastest !== null;
  return ours.standing !== 'right' || (mine > best * 1.1 && mine > best + 0.2);
}

/** Mean of the ratios to the fastest peer where that takes a millisecond or more; null where there is none. */
export function meanOfRatios(queries: readonly ComparedQuery[]): number | null {
  const large = queries.filter(({ fastest }) => fastest?.ratio != null && timeOf(fastest) >= SMALL_MS);
  return geometricMean(large.map(({ fastest }) => fastest?.ratio as number));
}
