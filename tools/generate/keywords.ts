// The values that the keywords of a schema may have. Libraries throw for others, without the place in the spec.
import { isNode, type Node, reject } from './document.ts';

/** Values of a keyword: whether a value is one of them, and their description. */
interface Values {
  readonly has: (value: unknown) => boolean;
  readonly description: string;
}

const jsonTypes = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const isText = (value: unknown) => typeof value === 'string';
const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText);

const texts: Values = { has: isText, description: 'a string' };
const numbers: Values = { has: Number.isFinite, description: 'a number' };
const positive: Values = {
  has: (value) => Number.isFinite(value) && Number(value) > 0,
  description: 'a number above 0',
};
const counts: Values = {
  has: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  description: 'an integer from 0',
};
const booleans: Values = { has: (value) => typeof value === 'boolean', description: 'true or false' };
const lists: Values = { has: Array.isArray, description: 'a list' };
const filled: Values = { has: (value) => Array.isArray(value) && value.length > 0, description: 'a list of values' };
const names: Values = { has: isTexts, description: 'a list of names' };
const maps: Values = { has: isNode, description: 'an object' };
const namesByName: Values = {
  has: (value) => isNode(value) && Object.values(value).every(isTexts),
  description: 'an object with lists of names',
};
const types: Values = {
  has: (value) => isTexts([value].flat()) && [value].flat().every((one) => jsonTypes.includes(String(one))),
  description: `${jsonTypes.slice(0, -1).join(', ')} or ${jsonTypes.at(-1)}, or a list of these`,
};

const keywords: readonly [names: string, values: Values][] = [
  ['type', types],
  ['$ref title description format pattern contentEncoding contentMediaType', texts],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', numbers],
  ['multipleOf', positive],
  ['minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties', counts],
  ['uniqueItems readOnly writeOnly deprecated nullable', booleans],
  ['enum', filled],
  ['required', names],
  ['allOf anyOf oneOf prefixItems', lists],
  ['properties patternProperties dependentSchemas', maps],
  ['dependentRequired', namesByName],
];
const valuesOf = new Map(keywords.flatMap(([all, values]) => all.split(' ').map((keyword) => [keyword, values])));

/** Rejects the first invalid value of a keyword, and the first invalid regular expression. */
export function rejectInvalidKeywords(schema: Node, at: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const values = valuesOf.get(keyword);
    if (values && value !== undefined && !values.has(value))
      reject(`${at}.${keyword}`, `the value is ${JSON.stringify(value).slice(0, 100)}`, `write ${values.description}`);
  }
  if (isText(schema.pattern)) rejectInvalidPattern(String(schema.pattern), `${at}.pattern`);
  if (isNode(schema.patternProperties))
    for (const pattern of Object.keys(schema.patternProperties))
      rejectInvalidPattern(pattern, `${at}.patternProperties`);
}

/** The server, the client and petctl compile patterns with the flag u. */
function rejectInvalidPattern(pattern: string, at: string): void {
  try {
    new RegExp(pattern, 'u');
  } catch (error) {
    const reason = String(error).split(': ').at(-1);
    reject(at, `'${pattern}' is not a regular expression with the flag u (${reason})`, 'correct the pattern');
  }
}
