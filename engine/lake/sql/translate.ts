/**
 * The algebra of a query, after the rewrites, to a relational tree. Variables are joined and told apart by their ids, and
 * decoded where an expression or the answer needs them.
 *
 * Length: one method for each kind of node, which share the names and the scans of one query.
 */

import type { Algebra, DatasetClause, NodeOf, ParsedQuery, QuadPattern } from '../../query/algebra/algebra.js';
import { conjunctsOf, type Expression } from '../../query/algebra/expression.js';
import { variablesOf } from '../../query/algebra/mentioned.js';
import type { Term } from '../../rdf/terms.js';
import type { TimeSlice } from '../../storage/seam/scan.js';
import { filterExists, markExists, minusOf, type OuterRows, type Patterns } from './exists.js';
import { ExpressionRows } from './expression-rows.js';
import { condition, evaluate, kept } from './expressions/evaluate.js';
import { groupOf } from './groups.js';
import { isInlineTerm } from './inline-fields.js';
import { inOrder } from './join-order.js';
import type { LakeKnowledge } from './lake-knowledge.js';
import { Names } from './names.js';
import { closureOf } from './paths.js';
import { refused } from './refusal.js';
import { type Named, pruned, type Relation, type Sorting, select } from './relations.js';
import { all, call, column, equal, int, isConstant, nothing, type Scalar, TRUE } from './scalars.js';
import { estimateOf, graphsOf, type ScanContext, scanOf } from './scans.js';
import {
  agree,
  columnised,
  comparable,
  distinctOf,
  joined,
  merged,
  passed,
  Rows,
  type Solutions,
  UNIT,
  united,
} from './solutions.js';
import { flatOrder, orderKeys } from './sorts.js';
import {
  constantTerm,
  FIELD_NAMES,
  FIELDS,
  type Field,
  type Fields,
  identityOf,
  isComputedNumber,
  type KnownTerm,
  ofNumber,
  RANK,
  type SqlTerm,
  UNBOUND_TERM,
} from './sql-terms.js';

export interface TranslateOptions {
  readonly time: TimeSlice;
  /** The id of a constant: null = the lake does not have it, undefined = not known yet. */
  readonly idOf: (term: Term) => bigint | null | undefined;
  readonly knowledge?: LakeKnowledge | undefined;
  /** What NOW() says, as an xsd:dateTime. */
  readonly now: string;
}

export interface AnswerColumns {
  readonly variable: string;
  /** Names of columns by field; a field that is absent is null in every row. */
  readonly fields: Readonly<Partial<Record<Field, string>>>;
  /** Name of the column with the id, from which the reader of the rows makes the term; there are no fields then. */
  readonly id?: string | undefined;
}

/** Rows of an answer whose ids are decoded by those who read them, in one go. */
const FEW_ROWS = 1000;

export interface Translated {
  readonly relation: Relation;
  readonly columns: readonly AnswerColumns[];
  readonly orderBy: readonly Sorting[];
}

type Outer = OuterRows;

export function translateQuery(query: ParsedQuery, options: TranslateOptions): Translated {
  const translation = new Translation(query.dataset, options);
  const solutions = translation.translate(query.algebra, new Map());
  const asked = query.form === 'ask' ? firstOf(solutions) : solutions;
  const isFew = query.algebra.kind === 'slice' && query.algebra.limit !== null && query.algebra.limit <= FEW_ROWS;
  return translation.answer(asked, query.form === 'ask' ? [] : query.variables, isFew);
}

function firstOf({ relation, terms }: Solutions): Solutions {
  return { relation: select(relation, passed(relation), { limit: 1 }), terms, order: [] };
}

class Translation implements Patterns {
  readonly names = new Names();
  private readonly scans: ScanContext;

  constructor(
    dataset: DatasetClause | null,
    private readonly options: TranslateOptions,
  ) {
    const { time, idOf, knowledge } = options;
    this.scans = { names: this.names, time, dataset, idOf, knowledge };
  }

  translate(node: Algebra, outer: Outer): Solutions {
    switch (node.kind) {
      case 'unit':
        return UNIT;
      case 'empty':
        return this.empty(node.variables);
      case 'patterns':
        return this.patterns(node, outer);
      case 'join':
        return this.join(node, outer);
      case 'closure':
        return closureOf(node, this.scans);
      case 'graphs':
        return graphsOf(node.name, this.scans);
      case 'values':
        return this.values(node);
      case 'outer':
        return (outer.get(node.slot) as () => Solutions)();
      case 'filter':
        return this.filter(node, outer);
      case 'extend':
        return this.extend(node, outer);
      case 'leftJoin':
        return this.leftJoin(node, outer);
      case 'union':
        return united(
          node.inputs.map((input) => this.translate(input, outer)),
          this.names,
        );
      case 'minus':
        return minusOf(this.translate(node.left, outer), this.translate(node.right, outer), this.names);
      case 'group':
        return this.group(node, this.translate(node.input, outer), outer);
      case 'countPattern':
        return this.count(node);
      case 'sort':
        return this.sort(node, outer);
      case 'project':
        return this.project(node, this.translate(node.input, outer));
      case 'distinct':
        return this.distinct(node, outer);
      case 'reduced':
        return this.translate(node.input, outer);
      case 'slice':
        return this.slice(node, outer);
      case 'eachGraph':
        throw refused('GRAPH with a variable around a subquery or MINUS', 'name the graph: GRAPH <iri> { ... }');
      case 'service':
      case 'members':
      case 'walk':
        throw refused('SERVICE');
      case 'tableFunction':
        throw refused(`the function SERVICE <${node.iri}>`);
      case 'instances':
        throw refused('subclass inference');
    }
  }

  private rows(solutions: Solutions, outer: Outer): ExpressionRows {
    const patterns: Patterns = {
      names: this.names,
      translate: (node, more) => this.translate(node, new Map([...outer, ...more])),
    };
    return new ExpressionRows(solutions, this.names, this.options.now, this.options, (rows, exists) =>
      markExists(rows, exists, patterns),
    );
  }

  private empty(variables: readonly string[]): Solutions {
    const terms = new Map(variables.map((name) => [name, { ...UNBOUND_TERM, id: nothing('bigint') }]));
    const row = { name: this.names.next('one'), value: TRUE };
    return {
      relation: select({ kind: 'one' }, [row], { where: [{ kind: 'boolean', value: false }] }),
      terms,
      order: [],
    };
  }

  private patterns(node: NodeOf<'patterns'>, _outer: Outer): Solutions {
    return this.connected(this.ordered(node.patterns));
  }

  private join(node: NodeOf<'join'>, outer: Outer): Solutions {
    const parts = node.inputs.flatMap((input) =>
      input.kind === 'patterns' ? this.ordered(input.patterns) : [this.translate(input, outer)],
    );
    return this.connected(parts);
  }

  private ordered(patterns: readonly QuadPattern[]): readonly Solutions[] {
    const parts = patterns.map((pattern) => ({
      solutions: scanOf(pattern, this.scans),
      estimate: estimateOf(pattern, this.scans),
    }));
    const known = parts.flatMap(({ solutions, estimate }) => (estimate === null ? [] : [{ solutions, estimate }]));
    return known.length === parts.length && known.length > 1 ? inOrder(known) : parts.map((part) => part.solutions);
  }

  /** Joined in a sequence in which each shares a variable with one before it, where there is such a sequence. */
  private connected(parts: readonly Solutions[]): Solutions {
    const left = [...parts];
    let whole = left.shift() ?? UNIT;
    while (left.length > 0) {
      const at = left.findIndex(({ terms }) => [...terms.keys()].some((name) => whole.terms.has(name)));
      const [next] = left.splice(Math.max(at, 0), 1) as [Solutions];
      whole = joined(whole, next, this.names);
    }
    return { ...whole, order: [] };
  }

  private values({ variables, rows }: NodeOf<'values'>): Solutions {
    const columns: { name: string; type: (typeof FIELDS)[Field] | 'bigint' }[] = [];
    const cells: Scalar[][] = rows.map(() => []);
    const terms = new Map<string, SqlTerm>();
    const add = (type: (typeof FIELDS)[Field] | 'bigint', prefix: string, of: (row: number) => Scalar): Scalar => {
      const name = this.names.next(prefix);
      columns.push({ name, type });
      for (let row = 0; row < rows.length; row++) cells[row]?.push(of(row));
      return column(name);
    };
    for (const [at, variable] of variables.entries()) {
      const given = rows.map((row) => row[at] as Term | null);
      const ids = given.map((term) => (term === null ? null : this.options.idOf(term)));
      const certain = given.every((term) => term !== null);
      const known = given.map((term) => (term === null ? UNBOUND_TERM : constantTerm(term)));
      const classes = new Set(known.flatMap((term) => [...term.classes]));
      if (given.every((term, row) => term === null || typeof ids[row] === 'bigint')) {
        const id = add('bigint', 'id', (row) => {
          const found = ids[row];
          return typeof found === 'bigint'
            ? { kind: 'number', type: 'bigint', text: String(found) }
            : nothing('bigint');
        });
        terms.set(variable, { certain, id, fields: null, classes });
        continue;
      }
      const fields = Object.fromEntries(
        FIELD_NAMES.map((field) => [
          field,
          add(FIELDS[field], field, (row) => (known[row] as KnownTerm).fields[field]),
        ]),
      ) as Record<Field, Scalar>;
      terms.set(variable, { certain, id: null, fields, classes });
    }
    if (rows.length === 0) return this.empty(variables);
    if (columns.length === 0) add('bigint', 'one', () => int(1));
    return { relation: { kind: 'values', columns, rows: cells }, terms, order: [] };
  }

  private filter(node: NodeOf<'filter'>, outer: Outer): Solutions {
    const input = this.translate(node.input, outer);
    const rows = this.rows(input, outer);
    const where: Scalar[] = [];
    const exists: Extract<Expression, { kind: 'exists' }>[] = [];
    for (const part of conjunctsOf(node.condition)) {
      const asked = existsOf(part);
      if (asked === null) where.push(condition(part, rows));
      else exists.push(asked);
    }
    if (where.length > 0) rows.relation = select(rows.relation, passed(rows.relation), { where });
    for (const asked of exists) {
      filterExists(rows, asked, {
        names: this.names,
        translate: (inner, more) => this.translate(inner, new Map([...outer, ...more])),
      });
    }
    return rows.solutions(input.order);
  }

  private extend(node: NodeOf<'extend'>, outer: Outer): Solutions {
    const input = this.translate(node.input, outer);
    const rows = this.rows(input, outer);
    const { expression } = node;
    const old = rows.term(node.variable);
    const source = expression.kind === 'variable' ? rows.term(expression.name) : undefined;
    // An id that the lake does not have would be looked up in vain.
    const constant = expression.kind === 'term' ? this.options.idOf(expression.term) : null;
    if (expression.kind === 'variable') {
      if (source !== undefined) rows.terms.set(node.variable, source);
    } else if (expression.kind === 'term' && typeof constant === 'bigint') {
      rows.terms.set(node.variable, constantTerm(expression.term, constant));
    } else {
      const made = evaluate(expression, rows);
      rows.terms.set(node.variable, kept(made, rows));
    }
    if (old !== undefined) this.keepAgreeing(rows, node.variable, old);
    return rows.solutions(input.order);
  }

  /** A row that was handed down may have the variable already: it goes where the two differ. */
  private keepAgreeing(rows: ExpressionRows, name: string, old: SqlTerm): void {
    let made = rows.term(name) as SqlTerm;
    let before = old;
    if (before.id === null || made.id === null) [before, made] = [rows.lookUp(before), rows.lookUp(made)];
    rows.relation = select(rows.relation, passed(rows.relation), { where: [agree(before, made)] });
    rows.terms.set(name, merged(made, before, 'inner'));
  }

  private leftJoin(node: NodeOf<'leftJoin'>, outer: Outer): Solutions {
    const left = new Rows(this.translate(node.left, outer), this.names);
    const right = new Rows(columnised(this.translate(node.right, outer), this.names), this.names);
    if (left.relation.kind === 'one')
      left.relation = select(left.relation, [{ name: this.names.next('one'), value: TRUE }]);
    const shared = [...left.terms.keys()].filter((name) => right.terms.has(name));
    for (const name of shared) comparable(left, right, name);
    if (node.condition !== null) {
      for (const name of variablesOf(node.condition)) {
        left.known(name);
        right.known(name);
      }
    }
    // A side that is computed may be null in every field; a mark says whether there was a row.
    const terms = new Map<string, SqlTerm>(left.terms);
    const inside = new Map<string, SqlTerm>(left.terms);
    for (const [name, term] of right.terms) {
      const other = left.term(name);
      inside.set(name, other === undefined ? term : merged(other, term, 'inner'));
      terms.set(
        name,
        other === undefined ? { ...term, certain: false } : merged(other, { ...term, certain: false }, 'left'),
      );
    }
    const agreed = shared.map((name) => agree(left.term(name) as SqlTerm, right.term(name) as SqlTerm));
    const test = node.condition === null ? TRUE : this.joinCondition(node.condition, inside);
    const relation: Relation = {
      kind: 'join',
      how: 'left',
      left: left.relation,
      right: right.relation,
      on: all(...agreed, test),
      lookup: false,
    };
    return { relation, terms, order: [] };
  }

  /** A condition over both sides, which can't bring more columns in. */
  private joinCondition(test: Expression, terms: ReadonlyMap<string, SqlTerm>): Scalar {
    const scope = new JoinScope(
      { relation: { kind: 'one' }, terms },
      this.names,
      this.options.now,
      this.options,
      () => {
        throw refused('EXISTS in the condition of an OPTIONAL');
      },
    );
    return condition(test, scope);
  }

  private count({ pattern, variables }: NodeOf<'countPattern'>): Solutions {
    const found = scanOf(pattern, this.scans);
    const name = this.names.next('count');
    const exact = call('decimalOfInt', column(name));
    const count = ofNumber(int(RANK.integer), call('doubleOfDecimal', exact), exact, TRUE);
    const relation = select(found.relation, [{ name, value: call('countRows') }], { groupBy: [] });
    return { relation, terms: new Map(variables.map((variable) => [variable, count])), order: [] };
  }

  /** With `first`, rows that can't be among so many go before what the later keys need of them is looked up. */
  private sort(node: NodeOf<'sort'>, outer: Outer, first: number | null = null): Solutions {
    let rows = this.rows(this.translate(node.input, outer), outer);
    let made: Named[] = [];
    const order: Sorting[] = [];
    let mayNarrow = first !== null;
    for (const { expression, descending } of node.keys) {
      const before = { ...rows.solutions(), terms: new Map(rows.terms) };
      let values = orderKeys(kept(evaluate(expression, rows), rows));
      if (mayNarrow && values.some((value) => rows.isLookedUp(value))) {
        mayNarrow = false;
        if (made.length > 0) {
          rows = this.rows(this.firstByKeys(before, made, order, first as number), outer);
          made = [];
          values = orderKeys(kept(evaluate(expression, rows), rows));
        }
      }
      for (const value of values) {
        const name = this.names.next('key');
        made.push({ name, value });
        order.push({ value: column(name), descending });
      }
    }
    const relation = select(rows.relation, [...passed(rows.relation), ...made]);
    return { relation, terms: rows.terms, order };
  }

  /** The first so many rows by these keys, with those that are equal to the last of them. */
  private firstByKeys(input: Solutions, made: readonly Named[], order: readonly Sorting[], first: number): Solutions {
    const place = this.names.next('place');
    const sorted = flatOrder(order);
    const keyed = select(input.relation, [...passed(input.relation), ...made]);
    const ranked = select(keyed, [
      ...passed(keyed),
      { name: place, value: { kind: 'call', name: 'rank', args: [int(0), ...sorted] } },
    ]);
    const relation = select(ranked, passed(keyed), { where: [call('<=', column(place), int(first))] });
    return { relation, terms: input.terms, order: [] };
  }

  private group(node: NodeOf<'group'>, input: Solutions, outer: Outer): Solutions {
    return groupOf(node, this.rows(input, outer), input.order, this.names);
  }

  private project(node: NodeOf<'project'>, input: Solutions): Solutions {
    return { ...input, terms: new Map([...input.terms].filter(([name]) => node.variables.includes(name))) };
  }

  private distinct(node: NodeOf<'distinct'>, outer: Outer): Solutions {
    const input = this.translate(node.input, outer);
    const once = distinctOf(input, [...input.terms.keys()], this.names);
    if (input.order.length === 0) return once;
    const sorted = sortedBelow(node.input);
    if (sorted === null) return once;
    // Each is sorted by what it shows, so that the keys are computed anew.
    if (!sorted.keys.every(({ expression }) => [...variablesOf(expression)].every((name) => once.terms.has(name)))) {
      return this.firstOfEach(input);
    }
    const rows = this.rows(once, outer);
    const made: Named[] = [];
    const order: Sorting[] = [];
    for (const { expression, descending } of sorted.keys) {
      for (const value of orderKeys(kept(evaluate(expression, rows), rows))) {
        const name = this.names.next('key');
        made.push({ name, value });
        order.push({ value: column(name), descending });
      }
    }
    return { relation: select(rows.relation, [...passed(rows.relation), ...made]), terms: rows.terms, order };
  }

  /** What is sorted by something else than it shows comes where the first of its rows does. */
  private firstOfEach(input: Solutions): Solutions {
    const shown = [...input.terms.values()].flatMap(identityOf).filter(({ kind }) => kind !== 'null');
    const sorted = flatOrder(input.order);
    const place = this.names.next('place');
    const value: Scalar = { kind: 'call', name: 'rowNumber', args: [int(shown.length), ...shown, ...sorted] };
    const numbered = select(input.relation, [...passed(input.relation), { name: place, value }]);
    return { ...input, relation: select(numbered, passed(input.relation), { where: [equal(column(place), int(1))] }) };
  }

  private slice(node: NodeOf<'slice'>, outer: Outer): Solutions {
    const input = this.sliced(node.input, outer, node.limit === null ? null : node.limit + node.offset);
    const made =
      input.relation.kind === 'one' ? [{ name: this.names.next('one'), value: TRUE }] : passed(input.relation);
    const relation = select(input.relation, made, { orderBy: input.order, limit: node.limit, offset: node.offset });
    return { ...input, relation };
  }

  private sliced(node: Algebra, outer: Outer, first: number | null): Solutions {
    if (node.kind === 'sort') return this.sort(node, outer, first);
    if (node.kind === 'project') return this.project(node, this.sliced(node.input, outer, first));
    return this.translate(node, outer);
  }

  /** The terms of the answer, decoded. */
  answer(solutions: Solutions, variables: readonly string[], isFew: boolean): Translated {
    const rows = new Rows(solutions, this.names);
    const columns: AnswerColumns[] = [];
    const made: Named[] = [];
    for (const variable of variables) {
      const found = rows.term(variable);
      if (this.options.knowledge !== undefined && found !== undefined && isReadById(found, isFew)) {
        const id = this.names.next('id');
        made.push({ name: id, value: found.id as Scalar });
        columns.push({ variable, fields: {}, id });
        continue;
      }
      const term = rows.known(variable) ?? UNBOUND_TERM;
      const fields: Partial<Record<Field, string>> = {};
      for (const field of ['kind', 'text', 'datatype', 'lang', 'dir', 'num', 'exact'] as const) {
        const value = answerField(term, field);
        if (value.kind === 'null') continue;
        const name = this.names.next(field);
        made.push({ name, value });
        fields[field] = name;
      }
      columns.push({ variable, fields });
    }
    if (made.length === 0) made.push({ name: this.names.next('one'), value: int(1) });
    const shown = made.map(({ name }) => name);
    const relation = select(rows.relation, made, { orderBy: solutions.order });
    return { relation: pruned(relation, shown), columns, orderBy: [] };
  }
}

/** Values stand in their ids; of few rows the others are looked up behind them. */
function isReadById(term: SqlTerm, isFew: boolean): boolean {
  if (term.id === null || isConstant(term.id)) return false;
  return isInlineTerm(term) || (isFew && term.fields === null);
}

/** The text of a computed number is written here, so that its value is read in place of the text. */
function answerField(term: KnownTerm, field: Field): Scalar {
  const { fields } = term;
  const computed = isComputedNumber(term);
  if (field === 'num' || field === 'exact') return computed ? fields[field] : nothing(FIELDS[field]);
  return field === 'text' && computed ? nothing('varchar') : fields[field];
}

function existsOf(part: Expression): Extract<Expression, { kind: 'exists' }> | null {
  if (part.kind === 'exists') return part;
  if (part.kind !== 'call' || part.operator !== '!') return null;
  const [inner] = part.args;
  return inner?.kind === 'exists' ? { ...inner, negated: !inner.negated } : null;
}

function sortedBelow(node: Algebra): NodeOf<'sort'> | null {
  if (node.kind === 'sort') return node;
  return node.kind === 'project' || node.kind === 'extend' || node.kind === 'filter' ? sortedBelow(node.input) : null;
}

/** Both sides of a join, whose terms have been looked up. */
class JoinScope extends ExpressionRows {
  override keep({ fields }: KnownTerm): Fields {
    return fields;
  }

  /** A join has no place for a look-up. */
  override constantId(term: Term): Scalar | null {
    const id = super.constantId(term);
    return id?.kind === 'id' ? null : id;
  }

  override lookUp(term: SqlTerm): KnownTerm {
    if (term.fields !== null) return term as KnownTerm;
    throw refused('such a condition of an OPTIONAL');
  }
}
