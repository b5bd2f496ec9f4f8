import { isDeepStrictEqual } from 'node:util';
import { covers } from '../../../openapi/body.ts';
import { type Document, resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import {
  compareByRules,
  compareExtensible,
  compareMaps,
  deprecation,
  documentation,
  each,
  elsewhere,
  fixed,
  type Location,
  mapOf,
  named,
  type Rule,
  type Rules,
  required,
} from './rules.ts';
import { compareSchemas } from './schemas.ts';

/** The inputs of an operation beside its body, by their places and names. */
export function compareParameters(was: ReadonlyMap<string, Node>, is: ReadonlyMap<string, Node>, at: Location): void {
  compareMaps(was, is, {
    removed: (name) => at.inside(` ${name}`).removed('parameter'),
    added: (name, { required }) => at.inside(` ${name}`).added('parameter', required === true),
    both: (name, one, other) => compareByRules(parameterRules, one, other, at.inside(` ${name}`)),
  });
}

export const compareBodies: Rule = ({ requestBody: before }, { requestBody: after }, at) => {
  const [was, is] = [resolve(at.scope.before, node(before)), resolve(at.scope.after, node(after))];
  const here = at.inside(' body');
  if (!after) here.removed('body');
  else if (before) compareByRules(bodyRules, was, is, here);
  else here.added('body', is.required === true);
};

export const compareResponses: Rule = ({ responses: before }, { responses: after }, call) => {
  const at = call.reversed();
  const was = mapOf(before, at.scope.before);
  const isReceived = at.scope.direction === 'response';
  compareExtensible(before, after, at, {
    removed: (status) => at.inside(` ${status}`).removed('status'),
    added: (status, response) => {
      const here = at.inside(` ${status}`);
      if (isReceived && status.startsWith('2')) return here.major('success status added', 'it is new');
      here.added('status');
      // It was possible before, as one of those without a response of their own.
      const other = was.get(`${status[0]}XX`) ?? was.get('default');
      if (isReceived && other) compareContents(other, response, here);
    },
    both: (status, one, other) => compareByRules(responseRules, one, other, at.inside(` ${status}`)),
  });
};

const compareHeaders: Rule = ({ headers: before }, { headers: after }, at) => {
  // The media types say what `Content-Type` is.
  const headersOf = (headers: unknown, document: Document) =>
    new Map(
      [...mapOf(headers, document)]
        .map(([name, header]) => [name.toLowerCase(), { name, header }] as const)
        .filter(([name]) => name !== 'content-type'),
    );
  compareMaps(headersOf(before, at.scope.before), headersOf(after, at.scope.after), {
    removed: (_, { name }) => at.inside(` ${name}`).removed('header'),
    added: (_, { name, header }) => at.inside(` ${name}`).added('header', header.required === true),
    both: (_, { header }, is) => compareByRules(headerRules, header, is.header, at.inside(` ${is.name}`)),
  });
};

const compareContents: Rule = (before, after, at) => {
  const { direction } = at.scope;
  const contentsOf = ({ content }: Node, document: Document) =>
    new Map([...mapOf(content, document)].map(([type, one]) => [mediaTypeOf(type), one]));
  const [was, is] = [contentsOf(before, at.scope.before), contentsOf(after, at.scope.after)];
  // A range may replace a type in it for accepted data, and a type may replace its range for sent data.
  const successorOf = (type: string) =>
    [...is.keys()].find((one) => (direction === 'request' ? covers(one, type) : covers(type, one)));
  const successors = new Map([...was.keys()].map((type) => [type, is.has(type) ? type : successorOf(type)]));
  for (const [type, media] of successors) {
    if (media === undefined) at.major(`${direction} media type removed`, `${type} was removed`);
    else compareByRules(mediaTypeRules, node(was.get(type)), node(is.get(media)), at.with({ media }));
  }
  const compared = new Set(successors.values());
  for (const type of is.keys()) if (!compared.has(type)) at.minor(`${direction} media type added`, `${type} is new`);
};

const mediaTypeOf = (type: string) => type.toLowerCase().replaceAll(' ', '');

/** Compares how the parts of a form are encoded. */
const compareEncodings: Rule = ({ encoding: before }, { encoding: after }, at) => {
  const [was, is] = [mapOf(before, at.scope.before), mapOf(after, at.scope.after)];
  for (const part of new Set([...was.keys(), ...is.keys()]))
    compareByRules(encodingRules, was.get(part) ?? {}, is.get(part) ?? {}, at.inside(` ${part}`));
};

const comparePartTypes: Rule = ({ contentType: was }, { contentType: is }, at) => {
  const types = (value: unknown) => (value === undefined ? [] : mediaTypeOf(String(value)).split(','));
  const lacks = (all: unknown) => (type: string) => !types(all).includes(type);
  const detail = `contentType ${was} became ${is}`;
  if (was === undefined || types(was).some(lacks(is))) at.narrowed('encoding', detail);
  if (is === undefined || types(is).some(lacks(was))) at.widened('encoding', detail);
};

/** Compares the serialization of a value, with the defaults of OpenAPI, and its schema. */
function written(name: string): Rule {
  const serializationOf = ({ in: place, style, explode, allowReserved, allowEmptyValue, content }: Node) => {
    const how = style ?? (place === 'query' || place === 'cookie' || name === 'part' ? 'form' : 'simple');
    const types = Object.keys(node(content)).map(mediaTypeOf);
    return [how, explode ?? how === 'form', allowReserved ?? false, allowEmptyValue ?? false, ...types];
  };
  const schemaOf = ({ schema, content }: Node) => schema ?? node(Object.values(node(content))[0]).schema;
  return (before, after, at) => {
    if (!isDeepStrictEqual(serializationOf(before), serializationOf(after)))
      at.major(`${name} serialization changed`, 'it is written another way');
    compareSchemas(schemaOf(before) ?? {}, schemaOf(after) ?? {}, at);
  };
}

function valueRules(name: string): Rules {
  const value = written(name);
  return {
    required: required(name),
    deprecated: deprecation(name),
    ...each('schema content style explode allowReserved allowEmptyValue', () => value),
  };
}

const parameterRules: Rules = {
  ...valueRules('parameter'),
  // compareParameters
  ...each('name in', () => elsewhere),
  'x-idempotency-key': fixed('x-idempotency-key', 'idempotency key'),
};

const headerRules: Rules = valueRules('header');

const mediaTypeRules: Rules = {
  schema: (before, after, at) => compareSchemas(before.schema ?? {}, after.schema ?? {}, at),
  encoding: compareEncodings,
};

const encodingRules: Rules = {
  contentType: comparePartTypes,
  headers: compareHeaders,
  ...each('style explode allowReserved', () => written('part')),
};

const bodyRules: Rules = { required: required('body'), content: compareContents };

const linkRules: Rules = each('operationRef operationId parameters requestBody server', (key) => fixed(key, 'link'));

const responseRules: Rules = {
  headers: compareHeaders,
  content: compareContents,
  links: named('links', 'link', (was, is, at) => compareByRules(linkRules, was, is, at)),
  // The conformance check
  'x-unreachable': documentation,
};
