/** Rows of an engine as terms; ids are decoded here, those of the dictionary by one look-up behind the rows. */

import { type Control, throwIfAborted } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import type { Term } from '../../rdf/terms.js';
import { highOf, lowOf } from '../../storage/ids/halves.js';
import { inlineTermOfHalves } from '../../storage/ids/inline.js';
import { isInlinedTag, tagOf } from '../../storage/ids/layout.js';
import type { Cell, LakeEngine } from '../lake-engine.js';
import { termOf } from './answers.js';
import type { Dialect } from './dialects/dialect.js';
import type { AnswerColumns } from './translate.js';

type Row = (Term | null | bigint)[];
const NAMES = ['id', 'kind', 'text', 'datatype', 'lang', 'dir'] as const;
const LOOK_UP: AnswerColumns = { variable: '', fields: Object.fromEntries(NAMES.slice(1).map((name) => [name, name])) };
/** Ids of one statement. */
const IDS_MAX = 5000;

export interface ReadAnswer extends Control {
  readonly rowsMax: number;
}

export async function readAnswer(
  engine: LakeEngine,
  dialect: Dialect,
  { sql, columns }: { readonly sql: string; readonly columns: readonly AnswerColumns[] },
  options: ReadAnswer,
): Promise<readonly (readonly (Term | null)[])[]> {
  const names = columns.flatMap(({ fields, id }) => (id === undefined ? Object.values(fields) : [id]));
  const places = new Map(names.map((column, at) => [column, at]));
  const wanted = new Set<bigint>();
  const rows: Row[] = [];
  for await (const batch of engine.rows(sql, names.length === 0 ? ['one'] : names, options)) {
    throwIfAborted(options.signal, 'the query');
    for (const cells of batch) {
      const cell = (name: string): Cell => cells[places.get(name) as number] ?? null;
      rows.push(
        columns.map((column) => (column.id === undefined ? termOf(column, cell) : byId(cell(column.id), wanted))),
      );
    }
    if (rows.length > options.rowsMax) {
      throw new SvcError('limit_exceeded', `the answer has more than ${options.rowsMax} solutions`, {
        hint: 'add a LIMIT',
      });
    }
  }
  if (wanted.size === 0) return rows as (Term | null)[][];
  const found = await lookUp(engine, dialect, [...wanted], options);
  return rows.map((row) => row.map((one) => (typeof one === 'bigint' ? (found.get(one) as Term) : one)));
}

/** The term, or the id that is to be looked up. */
function byId(cell: Cell, wanted: Set<bigint>): Term | null | bigint {
  if (cell === null) return null;
  const id = BigInt(cell);
  if (isInlinedTag(tagOf(id))) return inlineTermOfHalves(lowOf(id), highOf(id));
  wanted.add(id);
  return id;
}

async function lookUp(
  engine: LakeEngine,
  dialect: Dialect,
  ids: readonly bigint[],
  control: Control,
): Promise<ReadonlyMap<bigint, Term>> {
  const found = new Map<bigint, Term>();
  for (let from = 0; from < ids.length; from += IDS_MAX) {
    const some = ids.slice(from, from + IDS_MAX);
    const sql = `SELECT ${NAMES.join(', ')} FROM ${dialect.table('terms')} WHERE id IN (${some.join(', ')})`;
    for await (const rows of engine.rows(sql, NAMES, control)) {
      for (const row of rows) {
        const term = termOf(LOOK_UP, (name) => row[NAMES.indexOf(name as (typeof NAMES)[number])] ?? null);
        if (term !== null) found.set(BigInt(row[0] as bigint), term);
      }
    }
  }
  const missing = ids.find((id) => !found.has(id));
  if (missing === undefined) return found;
  throw new SvcError('store_corrupt', `the lake has no term with the id ${missing}`, {
    hint: 'export into a new folder',
  });
}
