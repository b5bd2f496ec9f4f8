import { isDeepStrictEqual } from 'node:util';
import { list, type Node, node } from '../../openapi.ts';
import { became, compareMaps, deprecation, each, type Location, type Rule, type Rules, unequal } from './location.ts';
import { annotations, isSame, typesOf } from './normal.ts';

/** A rule for a keyword that restricts values. `isWider` compares two of its values. The `inert` values restrict nothing. */
function restriction(
  keyword: string,
  isWider = (_value: unknown, _than: unknown) => false,
  inert: readonly unknown[] = [],
): Rule {
  const isAbsent = (value: unknown) => value === undefined || inert.includes(value);
  return ({ [keyword]: before }, { [keyword]: after }, at) => {
    if (isAbsent(before) && isAbsent(after)) return;
    if (isSame(at.scope, { [keyword]: before }, { [keyword]: after })) return;
    const detail = became(keyword, before, after);
    const isOnlyWidened = isAbsent(after) || (!isAbsent(before) && isWider(after, before));
    const isOnlyNarrowed = isAbsent(before) || (!isAbsent(after) && isWider(before, after));
    if (!isOnlyWidened) at.narrowed(keyword, detail);
    if (!isOnlyNarrowed) at.widened(keyword, detail);
  };
}

const entriesOf = (value: unknown) => new Map(Object.entries(node(value)));

/** A rule for a keyword that holds several conditions by name. */
export function conditions(
  keyword: string,
  compareConditions: (before: unknown, after: unknown, at: Location) => void,
): Rule {
  return (before, after, at) =>
    compareMaps(entriesOf(before[keyword]), entriesOf(after[keyword]), (key) => at.inside(` ${keyword} ${key}`), {
      removed: (_here, _condition, key) => at.widened(keyword, `${keyword} ${key} was removed`),
      added: (_here, _condition, key) => at.narrowed(keyword, `${keyword} ${key} was added`),
      both: compareConditions,
    });
}

/**
 * A rule for an inclusive bound, and for its exclusive form, if it has one. `sign` is 1 for a lower bound, and -1 for an upper
 * bound. `none` is the bound of a schema without the keyword.
 */
function bound(keyword: string, sign: 1 | -1, none = -sign * Infinity, exclusive = ''): Rule {
  const round = sign === 1 ? Math.floor : Math.ceil;
  // An exclusive bound equals the inclusive bound at the next number.
  const next = (value: number, schema: Node) =>
    isDeepStrictEqual(typesOf(schema), ['integer'])
      ? round(value) + sign
      : value + sign * Number.EPSILON * Math.max(1, Math.abs(value));
  const strictnessOf = ({ [keyword]: inclusive = none, [exclusive]: beyond, ...schema }: Node) =>
    Math.max(sign * Number(inclusive), beyond === undefined ? -Infinity : sign * next(Number(beyond), schema));
  return (before, after, at) => {
    const [strictness, strictnessAfter] = [strictnessOf(before), strictnessOf(after)];
    const detail = became(keyword, before[keyword] ?? before[exclusive], after[keyword] ?? after[exclusive]);
    if (strictnessAfter > strictness) at.narrowed('bound', detail);
    if (strictnessAfter < strictness) at.widened('bound', detail);
  };
}

const lowest = bound('minimum', 1, undefined, 'exclusiveMinimum');
const highest = bound('maximum', -1, undefined, 'exclusiveMaximum');

const isDivisor = (value: unknown, of: unknown) => Number.isInteger(Number((Number(of) / Number(value)).toFixed(9)));

/** For each format a wider format that accepts all of its values. */
const widerFormats: Readonly<Record<string, string>> = {
  int32: 'int64',
  float: 'double',
  email: 'idn-email',
  hostname: 'idn-hostname',
  uri: 'uri-reference',
};

const compareEnums: Rule = (before, after, at) => {
  const texts = (values: unknown) =>
    list(values).map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  const [values, valuesAfter] = [texts(before.enum), texts(after.enum)];
  if (!before.enum) return at.narrowed('enum', `any value became one of ${valuesAfter.join(', ')}`);
  if (!after.enum) return at.widened('enum', `one of ${values.join(', ')} became any value`);
  const removed = values.filter((value) => !valuesAfter.includes(value));
  const added = valuesAfter.filter((value) => !values.includes(value));
  if (removed.length > 0) at.narrowed('enum', `${removed.join(', ')} was removed`);
  if (added.length > 0) at.widened('enum', `${added.join(', ')} was added`);
};

/** Compares the default of an omitted value. */
const compareDefaults: Rule = (before, after, at) => {
  const { direction } = at.scope;
  const level = direction === 'request' || before.default !== undefined ? 'major' : 'minor';
  unequal(level, 'default', `${direction} default`)(before, after, at);
};

/** Compares the statuses of error codes. */
const compareStatuses: Rule = (before, after, at) =>
  compareMaps(entriesOf(before['x-statuses']), entriesOf(after['x-statuses']), () => at, {
    removed: (here, _status, code) => here.major('status of a code changed', `${code} has no status now`),
    added: (here, _status, code) => here.minor('status of a code added', `${code} has a status now`),
    both: (status, statusAfter, here, code) => {
      if (status !== statusAfter) here.major('status of a code changed', `${code}: ${status} became ${statusAfter}`);
    },
  });

/** Compares how a value is written as XML. */
const compareXml: Rule = (before, after, at) => {
  const { direction, media = '' } = at.scope;
  if (/xml/.test(media)) unequal('major', 'xml', `${direction} XML`)(before, after, at);
};

/** The rules of keywords whose values contain no schemas to compare in detail. */
export const keywordRules: Rules = {
  ...each([...annotations].join(' '), () => 'documentation'),
  enum: compareEnums,
  default: compareDefaults,
  deprecated: (before, after, at) => deprecation(`${at.scope.direction} value`)(before, after, at),
  ...each('minimum exclusiveMinimum', () => lowest),
  ...each('maximum exclusiveMaximum', () => highest),
  ...each('minLength minItems minProperties', (keyword) => bound(keyword, 1, 0)),
  minContains: bound('minContains', 1, 1),
  ...each('maxLength maxItems maxProperties maxContains', (keyword) => bound(keyword, -1)),
  format: restriction('format', (format, than) => widerFormats[String(than)] === format),
  multipleOf: restriction('multipleOf', isDivisor),
  pattern: restriction('pattern', undefined, ['', '.*', '^.*$']),
  uniqueItems: restriction('uniqueItems', undefined, [false]),
  ...each('contentEncoding contentMediaType not if contains allOf', (keyword) => restriction(keyword)),
  dependentRequired: conditions('dependentRequired', (before, after, at) => {
    const [names, namesAfter] = [new Set(list(before)), new Set(list(after))];
    const [added, removed] = [[...namesAfter.difference(names)], [...names.difference(namesAfter)]];
    if (added.length > 0) at.narrowed('dependentRequired', `${added} is required too`);
    if (removed.length > 0) at.widened('dependentRequired', `${removed} is no longer required`);
  }),
  xml: compareXml,
  'x-statuses': compareStatuses,
};
