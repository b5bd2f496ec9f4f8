import type { Document } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';
import { type Alternative, alternativesOf, annotations, canonical, typesOf } from './flat.ts';

/** A change between two specs, and what it means for the users of the interface. */
export interface Change {
  /** `major` breaks correct users, `minor` adds something. */
  level: 'major' | 'minor';
  /** The rule that says so. */
  rule: string;
  where: string;
  detail: string;
}

export type Report = (level: Change['level'], rule: string, where: string, detail: string) => void;

/** Data goes to the service, where it is a break to accept less, or comes from it, where it is a break to send more. */
export type Direction = 'request' | 'response';

/** Two specs, and what takes down how they differ. */
export interface Comparison {
  readonly before: Document;
  readonly after: Document;
  readonly report: Report;
}

/** Reports the changes between two schemas of data that goes in one direction. */
export type CompareSchemas = (was: unknown, is: unknown, where: string, direction: Direction) => void;

export function schemaComparison({ before, after, report }: Comparison): CompareSchemas {
  const open = new Set<string>();
  const compare: CompareSchemas = (was, is, where, direction) => {
    const pair = [node(was).$ref, node(is).$ref, direction].join(' ');
    // Schemas that contain themselves were compared where they begin.
    if (isNode(was) && was.$ref !== undefined && open.has(pair)) return;
    open.add(pair);
    const context: Context = {
      where,
      direction,
      report,
      compare,
      isSame: (one, other) => canonical(before, one) === canonical(after, other),
      sent: (schema) => propertiesIn(before, schema, direction),
      sentNow: (schema) => propertiesIn(after, schema, direction),
      narrowed: (rule, detail) =>
        report(direction === 'request' ? 'major' : 'minor', `${direction} ${rule} narrowed`, where, detail),
      widened: (rule, detail) =>
        report(direction === 'response' ? 'major' : 'minor', `${direction} ${rule} widened`, where, detail),
    };
    compareAlternatives(alternativesOf(before, was), alternativesOf(after, is), context);
    open.delete(pair);
  };
  return compare;
}

function propertiesIn(document: Document, { properties }: Node, direction: Direction): Map<string, unknown> {
  const kept = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isSent = (property: unknown) =>
    !alternativesOf(document, property).every(({ schema }) => schema[kept] === true);
  return new Map(Object.entries(node(properties)).filter(([, property]) => isSent(property)));
}

type ReportRule = (rule: string, detail: string) => void;

interface Context {
  readonly where: string;
  readonly direction: Direction;
  readonly report: Report;
  readonly narrowed: ReportRule;
  readonly widened: ReportRule;
  readonly compare: CompareSchemas;
  readonly isSame: (was: unknown, is: unknown) => boolean;
  /** The properties that are sent in this direction, of an object before and after. */
  readonly sent: (schema: Node) => Map<string, unknown>;
  readonly sentNow: (schema: Node) => Map<string, unknown>;
}

/** Compares alternatives that are the same, have the same name, or are the only ones left. */
function compareAlternatives(was: readonly Alternative[], is: readonly Alternative[], context: Context): void {
  const left = new Set(is);
  const withoutPartner = (matches: (one: Alternative, other: Alternative) => boolean) => (one: Alternative) => {
    const other = [...left].find((each) => matches(one, each));
    if (other) {
      left.delete(other);
      compareKeywords(one.schema, other.schema, context);
    }
    return !other;
  };
  const isOnly = was.length === 1 && is.length === 1;
  const gone = was
    .filter(withoutPartner((one, other) => isOnly || context.isSame(one.schema, other.schema)))
    .filter(withoutPartner((one, other) => one.name !== undefined && one.name === other.name));
  const mayPair = gone.length === 1 && left.size === 1;
  for (const one of gone.filter(withoutPartner(() => mayPair)))
    context.narrowed('alternatives', `${nameOf(one)} was removed`);
  for (const one of left) context.widened('alternatives', `${nameOf(one)} was added`);
}

function nameOf({ name, schema }: Alternative): string {
  return name ?? JSON.stringify(schema).slice(0, 60);
}

const lower = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const upper = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];

/** Keywords of which is only known that they rule values out. */
const restrictions = [
  ...['format', 'pattern', 'multipleOf', 'uniqueItems', 'contentEncoding', 'contentMediaType', 'contentSchema'],
  ...['not', 'if', 'then', 'else', 'contains', 'propertyNames', 'patternProperties', 'dependentRequired'],
  ...['dependentSchemas', 'unevaluatedProperties', 'unevaluatedItems', 'allOf', 'discriminator'],
];

const compared: ReadonlySet<string> = new Set([
  ...lower,
  ...upper,
  ...restrictions,
  ...['type', 'enum', 'default', 'deprecated', 'readOnly', 'writeOnly'],
  ...['items', 'prefixItems', 'properties', 'required', 'additionalProperties'],
]);

function compareKeywords(before: Node, after: Node, context: Context): void {
  if (!compareTypes(before, after, context)) return;
  for (const keyword of restrictions) compareRestriction(keyword, before[keyword], after[keyword], context);
  for (const name of lower) compareBound(name, before, after, Number.NEGATIVE_INFINITY, (was, is) => is > was, context);
  for (const name of upper) compareBound(name, before, after, Number.POSITIVE_INFINITY, (was, is) => is < was, context);
  compareEnums(before, after, context);
  const { direction, report, where } = context;
  if (direction === 'request' && !isEqual(before.default, after.default))
    report('major', 'default changed', where, `default ${show(before.default)} became ${show(after.default)}`);
  if (after.deprecated === true && before.deprecated !== true)
    report('minor', `${direction} value deprecated`, where, 'it is deprecated now');
  compareProperties(before, after, context);
  compareItems(before, after, context);
  reportUnknown(before, after, compared, where, report);
}

/** Reports keywords that nobody here knows, where they differ: what that means cannot be said. */
export function reportUnknown(
  before: Node,
  after: Node,
  known: ReadonlySet<string>,
  where: string,
  report: Report,
): void {
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (known.has(key) || annotations.has(key) || key.startsWith('x-') || isEqual(before[key], after[key])) continue;
    report('major', 'unknown keyword changed', where, `${key} differs, and this check does not know what it means`);
  }
}

/** Whether there are values left to compare by the other keywords. */
function compareTypes(before: Node, after: Node, { direction, where, report }: Context): boolean {
  const [was, is] = [typesOf(before) ?? allTypes, typesOf(after) ?? allTypes];
  // Every integer is a number.
  const lacks = (types: readonly string[]) => (type: string) =>
    !types.includes(type) && !(type === 'integer' && types.includes('number'));
  const isNarrower = was.some(lacks(is));
  const isWider = is.some(lacks(was));
  if (!isNarrower && !isWider) return true;
  const breaks = direction === 'request' ? isNarrower : isWider;
  const detail = `type ${show(before.type)} became ${show(after.type)}`;
  report(breaks ? 'major' : 'minor', `${direction} type changed`, where, detail);
  return was.some((type) => is.includes(type));
}

const allTypes = ['array', 'boolean', 'null', 'number', 'object', 'string'];

function compareRestriction(keyword: string, was: unknown, is: unknown, context: Context): void {
  const isAbsent = (value: unknown) =>
    value === undefined ||
    (keyword === 'uniqueItems' && value === false) ||
    (/^uneval/.test(keyword) && value === true);
  if (isAbsent(was) && isAbsent(is)) return;
  if (context.isSame({ [keyword]: was }, { [keyword]: is })) return;
  const detail = `${keyword} ${show(was)} became ${show(is)}`;
  if (!isAbsent(is)) context.narrowed(keyword, detail);
  if (!isAbsent(was)) context.widened(keyword, detail);
}

function compareBound(
  name: string,
  before: Node,
  after: Node,
  none: number,
  isTighter: (was: number, is: number) => boolean,
  { narrowed, widened }: Context,
): void {
  const [was, is] = [Number(before[name] ?? none), Number(after[name] ?? none)];
  if (was === is) return;
  const detail = `${name} ${show(before[name])} became ${show(after[name])}`;
  if (isTighter(was, is)) narrowed('bound', detail);
  else widened('bound', detail);
}

function compareEnums(before: Node, after: Node, { narrowed, widened }: Context): void {
  if (!before.enum && !after.enum) return;
  const texts = (values: readonly unknown[]) =>
    values.map((value) => (typeof value === 'string' ? value : show(value)));
  const [was, is] = [texts(list(before.enum)), texts(list(after.enum))];
  if (!before.enum) return narrowed('enum', `any value became one of ${is.join(', ')}`);
  if (!after.enum) return widened('enum', `one of ${was.join(', ')} became any value`);
  const gone = was.filter((value) => !is.includes(value));
  const added = is.filter((value) => !was.includes(value));
  if (gone.length > 0) narrowed('enum', `${gone.join(', ')} was removed`);
  if (added.length > 0) widened('enum', `${added.join(', ')} was added`);
}

function compareItems(before: Node, after: Node, context: Context): void {
  const { where, direction, compare, narrowed, widened } = context;
  const [first, then] = [list(before.prefixItems), list(after.prefixItems)];
  for (const [i, was] of first.entries()) if (i < then.length) compare(was, then[i], `${where}[${i}]`, direction);
  if (then.length > first.length) narrowed('prefixItems', `${then.length} elements are described, not ${first.length}`);
  if (then.length < first.length) widened('prefixItems', `${then.length} elements are described, not ${first.length}`);
  if (before.items !== undefined || after.items !== undefined)
    compare(before.items ?? {}, after.items ?? {}, `${where}[]`, direction);
}

function compareProperties(before: Node, after: Node, context: Context): void {
  const { where, direction, report, compare } = context;
  const [was, is] = [context.sent(before), context.sentNow(after)];
  const [needed, needs] = [list(before.required), list(after.required)];
  for (const name of new Set([...was.keys(), ...is.keys()])) {
    const here = `${where}.${name}`;
    if (!is.has(name)) report('major', `${direction} property removed`, here, 'it was removed');
    else if (!was.has(name)) {
      const required = direction === 'request' && needs.includes(name);
      const rule = required ? 'request property newly required' : `${direction} property added`;
      report(required ? 'major' : 'minor', rule, here, 'it is new');
    } else {
      compareRequired(needed.includes(name), needs.includes(name), here, direction, report);
      compare(was.get(name), is.get(name), here, direction);
    }
  }
  compareOthers(before.additionalProperties ?? true, after.additionalProperties ?? true, context);
}

/** The properties that have no name. */
function compareOthers(was: unknown, is: unknown, { where, direction, report, compare }: Context): void {
  if (was !== false && is === false) {
    const level = direction === 'request' ? 'major' : 'minor';
    report(level, `${direction} properties closed`, where, 'unknown properties are rejected now');
  } else if (was === false && is !== false)
    report('minor', `${direction} properties opened`, where, 'unknown properties are possible now');
  else if (was !== false && (was !== true || is !== true)) compare(was, is, `${where}.*`, direction);
}

function compareRequired(was: boolean, is: boolean, where: string, direction: Direction, report: Report): void {
  if (was === is) return;
  const detail = is ? 'it is required now' : 'it is optional now';
  if (direction === 'request')
    report(is ? 'major' : 'minor', `request property ${is ? 'newly' : 'no longer'} required`, where, detail);
  else report(is ? 'minor' : 'major', `response property ${is ? 'always present' : 'may be missing'}`, where, detail);
}

function isEqual(was: unknown, is: unknown): boolean {
  return JSON.stringify(was) === JSON.stringify(is);
}

function show(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
