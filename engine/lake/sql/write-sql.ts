/** The text of a relational tree in a dialect: one statement, which names no table but those of the lake. */

import type { Term } from '../../rdf/terms.js';
import type { TableText } from '../lake-engine.js';
import type { Dialect, Writing } from './dialects/dialect.js';
import type { Named, Relation, RelationOf, SharedPart, Sorting } from './relations.js';
import { columnsOf } from './relations.js';
import { all, call, column, equal, isNull, type Scalar, text } from './scalars.js';
import { constantFields, type Field } from './sql-terms.js';

export function writeSql(relation: Relation, dialect: Dialect, tables: TableText = dialect.table): string {
  return new Writer(dialect, tables).statement(relation);
}

const INDENT = '  ';

class Writer {
  readonly #parts = new Map<SharedPart, string>();
  #recursive = false;
  #tables = 0;

  constructor(
    private readonly dialect: Dialect,
    private readonly tables: TableText,
  ) {}

  statement(relation: Relation): string {
    const body = this.#query(relation);
    const parts = [...this.#parts.values()];
    if (parts.length === 0) return body;
    return `WITH ${this.#recursive ? 'RECURSIVE ' : ''}${parts.join(',\n')}\n${body}`;
  }

  /** A whole SELECT. */
  #query(relation: Relation): string {
    switch (relation.kind) {
      case 'select':
        return this.#select(relation);
      case 'union':
        return this.#union(relation);
      default:
        return `SELECT ${this.#columns(columnsOf(relation).map((name) => ({ name, value: column(name) })))}\nFROM ${this.#from(relation)}`;
    }
  }

  #select({ input, columns, where, distinct, groupBy, orderBy, limit, offset }: RelationOf<'select'>): string {
    const lines = [`SELECT ${distinct ? 'DISTINCT ' : ''}${this.#columns(columns)}`];
    if (input.kind !== 'one') lines.push(`FROM ${this.#from(input)}`);
    if (where.length > 0) lines.push(`WHERE ${where.map((one) => this.#scalar(one)).join(' AND ')}`);
    if (groupBy !== null && groupBy.length > 0) {
      // A constant would be read as the number of a column.
      const keys = groupBy.map((one) => (one.kind === 'boolean' ? '(1 = 1)' : this.#scalar(one)));
      lines.push(`GROUP BY ${keys.join(', ')}`);
    }
    if (orderBy.length > 0) lines.push(`ORDER BY ${orderBy.map((one) => this.#sorting(one)).join(', ')}`);
    if (this.dialect.name === 'trino') {
      if (offset > 0) lines.push(`OFFSET ${offset}`);
      if (limit !== null) lines.push(`LIMIT ${limit}`);
    } else {
      if (limit !== null) lines.push(`LIMIT ${limit}`);
      if (offset > 0) lines.push(`OFFSET ${offset}`);
    }
    return lines.join('\n');
  }

  #sorting({ value, descending }: Sorting): string {
    return `${this.#scalar(value)} ${descending ? 'DESC NULLS LAST' : 'ASC NULLS FIRST'}`;
  }

  #columns(columns: readonly Named[]): string {
    if (columns.length === 0) return '1 AS one';
    return columns
      .map(({ name, value }) => {
        const written = this.#scalar(value);
        return value.kind === 'column' && value.name === name ? written : `${written} AS ${this.#name(name)}`;
      })
      .join(', ');
  }

  /** What stands behind FROM. */
  #from(relation: Relation): string {
    switch (relation.kind) {
      case 'table':
        return this.tables(relation.table, relation.predicate);
      case 'join': {
        const isChain = relation.right.kind === 'join' || relation.right.kind === 'semi';
        const right = isChain ? this.#derived(relation.right) : this.#from(relation.right);
        const isFree = relation.on.kind === 'boolean' && relation.on.value;
        if (isFree && relation.how === 'inner') return `${this.#from(relation.left)}\nCROSS JOIN ${right}`;
        return `${this.#from(relation.left)}\n${relation.how === 'left' ? 'LEFT JOIN' : 'JOIN'} ${right} ON ${this.#condition(relation.on)}`;
      }
      case 'semi': {
        const { semiJoin } = this.dialect;
        if (semiJoin !== null) {
          const side =
            relation.right.kind === 'join' || relation.right.kind === 'semi'
              ? this.#derived(relation.right)
              : this.#from(relation.right);
          return `${this.#from(relation.left)}\n${semiJoin[relation.negated ? 1 : 0]} ${side} ON ${this.#condition(relation.on)}`;
        }
        const left = this.#from(relation.left);
        const right = this.#from(relation.right);
        const on = this.#scalar(relation.on);
        const test = `${relation.negated ? 'NOT ' : ''}EXISTS (\n${indented(`SELECT 1 FROM ${right}\nWHERE ${on}`)}\n)`;
        return this.#aliased(
          `SELECT ${this.#columns(columnsOf(relation.left).map((name) => ({ name, value: column(name) })))}\nFROM ${left}\nWHERE ${test}`,
        );
      }
      case 'values':
        return this.#values(relation);
      case 'shared': {
        this.#share(relation.part);
        return this.#aliased(`SELECT ${this.#columns(relation.columns)}\nFROM ${this.#name(relation.part.name)}`);
      }
      case 'one':
        return this.#aliased('SELECT 1 AS one');
      default:
        return this.#derived(relation);
    }
  }

  /** Some parsers have no constant there. */
  #condition(on: Scalar): string {
    return on.kind === 'boolean' ? (on.value ? '(1 = 1)' : '(1 = 0)') : this.#scalar(on);
  }

  #derived(relation: Relation): string {
    return this.#aliased(this.#query(relation));
  }

  #aliased(query: string): string {
    this.#tables++;
    return `(\n${indented(query)}\n) AS t${this.#tables}`;
  }

  #union({ columns, inputs, distinct }: RelationOf<'union'>): string {
    const sides = inputs.map(({ relation, values }) => {
      const named = columns.map((name, at) => ({ name, value: values[at] as Scalar }));
      return `SELECT ${this.#columns(named)}\nFROM ${this.#from(relation)}`;
    });
    return sides.join(`\n${distinct ? 'UNION' : 'UNION ALL'}\n`);
  }

  #values({ columns, rows }: RelationOf<'values'>): string {
    if (columns.length === 0) {
      return this.#aliased(rows.map(() => 'SELECT 1 AS one').join('\nUNION ALL\n'));
    }
    const selects = rows.map((row) => `(${row.map((value) => this.#scalar(value)).join(', ')})`);
    this.#tables++;
    return `(VALUES\n${indented(selects.join(',\n'))}\n) AS t${this.#tables}(${columns.map(({ name }) => this.#name(name)).join(', ')})`;
  }

  #share(part: SharedPart): void {
    if (this.#parts.has(part)) return;
    const { name, columns, relation, step } = part;
    const head = `${this.#name(name)}(${columns.length === 0 ? 'one' : columns.map((one) => this.#name(one)).join(', ')}) AS (`;
    const values = columns.map((one) => ({ name: one, value: column(one) }));
    const base = `SELECT ${this.#columns(values)}\nFROM ${this.#from(relation)}`;
    if (step === null) {
      this.#parts.set(part, `${head}\n${indented(base)}\n)`);
      return;
    }
    this.#recursive = true;
    // Its own name is known inside of it, and what it reads stands before it.
    const inner = new Writer(this.dialect, this.tables);
    inner.#tables = this.#tables + 1000;
    for (const [one, written] of this.#parts) inner.#parts.set(one, written);
    inner.#parts.set(part, '');
    const next = inner.#query(step);
    inner.#parts.delete(part);
    for (const [one, written] of inner.#parts) this.#parts.set(one, written);
    this.#parts.set(part, `${head}\n${indented(`${base}\nUNION\n${next}`)}\n)`);
  }

  #name(name: string): string {
    return this.dialect.quoted(name);
  }

  #scalar(scalar: Scalar): string {
    const { dialect } = this;
    switch (scalar.kind) {
      case 'column':
        return this.#name(scalar.name);
      case 'text':
        return dialect.text(scalar.value);
      case 'boolean':
        return scalar.value ? 'TRUE' : 'FALSE';
      case 'null':
        return `CAST(NULL AS ${dialect.types[scalar.type]})`;
      case 'number':
        return this.#number(scalar);
      case 'id':
        return this.#id(scalar.term);
      case 'case': {
        const whens = scalar.whens.map(([test, value]) => `WHEN ${this.#scalar(test)} THEN ${this.#scalar(value)}`);
        return `(CASE ${whens.join(' ')} ELSE ${this.#scalar(scalar.otherwise)} END)`;
      }
      case 'call':
        return this.#call(scalar);
    }
  }

  #number({ type, text: written }: Extract<Scalar, { kind: 'number' }>): string {
    const { types } = this.dialect;
    if (type === 'int' || type === 'bigint') return Number(written) < 0 ? `(${written})` : written;
    return `CAST('${written}' AS ${types[type]})`;
  }

  /** Null where the lake does not have it. */
  #id(term: Term): string {
    const { kind, text: lexical, datatype, lang, dir } = constantFields(term);
    const is = (field: Field, value: Scalar): Scalar =>
      value.kind === 'null' ? isNull(column(field)) : equal(column(field), value);
    const tag =
      lang.kind === 'text' ? equal(call('lower', column('lang')), text(lang.value.toLowerCase())) : is('lang', lang);
    const test = all(is('kind', kind), is('text', lexical), is('datatype', datatype), tag, is('dir', dir));
    return `(SELECT max(id) FROM ${this.tables('terms')} WHERE ${this.#scalar(test)})`;
  }

  #call({ name, args, type }: Extract<Scalar, { kind: 'call' }>): string {
    const { dialect } = this;
    if (name === 'refuse')
      return dialect.refuse((args[0] as { value: string }).value, dialect.types[type ?? 'boolean']);
    if (name === 'rowNumber') return this.#numbered('row_number', args);
    if (name === 'rank') return this.#numbered('rank', args);
    if (name === 'joinTexts') return this.#joined(args);
    const writing = dialect.functions[name];
    if (typeof writing !== 'function') throw new Error(`${name} was not refused`);
    return writing(args.map((arg) => this.#scalar(arg)));
  }

  /** How many keys there are, the keys of the group, then by what it is sorted, and whether downwards. */
  #numbered(name: 'row_number' | 'rank', [count, ...others]: readonly Scalar[]): string {
    const keys = Number((count as { text: string }).text);
    const group = others.slice(0, keys).map((one) => this.#scalar(one));
    const sorted = this.#sortings(others.slice(keys));
    const partition = group.length === 0 ? '' : `PARTITION BY ${group.join(', ')} `;
    return `${name}() OVER (${partition}ORDER BY ${sorted})`;
  }

  /** Texts, what stands between them, then by what they are sorted. */
  #joined([value, separator, ...order]: readonly Scalar[]): string {
    const writing = this.dialect.functions.joinTexts as Writing;
    const args = [this.#scalar(value as Scalar), this.#scalar(separator as Scalar)];
    return writing(order.length === 0 ? args : [...args, this.#sortings(order)]);
  }

  #sortings(order: readonly Scalar[]): string {
    const sorted: string[] = [];
    for (let at = 0; at < order.length; at += 2) {
      const descending = (order[at + 1] as { value: boolean }).value;
      sorted.push(this.#sorting({ value: order[at] as Scalar, descending }));
    }
    return sorted.join(', ');
  }
}

function indented(text_: string): string {
  return text_.replaceAll('\n', `\n${INDENT}`).replace(/^/, INDENT);
}
