/**
 * Schemas of requests, answers and configuration: plain JSON Schema objects, which HTTP descriptions
 * and tools publish as they are, with the static type of the values that fit them.
 *
 * Builders exist for the keywords that our schemas use and no others; `check-schema.ts` knows the
 * same ones. Names and texts are those of TypeBox, which tests compare both with; it would replace
 * this file, at the price of some five hundred modules at the start of every command.
 */

/** What a schema says, as JSON: the keywords that our schemas use. */
export interface SchemaNode {
  readonly type?: 'string' | 'integer' | 'number' | 'boolean' | 'null' | 'array' | 'object';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly items?: SchemaNode;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly patternProperties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: false;
  readonly anyOf?: readonly SchemaNode[];
  readonly default?: unknown;
  readonly description?: string;
}

/** Only in types: what fits the schema. */
declare const content: unique symbol;
/** On the schema of a property that may be absent; no part of its JSON. */
const absent: unique symbol = Symbol('may be absent');

/** On the schema of what holds IRIs; no part of its JSON. */
const iris: unique symbol = Symbol('holds IRIs');
/** `iri`: the string is one. `value`: an object of a value may have one as its `iri` or `datatype`. */
export type IriMark = 'iri' | 'value';

/** What the schema says about IRIs in what fits it; undefined = nothing. */
export function marksIris(node: SchemaNode): IriMark | undefined {
  return (node as { readonly [iris]?: IriMark })[iris];
}

export interface Schema<Value = unknown> extends SchemaNode {
  readonly [content]: Value;
}

/** The type of the values that fit a schema. */
export type Static<S extends Schema> = S[typeof content];

export interface MayBeAbsent {
  readonly [absent]: true;
}

type Properties = Readonly<Record<string, Schema>>;
type OptionalKeys<P extends Properties> = { [Key in keyof P]: P[Key] extends MayBeAbsent ? Key : never }[keyof P];
type PropertyValues<P extends Properties> = { [Key in Exclude<keyof P, OptionalKeys<P>>]: Static<P[Key]> } & {
  [Key in OptionalKeys<P>]?: Static<P[Key]>;
};
type Flat<Value> = { readonly [Key in keyof Value]: Value[Key] };

interface Note {
  readonly description?: string;
  readonly default?: unknown;
}

interface NumberOptions extends Note {
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A description alone stands for options that hold nothing else. */
type Told<Options> = Options | string;

function make<Value>(node: SchemaNode, options: Told<SchemaNode>): Schema<Value> {
  return { ...node, ...(typeof options === 'string' ? { description: options } : options) } as Schema<Value>;
}

/** Builders, each named after the type of JSON that it describes. */
export const Type = {
  Unknown: (options: Told<Note> = {}) => make<unknown>({}, options),
  Null: (options: Told<Note> = {}) => make<null>({ type: 'null' }, options),
  Boolean: (options: Told<Note> = {}) => make<boolean>({ type: 'boolean' }, options),
  Integer: (options: Told<NumberOptions> = {}) => make<number>({ type: 'integer' }, options),
  Number: (options: Told<NumberOptions> = {}) => make<number>({ type: 'number' }, options),
  String: (options: Told<Note & { readonly minLength?: number }> = {}) => make<string>({ type: 'string' }, options),

  Array<S extends Schema>(items: S, options: Told<Note> = {}) {
    return make<readonly Static<S>[]>({ type: 'array', items }, options);
  },

  Object<P extends Properties>(properties: P, options: Told<Note & { readonly additionalProperties?: false }> = {}) {
    const required = Object.keys(properties).filter((key) => !(absent in (properties[key] as Schema)));
    const needed = required.length === 0 ? {} : { required };
    return make<Flat<PropertyValues<P>>>({ type: 'object', ...needed, properties }, options);
  },

  /** An object with any keys, all of one type of value. */
  Record<S extends Schema>(_key: Schema<string>, value: S, options: Told<Note> = {}) {
    return make<Readonly<Record<string, Static<S>>>>({ type: 'object', patternProperties: { '^.*$': value } }, options);
  },

  Union<const All extends readonly Schema[]>(anyOf: All, options: Told<Note> = {}) {
    return make<Static<All[number]>>({ anyOf }, options);
  },

  /** A property that may be absent. */
  Optional<S extends Schema>(schema: S): S & MayBeAbsent {
    return Object.defineProperty({ ...schema }, absent, { value: true }) as S & MayBeAbsent;
  },
};

/** What fits a schema, or null. */
export function nullable<S extends Schema>(schema: S, options: Told<Note> = {}) {
  return Type.Union([schema, Type.Null()], options);
}

export const textOrNull = nullable(Type.String());

/** A string that is an IRI, which a request may write as a CURIE. */
export function iri(options: Told<Note & { readonly minLength?: number }> = {}) {
  return make<string>({ type: 'string', [iris]: 'iri' } as SchemaNode, options);
}

/** A value as requests write it; its IRIs may be CURIEs. */
export function valueForm(options: Told<Note> = {}) {
  return make<unknown>({ [iris]: 'value' } as SchemaNode, options);
}

/** A string that is one of a few words; in JSON Schema an `enum`. */
export function oneOf<const Words extends readonly string[]>(words: Words, options: Told<Note> = {}) {
  return make<Words[number]>({ type: 'string', enum: [...words] }, options);
}
