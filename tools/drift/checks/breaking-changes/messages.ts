import { isDeepStrictEqual } from 'node:util';
import { covers } from '../../../openapi/body.ts';
import { type Document, resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import {
  byRules,
  compareExtensible,
  compareMaps,
  deprecation,
  each,
  type Location,
  mapOf,
  named,
  type Rule,
  type Rules,
  required,
  unequal,
} from './location.ts';
import { compareSchemas } from './schemas.ts';

type Parameters = ReadonlyMap<string, Node>;

/** Compares the parameters of an operation by their locations and names. */
export function compareParameters(before: Parameters, after: Parameters, at: Location): void {
  compareMaps(before, after, (name) => at.inside(` ${name}`), {
    removed: (here) => here.removed('parameter'),
    added: (here, { required }) => here.added('parameter', required === true),
    both: byRules(parameterRules),
  });
}

export const compareBodies: Rule = ({ requestBody: before }, { requestBody: after }, at) => {
  const [body, bodyAfter] = [resolve(at.scope.before, node(before)), resolve(at.scope.after, node(after))];
  const here = at.inside(' body');
  if (!after) here.removed('body');
  else if (before) byRules(bodyRules)(body, bodyAfter, here);
  else here.added('body', bodyAfter.required === true);
};

export const compareResponses: Rule = ({ responses: before }, { responses: after }, request) => {
  const at = request.reversed();
  const responses = mapOf(before, at.scope.before);
  const isReceived = at.scope.direction === 'response';
  compareExtensible(before, after, at, ' ', {
    removed: (here) => here.removed('status'),
    added: (here, response, status) => {
      // A correct program need not be prepared for another success.
      if (isReceived && status.startsWith('2')) return here.major('success status added', 'it is new');
      here.added('status');
      // The status was possible before, as part of its range or of the default.
      const responseBefore = responses.get(`${status[0]}XX`) ?? responses.get('default');
      if (isReceived && responseBefore) compareContents(responseBefore, response, here);
    },
    both: byRules(responseRules),
  });
};

const compareHeaders: Rule = (before, after, at) => {
  const headersOf = ({ headers }: Node, document: Document) => {
    const entries = [...mapOf(headers, document)].map(
      ([name, header]) => [name.toLowerCase(), { name, header }] as const,
    );
    // The media types say what `Content-Type` is.
    return new Map(entries.filter(([key]) => key !== 'content-type'));
  };
  compareMaps(headersOf(before, at.scope.before), headersOf(after, at.scope.after), () => at, {
    removed: (here, { name }) => here.inside(` ${name}`).removed('header'),
    added: (here, { name, header }) => here.inside(` ${name}`).added('header', header.required === true),
    both: ({ header }, now, here) => byRules(headerRules)(header, now.header, here.inside(` ${now.name}`)),
  });
};

const compareContents: Rule = (before, after, at) => {
  const { direction } = at.scope;
  const contentsOf = ({ content }: Node, document: Document) =>
    new Map([...mapOf(content, document)].map(([type, mediaType]) => [canonicalType(type), mediaType]));
  const [contents, contentsAfter] = [contentsOf(before, at.scope.before), contentsOf(after, at.scope.after)];
  // In a request a range may replace a type that it covers. In a response a type may replace a range that covers it.
  const coveringType = (type: string) =>
    contentsAfter.keys().find((other) => (direction === 'request' ? covers(other, type) : covers(type, other)));
  const successors = new Map(
    [...contents.keys()].map((type) => [type, contentsAfter.has(type) ? type : coveringType(type)]),
  );
  for (const [type, media] of successors) {
    if (media === undefined) at.major(`${direction} media type removed`, `${type} was removed`);
    else byRules(mediaTypeRules)(node(contents.get(type)), node(contentsAfter.get(media)), at.with({ media }));
  }
  const added = new Set(contentsAfter.keys()).difference(new Set(successors.values()));
  for (const type of added) at.minor(`${direction} media type added`, `${type} is new`);
};

const canonicalType = (type: string) => type.toLowerCase().replaceAll(' ', '');

/** Compares how the parts of a form are encoded. */
const compareEncodings: Rule = ({ encoding: before }, { encoding: after }, at) => {
  const [encodings, encodingsAfter] = [mapOf(before, at.scope.before), mapOf(after, at.scope.after)];
  for (const part of new Set([...encodings.keys(), ...encodingsAfter.keys()]))
    byRules(encodingRules)(node(encodings.get(part)), node(encodingsAfter.get(part)), at.inside(` ${part}`));
};

const comparePartTypes: Rule = ({ contentType: before }, { contentType: after }, at) => {
  const typesOf = (value: unknown) => new Set(value === undefined ? [] : canonicalType(String(value)).split(','));
  const [types, typesAfter] = [typesOf(before), typesOf(after)];
  const detail = `contentType ${before} became ${after}`;
  if (before === undefined || !types.isSubsetOf(typesAfter)) at.narrowed('encoding', detail);
  if (after === undefined || !typesAfter.isSubsetOf(types)) at.widened('encoding', detail);
};

/** Compares how a value is written, with the defaults of OpenAPI, and its schema. */
function serialization(name: string): Rule {
  const serializationOf = ({ in: location, style, explode, allowReserved, allowEmptyValue, content }: Node) => {
    const used = style ?? (location === 'query' || location === 'cookie' || name === 'part' ? 'form' : 'simple');
    const types = Object.keys(node(content)).map(canonicalType);
    return [used, explode ?? used === 'form', allowReserved ?? false, allowEmptyValue ?? false, ...types];
  };
  const schemaOf = ({ schema, content }: Node) => schema ?? node(Object.values(node(content))[0]).schema;
  return (before, after, at) => {
    if (!isDeepStrictEqual(serializationOf(before), serializationOf(after)))
      at.major(`${name} serialization changed`, 'it is written another way');
    compareSchemas(schemaOf(before), schemaOf(after), at);
  };
}

function valueRules(name: string): Rules {
  const compareValues = serialization(name);
  return {
    required: required(name),
    deprecated: deprecation(name),
    ...each('schema content style explode allowReserved allowEmptyValue', () => compareValues),
  };
}

const parameterRules: Rules = {
  ...valueRules('parameter'),
  ...each('name in', () => 'compareParameters'),
  'x-idempotency-key': unequal('major', 'x-idempotency-key', 'idempotency key'),
};

const headerRules: Rules = valueRules('header');

const mediaTypeRules: Rules = {
  schema: (before, after, at) => compareSchemas(before.schema, after.schema, at),
  encoding: compareEncodings,
};

const comparePartSerialization = serialization('part');

const encodingRules: Rules = {
  contentType: comparePartTypes,
  headers: compareHeaders,
  ...each('style explode allowReserved', () => comparePartSerialization),
};

const bodyRules: Rules = { required: required('body'), content: compareContents };

const linkRules = each('operationRef operationId parameters requestBody server', (key) =>
  unequal('major', key, 'link'),
);

const responseRules: Rules = {
  headers: compareHeaders,
  content: compareContents,
  links: named('links', 'link', byRules(linkRules)),
  'x-unreachable': 'documentation',
};
