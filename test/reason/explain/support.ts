/** What tests of explanations share: explanations as short values. */
import type { ExplainedFact, ExplainFactOptions, FactTerms, Store } from '../../../interfaces/library/index.js';
import { EX, ROOT } from '../rules/support.js';

const short = (value: string): string => value.replace(EX, '').replace(/^.*#/, '');

export function shown({ s, p, o }: FactTerms): string {
  return [s, p, o]
    .map((term) => (term.termType === 'Literal' ? JSON.stringify(term.value) : short(term.value)))
    .join(' ');
}

/** `s p o` in the namespace of the examples; `o` may be a text. */
export function explain(store: Store, fact: string, options: ExplainFactOptions = {}) {
  const [, s = '', p = '', o = ''] = /^(\S+) (\S+) (.*)$/.exec(fact) as RegExpExecArray;
  const object = o.startsWith('"') ? o.slice(1, -1) : EX + o;
  const predicate = p === 'type' ? 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type' : EX + p;
  return store.explainFact({ s: EX + s, p: predicate, o: object }, options);
}

/** One line a fact: what it is, how it stands, and below it what it rests on. */
export function lines(entry: ExplainedFact & { readonly graph?: string | null }, indent = ''): string[] {
  const { derivation } = entry;
  const marks = [
    entry.graph === undefined || entry.graph === null ? '' : ` in ${entry.graph.replace(ROOT, 'ROOT')}`,
    entry.absent === true ? ` closed by ${entry.closedTx}` : entry.found ? '' : ' not found',
    entry.truncated === true ? ' truncated' : '',
    entry.cycle === true ? ' cycle' : '',
    derivation === null || derivation === undefined ? '' : ` by ${nameOf(derivation)}`,
  ];
  const first = `${indent}${shown(entry.fact)}${marks.join('')}`;
  if (derivation === null || derivation === undefined) return [first];
  const absences = derivation.kind === 'rule' ? (derivation.absence ?? []) : [];
  return [
    first,
    ...derivation.support.flatMap((one) => lines(one, `${indent}  `)),
    ...absences.map(({ fact, held }) => `${indent}  not ${shown(fact)} ${held ? 'held' : 'broken'}`),
  ];
}

function nameOf(derivation: NonNullable<ExplainedFact['derivation']>): string {
  if (derivation.kind === 'rule')
    return `rule ${derivation.rule}${derivation.ruleMissing === true ? ' which is gone' : ''}`;
  const axioms = (derivation.axioms ?? []).map((pair) => pair.map(short).join(' '));
  return `${derivation.family}${axioms.length === 0 ? '' : ` [${axioms.join(', ')}]`}`;
}
