import { assertPatternSize } from '@spandrel/plugin-api';
import { Ajv, type ErrorObject, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { RE2JS } from 're2js';

/** Says what is wrong with a value; `undefined` where the schema takes it. */
export type SchemaCheck = (value: unknown) => string | undefined;

/** Longest schema, in UTF-16 units of its JSON, and how many steps all of its patterns may have. */
const SCHEMA_LENGTH_MAX = 50_000;
const STEPS_MAX = 10_000;

/** Steps of patterns that the schema which is being compiled may still have. */
let stepsLeft = 0;

/** Patterns are linear in the length of a text, whatever they are: those of JavaScript may take for ever. */
const linearPattern = (pattern: string): { test(text: string): boolean; toString(): string } => {
  stepsLeft -= assertPatternSize(pattern, false).steps;
  if (stepsLeft < 0) throw new Error(`its patterns have more than ${STEPS_MAX} steps in all`);
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.test(text), toString: () => pattern };
};

const OPTIONS: Options = {
  strict: false,
  logger: false,
  ownProperties: true,
  // A definition is compiled once, however often it is referred to.
  inlineRefs: false,
  code: { regExp: Object.assign(linearPattern, { code: 'linearPattern' }) },
};

const DRAFTS = { 'draft-07': Ajv, '2019-09': Ajv2019, '2020-12': Ajv2020 };

/** One of each draft, which knows the schema of schemas. No schema of users is compiled in it: their `$id`s would stay. */
const judges = new Map<keyof typeof DRAFTS, Ajv>();

/** @throws Error saying why it cannot be used. */
export function compileSchema(given: Record<string, unknown>): SchemaCheck {
  const text = JSON.stringify(given);
  if (text.length > SCHEMA_LENGTH_MAX) {
    throw new Error(`it has ${text.length} characters, and may have ${SCHEMA_LENGTH_MAX}`);
  }
  // Numbers that are kept as their source text become doubles, which is what a schema has.
  const schema = JSON.parse(text) as Record<string, unknown>;
  if (schema['$async'] !== undefined) throw new Error('$async is not taken');
  const draft = draftOf(schema['$schema']);
  stepsLeft = STEPS_MAX;
  const judge = judges.get(draft) ?? new DRAFTS[draft](OPTIONS);
  judges.set(draft, judge);
  try {
    if (judge.validateSchema(schema) !== true) throw new Error(describeFault('schema', judge.errors));
    const own = new DRAFTS[draft]({ ...OPTIONS, meta: false, validateSchema: false });
    formats.default(own);
    const validate = own.compile(schema);
    return (value) => (validateDeep(() => validate(value)) ? undefined : describeFault('output', validate.errors));
  } catch (error) {
    throw error instanceof RangeError
      ? new Error('it is nested too deeply, or has too many parts in one place', { cause: error })
      : error;
  }
}

function draftOf(named: unknown): keyof typeof DRAFTS {
  if (named === undefined) return '2020-12';
  const draft = (['2020-12', '2019-09', 'draft-07'] as const).find((name) => String(named).includes(`/${name}/schema`));
  if (draft === undefined) throw new Error('$schema is none of draft 2020-12, 2019-09 and draft-07');
  return draft;
}

/** A schema may refer to itself without end. */
function validateDeep(validate: () => boolean): boolean {
  try {
    return validate();
  } catch (error) {
    if (error instanceof RangeError) throw new Error('the schema refers to itself without end', { cause: error });
    throw error;
  }
}

const FAULT_LENGTH_MAX = 300;

/** The first fault, as `output/items/2/age must be number`. */
function describeFault(name: string, faults: readonly ErrorObject[] | null | undefined): string {
  const { instancePath = '', message = 'is not valid', params = {} } = faults?.[0] ?? {};
  const more =
    (params as Record<string, unknown>)['additionalProperty'] ??
    (params as Record<string, unknown>)['unevaluatedProperty'];
  const text = `${name}${instancePath} ${message}${more === undefined ? '' : `: ${JSON.stringify(more)}`}`;
  return text.length > FAULT_LENGTH_MAX ? `${text.slice(0, FAULT_LENGTH_MAX)}…` : text;
}
