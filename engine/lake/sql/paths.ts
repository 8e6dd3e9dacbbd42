/**
 * Property paths of any length: a recursive part that walks from an end that is known, or over all pairs. A path of no
 * step relates a term of the query to itself, and every node of the graph.
 */

import type { NodeOf, PatternTerm } from '../../query/algebra/algebra.js';
import type { Path } from '../../query/algebra/path.js';
import { matchesEmpty } from '../../query/execute/paths/automaton.js';
import { terms } from '../../rdf/terms.js';
import { columnsOf, type Relation, type SharedPart, select } from './relations.js';
import { all, any, call, column, equal, isConstant, not, type Scalar } from './scalars.js';
import { constantId, graphsOf, type ScanContext, scanOf } from './scans.js';
import { distinctOf, joined, Rows, type Solutions, united } from './solutions.js';
import { ANY_CLASS, constantTerm, type SqlTerm } from './sql-terms.js';

const FROM = '_:~from';
const TO = '_:~to';
const variable = (name: string): PatternTerm => ({ kind: 'variable', name });

type Closure = NodeOf<'closure'>;

export function closureOf(node: Closure, context: ScanContext): Solutions {
  const { s, o, g } = node;
  const path: Path = { kind: 'closure', path: node.path, min: node.min, max: node.max };
  const pairs = pairsOf(node, context);
  const parts = [pairs, ...(matchesEmpty(path, true) ? [emptyPaths(node, context)] : [])];
  const whole = parts.length === 1 ? pairs : united(parts, context.names);
  const ends = placed(whole, s, o, context);
  const names = [s, o, g].flatMap((end) => (end?.kind === 'variable' ? [end.name] : []));
  return distinctOf(ends, [...new Set(names)], context.names);
}

/** The two ends, named as the query names them. */
function placed(pairs: Solutions, s: PatternTerm, o: PatternTerm, { names }: ScanContext): Solutions {
  const found = new Map(pairs.terms);
  const [from, to] = [found.get(FROM), found.get(TO)];
  found.delete(FROM);
  found.delete(TO);
  let { relation } = pairs;
  if (s.kind === 'variable' && from !== undefined) found.set(s.name, from);
  if (o.kind === 'variable' && to !== undefined) {
    if (s.kind === 'variable' && s.name === o.name && from !== undefined) {
      const rows = new Rows(pairs, names);
      const [a, b] = [rows.known(FROM), rows.known(TO)] as [SqlTerm, SqlTerm];
      const same =
        a.id !== null && b.id !== null ? equal(a.id, b.id) : equal(a.fields?.text as Scalar, b.fields?.text as Scalar);
      relation = select(
        rows.relation,
        columnsOf(rows.relation).map((name) => ({ name, value: column(name) })),
        { where: [same] },
      );
      found.set(s.name, a);
    } else found.set(o.name, to);
  }
  return { relation, terms: found, order: [] };
}

/** Paths of at least one step. */
function pairsOf(node: Closure, context: ScanContext): Solutions {
  const { s, o, g } = node;
  const { names } = context;
  const backward = s.kind === 'variable' && o.kind === 'term';
  const steps = once(stepsOf(node.path, g, context), context);
  const graph = g?.kind === 'variable' ? g.name : null;
  const [near, far] = backward ? [o, s] : [s, o];
  const [start, end] = backward ? [TO, FROM] : [FROM, TO];
  const first = steps.read();
  const idOf = (from: Solutions, name: string): Scalar => (from.terms.get(name) as SqlTerm).id as Scalar;
  const where = near.kind === 'term' ? [equal(idOf(first, start), constantId(near.term, context))] : [];
  const columns = ['near', 'far', ...(graph === null ? [] : ['g'])].map((name) => names.next(name));
  const [nearName, farName, graphName] = columns as [string, string, string | undefined];
  const base = select(
    first.relation,
    [
      { name: nearName, value: idOf(first, start) },
      { name: farName, value: idOf(first, end) },
      ...(graphName === undefined ? [] : [{ name: graphName, value: idOf(first, graph as string) }]),
    ],
    { where, distinct: true },
  );
  const walked = node.max === 1 ? base : walk(base, columns, steps, [start, end], graph, context);
  const ids = new Map<string, SqlTerm>([
    [start, { certain: true, id: column(nearName), fields: null, classes: ANY_CLASS }],
    [end, { certain: true, id: column(farName), fields: null, classes: ANY_CLASS }],
  ]);
  if (graphName !== undefined)
    ids.set(graph as string, { certain: true, id: column(graphName), fields: null, classes: ANY_CLASS });
  const relation =
    far.kind === 'term'
      ? select(
          walked,
          columns.map((name) => ({ name, value: column(name) })),
          {
            where: [equal(column(farName), constantId(far.term, context))],
          },
        )
      : walked;
  return { relation, terms: ids, order: [] };
}

interface Steps {
  /** The same rows under names of their own. */
  readonly read: () => Solutions;
}

/** A relation that is read more than once. */
function once(steps: Solutions, { names }: ScanContext): Steps {
  const kept = [...steps.terms].map(([name, term]) => ({ name, term, column: names.next('step') }));
  const part: SharedPart = {
    name: names.next('steps'),
    relation: select(
      steps.relation,
      kept.map((one) => ({ name: one.column, value: one.term.id as Scalar })),
      { distinct: true },
    ),
    columns: kept.map((one) => one.column),
    step: null,
  };
  return {
    read: () => {
      const read = kept.map((one) => ({ ...one, own: names.next('step') }));
      const relation: Relation = {
        kind: 'shared',
        part,
        columns: read.map((one) => ({ name: one.own, value: column(one.column) })),
      };
      const found = read.map((one) => [one.name, { ...one.term, id: column(one.own), fields: null }] as const);
      return { relation, terms: new Map(found), order: [] };
    },
  };
}

function walk(
  base: Relation,
  columns: readonly string[],
  steps: Steps,
  [start, end]: readonly [string, string],
  graph: string | null,
  { names }: ScanContext,
): Relation {
  const part: { -readonly [Key in keyof SharedPart]: SharedPart[Key] } = {
    name: names.next('walk'),
    relation: base,
    columns,
    step: null,
  };
  const reached = columns.map((name) => ({ name: names.next('reached'), value: column(name) }));
  const next = steps.read();
  const idOf = (name: string): Scalar => (next.terms.get(name) as SqlTerm).id as Scalar;
  const [near, far, g] = reached.map(({ name }) => column(name)) as [Scalar, Scalar, Scalar | undefined];
  const on = all(equal(far, idOf(start)), ...(g === undefined ? [] : [equal(g, idOf(graph as string))]));
  const values = [near, idOf(end), ...(g === undefined ? [] : [g])];
  part.step = select(
    {
      kind: 'join',
      how: 'inner',
      left: { kind: 'shared', part, columns: reached },
      right: next.relation,
      on,
      lookup: false,
    },
    values.map((value) => ({ name: names.next('next'), value })),
  );
  return { kind: 'shared', part, columns: columns.map((name) => ({ name, value: column(name) })) };
}

/** The pairs that a path relates, as the variables FROM and TO. */
function stepsOf(path: Path, g: PatternTerm | null, context: ScanContext): Solutions {
  const { names } = context;
  switch (path.kind) {
    case 'predicate': {
      const p: PatternTerm = { kind: 'term', term: terms.namedNode(path.iri), inPath: true };
      return scanOf({ s: variable(FROM), p, o: variable(TO), g }, context);
    }
    case 'inverse':
      return turned(stepsOf(path.path, g, context));
    case 'alternative':
      return united(
        path.paths.map((one) => stepsOf(one, g, context)),
        names,
      );
    case 'sequence':
      return path.paths
        .map((one) => stepsOf(one, g, context))
        .reduce((before, next) => sequence(before, next, context));
    case 'negated':
      return negated(path, g, context);
    case 'closure': {
      const node: Closure = {
        kind: 'closure',
        s: variable(FROM),
        o: variable(TO),
        g,
        path: path.path,
        min: path.min,
        max: path.max,
      };
      return closureOf(node, context);
    }
  }
}

function renamed(input: Solutions, change: Readonly<Record<string, string>>): Solutions {
  return { ...input, terms: new Map([...input.terms].map(([name, term]) => [change[name] ?? name, term])) };
}

function turned(steps: Solutions): Solutions {
  return renamed(steps, { [FROM]: TO, [TO]: FROM });
}

function sequence(first: Solutions, second: Solutions, { names }: ScanContext): Solutions {
  const middle = '_:~middle';
  const both = joined(renamed(first, { [TO]: middle }), renamed(second, { [FROM]: middle }), names);
  const kept = new Map(both.terms);
  kept.delete(middle);
  return { ...both, terms: kept };
}

function negated(path: Extract<Path, { kind: 'negated' }>, g: PatternTerm | null, context: ScanContext): Solutions {
  const predicate = '_:~predicate';
  const direction = (iris: readonly string[]): Solutions => {
    const found = scanOf({ s: variable(FROM), p: variable(predicate), o: variable(TO), g }, context);
    const { id } = found.terms.get(predicate) as SqlTerm;
    const tests = iris.flatMap((iri) => {
      const constant = constantId(terms.namedNode(iri), context);
      return constant.kind === 'null'
        ? []
        : [call('coalesce', equal(id as Scalar, constant), { kind: 'boolean', value: false })];
    });
    const kept = new Map(found.terms);
    kept.delete(predicate);
    const columns = columnsOf(found.relation).map((name) => ({ name, value: column(name) }));
    return {
      relation: select(found.relation, columns, { where: [not(any(...tests))].filter((one) => !isConstant(one)) }),
      terms: kept,
      order: [],
    };
  };
  const sides = [
    ...(path.forward === null ? [] : [direction(path.forward)]),
    ...(path.backward === null ? [] : [turned(direction(path.backward))]),
  ];
  return sides.length === 1 ? (sides[0] as Solutions) : united(sides, context.names);
}

/** Each node related to itself. */
function emptyPaths({ s, o, g }: Closure, context: ScanContext): Solutions {
  const { names } = context;
  const graphs = g === null ? null : graphsOf(g, context);
  if (s.kind === 'term' || o.kind === 'term') {
    const { term } = (s.kind === 'term' ? s : o) as Extract<PatternTerm, { kind: 'term' }>;
    if (s.kind === 'term' && o.kind === 'term' && !s.term.equals(o.term)) return none(context, g);
    const id = context.idOf(term);
    const known: SqlTerm =
      id === null || id === undefined
        ? constantTerm(term)
        : { certain: true, id: constantId(term, context), fields: null, classes: ANY_CLASS };
    const one: Solutions = {
      relation: select({ kind: 'one' }, [{ name: names.next('one'), value: { kind: 'boolean', value: true } }]),
      terms: new Map([
        [FROM, known],
        [TO, known],
      ]),
      order: [],
    };
    return graphs === null ? one : joined(graphs, one, names);
  }
  const nodes = (end: 's' | 'o'): Solutions => {
    const [at, p, other] = ['_:~node', '_:~any', '_:~other'].map(variable) as [PatternTerm, PatternTerm, PatternTerm];
    const found = scanOf(end === 's' ? { s: at, p, o: other, g } : { s: other, p, o: at, g }, context);
    const kept = new Map([...found.terms].filter(([name]) => name !== '_:~any' && name !== '_:~other'));
    return { ...found, terms: kept };
  };
  const both = united([nodes('s'), nodes('o')], names);
  const node = both.terms.get('_:~node') as SqlTerm;
  const found = new Map(both.terms);
  found.delete('_:~node');
  found.set(FROM, node);
  found.set(TO, node);
  return { ...both, terms: found };
}

function none(context: ScanContext, g: PatternTerm | null): Solutions {
  const one = context.names.next('one');
  const nothing: SqlTerm = { certain: true, id: { kind: 'null', type: 'bigint' }, fields: null, classes: ANY_CLASS };
  const found = new Map([
    [FROM, nothing],
    [TO, nothing],
  ]);
  if (g?.kind === 'variable') found.set(g.name, nothing);
  const row = select({ kind: 'one' }, [{ name: one, value: { kind: 'boolean', value: true } }], {
    where: [{ kind: 'boolean', value: false }],
  });
  return { relation: row, terms: found, order: [] };
}
