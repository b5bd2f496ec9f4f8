import { type Field, isBinary, type Operation, propertiesOf, resolved, type Schema } from '@petstore/types';
import { type Flag, kebab, switchFlag, valueFlag } from '../flags/flag.ts';
import { isMap, kindOf } from '../flags/parse-value.ts';
import { callFlags, globalFlags } from '../parse/command.ts';

/** All flags of the command of an operation. */
export function operationFlags(operation: Operation): readonly Flag[] {
  const fixedFlags = [
    ...(operation.body ? [dataFlag(operation)] : []),
    ...(operation.pagination ? [allFlag, limitFlag] : []),
    ...(operation.idempotencyKey ? [idempotencyKeyFlag(operation.idempotencyKey.schema)] : []),
    ...(mayReturnBytes(operation) ? [fileFlag] : []),
    ...callFlags,
  ];
  const reserved = [...fixedFlags, ...globalFlags].map((flag) => flag.name);
  return [...inputFlags(operation, reserved), ...fixedFlags];
}

/** Descriptions of `--data` for a body that is one input. */
const bodyDescriptions = {
  json: 'The body as JSON, or @FILE, or - for stdin. Flags of its properties override it.',
  form: 'The form as a JSON object, or @FILE, or - for stdin. Flags of its properties override it.',
  multipart:
    'The form as a JSON object, or @FILE, or - for stdin, with "@FILE" for a file. Flags of its properties override it.',
  text: 'The body, or @FILE, or - for stdin.',
  bytes: 'The body, or @FILE, or - for stdin; @FILE;type=image/png sets its type.',
} as const;

function dataFlag({ body, fields }: Operation): Flag {
  const description = 'The body as JSON, or @FILE, or - for stdin. Flags override it.';
  return valueFlag('data', 'json', body?.whole ? bodyDescriptions[body.kind] : description, {
    short: 'd',
    completes: 'file',
    ...(body?.whole && { field: 'body', ...(fields.body?.required && { required: true }) }),
  });
}

const allFlag = switchFlag('all', 'All pages, one after the other.');

const limitFlag = valueFlag(
  'limit',
  'integer',
  'The total number of results; follows pages as needed. Default: one page.',
  { schema: { type: 'integer', minimum: 1 } },
);

function idempotencyKeyFlag(schema: Schema): Flag {
  const description = 'Within 24 hours, the service executes the same request with the same key once.';
  return valueFlag('idempotency-key', 'key', description, { schema });
}

const fileFlag = valueFlag(
  'output-file',
  'file',
  'The file for the bytes of the response. Default: stdout, unless it is a terminal.',
  { short: 'o', completes: 'file' },
);

/** The maximum depth and number of property flags. Other properties can be set only in JSON. */
const MAX_DEPTH = 4;
const MAX_PROPERTY_FLAGS = 100;

/**
 * A flag for each field, and for each named property of an object: `--owner.name`. If the name of a flag is in use, the flag is
 * prefixed with the location of its field, as in `--query-output`, and suffixed with a number if that name is in use, too.
 */
function inputFlags({ fields, body, pagination }: Operation, reserved: readonly string[]): Flag[] {
  const used = new Set(reserved.flatMap((name) => [name, name.replace(/^no-/, ''), `no-${name}`]));
  const flags = Object.entries(fields)
    .filter(([, field]) => field.in !== 'path' && !(field.in === 'body' && body?.whole))
    .map(([name, field]) => {
      const plain = name === pagination?.limit ? 'page-size' : kebab(name) || 'value';
      const flag = freeName(plain, `${field.in}-${plain}`, used, kindOf(field.schema) === 'boolean');
      return { ...fieldFlag(name, flag, field), ...(reserved.includes(plain) && { insteadOf: plain }) };
    });
  const ofBody = body?.whole && fields.body ? propertyFlags('body', ['body'], fields.body.schema, 1) : [];
  const ofFields = flags.flatMap(({ name, field, schema }) => propertyFlags(name, [field ?? ''], schema, 1));
  return [...flags, ...[...ofBody, ...ofFields].slice(0, MAX_PROPERTY_FLAGS)];
}

/** Returns an unused name and reserves the name, for a switch also with the prefix `no-`. */
function freeName(plain: string, qualified: string, used: Set<string>, isSwitch = false): string {
  const isUsed = (name: string) => used.has(name) || (isSwitch && used.has(`no-${name}`));
  let name = isUsed(plain) ? qualified : plain;
  for (let i = 2; isUsed(name); i++) name = `${qualified}-${i}`;
  used.add(name);
  if (isSwitch) used.add(`no-${name}`);
  return name;
}

function fieldFlag(field: string, name: string, { description, required, schema }: Field): Flag {
  return { name, field, description, schema, ...(required && { required: true }), ...traitsOf(schema) };
}

/** The flags of an object's properties, including properties of alternatives and of nested objects. */
function propertyFlags(flag: string, path: readonly string[], object: Schema, depth: number): Flag[] {
  if (depth > MAX_DEPTH) return [];
  const used = new Set<string>();
  return Object.entries(propertiesOf(notNull(object))).flatMap(([key, schema]) => {
    const { readOnly, description = '' } = resolved(schema);
    if (readOnly) return [];
    const plain = kebab(key) || 'value';
    const name = `${flag}.${freeName(plain, plain, used)}`;
    const property = [...path, key];
    const deeper = propertyFlags(name, property, schema, depth + 1);
    return [{ name, property, description, schema, ...traitsOf(schema) }, ...deeper];
  });
}

/** The only alternative beside null; the schema unchanged if there is no single such alternative. */
function notNull(schema: Schema): Schema {
  const { anyOf, oneOf } = resolved(schema);
  const others = (anyOf ?? oneOf ?? []).filter((alternative) => resolved(alternative).type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

/** The properties of a flag that follow from its schema: whether the flag is repeatable, negatable or a file, and the name of its value. */
function traitsOf(schema: Schema): Pick<Flag, 'repeatable' | 'negatable' | 'value' | 'completes'> {
  const kind = kindOf(schema);
  const isFile = isBinary(schema) || isBinary(resolved(schema).items ?? {});
  return {
    ...((kind === 'array' || isMap(schema)) && { repeatable: true }),
    ...(kind === 'boolean' ? { negatable: true } : { value: isFile ? '@file' : kind === 'object' ? 'json' : kind }),
    ...(isFile && { completes: 'file' }),
  };
}

/** Whether the response of a success may consist of bytes. */
export function mayReturnBytes({ successes, responses }: Operation): boolean {
  return successes.some((status) => responses[status]?.kind === 'bytes');
}
