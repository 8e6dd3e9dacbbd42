/** Audits of traces, of declared tools, and of namespaces (semantics of reasoning, 5.10). */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { LINE_BYTES_MAX } from '../../engine/governance/audit/trace-file.js';
import { CHECKOUT } from '../../tools/tidy.js';
import { inFolder, svcHere } from '../cli/svc.js';
import { inFolder as inPageFolder, runCommands } from '../pages.js';

const BASE = 'http://svc.local/ontology/';
const PREFIXES = `@prefix b: <${BASE}> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <http://ex/> .\n`;
const NO_TICKET =
  'ex:nt a b:Policy ; rdfs:label "no-ticket" ; b:boundary "action" ; b:constraintClass "hard" ; b:verificationPoint "PAG" ; b:effect "deny"';

const GUARD = {
  kind: 'guard',
  result: 'deny',
  mode: 'enforce',
  constraints: [
    { id: 'no-ticket', class: 'hard', verification_point: 'PAG', outcome: 'unsatisfied', response: 'blocked' },
  ],
  principal_chain: ['o', 'w'],
  planner: 'o',
  executor: 'w',
  tool: 'Edit',
};

const guard = (constraint: object = {}, record: object = {}) => ({
  ...GUARD,
  constraints: [{ ...GUARD.constraints[0], ...constraint }],
  ...record,
});

type Line = object | string | Buffer;

function fileOf(cwd: string, lines: readonly Line[], name = 'trace.jsonl'): string {
  const bytes = lines.map((line) =>
    Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line)),
  );
  const whole = Buffer.concat(bytes.flatMap((line) => [line, Buffer.from('\n')]));
  writeFileSync(join(cwd, name), name.endsWith('.gz') ? gzipSync(whole) : whole);
  return name;
}

/** In a store that holds some Turtle. */
const audited = (turtle: string, work: (audit: Audit, cwd: string) => Promise<void>) =>
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'facts.ttl'), PREFIXES + turtle);
    assert.equal((await svcHere(['knot', 'facts.ttl'], { cwd })).code, 0);
    await work(async (name, lines) => {
      const words = lines === undefined ? [] : [fileOf(cwd, lines)];
      const [{ code, out }, { out: text }] = [
        await svcHere(['audit', name, ...words, '--json'], { cwd }),
        await svcHere(['audit', name, ...words], { cwd }),
      ];
      return { code, text, body: JSON.parse(out) };
    }, cwd);
  });

type Audit = (name: string, lines?: readonly Line[]) => Promise<{ code: number | null; text: string; body: Body }>;
type Body = Readonly<Record<string, never>> & { readonly [key: string]: unknown };

interface Finding {
  readonly pass: string;
  readonly severity: string;
  readonly record: number | null;
  readonly constraint: string | null;
  readonly detail: string;
}

const told = ({ findings }: Body): string[] =>
  (findings as readonly Finding[]).map(({ pass, severity, record }) => `${severity} ${pass} ${record}`);

test(
  'a trace comes from standard input, line by line',
  inFolder(async (cwd) => {
    writeFileSync(join(cwd, 'facts.ttl'), `${PREFIXES}${NO_TICKET} .`);
    assert.equal((await svcHere(['knot', 'facts.ttl'], { cwd })).code, 0);
    const name = fileOf(cwd, [GUARD, '{broken']);
    const input = readFileSync(join(cwd, name));
    for (const audit of ['trace', 'inheritance', 'replay', 'tree']) {
      const [file, piped] = [
        await svcHere(['audit', audit, name, '--json'], { cwd }),
        await svcHere(['audit', audit, '-', '--json'], { cwd, input }),
      ];
      assert.deepEqual([piped.code, piped.out], [file.code, file.out], audit);
    }
  }),
);

test(
  'EX-5.8: a trace that does what its policy asks for conforms, and others do not',
  audited(`${NO_TICKET} .`, async (audit) => {
    const right = await audit('trace', [GUARD]);
    assert.deepEqual([right.code, right.body.conforms, right.body.complete], [0, true, true]);
    assert.equal(
      right.text,
      'T ⊨ Σ: 0 violation(s), 0 incompleteness(es) over 1 record(s) against 1 constraint(s); 0 line(s) unreadable\n',
    );
    const warned = await audit('trace', [guard({ response: 'warned' }, { result: 'allow' })]);
    assert.deepEqual([warned.code, told(warned.body)], [1, ['violation outcome 0']]);
    assert.match(
      warned.text,
      /^T ⊭ Σ: 1 violation.*\nVIOLATION outcome record 0 \[no-ticket\]: unsatisfied under enforce/,
    );
    const advised = await audit('trace', [guard({ response: 'warned' }, { result: 'allow', mode: 'advise' })]);
    assert.deepEqual([advised.code, told(advised.body)], [0, []]);
    const soft = await audit('trace', [guard({ class: 'soft' })]);
    assert.equal(soft.code, 1);
    assert.deepEqual(told(soft.body), ['violation placement 0', 'violation placement 0', 'violation outcome 0']);
    const empty = await audit('trace', []);
    assert.deepEqual([empty.code, told(empty.body)], [0, ['incompleteness coverage null']]);
    assert.match(empty.text, /\nincomplete coverage \[no-ticket\]: never exercised\n$/);
    const broken = await audit('trace', [GUARD, '{oops']);
    assert.deepEqual([broken.code, broken.body.records_unreadable, broken.body.records_checked], [0, 1, 1]);
  }),
);

test(
  'EX-5.9: a replay tells why one line is not enough to enforce a rule',
  audited(`${NO_TICKET} .`, async (audit) => {
    const { code, body, text } = await audit('replay', [GUARD]);
    assert.equal(code, 0);
    const [rule] = body.rules as [Record<string, unknown>];
    const { blocker, ...figures } = rule;
    assert.deepEqual(figures, {
      id: 'no-ticket',
      evaluated: 1,
      satisfied: 0,
      unsatisfied: 1,
      blocked: 1,
      advisory: 0,
      targets: 0,
      recovered: 0,
      in_spec: true,
      would_block: 1,
      new_blocks: 0,
    });
    assert.match(String(blocker), /one-sided: it was never satisfied/);
    assert.match(text, /\n {2}no-ticket: 1 evaluated/);
  }),
);

test(
  'EX-5.10: a tree of chains, without a store',
  inFolder(async (cwd) => {
    const chain = (...principals: string[]) => ({ principal_chain: principals });
    const file = fileOf(cwd, [chain('o', 'w'), chain('o', 'w'), chain('x'), {}]);
    // What can't be opened is not looked at.
    writeFileSync(join(cwd, 'broken.db'), 'no store');
    const { code, out } = await svcHere(['audit', 'tree', file, '--json', '--db', 'broken.db'], { cwd });
    const { summary: _, ...body } = JSON.parse(out);
    assert.equal(code, 0);
    assert.deepEqual(body, {
      records: 4,
      unreadable: 0,
      unattributed: 1,
      implied: [['o']],
      collapsed: [['o', 'w']],
      tree: ['o: 0 record(s), 2 in subtree', '  w: 2 record(s), 2 in subtree', 'x: 1 record(s), 1 in subtree'],
    });
    const { out: text } = await svcHere(['audit', 'tree', file], { cwd });
    assert.match(text, /\no: 0 record\(s\), 2 in subtree\n {2}w: 2 record/);
  }),
);

test(
  'lines that are no records are counted, whatever is wrong with them, and the rest is judged',
  audited(`${NO_TICKET} .`, async (audit, cwd) => {
    const unreadable: Line[] = [
      '[1]',
      '42',
      '{"constraints": {}}',
      '{"constraints": [1]}',
      '{"principal_chain": [1]}',
      '{"attribution_conflict": "yes"}',
      '{"result": 1}',
      Buffer.from([0x7b, 0xff, 0x7d]),
      `{"kind": "${'x'.repeat(LINE_BYTES_MAX)}"}`,
      '['.repeat(100_000),
    ];
    const readable: Line[] = ['', '   ', `\ufeff${JSON.stringify(GUARD)}\r`, { other: [1] }, { tool: null }];
    const { body } = await audit('trace', [...unreadable, ...readable]);
    assert.deepEqual([body.records_unreadable, body.records_checked, body.conforms], [unreadable.length, 3, true]);
    const packed = fileOf(cwd, [GUARD, GUARD], 'trace.jsonl.gz');
    const { out } = await svcHere(['audit', 'trace', packed, '--json'], { cwd });
    assert.equal(JSON.parse(out).records_checked, 2);
    // The last line may be without its end.
    writeFileSync(join(cwd, 'open.jsonl'), JSON.stringify(GUARD));
    const open = await svcHere(['audit', 'trace', 'open.jsonl', '--json'], { cwd });
    assert.equal(JSON.parse(open.out).records_checked, 1);
  }),
);

test(
  'every pass over a trace tells its violations and what it can not judge',
  audited(
    `${NO_TICKET} ; b:hostedAtLayer "policy" .
     ex:noted a b:Policy ; b:boundary "action" ; b:effect "record" .
     ex:asked a b:Policy ; b:boundary "action" ; b:constraintClass "escalation" ; b:verificationPoint "PAG" ; b:effect "escalate" .`,
    async (audit) => {
      const hosted = { hosted_at: 'policy' };
      const all = ['noted', 'asked'].map((id) => guard({ id, class: 'escalation', response: 'escalated' }));
      const judged = async (constraint: object, record: object = {}) => {
        const { body } = await audit('trace', [guard({ ...hosted, ...constraint }, record), ...all]);
        return told(body).filter((line) => line.endsWith(' 0'));
      };
      assert.deepEqual(await judged({}), []);
      assert.deepEqual(await judged({ id: 'nobody' }), ['violation coverage 0']);
      assert.deepEqual(await judged({ id: null }), ['incompleteness coverage 0']);
      assert.deepEqual(await judged({ outcome: 'satisfied', response: 'logged' }), ['violation coverage 0']);
      assert.deepEqual(await judged({ hosted_at: 'tool' }), ['violation placement 0']);
      assert.deepEqual(await judged({ hosted_at: 'roof' }), ['incompleteness placement 0']);
      assert.deepEqual(await judged({ class: null, verification_point: null }), [
        'incompleteness placement 0',
        'incompleteness placement 0',
      ]);
      assert.deepEqual(await judged({ class: 'constructor' }), ['violation placement 0', 'violation placement 0']);
      assert.deepEqual(await judged({ verification_point: 'ATM' }), ['violation placement 0']);
      assert.deepEqual(await judged({ outcome: 'satisfied' }, { result: 'allow' }), ['violation outcome 0']);
      assert.deepEqual(await judged({}, { mode: 'advise' }), ['violation outcome 0']);
      assert.deepEqual(await judged({ id: 'noted' }), ['violation outcome 0']);
      assert.deepEqual(await judged({ id: 'asked', class: 'escalation', response: 'logged' }), ['violation outcome 0']);
      assert.deepEqual(await judged({ response: null }), ['incompleteness outcome 0']);
      assert.deepEqual(await judged({ response: 'no-action' }), ['violation outcome 0', 'incompleteness outcome 0']);
      assert.deepEqual(await judged({ outcome: 'unknown' }, { result: 'notify' }), ['incompleteness outcome 0']);
      assert.deepEqual(await judged({}, { attribution_conflict: true }), ['violation attribution 0']);
      assert.deepEqual(await judged({}, { planner: null, tool: null }), ['incompleteness attribution 0']);
    },
  ),
);

test(
  'delegates are held to the constraints that they inherit',
  audited(`${NO_TICKET} ; b:inheritedByDelegates true .`, async (audit) => {
    const at = (path: string, chain: readonly string[], evaluates: boolean) => ({
      path,
      principal_chain: chain,
      ...(evaluates ? { constraints: GUARD.constraints } : {}),
    });
    const escaped = await audit('inheritance', [at('/a', ['o'], true), at('/a', ['o', 'w'], false)]);
    assert.deepEqual([escaped.code, told(escaped.body)], [1, ['violation inheritance 1']]);
    const held = await audit('inheritance', [at('/a', ['o'], true), at('/a', ['o', 'w'], true)]);
    assert.deepEqual([held.code, told(held.body)], [0, []]);
    for (const others of [at('/b', ['o', 'w'], false), at('/a', ['o'], false), at('/a', ['x', 'w'], false)]) {
      assert.deepEqual(told((await audit('inheritance', [at('/a', ['o'], true), others])).body), []);
    }
    const alone = await audit('inheritance', [at('/a', ['o', 'w'], true)]);
    assert.deepEqual([alone.code, told(alone.body)], [0, ['incompleteness inheritance null']]);
    const extended = await audit('inheritance', [at('/a', ['o', 'w', 'v'], true), at('/b', ['o', 'w'], true)]);
    assert.deepEqual(told(extended.body), []);
  }),
);

test(
  'without a policy that is inherited nothing can be said of inheritance',
  audited(`${NO_TICKET} .`, async (audit) => {
    const { code, body } = await audit('inheritance', [GUARD]);
    assert.deepEqual([code, told(body)], [0, ['incompleteness inheritance null']]);
  }),
);

test(
  'a replay counts what would be blocked, and which paths went on later',
  audited(`${NO_TICKET} . ex:soft a b:Policy ; b:boundary "action" ; b:constraintClass "soft" .`, async (audit) => {
    const cite = (id: string, outcome: string, response: string, path: string, result: string) => ({
      path,
      result,
      constraints: [{ id, outcome, response }],
    });
    const { body } = await audit('replay', [
      cite('no-ticket', 'unsatisfied', 'blocked', '/a', 'deny'),
      cite('no-ticket', 'unsatisfied', 'warned', '/b', 'allow'),
      cite('no-ticket', 'satisfied', 'no-action', '/a', 'allow'),
      cite('no-ticket', 'unknown', 'logged', '/c', 'allow'),
      cite('soft', 'unsatisfied', 'warned', '/a', 'allow'),
      cite('nobody', 'satisfied', 'logged', '/a', 'allow'),
    ]);
    const rules = body.rules as readonly Record<string, unknown>[];
    const figures = rules.map((rule) =>
      [
        'id',
        'evaluated',
        'unsatisfied',
        'blocked',
        'advisory',
        'would_block',
        'new_blocks',
        'targets',
        'recovered',
      ].map((key) => rule[key]),
    );
    assert.deepEqual(figures, [
      ['no-ticket', 4, 2, 1, 1, 2, 1, 2, 1],
      ['nobody', 1, 0, 0, 0, 0, 0, 0, 0],
      ['soft', 1, 1, 0, 1, 0, 0, 1, 0],
    ]);
    assert.equal(rules[0]?.blocker, null);
    assert.match(String(rules[1]?.blocker), /no policy of the store/);
  }),
);

test(
  'an inventory of tools finds what nobody governs',
  audited(
    `${NO_TICKET} .
     ex:edit a b:ToolClass ; rdfs:label "edit" ; b:executable true ; b:governedAt "PAG" .
     ex:run a b:ToolClass ; rdfs:label "run" ; b:executable true .
     ex:show a b:ToolClass ; rdfs:label "show" ; b:executable true ; b:ungovernedReason "reads only" .
     ex:odd a b:ToolClass ; rdfs:label "odd" .
     ex:web a b:ToolClass ; rdfs:label "web" ; b:executable false ; b:importsUntrustedState true .
     ex:late a b:Policy ; rdfs:label "late" ; b:boundary "action" ; b:verificationPoint "PAA" .`,
    async (audit) => {
      const { code, body, text } = await audit('inventory');
      assert.equal(code, 1);
      assert.equal(
        text,
        `dispatch graph: 3 unknown hole(s), 2 acknowledged/undecidable surface(s) over 5 declared tool class(es) against 2 constraint(s)
VIOLATION inventory: the tool class run is executable, and governed nowhere without a reason
VIOLATION inventory: the tool class web imports untrusted state, and does not say from where
VIOLATION inventory [late]: verified at PAA, where no executable tool class is governed
incomplete inventory: the tool class odd does not say whether it is executable
incomplete inventory: the tool class show is governed nowhere: reads only
`,
      );
      assert.equal(body.records_checked, 5);
    },
  ),
);

test(
  'namespaces: what nobody declared, what is not of the service, and what is likely to be one',
  audited(
    `ex:a <http://other/Name> 1 ; b:name 2 ; <https://svc.dev/ontology/bogus> 3 ; a <urn:svc:thing> ; rdfs:label "a" .`,
    async (audit, cwd) => {
      const { code, body, text } = await audit('namespace');
      assert.equal(code, 1);
      assert.deepEqual(
        (body.findings as readonly Finding[]).map(({ severity, detail }) => `${severity}: ${detail}`),
        [
          'violation: the predicate <https://svc.dev/ontology/bogus> stands in a namespace of the service, which does not define it',
          'violation: the class <urn:svc:thing> stands in a namespace of the service, which does not define it',
          'incompleteness: nobody has declared <http://other/>, which 1 fact(s) use',
          `incompleteness: predicates that differ only by namespace or case: <http://other/Name>, <${BASE}name>`,
        ],
      );
      assert.match(text, /^ {2}1 {2}http:\/\/other\/ {2}\(undeclared\)\n/);
      const shape = '@prefix o: <http://other/> . @prefix sh: <http://www.w3.org/ns/shacl#> .';
      writeFileSync(join(cwd, 'shapes.ttl'), `${shape} o:S a sh:NodeShape ; sh:targetClass o:C .`);
      await svcHere(['shapes', 'load', 'other', 'shapes.ttl'], { cwd });
      const declared = (await audit('namespace')).body.namespaces as readonly {
        namespace: string;
        declared: boolean;
      }[];
      assert.ok(declared.find(({ namespace }) => namespace === 'http://other/')?.declared);
    },
  ),
);

test(
  'files that are not there, and a server in place of a store, are refused',
  audited(`${NO_TICKET} .`, async (_, cwd) => {
    for (const [words, message] of [
      [['trace', 'nothing.jsonl'], /nothing\.jsonl: there is no such file/],
      [['tree', '.'], /\.: this is a folder/],
      [['trace', 'facts.ttl', '--url', 'http://127.0.0.1:1'], /does not work against a running server/],
      [['namespace', '--url', 'http://127.0.0.1:1'], /does not work against a running server/],
    ] as const) {
      const { code, out, err } = await svcHere(['audit', ...words], { cwd });
      assert.deepEqual([code === 0, out], [false, '']);
      assert.match(err, message);
    }
  }),
);

test(
  'the commands of docs/audit.md print what it shows',
  inPageFolder((folder) => runCommands(folder, readFileSync(join(CHECKOUT, 'docs/audit.md'), 'utf8'), 10)),
);

test(
  'what a trace says can not pass for a line of the audit, or move the cursor of a terminal',
  audited(`${NO_TICKET} .`, async (audit) => {
    const { text } = await audit('trace', [guard({ id: 'x\nVIOLATION coverage: \u001b[2J' })]);
    assert.ok(!text.includes('\u001b') && !text.includes('\nVIOLATION coverage: '), text);
    const tree = await audit('tree', [{ principal_chain: ['a\nb: 9 record(s), 9 in subtree'] }]);
    assert.ok(!tree.text.includes('\nb: 9'), tree.text);
  }),
);
