/** What is asked while the kernel memory of the thread is given up, and how it is made so large that it is. */

import { threadMemory, threadMemoryFigures, useThreadMemory } from '../../engine/kernels/thread-memory.js';

export const MEBIBYTE = 2 ** 20;
export const SMALL = 'SELECT * { :p1 :knows ?b }';
/** Between them, these use what every module keeps in the memory. */
export const QUERIES = [
  'SELECT * { ?a :knows ?b . ?b :knows ?c . ?a :knows ?c } ORDER BY ?a ?b ?c',
  'SELECT * { ?a :age ?x OPTIONAL { ?a :knows ?b . ?b :age ?y FILTER(?y > ?x) } } ORDER BY ?a ?b',
  'SELECT * { ?a :age ?x FILTER NOT EXISTS { ?a :knows ?b . ?b :age 3 } } ORDER BY ?a',
  'SELECT DISTINCT ?b ?x { ?a :knows ?b ; :age ?x } ORDER BY ?x ?b',
  'SELECT ?x (SUM(?y) AS ?sum) (MAX(?y) AS ?most) (COUNT(*) AS ?n) (SAMPLE(?y) AS ?any) { ?a :age ?x ; :knows ?b . ?b :age ?y } GROUP BY ?x ORDER BY ?x',
  'SELECT (SUM(STRLEN(STR(?b))) AS ?sum) (SUM(?x * 2 + 1) AS ?twice) { ?a :knows ?b ; :age ?x FILTER(?x + 1 < 40) }',
  'SELECT * { ?a :knows ?b ; :name ?n FILTER(?b IN (:p1, :p2, :p3) && STRLEN(?n) > 2) } ORDER BY ?a ?b',
  'SELECT ?a (?x / 3 AS ?third) { ?a :age ?x ; :name ?n FILTER(CONTAINS(?n, "1") || ?x > 30) } ORDER BY ?a',
  'SELECT ?b { :p1 :knows+ ?b . ?b :age ?x FILTER(?x IN (1, 2, 3)) } ORDER BY ?b',
];

export const PEOPLE = Array.from(
  { length: 200 },
  (_, at) => `:p${at} :age ${at % 50} ; :name "n${at}" ; :knows :p${(7 * at) % 200}, :p${(at + 1) % 200} .`,
).join('\n');

/** What a query does that needs so much. */
export function needMuch(bytes = 200 * MEBIBYTE): void {
  const leave = useThreadMemory();
  const memory = threadMemory();
  memory.free(memory.allocate(bytes), bytes);
  leave();
}

export function isLarge(): boolean {
  return threadMemoryFigures().grownBytes > 64 * MEBIBYTE;
}
