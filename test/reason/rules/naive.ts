/**
 * Rules by the letter of the specification, one match at a time: no numbers, no indexes, no rounds that build on another.
 * It reads the same rules, and shares nothing else with the engine.
 */
import type { Atom, Rule } from '../../../engine/reason/rules/rule.js';

/** A fact as three texts: terms as N-Triples write them, the predicate as an IRI. */
export type Fact = readonly [s: string, p: string, o: string];

export const keyOf = (fact: Fact): string => fact.join(' ');

type Binding = ReadonlyMap<string, string>;

function textOf(term: Atom['s']): string {
  if (term.kind === 'variable') return `?${term.name}`;
  return term.term.termType === 'NamedNode' ? `<${term.term.value}>` : JSON.stringify(term.term.value);
}

function matched(pattern: string, value: string, binding: Binding): Binding | null {
  if (!pattern.startsWith('?')) return pattern === value ? binding : null;
  const known = binding.get(pattern);
  if (known !== undefined) return known === value ? binding : null;
  return new Map([...binding, [pattern, value]]);
}

const filled = (pattern: string, binding: Binding): string => binding.get(pattern) ?? pattern;

function matches(rule: Rule, facts: ReadonlyMap<string, Fact>): Fact[] {
  let bindings: Binding[] = [new Map()];
  for (const atom of rule.body.filter(({ negated }) => !negated)) {
    const [s, o] = [textOf(atom.s), textOf(atom.o)];
    bindings = bindings.flatMap((binding) =>
      [...facts.values()].flatMap(([fs, fp, fo]) => {
        if (fp !== atom.predicate) return [];
        const first = matched(s, fs, binding);
        const both = first === null ? null : matched(o, fo, first);
        return both === null ? [] : [both];
      }),
    );
  }
  for (const atom of rule.body.filter(({ negated }) => negated)) {
    const [s, o] = [textOf(atom.s), textOf(atom.o)];
    bindings = bindings.filter(
      (binding) => !facts.has(keyOf([filled(s, binding), atom.predicate, filled(o, binding)])),
    );
  }
  const [s, o] = [textOf(rule.head.s), textOf(rule.head.o)];
  return bindings
    .map((binding): Fact => [filled(s, binding), rule.head.predicate, filled(o, binding)])
    .filter(([subject]) => !subject.startsWith('"'));
}

/** By predicate the level, as 1.5 has it; rules must have no negation in a cycle. */
function levelsOf(rules: readonly Rule[]): Map<string, number> {
  const reach = new Map<string, Set<string>>();
  const predicates = new Set(rules.flatMap(({ head, body }) => [head, ...body].map(({ predicate }) => predicate)));
  for (const predicate of predicates) reach.set(predicate, new Set());
  for (const { head, body } of rules) for (const { predicate } of body) reach.get(predicate)?.add(head.predicate);
  for (let grown = true; grown; ) {
    grown = false;
    for (const targets of reach.values()) {
      for (const target of [...targets]) {
        for (const further of reach.get(target) ?? []) {
          if (!targets.has(further)) [grown] = [true, targets.add(further)];
        }
      }
    }
  }
  const together = (a: string, b: string): boolean =>
    a === b || (reach.get(a)?.has(b) === true && reach.get(b)?.has(a) === true);
  const hasHead = (predicate: string): boolean => rules.some(({ head }) => together(head.predicate, predicate));
  const levels = new Map<string, number>();
  const levelOf = (predicate: string): number => {
    const known = levels.get(predicate);
    if (known !== undefined) return known;
    let level = 0;
    for (const { head, body } of rules) {
      if (!together(head.predicate, predicate)) continue;
      for (const { predicate: from } of body) {
        if (!together(from, predicate) && hasHead(from)) level = Math.max(level, 1 + levelOf(from));
      }
    }
    levels.set(predicate, level);
    return level;
  };
  for (const predicate of predicates) levelOf(predicate);
  return levels;
}

/** What follows and is no fact, each with the id of the rule that owns it. `before`: who owned what. */
export function derive(
  rules: readonly Rule[],
  base: readonly Fact[],
  before: ReadonlyMap<string, string>,
): { owners: Map<string, string>; strata: number } {
  const facts = new Map(base.map((fact) => [keyOf(fact), fact]));
  const given = new Set(facts.keys());
  const levels = levelsOf(rules);
  const owners = new Map<string, string>();
  const used = [...new Set(rules.map(({ head }) => levels.get(head.predicate) as number))].sort((a, b) => a - b);
  for (const level of used) {
    const own = rules.filter(({ head }) => levels.get(head.predicate) === level);
    for (let grown = true; grown; ) {
      grown = false;
      for (const fact of own.flatMap((rule) => matches(rule, facts))) {
        if (facts.has(keyOf(fact))) continue;
        facts.set(keyOf(fact), fact);
        grown = true;
      }
    }
    const deriving = new Map<string, string[]>();
    for (const rule of own) {
      for (const key of new Set(matches(rule, facts).map(keyOf))) {
        deriving.set(key, [...(deriving.get(key) ?? []), rule.id]);
      }
    }
    for (const [key, ids] of deriving) {
      if (given.has(key)) continue;
      const owner = before.get(key);
      owners.set(key, owner !== undefined && ids.includes(owner) ? owner : (ids[0] as string));
    }
  }
  return { owners, strata: used.length };
}
