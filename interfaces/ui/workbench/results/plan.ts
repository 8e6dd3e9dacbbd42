/** A plan as the server gives it, as rows of a tree: who stands below whom, and how far the guess of rows was off. */

export interface Operator {
  readonly operator: string;
  readonly detail?: string;
  readonly estimatedRows?: number | null;
  readonly actual?: {
    readonly rows: number;
    readonly complete: boolean;
    readonly timeMs: number;
    readonly ownTimeMs: number;
    readonly runs: number;
  } | null;
  readonly inputs?: readonly Operator[];
}

export interface PlanRow {
  readonly depth: number;
  readonly operator: string;
  readonly detail: string;
  readonly estimated: number | null;
  /** Null where it never ran. */
  readonly rows: number | null;
  readonly ownMs: number | null;
  /** How many times the guess is off, 1 = right; null = nothing to compare. */
  readonly offBy: number | null;
  readonly tooLow: boolean;
}

export function planRows(plan: unknown): PlanRow[] {
  const rows: PlanRow[] = [];
  const visit = (one: Operator, depth: number): void => {
    rows.push(rowOf(one, depth));
    for (const input of one.inputs ?? []) visit(input, depth + 1);
  };
  if (isOperator(plan)) visit(plan, 0);
  return rows;
}

function isOperator(value: unknown): value is Operator {
  return typeof value === 'object' && value !== null && 'operator' in value && typeof value.operator === 'string';
}

function rowOf({ operator, detail = '', estimatedRows = null, actual = null }: Operator, depth: number): PlanRow {
  const estimated = estimatedRows === null ? null : Math.max(1, estimatedRows * (actual?.runs ?? 1));
  const found = actual === null ? null : Math.max(1, actual.rows);
  // What was not read to its end has fewer rows than there are: that the guess was too high says nothing.
  const isKnown = estimated !== null && found !== null && (actual?.complete === true || found > estimated);
  return {
    depth,
    operator,
    detail,
    estimated: estimatedRows,
    rows: actual?.rows ?? null,
    ownMs: actual?.ownTimeMs ?? null,
    offBy: isKnown ? Math.max(estimated / found, found / estimated) : null,
    tooLow: isKnown && found > estimated,
  };
}

/**
 * The row whose guess is furthest off, where that is worth a look. Operators above a wrong guess inherit it, so of those that are about as
 * far off the one furthest down is where it began.
 */
export function worstOf(rows: readonly PlanRow[], offByMin = 3): PlanRow | null {
  const most = Math.max(0, ...rows.map(({ offBy }) => offBy ?? 0));
  if (most < offByMin) return null;
  return rows.findLast(({ offBy }) => (offBy ?? 0) >= most * 0.8) ?? null;
}
