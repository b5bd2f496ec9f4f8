import {
  type Field,
  type IdempotencyKey,
  isBinary,
  type Operation,
  propertiesOf,
  resolved,
  type Schema,
} from '@petstore/types';
import { type Flag, kebab, switchFlag, valueFlag } from '../flags/flag.ts';
import { isMap, kindOf } from '../flags/parse-value.ts';
import { callFlags, globalFlags } from '../parse/command.ts';

/** All flags of the command of an operation. */
export function operationFlags(operation: Operation): readonly Flag[] {
  const fixedFlags = [
    ...(operation.body ? [dataFlag(operation)] : []),
    ...(operation.pagination ? [allFlag, limitFlag] : []),
    ...(operation.idempotencyKey ? [idempotencyKeyFlag(operation.idempotencyKey)] : []),
    ...(mayReturnBytes(operation) ? [fileFlag] : []),
    ...callFlags,
  ];
  const reserved = [...fixedFlags, ...globalFlags].map((flag) => flag.name);
  return [...inputFlags(operation, reserved), ...fixedFlags];
}

/** The value's name and the description of `--data`, by the kind of the body. */
const dataTexts = {
  json: ['json', 'The body as JSON, or @FILE, or - for stdin. Flags for properties override it.'],
  form: ['json', 'The form as a JSON object, or @FILE, or - for stdin. Flags for properties override it.'],
  multipart: [
    'json',
    'The form as a JSON object, or @FILE, or - for stdin. In the object, "@FILE" uploads a file. Flags for properties override it.',
  ],
  text: ['body', 'The body, or @FILE, or - for stdin.'],
  bytes: ['body', 'The body, or @FILE, or - for stdin. @FILE;type=image/png also sets the media type.'],
} as const;

function dataFlag({ body, fields }: Operation): Flag {
  // If each property is an input, --data is a JSON object, whatever the kind of the body.
  const [valueName, description] = dataTexts[body?.whole ? body.kind : 'json'];
  return valueFlag('data', valueName, description, {
    short: 'd',
    completes: 'file',
    ...(body?.whole && { field: 'body', ...(fields.body?.required && { required: true }) }),
  });
}

const allFlag = switchFlag('all', 'All pages, one after the other.');

const limitFlag = valueFlag(
  'limit',
  'integer',
  'The maximum number of results. Requests further pages if needed. Default: one page.',
  { schema: { type: 'integer', minimum: 1 } },
);

function idempotencyKeyFlag({ description, schema }: IdempotencyKey): Flag {
  return valueFlag('idempotency-key', 'key', description, { schema });
}

const fileFlag = valueFlag(
  'output-file',
  'file',
  'The file for the bytes of the response. Default: stdout, unless it is a terminal.',
  { short: 'o', completes: 'file' },
);

/** The levels of nested objects whose properties have flags. Deeper properties can be set only in JSON. */
const MAX_DEPTH = 4;
/** The number of property flags of a command. Other properties can be set only in JSON. */
const MAX_PROPERTY_FLAGS = 100;

/**
 * A flag for each field, and for each named property of an object, such as `--owner.name`. A flag has the first unused of these
 * names: the field's name, the name behind the field's location (`--query-output`), and the latter with `-2`, `-3`, ….
 */
function inputFlags({ fields, body, pagination }: Operation, reserved: readonly string[]): Flag[] {
  // A switch `--x` may also have `--no-x`, so each of these names reserves the other.
  const used = new Set(reserved.flatMap((name) => [name, name.replace(/^no-/, ''), `no-${name}`]));
  const fieldFlags = Object.entries(fields)
    .filter(([, field]) => field.in !== 'path' && !(field.in === 'body' && body?.whole))
    .map(([name, field]) => {
      // `--limit` is petctl's, and limits the results of all pages.
      const plain = name === pagination?.limit ? 'page-size' : flagName(name);
      const flag = freeName(plain, `${field.in}-${plain}`, used, kindOf(field.schema) === 'boolean');
      return { ...fieldFlag(name, flag, field), ...(reserved.includes(plain) && { collidesWith: plain }) };
    });
  const ofBody = body?.whole && fields.body ? propertyFlags('body', ['body'], fields.body.schema, 1) : [];
  const ofFields = fieldFlags.flatMap(({ name, field, schema }) => propertyFlags(name, [field], schema, 1));
  return [...fieldFlags, ...[...ofBody, ...ofFields].slice(0, MAX_PROPERTY_FLAGS)];
}

/** The name of the flag for a field or a property. A name without letters and digits has no kebab case. */
function flagName(name: string): string {
  return kebab(name) || 'value';
}

/** Returns the first unused name and marks the name as used, for a switch also with the prefix `no-`. */
function freeName(plain: string, qualified: string, used: Set<string>, isSwitch = false): string {
  const isUsed = (name: string) => used.has(name) || (isSwitch && used.has(`no-${name}`));
  let name = isUsed(plain) ? qualified : plain;
  for (let i = 2; isUsed(name); i++) name = `${qualified}-${i}`;
  used.add(name);
  if (isSwitch) used.add(`no-${name}`);
  return name;
}

function fieldFlag(
  field: string,
  name: string,
  { description, required, schema }: Field,
): Flag & { readonly field: string } {
  return { name, field, description, schema, ...(required && { required: true }), ...traitsOf(schema) };
}

/** The flags of an object's properties, including properties of alternatives and of nested objects. */
function propertyFlags(flag: string, path: readonly string[], object: Schema, depth: number): Flag[] {
  if (depth > MAX_DEPTH) return [];
  const used = new Set<string>();
  return Object.entries(propertiesOf(notNull(object))).flatMap(([key, schema]) => {
    const { readOnly, description = '' } = resolved(schema);
    if (readOnly) return [];
    const plain = flagName(key);
    const name = `${flag}.${freeName(plain, plain, used)}`;
    const property = [...path, key];
    const deeper = propertyFlags(name, property, schema, depth + 1);
    return [{ name, property, description, schema, ...traitsOf(schema) }, ...deeper];
  });
}

/** Returns X for `anyOf: [X, null]` or `oneOf: [X, null]`, otherwise the schema itself. */
function notNull(schema: Schema): Schema {
  const { anyOf, oneOf } = resolved(schema);
  const others = (anyOf ?? oneOf ?? []).filter((alternative) => resolved(alternative).type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

/** The attributes of a flag that follow from its schema: whether it is repeatable, negatable or a file, and the name of its value. */
function traitsOf(schema: Schema): Pick<Flag, 'repeatable' | 'negatable' | 'value' | 'completes'> {
  const kind = kindOf(schema);
  const isFile = isBinary(schema) || isBinary(resolved(schema).items ?? {});
  return {
    ...((kind === 'array' || isMap(schema)) && { repeatable: true }),
    ...(kind === 'boolean' ? { negatable: true } : { value: isFile ? '@file' : kind === 'object' ? 'json' : kind }),
    ...(isFile && { completes: 'file' }),
  };
}

/** Whether the body of a successful response may be binary. */
export function mayReturnBytes({ successes, responses }: Operation): boolean {
  return successes.some((status) => responses[status]?.kind === 'bytes');
}
