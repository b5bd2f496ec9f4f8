import type { Document } from '../../../openapi/document.ts';
import { isNode, list, type Node, node } from '../../openapi.ts';
import { conditions, keywordRules } from './keywords.ts';
import {
  became,
  byRules,
  compareMaps,
  compareRequired,
  each,
  type Location,
  type Rule,
  type Rules,
} from './location.ts';
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

/** Compares two schemas of data that goes in one direction. Without a schema everything is valid. */
export function compareSchemas(before: unknown = {}, after: unknown = {}, at: Location): void {
  if (before === false || after === false) {
    if (before !== false) at.narrowed('schema', 'nothing is valid any more');
    if (after !== false) at.widened('schema', 'nothing was valid before');
    return;
  }
  const { scope } = at;
  const pair = hasReference(before) || hasReference(after) ? JSON.stringify([before, after]) : '';
  // A recursive schema was already compared.
  if (scope.enclosingPairs?.has(pair)) return;
  const here = pair === '' ? at : at.with({ enclosingPairs: new Set([...(scope.enclosingPairs ?? []), pair]) });
  const [alternatives, alternativesAfter] = [alternativesOf(scope.before, before), alternativesOf(scope.after, after)];
  compareDiscriminators(alternatives.discriminator, alternativesAfter.discriminator, at);
  const { isExclusive, all } = alternativesAfter;
  if (alternatives.all.length > 1 && alternatives.isExclusive !== isExclusive && mayFitTwo(scope.after, all))
    at[isExclusive ? 'narrowed' : 'widened']('oneOf', 'whether a value may fit two alternatives differs');
  compareAlternatives(alternatives, alternativesAfter, here);
}

/** Pairs alternatives that are equal, have the same name, or are the only ones left, and compares each pair. */
function compareAlternatives(before: Alternatives, after: Alternatives, at: Location): void {
  let left: readonly Alternative[] = before.all;
  const leftAfter = new Set(after.all);
  const pairWhere = (isPartner: (alternative: Alternative, candidate: Alternative) => boolean) => {
    left = left.filter((alternative) => {
      const partner = leftAfter.values().find((candidate) => isPartner(alternative, candidate));
      if (!partner) return true;
      leftAfter.delete(partner);
      compareKeywords(alternative.schema, partner.schema, at);
      return false;
    });
  };
  const pairIfOnly = () => {
    if (left.length === 1 && leftAfter.size === 1) pairWhere(() => true);
  };
  // Most schemas have one alternative, which need not be searched for.
  pairIfOnly();
  pairWhere(({ schema }, candidate) => isSame(at.scope, schema, candidate.schema));
  pairWhere(({ name }, candidate) => name !== undefined && name === candidate.name);
  pairIfOnly();
  for (const removed of left) {
    at.narrowed('alternatives', `${nameOf(removed)} was removed`);
    if (mayExclude(at.scope.before, before, removed))
      at.widened('oneOf', `values that also fit ${nameOf(removed)} are valid now`);
  }
  for (const added of leftAfter) {
    at.widened('alternatives', `${nameOf(added)} was added`);
    if (mayExclude(at.scope.after, after, added))
      at.narrowed('oneOf', `values that also fit ${nameOf(added)} are invalid now`);
  }
}

/** Whether a value that fits an alternative may be invalid, because the value fits another alternative, too. */
function mayExclude(document: Document, alternatives: Alternatives, alternative: Alternative): boolean {
  const { all, discriminator, isExclusive } = alternatives;
  const others = all.filter((other) => other !== alternative);
  return isExclusive && !discriminator && others.some((other) => mayFitTwo(document, [other, alternative]));
}

function nameOf({ name, schema }: Alternative): string {
  return name ?? JSON.stringify(schema).slice(0, 60);
}

function compareKeywords(before: Node, after: Node, at: Location): void {
  if (compareTypes(before, after, at)) byRules(schemaRules)(before, after, at);
}

/** Compares types, and returns whether any value fits both, so that the other keywords matter. */
function compareTypes(before: Node, after: Node, at: Location): boolean {
  const [types, typesAfter] = [typesOf(before) ?? ALL_TYPES, typesOf(after) ?? ALL_TYPES];
  // Every integer is a number.
  const isMissingIn = (all: readonly string[]) => (type: string) =>
    !all.includes(type) && !(type === 'integer' && all.includes('number'));
  const [removed, added] = [types.filter(isMissingIn(typesAfter)), typesAfter.filter(isMissingIn(types))];
  if (removed.length === 0 && added.length === 0) return true;
  const { direction } = at.scope;
  const breaking = direction === 'request' ? removed : added;
  at.report(breaking.length > 0 ? 'major' : 'minor', `${direction} type changed`, became('type', types, typesAfter));
  return removed.length < types.length || added.length < typesAfter.length;
}

const ALL_TYPES = ['array', 'boolean', 'null', 'number', 'object', 'string'];

/** A rule for a keyword that holds a schema. Without the keyword everything is valid. */
function subschema(keyword: string): Rule {
  return ({ [keyword]: before }, { [keyword]: after }, at) => {
    if (before !== undefined && after !== undefined) compareSchemas(before, after, at.inside(` ${keyword}`));
    else if (!isSame(at.scope, before ?? {}, after ?? {}) && (before ?? after) !== true)
      at[before === undefined ? 'narrowed' : 'widened'](keyword, became(keyword, before, after));
  };
}

const compareItems: Rule = (before, after, at) => {
  const [first, firstAfter] = [list(before.prefixItems), list(after.prefixItems)];
  for (let i = 0; i < Math.max(first.length, firstAfter.length); i++)
    compareSchemas(first[i] ?? before.items, firstAfter[i] ?? after.items, at.inside(`[${i}]`));
  compareSchemas(before.items, after.items, at.inside('[]'));
};

const compareProperties: Rule = (before, after, at) => {
  const { direction } = at.scope;
  const kind = `${direction} property`;
  const [required, requiredAfter] = [list(before.required), list(after.required)];
  const compareNeed = (name: unknown) =>
    compareRequired(required.includes(name), requiredAfter.includes(name), kind, at.inside(`.${name}`));
  const properties = carriedProperties(at.scope.before, before, direction);
  const propertiesAfter = carriedProperties(at.scope.after, after, direction);
  compareMaps(properties, propertiesAfter, (name) => at.inside(`.${name}`), {
    removed: (here) => here.removed(kind),
    added: (here, schema, name) => {
      here.added(kind, requiredAfter.includes(name));
      // The property was possible before, as an additional property.
      if (isNode(before.additionalProperties)) compareSchemas(before.additionalProperties, schema, here);
    },
    both: (schema, schemaAfter, here, name) => {
      compareNeed(name);
      compareSchemas(schema, schemaAfter, here);
    },
  });
  const described = { ...node(before.properties), ...node(after.properties) };
  for (const name of new Set([...required, ...requiredAfter])) if (!(String(name) in described)) compareNeed(name);
  compareAdditional(before.additionalProperties ?? true, after.additionalProperties ?? true, at);
};

/** The properties that data in this direction may have. */
function carriedProperties(document: Document, { properties }: Node, direction: string): Map<string, unknown> {
  const excluded = direction === 'request' ? 'readOnly' : 'writeOnly';
  const isCarried = (property: unknown) =>
    !alternativesOf(document, property).all.every(({ schema }) => schema[excluded] === true);
  return new Map(Object.entries(node(properties)).filter(([, property]) => isCarried(property)));
}

/** Compares `additionalProperties`. */
function compareAdditional(before: unknown, after: unknown, at: Location): void {
  const { direction } = at.scope;
  if (before === after) return;
  if (after === false) {
    const level = direction === 'request' ? 'major' : 'minor';
    at.report(level, `${direction} properties closed`, 'unknown properties are rejected now');
  } else if (before === false) at.minor(`${direction} properties opened`, 'unknown properties are possible now');
  else compareSchemas(before, after, at.inside('.*'));
}

function compareDiscriminators(
  before: Discriminator | undefined,
  after: Discriminator | undefined,
  at: Location,
): void {
  if (!before || !after) {
    if (after) at.narrowed('discriminator', `${after.propertyName} selects the alternative now`);
    if (before) at.widened('discriminator', `${before.propertyName} no longer selects the alternative`);
    return;
  }
  if (before.propertyName !== after.propertyName)
    at.major('discriminator changed', `${before.propertyName} became ${after.propertyName}`);
  compareMaps(before.mapping, after.mapping, () => at, {
    removed: (here, _target, value) => here.narrowed('discriminator', `${value} was removed`),
    added: (here, _target, value) => here.widened('discriminator', `${value} was added`),
    both: (target, targetAfter, here, value) => {
      if (!isSameTarget(here.scope, target, targetAfter))
        here.major('discriminator changed', `${value} means ${targetAfter}, not ${target}`);
    },
  });
  byRules(discriminatorRules)(before.object, after.object, at);
}

const discriminatorRules = each('propertyName mapping', () => 'compareDiscriminators');

/** The rules of a schema's keywords. References and compositions are resolved before. */
const schemaRules: Rules = {
  ...keywordRules,
  type: 'compareTypes',
  ...each('readOnly writeOnly', () => 'compareProperties of the enclosing object'),
  ...each('then else contentSchema propertyNames unevaluatedItems unevaluatedProperties', subschema),
  ...each('patternProperties dependentSchemas', (keyword) => conditions(keyword, compareSchemas)),
  ...each('items prefixItems', () => compareItems),
  ...each('properties required additionalProperties', () => compareProperties),
  discriminator: 'compareDiscriminators',
};
