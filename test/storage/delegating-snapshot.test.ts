/** Every wrapper of a snapshot hands on everything that the seam promises: asked of a spy that notes what it was asked. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackedSnapshot } from '../../engine/query/plan/cache/dependencies.js';
import { terms } from '../../engine/rdf/terms.js';
import { DelegatingSnapshot } from '../../engine/storage/seam/delegating-snapshot.js';
import { ExpiringSnapshot } from '../../engine/storage/seam/expiring-snapshot.js';
import { RenewingSnapshot } from '../../engine/storage/seam/renewing-snapshot.js';
import { CURRENT, type ScanRequest, type StorageSnapshot } from '../../engine/storage/seam/scan.js';

const scan: ScanRequest = {
  graphs: { kind: 'all' },
  pattern: {},
  order: 'SPOG',
  time: CURRENT,
  columns: ['s', 'p', 'o', 'g'],
};
const probe = { ...scan, order: 'SPOG' as const, keys: ['s' as const], columns: [] };
const ids = new Uint32Array(2);

/** The members of the seam, each with what it is asked; the compiler sees to it that none is missing. */
const QUESTIONS: { readonly [Member in keyof StorageSnapshot]: readonly unknown[] | 'property' } = {
  tx: 'property',
  catalogTx: 'property',
  staged: 'property',
  layout: 'property',
  counters: 'property',
  scan: [scan],
  probe: [probe],
  estimate: [scan],
  count: [scan],
  predicates: [scan.graphs],
  derived: ['name', () => ({})],
  orderedTerms: [],
  changes: [5, 9n],
  rootFigures: [],
  indexView: [],
  graphs: [],
  encode: [terms.namedNode('http://example.org/a'), true],
  decode: [ids, 1],
  stored: [ids, 1, () => undefined, 'qualifiers'],
  close: [],
};
const MEMBERS = Object.keys(QUESTIONS) as (keyof StorageSnapshot)[];

/** Notes what it is asked, and answers each member with an object of its own, cursors of which note calls as well. */
class Spy {
  readonly asked: { readonly member: string; readonly given: readonly unknown[] }[] = [];
  readonly answers: Record<keyof StorageSnapshot, unknown>;
  readonly snapshot: StorageSnapshot;

  constructor() {
    const { asked } = this;
    const noted = (name: string, values: Record<string, unknown>) =>
      Object.fromEntries(
        Object.entries(values).map(([member, answer]) => [
          member,
          (...given: unknown[]) => {
            asked.push({ member: `${name}${member}`, given });
            return answer;
          },
        ]),
      );
    this.answers = {
      tx: 7,
      catalogTx: 6,
      staged: true,
      layout: 3,
      counters: { blocksRead: 1, rowsScanned: 2, termsDecoded: 3 },
      scan: { order: 'SPOG', ...noted('scan.', { next: null, seek: undefined, close: undefined }) },
      probe: noted('probe.', { begin: undefined, next: null, close: undefined }),
      estimate: { rows: 4, exact: true },
      count: 8,
      predicates: [],
      derived: {},
      orderedTerms: [{ from: 1, to: 2 }],
      indexView: {},
      changes: [],
      rootFigures: { tx: 1, subjects: 2, predicates: 3 },
      graphs: [0n],
      encode: 11n,
      decode: [],
      stored: undefined,
      close: undefined,
    };
    const methods: Record<string, unknown> = noted(
      '',
      Object.fromEntries(MEMBERS.map((member) => [member, this.answers[member]])),
    );
    const changed = { op: 'assert', rows: 0, columns: {} };
    methods.changes = (...given: unknown[]) => {
      asked.push({ member: 'changes', given });
      return (function* () {
        yield changed;
      })();
    };
    const properties = MEMBERS.filter((member) => QUESTIONS[member] === 'property');
    const values = Object.fromEntries(properties.map((member) => [member, this.answers[member]]));
    this.snapshot = Object.assign(methods, values) as object as StorageSnapshot;
    this.answers.changes = [changed];
  }

  last(member: string): readonly unknown[] | undefined {
    return this.asked.findLast((one) => one.member === member)?.given;
  }
}

class Plain extends DelegatingSnapshot {
  constructor(readonly inner: StorageSnapshot) {
    super();
  }

  protected use<Result>(ask: (snapshot: StorageSnapshot) => Result): Result {
    return ask(this.inner);
  }
}

/** Wrappers, and the members that one of them answers by itself, each with the reason. */
const WRAPPERS: readonly {
  readonly name: string;
  readonly wrap: (snapshot: StorageSnapshot) => StorageSnapshot;
  readonly own: Partial<Record<keyof StorageSnapshot, string>>;
}[] = [
  { name: 'delegating', wrap: (snapshot) => new Plain(snapshot), own: {} },
  { name: 'expiring', wrap: (snapshot) => new ExpiringSnapshot(snapshot, { ageMaxMs: 1000 }), own: {} },
  {
    name: 'renewing',
    wrap: (snapshot) => new RenewingSnapshot(() => snapshot, { renewAfterMs: 1e9 }),
    own: { counters: 'the sum over all snapshots that it had' },
  },
  {
    name: 'observed',
    wrap: (snapshot) => new TrackedSnapshot(snapshot),
    own: { close: 'belongs to whoever made the one behind it' },
  },
];

for (const { name, wrap, own } of WRAPPERS) {
  for (const member of MEMBERS.filter((one) => own[one] === undefined)) {
    test(`${name}: ${member} is handed on`, () => {
      const spy = new Spy();
      const wrapped = wrap(spy.snapshot);
      const question = QUESTIONS[member];
      if (question === 'property') {
        assert.deepEqual(wrapped[member], spy.answers[member]);
        return;
      }
      const answer = (wrapped[member] as (...given: readonly unknown[]) => unknown)(...question);
      if (member === 'changes') assert.deepEqual([...(answer as Iterable<unknown>)], spy.answers.changes);
      const given = spy.last(member);
      assert.ok(given !== undefined, `${member} was asked of the snapshot behind`);
      if (name === 'observed' && member === 'encode') assert.equal(given[0], question[0]);
      else assert.deepEqual(given, question);
      if (member === 'scan' || member === 'probe' || member === 'changes') return;
      assert.equal(answer, spy.answers[member]);
    });
  }

  test(`${name}: cursors and probes hand on`, () => {
    const spy = new Spy();
    const wrapped = wrap(spy.snapshot);
    const cursor = wrapped.scan(scan);
    assert.equal(cursor.order, 'SPOG');
    cursor.seek([3n]);
    assert.deepEqual(spy.last('scan.seek'), [[3n]]);
    assert.equal(cursor.next(), null);
    assert.ok(spy.last('scan.next'));
    cursor.close();
    assert.ok(spy.last('scan.close'));
    const keys = wrapped.probe(probe);
    keys.begin([ids], 1);
    assert.deepEqual(spy.last('probe.begin'), [[ids], 1]);
    assert.equal(keys.next(), null);
    assert.ok(spy.last('probe.next'));
    keys.close();
    assert.ok(spy.last('probe.close'));
  });
}
