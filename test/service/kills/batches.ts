/** What the killed processes write, by batches that have numbers, and what is there after so many of them. */

export const LABEL = 'http://www.w3.org/2000/01/rdf-schema#label';
const ENTITIES = 5;
const LETTERS = [...'bdfgkmnp'];
/** Words that have no other forms. */
export const WORDS = LETTERS.flatMap((one) => LETTERS.map((other) => `${one}${other}qx`));
const NAMESPACE = 'http://example.org/';
/** Batches that are loaded as a document; the others are updates, which change the batch before, too. */
const LOADED_EVERY = 4;

export const entityOf = (batch: number, at: number): string => `${NAMESPACE}b${batch}e${at}`;
export const isLoaded = (batch: number): boolean => batch % LOADED_EVERY === 0;
export const MARK = `${NAMESPACE}batch`;
export const RULES = `@prefix rule: <http://svc.local/rule#> . @prefix r: <${NAMESPACE}rules/> .
r:set a rule:RuleSet ; rule:defaultPrefix "${NAMESPACE}" .
r:a a rule:Rule ; rule:id "step" ; rule:head "reaches(?x, ?y)" ; rule:body "next(?x, ?y)" .
r:b a rule:Rule ; rule:id "walk" ; rule:head "reaches(?x, ?z)" ; rule:body "reaches(?x, ?y), next(?y, ?z)" .`;

function labelOf(batch: number, at: number): string {
  const word = (seed: number): string => WORDS[(seed * 37 + batch * 11 + at * 5) % WORDS.length] as string;
  return `${word(1)} ${word(2)}`;
}

const renamed = (batch: number): string => `${WORDS[(batch * 23) % WORDS.length]} renamed`;

/** What a batch adds, as N-Triples. */
export function addedBy(batch: number): string {
  const lines = [`<${MARK}> <${NAMESPACE}has> "${batch}" .`];
  for (let at = 0; at < ENTITIES; at++) {
    lines.push(`<${entityOf(batch, at)}> <${LABEL}> "${labelOf(batch, at)}" .`);
    if (at > 0) lines.push(`<${entityOf(batch, at - 1)}> <${NAMESPACE}next> <${entityOf(batch, at)}> .`);
  }
  return lines.join('\n');
}

/** A batch as an update: the first entity of the batch before has another label then, and its chain is cut. */
export function updateOf(batch: number): string {
  const before = batch - 1;
  const first = `<${entityOf(before, 0)}> <${LABEL}>`;
  const change =
    before === 0
      ? ''
      : `; DELETE DATA { ${first} "${labelOf(before, 0)}" . <${entityOf(before, 1)}> <${NAMESPACE}next> <${entityOf(before, 2)}> }
         ; INSERT DATA { ${first} "${renamed(before)}" }`;
  return `INSERT DATA { ${addedBy(batch)} } ${change}`;
}

/** After so many batches: the labels of entities, and the pairs that rules derive. */
export function truthAfter(batches: number) {
  const labels = new Map<string, string>();
  const reaches: string[] = [];
  for (let batch = 1; batch <= batches; batch++) {
    const isChanged = batch < batches && !isLoaded(batch + 1);
    for (let at = 0; at < ENTITIES; at++) {
      labels.set(entityOf(batch, at), isChanged && at === 0 ? renamed(batch) : labelOf(batch, at));
      for (let to = at + 1; to < ENTITIES; to++) {
        if (!(isChanged && at < 2 && to >= 2)) reaches.push(`${entityOf(batch, at)} ${entityOf(batch, to)}`);
      }
    }
  }
  return { labels, reaches: reaches.sort() };
}
