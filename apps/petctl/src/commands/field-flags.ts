import { type Field, isBinary, type Operation, propertiesOf, resolved, type Schema } from '@petstore/types';
import { callFlags, globalFlags } from '../parse/command.ts';
import { type Flag, kebab } from '../settings/flag.ts';
import { isMap, kindOf } from '../settings/value.ts';

/** All flags of the command of an operation. */
export function operationFlags(operation: Operation): readonly Flag[] {
  const added = [
    ...(operation.body ? [dataFlagOf(operation)] : []),
    ...(operation.pagination ? [allFlag, limitFlag] : []),
    ...(operation.idempotencyKey ? [keyFlag(operation.idempotencyKey.schema)] : []),
    ...(mayReturnBytes(operation) ? [fileFlag] : []),
    ...callFlags,
  ];
  const taken = [...added, ...globalFlags].map((flag) => flag.name);
  return [...flagsOf(operation, taken), ...added];
}

const dataFlag: Flag = {
  name: 'data',
  short: 'd',
  value: 'json',
  description: 'The body as JSON, or @FILE, or - for stdin. Flags override it.',
  rules: { type: 'string' },
  completes: 'file',
};

/** Descriptions of `--data` for a body that is one input. */
const wholeDescriptions = {
  json: 'The body as JSON, or @FILE, or - for stdin. Flags of its properties override it.',
  form: 'The form as a JSON object, or @FILE, or - for stdin. Flags of its properties override it.',
  multipart:
    'The form as a JSON object, or @FILE, or - for stdin, with "@FILE" for a file. Flags of its properties override it.',
  text: 'The body, or @FILE, or - for stdin.',
  bytes: 'The body, or @FILE, or - for stdin; @FILE;type=image/png sets its type.',
} as const;

function dataFlagOf({ body, fields }: Operation): Flag {
  if (!body?.whole) return dataFlag;
  return {
    ...dataFlag,
    field: 'body',
    description: wholeDescriptions[body.kind],
    ...(fields.body?.required && { required: true }),
  };
}

const allFlag: Flag = {
  name: 'all',
  description: 'All pages, one after the other.',
  rules: { type: 'boolean' },
};

const limitFlag: Flag = {
  name: 'limit',
  value: 'integer',
  description: 'The total number of results; follows pages as needed. Default: one page.',
  rules: { type: 'integer', minimum: 1 },
};

function keyFlag(rules: Schema): Flag {
  return {
    name: 'idempotency-key',
    value: 'key',
    description: 'Within 24 hours, the service executes the same request with the same key once.',
    rules,
  };
}

const fileFlag: Flag = {
  name: 'output-file',
  short: 'o',
  value: 'file',
  description: 'The file for the bytes of the response. Default: stdout, unless it is a terminal.',
  rules: { type: 'string' },
  completes: 'file',
};

/** The depth and number of property flags. Deeper and further properties are JSON. */
const MAX_DEPTH = 4;
const MAX_PROPERTY_FLAGS = 100;

/**
 * A flag for each field. A clashing name gets its location, `--query-output`, and a number if necessary. Each named
 * property of an object is a flag, too: `--owner.name`.
 */
function flagsOf({ fields, body, pagination }: Operation, taken: readonly string[]): Flag[] {
  const used = new Set(taken.flatMap((name) => [name, name.replace(/^no-/, ''), `no-${name}`]));
  const flags = Object.entries(fields)
    .filter(([, field]) => field.in !== 'path' && !(field.in === 'body' && body?.whole))
    .map(([name, field]) => {
      const plain = name === pagination?.limit ? 'page-size' : kebab(name) || 'value';
      const flag = freeName(plain, `${field.in}-${plain}`, used, kindOf(field.schema) === 'boolean');
      return { ...flagOf(name, flag, field), ...(taken.includes(plain) && { insteadOf: plain }) };
    });
  const inBody = body?.whole && fields.body ? propertyFlags('body', ['body'], fields.body.schema, 1) : [];
  const below = flags.flatMap(({ name, field, rules }) => propertyFlags(name, [field ?? ''], rules, 1));
  return [...flags, ...[...inBody, ...below].slice(0, MAX_PROPERTY_FLAGS)];
}

/** Reserves an unused name; for a switch also its `no-` form. */
function freeName(plain: string, placed: string, used: Set<string>, isSwitch = false): string {
  const isUsed = (name: string) => used.has(name) || (isSwitch && used.has(`no-${name}`));
  let name = isUsed(plain) ? placed : plain;
  for (let i = 2; isUsed(name); i++) name = `${placed}-${i}`;
  used.add(name);
  if (isSwitch) used.add(`no-${name}`);
  return name;
}

function flagOf(field: string, name: string, { description, required, schema: rules }: Field): Flag {
  return {
    name,
    field,
    description,
    rules,
    ...(required && { required: true }),
    ...shapeOf(rules),
  };
}

/** The flags of an object's properties, alternatives and recursion included. */
function propertyFlags(flag: string, path: readonly string[], schema: Schema, depth: number): Flag[] {
  if (depth > MAX_DEPTH) return [];
  const used = new Set<string>();
  return Object.entries(propertiesOf(notNull(schema))).flatMap(([property, written]) => {
    const rules = resolved(written);
    if (rules.readOnly) return [];
    const plain = kebab(property) || 'value';
    const name = `${flag}.${freeName(plain, plain, used)}`;
    const to = [...path, property];
    const flagOfProperty: Flag = {
      name,
      property: to,
      description: rules.description ?? '',
      rules: written,
      ...shapeOf(written),
    };
    return [flagOfProperty, ...propertyFlags(name, to, written, depth + 1)];
  });
}

/** The schema without null, if one alternative remains. */
function notNull(schema: Schema): Schema {
  const { anyOf, oneOf } = resolved(schema);
  const others = (anyOf ?? oneOf ?? []).filter((one) => resolved(one).type !== 'null');
  return others.length === 1 && others[0] ? others[0] : schema;
}

/** The kind and number of values of a flag. */
function shapeOf(rules: Schema): Pick<Flag, 'repeatable' | 'negatable' | 'value' | 'completes'> {
  const kind = kindOf(rules);
  const isFile = isBinary(rules) || isBinary(resolved(rules).items ?? {});
  return {
    ...((kind === 'array' || isMap(rules)) && { repeatable: true }),
    ...(kind === 'boolean' ? { negatable: true } : { value: isFile ? '@file' : kind === 'object' ? 'json' : kind }),
    ...(isFile && { completes: 'file' }),
  };
}

/** Whether a success may be binary. */
export function mayReturnBytes({ successes, responses }: Operation): boolean {
  return successes.some((status) => responses[status]?.kind === 'bytes');
}
