/**
 * What an operation is. One file defines one operation: its name, the schemas of its request and
 * answer, who may call it, what it does, and how each face shows it. Commands (and routes, tools and
 * descriptions) derive from that; a face adds nothing of its own.
 *
 * Length: the types of one definition, most of it what their members mean.
 */

import type { Control } from '../../../base/control.js';
import { invariant, SvcError } from '../../../base/errors.js';
import type { Principal } from '../../../base/principal.js';
import type { ReadContext } from '../../../query/read-context.js';
import type { CurieTable } from '../../../rdf/curies.js';
import type { LoadSource } from '../../../storage/seam/engine.js';
import type { StorageSnapshot } from '../../../storage/seam/scan.js';
import type { Configuration } from '../../configuration/configuration.js';
import type { FeatureName } from '../../configuration/features.js';
import type { OnMember } from '../../federation/member-call.js';
import { readContext } from '../../reads/read-context.js';
import { checkRequest } from '../../requests/check-schema.js';
import type { AnswerNotes } from '../../requests/operation-answer.js';
import type { Schema, SchemaNode, Static } from '../../requests/schema.js';
import type { Store } from '../../store/store.js';
import type { ExpandIri } from './curies.js';
import type { RunningRequests } from './running-requests.js';

/** Who may call it: anyone who may read, who may write, or who runs the service. */
export type Access = 'read' | 'write' | 'admin';

/** One form in which an operation can answer; the first of a list is the default of the command. */
export interface Representation {
  readonly name: string;
  readonly mediaType: string;
  /** Bytes that no terminal should show. */
  readonly binary?: boolean;
  /** Ends of the names of files that hold this form, with their dot; two forms may share one where no answer fits both. */
  readonly endings?: readonly string[];
}

/** How the store is opened for an operation; `file`: not at all, since the operation takes the file to itself. */
export type Opening = 'read' | 'write' | 'file';

export interface OperationContext {
  readonly store: Store;
  readonly configuration: Configuration;
  readonly control: Control;
  /** Who asks, until when, and what a read may cost. */
  readonly read: ReadContext;
  /** Documents that the face hands over in place of the operation's `payload` field. */
  readonly documents: readonly LoadSource[];
  /** The representation that is wanted; `body` is the JSON body. */
  readonly representation: string;
  /** All that would do, the best first, for operations whose forms depend on what the answer turns out to be. */
  readonly acceptable?: readonly string[] | undefined;
  /** Undeclared fields of the request, for a body that is written as it is made; set by `run`. */
  readonly ignoredFields?: readonly string[] | undefined;
  /** Writes out a CURIE where the schema of the request can not say that an IRI stands; set by `run`. */
  readonly expandIri?: ExpandIri | undefined;
  /** Fetches the remote contexts of JSON-LD documents; absent = they are refused. */
  readonly remoteContexts?: ((url: string) => Promise<unknown>) | undefined;
  /** What shortens IRIs of an answer that a snapshot gave; set by `run`. */
  readonly shortenBy?: ((snapshot: StorageSnapshot) => CurieTable | null) | undefined;
  /** Threads that a long write may use; absent = as many as help. */
  readonly threads?: number | undefined;
  /** A person at this machine asks, who may name any folder of it. */
  readonly onCommandLine?: true | undefined;
  /** For operations that read a file of that name, or this. */
  readonly standardInput?: (() => AsyncIterable<Uint8Array>) | undefined;
  /** Told of each question to another member of the federation. */
  readonly onMember?: OnMember | undefined;
  /** What the server works on; absent where there is none. */
  readonly running?: RunningRequests | undefined;
}

/** A document that is written as it is made; one of type JSON is the body of an answer. */
export interface AnswerDocument {
  readonly kind: 'document';
  readonly mediaType: string;
  readonly chunks: AsyncIterable<Uint8Array | string>;
  /** What is known once the chunks have been read, besides the notes. */
  readonly notesAtEnd?: () => AnswerNotes;
  /** Gives up what the document holds when it will not be read. Harmless afterwards. */
  readonly close?: () => void;
}

/** An answer is a JSON body or a document. */
export type Answer<Body> = { readonly notes?: AnswerNotes | undefined } & (
  | { readonly kind: 'body'; readonly body: Body }
  | AnswerDocument
);

/** A route that offers an operation over HTTP. */
export interface HttpRoute {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/entity/{iri}`. */
  readonly path: string;
  /**
   * Where the fields of the request stand: in a JSON body, in the parameters of the URL, or where a protocol puts them,
   * which the face reads by a translator of its own.
   */
  readonly request: 'body' | 'parameters' | 'protocol';
  /** The one representation that the route answers with; absent = what the request accepts decides. */
  readonly representation?: string;
  /** What that representation may come in, where the request chooses; absent = its own media type alone. */
  readonly mediaTypes?: readonly string[];
  /** Of a route that writes: the actions that only read, each with the operation that answers it; no action is `list`. */
  readonly reads?: Readonly<Record<string, Operation>>;
  /** The route takes only these words of those that the operation knows for a field. */
  readonly only?: Readonly<Record<string, readonly string[]>>;
}

export interface CliArgument<Request> {
  /** The request field that the argument fills. */
  readonly field: keyof Request & string;
  /** What help calls it. */
  readonly name: string;
  readonly summary: string;
  /** A line may leave it out; only the last can be. */
  readonly optional?: boolean;
}

/** What a person is told of besides the body: which documents it was about, and which store, by the path that was given. */
export interface AnswerContext {
  readonly documents: string;
  readonly store: string;
  /** What was asked for. */
  readonly request: Body;
}

export interface CliProjection<Request, Body> {
  readonly command: string;
  readonly aliases?: readonly string[];
  /** Lines under the description in help. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
  /** One argument that is text; `--file` and `-` read it from elsewhere. */
  readonly argument?: CliArgument<Request>;
  /** Arguments that are taken as they are. */
  readonly positional?: readonly CliArgument<Request>[];
  /** The whole request is the JSON text of a file or of standard input; options stand above it. */
  readonly body?: { readonly name: string; readonly summary: string };
  /** The argument is a share bundle: its parts become fields, and its triples the document of the operation. */
  readonly bundle?: { readonly name: string; readonly summary: string };
  /** Fields whose argument or option is the JSON text of a value. */
  readonly json?: readonly (keyof Request & string)[];
  /** Files and directories become the documents of the operation. */
  readonly documents?: boolean;
  /** Request fields that are options: field to the placeholder of its value. */
  readonly options: Readonly<Partial<Record<keyof Request & string, string>>>;
  /** Fields that are lists, each with the name of an option that gives one entry and may be repeated: `predicates`, `predicate`. */
  readonly repeated?: Readonly<Partial<Record<keyof Request & string, string>>>;
  /** Fields whose option has another name: `entity_type`, `type`. */
  readonly named?: Readonly<Partial<Record<keyof Request & string, string>>>;
  /** Fields whose option names a file; its text is the value. `-` is standard input. */
  readonly files?: readonly (keyof Request & string)[];
  /** Where a file is named, `builtin:NAME` is a document that the operation knows by its name. */
  readonly takesBuiltin?: boolean;
  /** Where no store is, an empty one in memory serves; `unless-named`: also where there is one that the line does not name. */
  readonly storeless?: boolean | 'unless-named';
  readonly defaults?: Partial<Request>;
  /** Makes the store that it writes to where there is none. */
  readonly creates?: boolean;
  /** Of an operation that writes: requests that only read, for which the store is opened for reading. */
  readonly onlyReads?: (request: Partial<Request>) => boolean;
  /** The files are documents, whose relative IRIs `--base` resolves. */
  readonly takesBase?: boolean;
  /** A document without a statement is refused unless the line allows it. */
  readonly refusesEmpty?: boolean;
  /** What a person reads; absent = the operation answers with documents. */
  readonly text?: (body: Body, about: AnswerContext) => string;
  /** What goes to standard error beside it. */
  readonly notice?: (body: Body, about: AnswerContext) => string;
  /** What messages about the text of a request begin with, in place of `error`. */
  readonly errorLabel?: string;
  /** False when the answer means that what was asked was not done. */
  readonly succeeded?: (body: Body) => boolean;
  /** The exit code then; absent = 1. */
  readonly failureCode?: number;
}

/** A field of the request as an agent tool shows it; what is absent is as the field has it. */
export interface ToolParameter {
  readonly description?: string;
  /** Published in place of the field's own schema, which is what the operation checks by. */
  readonly schema?: SchemaNode;
  /** The tool takes only these words of those that the operation knows. */
  readonly only?: readonly string[];
  readonly default?: unknown;
  /** A call has to name it, though a request need not. */
  readonly required?: boolean;
  /** Other names of its own fields, which requests may use and the tool does not show. */
  readonly aliases?: readonly string[];
}

/** Fields that a tool shows as the request has them. */
export function asTheyAre<Name extends string>(...names: readonly Name[]): Record<Name, ToolParameter> {
  return Object.fromEntries(names.map((name) => [name, {}])) as Record<Name, ToolParameter>;
}

/** Fields that a tool shows with words of its own: fewer than the request has, since a model reads all of them. */
export function inWords<Name extends string>(words: Readonly<Record<Name, string>>): Record<Name, ToolParameter> {
  const all = Object.entries<string>(words).map(([name, description]) => [name, { description }]);
  return Object.fromEntries(all) as Record<Name, ToolParameter>;
}

/** An operation as a tool of agents. Whether it only reads follows from its access. */
export interface ToolProjection<Request> {
  /** Without the prefix that all tools share. */
  readonly tool: string;
  /** What a model needs to use the tool without any other document: what it does, what comes back, its limits. */
  readonly description: readonly string[];
  /** Arguments of one call. */
  readonly example: Partial<Request>;
  /** The fields that the tool takes; any other argument is reported as ignored. */
  readonly parameters: Readonly<Partial<Record<keyof Request & string, ToolParameter>>>;
  /** What every call asks for in fields that the tool does not show. */
  readonly always?: Partial<Request>;
  /** Fields beyond the registry of the specification: taken under `mcp.extra_tools` alone. */
  readonly further?: Readonly<Partial<Record<keyof Request & string, ToolParameter>>>;
  /** At least one of these is needed. */
  readonly anyOf?: readonly (keyof Request & string)[];
  /** Of a tool that writes: the actions that only read, each with the operation that answers it. */
  readonly reads?: Readonly<Record<string, Operation>>;
  /** Of a tool that writes: whether it may end what holds, rather than only add. */
  readonly destructive?: boolean;
  /** Of a tool that writes: whether a second call with the same arguments changes nothing. */
  readonly idempotent?: boolean;
  /** The feature that brings it; without it there is no such tool. */
  readonly feature?: FeatureName;
  /** Beyond the registry of the specification: offered under `mcp.extra_tools` alone. */
  readonly extra?: boolean;
}

/** How the faces show an operation; a face that is absent does not offer it. */
export interface Projections<Request, Body> {
  readonly cli?: CliProjection<Request, Body>;
  readonly http?: readonly HttpRoute[];
  readonly mcp?: ToolProjection<Request>;
}

/** What an operation gets that works on the file of a store that nobody writes to. */
export type FileContext = Omit<OperationContext, 'store'> & { readonly path: string };

export interface OperationDefinition<RequestSchema extends Schema, ResponseSchema extends Schema> {
  readonly name: string;
  readonly summary: string;
  readonly access: Access;
  readonly request: RequestSchema;
  readonly response: ResponseSchema;
  /** The request field that holds a document, which a face may hand over as a stream instead. */
  readonly payload?: keyof Static<RequestSchema> & string;
  /**
   * The request field that holds a document as a text, of which the fields `format` and `base` tell more: over HTTP the document
   * may be the body, whose Content-Type is its format then. All of it is held, so it has the limit of other bodies.
   */
  readonly textPayload?: keyof Static<RequestSchema> & string;
  /** Other names of fields: what a request may call them. */
  readonly aliases?: Readonly<Record<string, keyof Static<RequestSchema> & string>>;
  /** Forms of the answer besides the JSON body. */
  readonly representations?: readonly Representation[];
  /** Absent = `write` for operations of that access, otherwise `read`. */
  readonly opens?: 'read' | 'write';
  /** Of an operation, or some of its requests: it is about the server itself or the network, and no thread of readers answers it. */
  readonly inServer?: true | ((request: Static<RequestSchema>) => boolean);
  /** It searches by text, which an index makes faster. */
  readonly usesTexts?: true;
  /**
   * What somebody gets who may read some graphs only. `answered`: what there is without the other graphs. `refused`: nothing,
   * and an error that says so. Absent: a read is answered, from a store that shows no other graph; everything else is refused.
   */
  readonly forSomeGraphs?: 'answered' | 'refused';
  /** False: its answer has no `ignored_fields`, by the specification. */
  readonly listsIgnored?: false;
  readonly projections: Projections<Static<RequestSchema>, Static<ResponseSchema>>;
  handler(context: OperationContext, request: Static<RequestSchema>): Promise<Answer<Static<ResponseSchema>>>;
}

/** An operation on the file of a store that is not open here. */
export interface FileOperationDefinition<RequestSchema extends Schema, ResponseSchema extends Schema>
  extends Omit<
    OperationDefinition<RequestSchema, ResponseSchema>,
    'handler' | 'opens' | 'payload' | 'textPayload' | 'inServer' | 'usesTexts' | 'forSomeGraphs'
  > {
  handler(context: FileContext, request: Static<RequestSchema>): Promise<Answer<Static<ResponseSchema>>>;
}

export type Body = Readonly<Record<string, unknown>>;

/** What a face gives; where it brings no read context, the configuration says what there is to say. */
export type AskContext = Omit<OperationContext, 'read'> & Partial<Pick<OperationContext, 'read'>>;

/** The store, or its path when the operation takes the file to itself. */
export type RunContext = AskContext | (Omit<AskContext, 'store'> & Pick<FileContext, 'path'>);

/** An operation without its static types, as lists of operations hold it. */
export interface Operation
  extends Pick<OperationDefinition<Schema, Schema>, 'name' | 'summary' | 'access' | 'request' | 'response'> {
  readonly payload: string | undefined;
  readonly textPayload: string | undefined;
  readonly aliases: Readonly<Record<string, string>>;
  readonly representations: readonly Representation[];
  readonly projections: Projections<Body, Body>;
  readonly opens: Opening;
  readonly inServer: (request: unknown) => boolean;
  readonly usesTexts: boolean;
  readonly forSomeGraphs: 'answered' | 'refused';
  /** A command that asks another operation, by whose name and route it goes. */
  readonly isForm?: true;
  /** Checks the request, writes out its CURIEs, runs the operation, and reports the fields that were ignored. */
  run(context: RunContext, request: unknown, nameOf?: (field: string) => string): Promise<Answer<Body>>;
}

export interface FormDefinition<ResponseSchema extends Schema> {
  readonly summary: string;
  /** Of the answers that this form gets. */
  readonly response: ResponseSchema;
  readonly opens?: Opening;
  readonly cli: CliProjection<Body, Static<ResponseSchema>>;
}

/** One of the things that an operation does, as a command of its own; over HTTP it is a request to the operation's route. */
export function commandForm<ResponseSchema extends Schema>(
  operation: Operation,
  { summary, response, opens = operation.opens, cli }: FormDefinition<ResponseSchema>,
): CommandOperation {
  const { http } = operation.projections;
  const projections = { ...(http === undefined ? {} : { http }), cli: cli as CliProjection<Body, Body> };
  return {
    ...operation,
    summary,
    response,
    opens,
    projections,
    payload: undefined,
    textPayload: undefined,
    isForm: true,
  };
}

/** An operation that the command line offers. */
export type CommandOperation = Operation & { readonly projections: { readonly cli: CliProjection<Body, Body> } };

export function isCommand(operation: Operation): operation is CommandOperation {
  return operation.projections.cli !== undefined;
}

export function defineOperation<RequestSchema extends Schema, ResponseSchema extends Schema>(
  definition: OperationDefinition<RequestSchema, ResponseSchema>,
): Operation {
  const opens = definition.opens ?? (definition.access === 'write' ? 'write' : 'read');
  return toOperation(definition, opens, (context, request) => {
    invariant('store' in context, `${definition.name} is given a store`);
    return definition.handler(context, request);
  });
}

export function defineFileOperation<RequestSchema extends Schema, ResponseSchema extends Schema>(
  definition: FileOperationDefinition<RequestSchema, ResponseSchema>,
): Operation {
  return toOperation(definition, 'file', (context, request) => {
    invariant('path' in context, `${definition.name} is given the path of a store`);
    return definition.handler(context, request);
  });
}

function toOperation<RequestSchema extends Schema, ResponseSchema extends Schema>(
  definition: Omit<OperationDefinition<RequestSchema, ResponseSchema>, 'handler'>,
  opens: Opening,
  handle: (
    context: OperationContext | FileContext,
    request: Static<RequestSchema>,
  ) => Promise<Answer<Static<ResponseSchema>>>,
): Operation {
  const { name, summary, access, request, response, payload, representations = [] } = definition;
  const aliases: Readonly<Record<string, string>> = definition.aliases ?? {};
  const { inServer, forSomeGraphs = access === 'read' ? 'answered' : 'refused' } = definition;
  const isInServer = typeof inServer === 'function' ? inServer : () => inServer === true;
  const handleInStore = async (context: OperationContext, given: unknown) => {
    // A reader's store holds what the reader may read, and writes nothing else.
    const { principal } = context.read;
    const isSeen = access === 'read' || principal.readable !== null;
    const store = isSeen ? context.store.as(principal) : context.store;
    const { told, ...means } = await withCuries(store, request, given);
    return handle({ ...context, store, ...means }, told as Static<RequestSchema>);
  };
  return {
    name,
    summary,
    access,
    request,
    response,
    payload,
    textPayload: definition.textPayload,
    aliases,
    representations,
    opens,
    inServer: (given) =>
      isInServer((typeof given === 'object' && given !== null ? given : {}) as Static<RequestSchema>),
    usesTexts: definition.usesTexts === true,
    forSomeGraphs,
    // Faces hand the projection only what `run` gave, so the erased types are the right ones.
    projections: definition.projections as Operation['projections'],
    async run(context, given, nameOf) {
      const { read = readContext(context.configuration) } = context;
      if (forSomeGraphs === 'refused') refuseSomeGraphs(read.principal, name, access);
      const provided = payload !== undefined && context.documents.length > 0 ? [payload] : [];
      const checked = checkRequest(request, withoutAliases(given, aliases), { provided, nameOf });
      const { ignoredFields } = checked;
      const asked = { ...context, read, ignoredFields };
      const answer = (await ('store' in asked
        ? handleInStore(asked, checked.request)
        : handle(asked, checked.request as Static<RequestSchema>))) as Answer<Body>;
      if (ignoredFields.length === 0 || definition.listsIgnored === false) return answer;
      const notes = { ...answer.notes, ignoredFields };
      if (answer.kind !== 'body') return { ...answer, notes };
      return { ...answer, notes, body: { ...answer.body, ignored_fields: ignoredFields } };
    },
  };
}

/** In the same words whatever the request says, so that they tell nothing of the store. */
function refuseSomeGraphs({ readable }: Principal, name: string, access: Access): void {
  if (readable === null) return;
  const what = access === 'read' ? `${name} tells of the whole store` : `${name} works on the whole store`;
  throw new SvcError('authority_denied', `${what}, and the reader may read some graphs only (governance.read_rules)`, {
    hint: 'a rule with graphs = ["*"] lets a principal read every graph',
  });
}

/** Loaded with the first that runs: a command that describes itself needs none. */
let curies: typeof import('./curies.js') | null = null;

/** The request with its CURIEs written out, and what handlers do more of the kind by. */
async function withCuries(store: Store, schema: Schema, request: unknown) {
  curies ??= await import('./curies.js');
  const { curiesAt, expandIris, expanderOf } = curies;
  const expandIri = expanderOf(store);
  const shortenBy = (snapshot: StorageSnapshot): CurieTable | null => curiesAt(store, snapshot).loaded;
  return { told: expandIris(schema, request, expandIri), expandIri, shortenBy };
}

/** The request with every field under its own name. */
function withoutAliases(given: unknown, aliases: Readonly<Record<string, string>>): unknown {
  const used = Object.entries(aliases).filter(([alias]) => isGiven(given, alias));
  if (used.length === 0) return given;
  const request: Record<string, unknown> = { ...(given as Body) };
  for (const [alias, field] of used) {
    const value = request[alias];
    delete request[alias];
    if (isGiven(request, field) && request[field] !== value) {
      throw new SvcError('invalid_request', `'${alias}' and '${field}' are one field, and their values differ`);
    }
    request[field] = value;
  }
  return request;
}

function isGiven(given: unknown, field: string): boolean {
  if (typeof given !== 'object' || given === null || !Object.hasOwn(given, field)) return false;
  const value = (given as Body)[field];
  return value !== null && value !== undefined;
}
