// The values that the keywords of a schema may have. Libraries throw for other values, but do not name the place in the spec.
import { isNode, type Node, node, reject } from './document.ts';

const jsonTypes: readonly unknown[] = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];
const isText = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0;
const isPositive = (value: unknown) => Number.isFinite(value) && Number(value) > 0;
const isFilledList = (value: unknown) => Array.isArray(value) && value.length > 0;
const isNameList = (value: unknown) => Array.isArray(value) && value.every(isText);
const isNameLists = (value: unknown) => isNode(value) && Object.values(value).every(isNameList);
const isTypes = (value: unknown) => [value].flat().every((type) => jsonTypes.includes(type));

/** Keywords with the same values, a description of these values, and their check. */
const keywords: readonly [keywords: string, values: string, isValid: (value: unknown) => boolean][] = [
  ['type', `${jsonTypes.slice(0, -1).join(', ')} or ${jsonTypes.at(-1)}, or a list of these`, isTypes],
  ['$ref title description format pattern contentEncoding contentMediaType', 'a string', isText],
  ['minimum maximum exclusiveMinimum exclusiveMaximum', 'a number', Number.isFinite],
  ['multipleOf', 'a number above 0', isPositive],
  [
    'minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties',
    'an integer from 0',
    isCount,
  ],
  ['uniqueItems readOnly writeOnly deprecated nullable', 'true or false', isBoolean],
  ['enum', 'a list of values', isFilledList],
  ['required', 'a list of names', isNameList],
  ['allOf anyOf oneOf prefixItems', 'a list', Array.isArray],
  ['properties patternProperties dependentSchemas', 'an object', isNode],
  ['dependentRequired', 'an object with lists of names', isNameLists],
];
const ruleOf = new Map(
  keywords.flatMap(([all, values, isValid]) => all.split(' ').map((keyword) => [keyword, { values, isValid }])),
);

/** Rejects the first invalid value of a keyword, and the first invalid regular expression. */
export function rejectInvalidKeywords(schema: Node, at: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const rule = ruleOf.get(keyword);
    if (rule && value !== undefined && !rule.isValid(value))
      reject(`${at}.${keyword}`, `the value is ${JSON.stringify(value).slice(0, 100)}`, `write ${rule.values}`);
  }
  if (typeof schema.pattern === 'string') rejectInvalidPattern(schema.pattern, `${at}.pattern`);
  for (const pattern of Object.keys(node(schema.patternProperties)))
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
