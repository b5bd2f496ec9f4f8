import { type Flag, kebab, switchFlag, valueFlag } from '../flags/flag.ts';
import { isMap, kindOf, notNull } from '../flags/parse-value.ts';
import { type Operation, propertiesOf, resolved, type Schema } from '../old.ts';
import { callFlags, globalFlags } from '../parse/command.ts';

/** All flags of the command of an operation. */
export function operationFlags(operation: Operation): readonly Flag[] {
  const { idempotencyKey } = operation;
  const fixedFlags = [
    ...(operation.body ? [dataFlag(operation)] : []),
    ...(operation.pagination ? [allFlag, limitFlag] : []),
    ...(idempotencyKey
      ? [valueFlag('idempotency-key', 'key', idempotencyKey.description, { schema: idempotencyKey.schema })]
      : []),
    ...callFlags,
  ];
  const reserved = [...fixedFlags, ...globalFlags].map((flag) => flag.name);
  return [...inputFlags(operation, reserved), ...fixedFlags];
}

function dataFlag({ body, fields }: Operation): Flag {
  return valueFlag('data', 'json', 'The body as JSON, or @FILE, or - for stdin. Flags for properties override it.', {
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

/** The levels of nested objects whose properties have flags. Deeper properties can be set only in JSON. */
const MAX_DEPTH = 4;
/** The number of property flags of a command. Other properties can be set only in JSON. */
const MAX_PROPERTY_FLAGS = 100;

/**
 * A flag for each field but arguments and `--data`, and for each named property, such as `--owner.name`. A field's flag has the
 * first unused of these names: its name, its location and name (`--query-output`), and the latter with `-2`, `-3`, ….
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
      return {
        ...inputFlag(flag, [name], field.schema, field.description),
        field: name,
        ...(field.required && { required: true as const }),
        ...(reserved.includes(plain) && { collidesWith: plain }),
      };
    });
  const wholeBody = body?.whole && fields.body ? [inputFlag('body', ['body'], fields.body.schema)] : [];
  const propertyFlags = [...wholeBody, ...fieldFlags].flatMap(propertyFlagsOf);
  return [...fieldFlags, ...propertyFlags.slice(0, MAX_PROPERTY_FLAGS)];
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

/** The flags of an object's properties, including properties of alternatives and of nested objects. */
function propertyFlagsOf({ name: prefix, property: path, schema: object }: InputFlag): InputFlag[] {
  if (path.length > MAX_DEPTH) return [];
  const used = new Set<string>();
  return Object.entries(propertiesOf(notNull(object))).flatMap(([key, schema]) => {
    const { readOnly, description } = resolved(schema);
    if (readOnly) return [];
    const plain = flagName(key);
    const flag = inputFlag(`${prefix}.${freeName(plain, plain, used)}`, [...path, key], schema, description);
    return [flag, ...propertyFlagsOf(flag)];
  });
}

type InputFlag = Flag & Required<Pick<Flag, 'property'>>;

/** A flag for an input or a property. Its schema decides whether it is repeatable or negatable. */
function inputFlag(name: string, property: readonly string[], schema: Schema, description = ''): InputFlag {
  const kind = kindOf(schema);
  return {
    name,
    property,
    description,
    schema,
    ...((kind === 'array' || isMap(schema)) && { repeatable: true }),
    ...(kind === 'boolean' ? { negatable: true } : { valueName: kind === 'object' ? 'json' : kind }),
  };
}
