/**
 * Merges of random sets against plain ones. Ground triples are held to the table of the semantics (6.10), triple by triple;
 * blank nodes to what must hold of them whatever they are called; both to invariant 11: after a merge nothing is left to do.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonize } from '../../engine/rdf/canonical/rdfc.js';
import { readDocument } from '../../engine/rdf/formats/reader.js';
import { type Quad, terms } from '../../engine/rdf/terms.js';
import { mergeTerms } from '../../engine/share/merge-blank-nodes.js';
import { differencesOf, mergeKeys, relationOf } from '../../engine/share/three-way.js';
import { openStore, type Store } from '../../interfaces/library/index.js';
import { bundleOf, EX, type MadeBundle, PEER, PREFIXES } from './bundle-support.js';

const RUNS = Number(process.env.SVC_MERGE_RUNS ?? 25);
const SHARE = `sha256:${'0'.repeat(64)}`;

const node = (name: string) => terms.namedNode(EX + name);

/** What the table says, word by word. */
function table(base: ReadonlySet<string>, ours: ReadonlySet<string>, theirs: ReadonlySet<string>): Set<string> {
  const result = new Set<string>();
  for (const triple of new Set([...base, ...ours, ...theirs])) {
    const [inBase, inOurs, inTheirs] = [base.has(triple), ours.has(triple), theirs.has(triple)];
    if (inOurs && inTheirs) result.add(triple);
    else if (inTheirs && !inBase) result.add(triple);
    else if (inOurs && !inBase) result.add(triple);
  }
  return result;
}

const subset = fc.uniqueArray(fc.nat(15), { maxLength: 12 }).map((some) => new Set(some.map(String)));

test('the merge of sets is the table, and its counts are those of its sets', () => {
  fc.assert(
    fc.property(subset, subset, subset, (base, ours, theirs) => {
      const { counts, asserted, retracted, theirAdditions, theirRemovals } = mergeKeys(base, ours, theirs);
      const merged = new Set([...ours, ...asserted]);
      for (const key of retracted) assert.ok(merged.delete(key));
      assert.deepEqual([...merged].sort(), [...table(base, ours, theirs)].sort());
      const without = (one: Set<string>, other: Set<string>) => [...one].filter((key) => !other.has(key));
      assert.deepEqual(differencesOf(counts), {
        ours: { added: without(ours, base).length, removed: without(base, ours).length },
        theirs: { added: without(theirs, base).length, removed: without(base, theirs).length },
        would: { assert: asserted.length, retract: retracted.length },
      });
      assert.deepEqual([theirAdditions, theirRemovals], [without(theirs, base), without(base, theirs)]);
      const same = (one: Set<string>, other: Set<string>) =>
        without(one, other).length + without(other, one).length === 0;
      const relation = same(ours, theirs)
        ? 'identical'
        : same(theirs, base)
          ? 'ahead'
          : same(ours, base)
            ? 'behind'
            : 'diverged';
      assert.equal(relationOf(counts, true), relation);
      assert.equal(relationOf({ ...counts }, false), same(ours, theirs) ? 'identical' : 'unrelated');
    }),
    { numRuns: 500 },
  );
});

/** Things with blank nodes: each is told by its number, and is of one or two nodes that a named one may refer to. */
function thing(number: number, version: number, label: string): Quad[] {
  const one = terms.blankNode(`${label}${number}`);
  const value = terms.literal(String(version));
  const quads: Quad[] = [terms.quad(one, node('v'), value)];
  if (number % 2 === 0) quads.push(terms.quad(node(`s${number % 4}`), node('has'), one));
  if (number % 3 === 0) {
    const other = terms.blankNode(`${label}${number}x`);
    quads.push(terms.quad(one, node('part'), other), terms.quad(other, node('v'), value));
  }
  return quads;
}

type Things = ReadonlyMap<number, number>;
const things = fc
  .uniqueArray(fc.tuple(fc.nat(6), fc.nat(2)), { selector: ([number]) => number, maxLength: 6 })
  .map((some): Things => new Map(some));

const quadsOf = (some: Things, label: string) =>
  [...some].flatMap(([number, version]) => thing(number, version, label));
const canonical = async (quads: readonly Quad[]) => (await canonize(quads)).nquads;

async function mergedQuads(base: Things, ours: Things, theirs: Things): Promise<readonly Quad[]> {
  const mine = quadsOf(ours, 'd');
  const peers = quadsOf(theirs, 'z');
  const { labels } = await canonize(peers);
  const relabelled = peers.map(({ subject, predicate, object }) => {
    const of = (term: Quad['subject'] | Quad['object']) =>
      term.termType === 'BlankNode' ? terms.blankNode(labels.get(term.value) as string) : term;
    return terms.quad(of(subject) as Quad['subject'], predicate, of(object) as Quad['object']);
  });
  const merged = await mergeTerms({ base: quadsOf(base, 'd'), ours: mine, theirs: relabelled }, SHARE, {});
  const gone = new Set(merged.retracted);
  return [...mine.filter((quad) => !gone.has(quad)), ...merged.asserted];
}

test('blank nodes: what one side changed becomes what that side has, whatever it is called', async () => {
  await fc.assert(
    fc.asyncProperty(things, things, async (base, changed) => {
      assert.equal(await canonical(await mergedQuads(base, base, changed)), await canonical(quadsOf(changed, 'q')));
      assert.equal(await canonical(await mergedQuads(base, changed, base)), await canonical(quadsOf(changed, 'q')));
      assert.equal(await canonical(await mergedQuads(base, changed, changed)), await canonical(quadsOf(changed, 'q')));
    }),
    { numRuns: 4 * RUNS },
  );
});

test('blank nodes: changes of both sides to different things are both there', async () => {
  await fc.assert(
    fc.asyncProperty(things, things, things, async (base, ofOurs, ofTheirs) => {
      // Each thing is one side's to change; those that look alike to a merge are kept apart by their versions.
      const own = (some: Things, side: number): Things =>
        new Map(
          [
            ...[...base].filter(([number]) => number % 2 !== side),
            ...[...some].filter(([number]) => number % 2 === side),
          ].map(([number, version]) => [number, 10 * number + version]),
        );
      const start: Things = new Map([...base].map(([number, version]) => [number, 10 * number + version]));
      const [ours, theirs] = [own(ofOurs, 0), own(ofTheirs, 1)];
      const both = new Map(
        [...ours].filter(([number]) => number % 2 === 0).concat([...theirs].filter(([number]) => number % 2 === 1)),
      );
      assert.equal(await canonical(await mergedQuads(start, ours, theirs)), await canonical(quadsOf(both, 'q')));
    }),
    { numRuns: 4 * RUNS },
  );
});

const fact = fc.record({
  s: fc.constantFrom('a', 'b'),
  p: fc.constantFrom('p', 'q'),
  o: fc.constantFrom('1', '2', '"x"', '"x"@en', 'ex:b', '[ ex:v 1 ]', '[ ex:v 2 ; ex:w [ ex:v 3 ] ]'),
});
const facts = fc.uniqueArray(fact, { maxLength: 7, selector: ({ s, p, o }) => `${s} ${p} ${o}` });
const turtleOf = (some: readonly { readonly s: string; readonly p: string; readonly o: string }[]) =>
  some.map(({ s, p, o }) => `ex:${s} ex:${p} ${o} .`).join('\n');

async function rootOf(store: Store): Promise<Quad[]> {
  const quads: Quad[] = [];
  for await (const quad of store.match()) {
    quads.push(
      terms.quad(quad.subject as Quad['subject'], quad.predicate as Quad['predicate'], quad.object as Quad['object']),
    );
  }
  return quads;
}

const lineage = (parent: MadeBundle | null) => ({
  lineage: { store: PEER, anchor_tx: 1, parent_share: parent?.manifest.share_id ?? null },
});

test('invariant 11: after a merge nothing is left to assert or retract', async () => {
  await fc.assert(
    fc.asyncProperty(facts, facts, facts, fc.boolean(), async (base, ours, theirs, isTagged) => {
      const store = await openStore(':memory:');
      try {
        const parent = await bundleOf(turtleOf(base), lineage(null));
        await store.mergeShare(parent);
        await store.update('DELETE WHERE { ?s ?p ?o }');
        const tagged = isTagged ? turtleOf(ours).replaceAll('@en', '@EN') : turtleOf(ours);
        await store.load({ text: PREFIXES + tagged, format: 'turtle' });
        const share = await bundleOf(turtleOf(theirs), lineage(parent));
        const before = await store.shareStatus(share);
        const result = await store.mergeShare(share);
        assert.equal(result.outcome, 'merged');
        if (result.outcome === 'merged') {
          assert.deepEqual([result.asserted, result.retracted], [before.would.assert, before.would.retract]);
        }
        const after = await store.shareStatus(share);
        assert.equal(after.base, share.manifest.share_id);
        assert.deepEqual(after.would, { assert: 0, retract: 0 });
        assert.deepEqual(after.theirs, { added: 0, removed: 0 });
        const transactions = store.transactions().length;
        const again = await store.mergeShare(share);
        assert.deepEqual([again.outcome, store.transactions().length], ['merged', transactions]);
        const ground = (quads: readonly Quad[]) =>
          new Set(
            quads
              .filter(isGround)
              .map(
                (quad) =>
                  `${quad.subject.value} ${quad.predicate.value} ${quad.object.value} ${quad.object.termType === 'Literal' ? quad.object.language.toLowerCase() : ''}`,
              ),
          );
        const [b, o, t] = await Promise.all([parsed(base), parsed(ours), parsed(theirs)]);
        assert.deepEqual([...ground(await rootOf(store))].sort(), [...table(ground(b), ground(o), ground(t))].sort());
      } finally {
        await store.close();
      }
    }),
    { numRuns: RUNS },
  );
});

const isGround = ({ subject, object }: Quad) => subject.termType !== 'BlankNode' && object.termType !== 'BlankNode';

function parsed(some: Parameters<typeof turtleOf>[0]): Promise<Quad[]> {
  let anonymous = 0;
  const blankNode = () => terms.blankNode(`b${anonymous++}`);
  return readDocument(PREFIXES + turtleOf(some), { format: 'turtle', sourceName: 'facts', blankNode });
}
