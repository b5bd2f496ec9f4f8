import type { Document } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';
import { conditions, keywordRules } from './keywords.ts';
import {
  type Alternative,
  type Alternatives,
  alternativesOf,
  type Discriminator,
  hasReference,
  isSame,
  isSameTarget,
  mayFitTwo,
  typesOf,
} from './normal.ts';
import {
  became,
  compareByRules,
  compareMaps,
  compareRequired,
  each,
  elsewhere,
  type Location,
  type Rule,
  type Rules,
} from './rules.ts';

/** Compares two schemas of data that goes in one direction. */
export function compareSchemas(was: unknown, is: unknown, at: Location): void {
  if (was === false || is === false) {
    if (was !== false) at.narrowed('schema', 'nothing is valid any more');
    if (is !== false) at.widened('schema', 'nothing was valid before');
    return;
  }
  const { before, after, within } = at.scope;
  const pair = hasReference(was) || hasReference(is) ? JSON.stringify([was, is]) : '';
  // A recursive schema was already compared.
  if (within?.has(pair)) return;
  const here = pair === '' ? at : at.with({ within: new Set([...(within ?? []), pair]) });
  const [one, other] = [alternativesOf(before, was), alternativesOf(after, is)];
  compareDiscriminators(one.discriminator, other.discriminator, at);
  if (one.all.length > 1 && one.isExclusive !== other.isExclusive && mayFitTwo(after, other.all))
    at[other.isExclusive ? 'narrowed' : 'widened']('oneOf', 'whether a value may fit two alternatives differs');
  compareAlternatives(one, other, here);
}

const compare = (was: unknown, is: unknown, at: Location, path = '') =>
  compareSchemas(was ?? {}, is ?? {}, at.inside(path));

/** Pairs alternatives that are equal, have the same name, or are the only ones left, and compares each pair. */
function compareAlternatives(before: Alternatives, after: Alternatives, at: Location): void {
  const [was, is] = [before.all, after.all];
  const left = new Set(is);
  const withoutPartner = (matches: (one: Alternative, other: Alternative) => boolean) => (one: Alternative) => {
    const other = [...left].find((each) => matches(one, each));
    if (other) {
      left.delete(other);
      compareKeywords(one.schema, other.schema, at);
    }
    return !other;
  };
  const isOnly = was.length === 1 && is.length === 1;
  const removed = was
    .filter(withoutPartner((one, other) => isOnly || isSame(at.scope, one.schema, other.schema)))
    .filter(withoutPartner((one, other) => one.name !== undefined && one.name === other.name));
  const mayPair = removed.length === 1 && left.size === 1;
  for (const one of removed.filter(withoutPartner(() => mayPair))) {
    at.narrowed('alternatives', `${nameOf(one)} was removed`);
    if (mayExclude(at.scope.before, before, one)) at.widened('oneOf', `no value fits ${nameOf(one)}, too`);
  }
  for (const one of left) {
    at.widened('alternatives', `${nameOf(one)} was added`);
    if (mayExclude(at.scope.after, after, one)) at.narrowed('oneOf', `a value may fit ${nameOf(one)}, too`);
  }
}

/** Whether a value that fits an alternative may be invalid, because it fits another one, too. */
function mayExclude(document: Document, { all, discriminator, isExclusive }: Alternatives, one: Alternative): boolean {
  return isExclusive && !discriminator && all.some((other) => other !== one && mayFitTwo(document, [one, other]));
}

function nameOf({ name, schema }: Alternative): string {
  return name ?? JSON.stringify(schema).slice(0, 60);
}

function compareKeywords(before: Node, after: Node, at: Location): void {
  if (compareTypes(before, after, at)) compareByRules(schemaRules, before, after, at);
}

/** Compares types, and returns whether any value fits both, so that the other keywords matter. */
function compareTypes(before: Node, after: Node, at: Location): boolean {
  const [was, is] = [typesOf(before) ?? allTypes, typesOf(after) ?? allTypes];
  // Every integer is a number.
  const lacks = (types: readonly string[]) => (type: string) =>
    !types.includes(type) && !(type === 'integer' && types.includes('number'));
  const isNarrower = was.some(lacks(is));
  const isWider = is.some(lacks(was));
  if (!isNarrower && !isWider) return true;
  const { direction } = at.scope;
  const isBreak = direction === 'request' ? isNarrower : isWider;
  at.report(isBreak ? 'major' : 'minor', `${direction} type changed`, became('type', was, is));
  return !was.every(lacks(is)) || !is.every(lacks(was));
}

const allTypes = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** A rule for a keyword that holds a schema. Without the keyword everything is valid. */
function subschema(keyword: string): Rule {
  return ({ [keyword]: was }, { [keyword]: is }, at) => {
    if (was !== undefined && is !== undefined) compare(was, is, at, ` ${keyword}`);
    else if (!isSame(at.scope, was ?? {}, is ?? {}) && (was ?? is) !== true)
      at[was === undefined ? 'narrowed' : 'widened'](keyword, became(keyword, was, is));
  };
}

const compareItems: Rule = (before, after, at) => {
  const [first, then] = [list(before.prefixItems), list(after.prefixItems)];
  for (let i = 0; i < Math.max(first.length, then.length); i++)
    compare(first[i] ?? before.items, then[i] ?? after.items, at, `[${i}]`);
  compare(before.items, after.items, at, '[]');
};

const compareProperties: Rule = (before, after, at) => {
  const { direction } = at.scope;
  const [was, is] = [
    carriedProperties(at.scope.before, before, direction),
    carriedProperties(at.scope.after, after, direction),
  ];
  const [needed, needs] = [list(before.required), list(after.required)];
  const others = before.additionalProperties;
  const compareNeed = (name: unknown) =>
    compareRequired(needed.includes(name), needs.includes(name), `${direction} property`, at.inside(`.${name}`));
  compareMaps(was, is, {
    removed: (name) => at.inside(`.${name}`).removed(`${direction} property`),
    added: (name, schema) => {
      at.inside(`.${name}`).added(`${direction} property`, needs.includes(name));
      // It was possible before, as one of the others.
      if (isNode(others)) compare(others, schema, at, `.${name}`);
    },
    both: (name, one, other) => {
      compareNeed(name);
      compare(one, other, at, `.${name}`);
    },
  });
  const described = { ...node(before.properties), ...node(after.properties) };
  for (const name of new Set([...needed, ...needs])) if (!(String(name) in described)) compareNeed(name);
  compareOthers(others ?? true, after.additionalProperties ?? true, at);
};

/** The properties that data in this direction may have. */
function carriedProperties(document: Document, { properties }: Node, direction: string): Map<string, unknown> {
  const excluded = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isCarried = (property: unknown) =>
    !alternativesOf(document, property).all.every(({ schema }) => schema[excluded] === true);
  return new Map(Object.entries(node(properties)).filter(([, property]) => isCarried(property)));
}

/** Compares `additionalProperties`. */
function compareOthers(was: unknown, is: unknown, at: Location): void {
  const { direction } = at.scope;
  if (was !== false && is === false) {
    const level = direction === 'request' ? 'major' : 'minor';
    at.report(level, `${direction} properties closed`, 'unknown properties are rejected now');
  } else if (was === false && is !== false)
    at.minor(`${direction} properties opened`, 'unknown properties are possible now');
  else if (was !== false && (was !== true || is !== true)) compare(was, is, at, '.*');
}

function compareDiscriminators(was: Discriminator | undefined, is: Discriminator | undefined, at: Location): void {
  if (!was || !is) {
    if (is) at.narrowed('discriminator', `${is.propertyName} tells the alternatives apart now`);
    if (was) at.widened('discriminator', `${was.propertyName} no longer tells the alternatives apart`);
    return;
  }
  if (was.propertyName !== is.propertyName)
    at.major('discriminator changed', `${was.propertyName} became ${is.propertyName}`);
  compareMaps(was.mapping, is.mapping, {
    removed: (value) => at.narrowed('discriminator', `${value} was removed`),
    added: (value) => at.widened('discriminator', `${value} was added`),
    both: (value, one, other) => {
      if (!isSameTarget(at.scope, String(one), String(other)))
        at.major('discriminator changed', `${value} means ${other}, not ${one}`);
    },
  });
  compareByRules({ propertyName: elsewhere, mapping: elsewhere }, was.object, is.object, at);
}

/** The rules of a schema's keywords. References and compositions are resolved before. */
const schemaRules: Rules = {
  ...keywordRules,
  // compareTypes
  type: elsewhere,
  // compareProperties, of the object that has the property
  ...each('readOnly writeOnly', () => elsewhere),
  ...each('then else contentSchema propertyNames unevaluatedItems unevaluatedProperties', subschema),
  ...each('patternProperties dependentSchemas', (keyword) => conditions(keyword, compare)),
  ...each('items prefixItems', () => compareItems),
  ...each('properties required additionalProperties', () => compareProperties),
  // compareDiscriminators
  discriminator: elsewhere,
};
