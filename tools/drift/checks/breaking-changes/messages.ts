import { isDeepStrictEqual } from 'node:util';
import { resolve } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import {
  type At,
  compareByRules,
  compareExtensible,
  compareMaps,
  deprecation,
  documentation,
  elsewhere,
  fixed,
  inside,
  major,
  mapOf,
  minor,
  narrowed,
  opposite,
  type Rule,
  type Rules,
  required,
  row,
  things,
  widened,
} from './rules.ts';
import { compareSchemas } from './schemas.ts';

/** The inputs of an operation beside its body, by their places and names. */
export function compareParameters(was: ReadonlyMap<string, Node>, is: ReadonlyMap<string, Node>, at: At): void {
  compareMaps(was, is, {
    gone: (name) => major(inside(at, ` ${name}`), 'parameter removed', 'it was removed'),
    added: (name, parameter) => reportAdded('parameter', parameter, inside(at, ` ${name}`)),
    both: (name, one, other) => compareByRules(parameterRules, one, other, inside(at, ` ${name}`)),
  });
}

export const compareBodies: Rule = ({ requestBody: before }, { requestBody: after }, at) => {
  const [was, is] = [resolve(at.before, node(before)), resolve(at.after, node(after))];
  const here = inside(at, ' body');
  if (!after) major(here, 'body removed', 'it was removed');
  else if (before) compareByRules(bodyRules, was, is, here);
  else reportAdded('body', is, here);
};

function reportAdded(name: string, { required }: Node, at: At): void {
  if (at.direction === 'request' && required === true) major(at, `${name} newly required`, 'it is new');
  else minor(at, `${name} added`, 'it is new');
}

export const compareResponses: Rule = ({ responses: before }, { responses: after }, call) => {
  const at = { ...call, direction: opposite(call) };
  const was = mapOf(before, at.before);
  const isReceived = at.direction === 'response';
  compareExtensible(before, after, at, {
    gone: (status) => major(inside(at, ` ${status}`), 'status removed', 'it was removed'),
    added: (status, response) => {
      const here = inside(at, ` ${status}`);
      if (isReceived && status.startsWith('2')) return major(here, 'success status added', 'it is new');
      minor(here, 'status added', 'it is new');
      // It was possible before, as one of those without a response of their own.
      const other = was.get(`${status[0]}XX`) ?? was.get('default');
      if (isReceived && other) compareContents(other, response, here);
    },
    both: (status, one, other) => compareByRules(responseRules, one, other, inside(at, ` ${status}`)),
  });
};

const compareHeaders: Rule = ({ headers: before }, { headers: after }, at) => {
  // The media types say what `Content-Type` is.
  const headersOf = (headers: unknown, document: At['before']) =>
    new Map(
      [...mapOf(headers, document)]
        .map(([name, header]) => [name.toLowerCase(), { name, header }] as const)
        .filter(([name]) => name !== 'content-type'),
    );
  const here = ({ name }: { name: string }) => inside(at, ` ${name}`);
  compareMaps(headersOf(before, at.before), headersOf(after, at.after), {
    gone: (_, one) => major(here(one), 'header removed', 'it was removed'),
    added: (_, one) => reportAdded('header', one.header, here(one)),
    both: (_, one, other) => compareByRules(headerRules, one.header, other.header, here(other)),
  });
};

const compareContents: Rule = (before, after, at) => {
  const { direction } = at;
  const contentsOf = ({ content }: Node, document: At['before']) =>
    new Map([...mapOf(content, document)].map(([type, one]) => [mediaTypeOf(type), one]));
  const [was, is] = [contentsOf(before, at.before), contentsOf(after, at.after)];
  // A range takes the place of the types in it where data are accepted, and a type that of its range where they are sent.
  const heirs = new Map(
    [...was.keys()].map((type) => [
      type,
      is.has(type)
        ? type
        : [...is.keys()].find((one) => (direction === 'request' ? covers(one, type) : covers(type, one))),
    ]),
  );
  for (const [type, heir] of heirs) {
    if (heir === undefined) major(at, `${direction} media type removed`, `${type} was removed`);
    else compareByRules(mediaTypeRules, node(was.get(type)), node(is.get(heir)), { ...at, media: heir });
  }
  const inherited = new Set(heirs.values());
  for (const type of is.keys()) if (!inherited.has(type)) minor(at, `${direction} media type added`, `${type} is new`);
};

const mediaTypeOf = (type: string) => type.toLowerCase().replaceAll(' ', '');

function covers(range: string, type: string): boolean {
  const [[kind, sub = ''], [oneKind, oneSub]] = [range.split('/'), type.split('/')];
  return (kind === '*' || kind === oneKind) && (sub === '*' || sub === oneSub);
}

/** The parts of a form. */
const compareEncodings: Rule = ({ encoding: before }, { encoding: after }, at) => {
  const [was, is] = [mapOf(before, at.before), mapOf(after, at.after)];
  for (const part of new Set([...was.keys(), ...is.keys()]))
    compareByRules(encodingRules, was.get(part) ?? {}, is.get(part) ?? {}, inside(at, ` ${part}`));
};

const comparePartTypes: Rule = ({ contentType: was }, { contentType: is }, at) => {
  const types = (value: unknown) => (value === undefined ? [] : mediaTypeOf(String(value)).split(','));
  const lacks = (all: unknown) => (type: string) => !types(all).includes(type);
  const detail = `contentType ${was} became ${is}`;
  if (was === undefined || types(was).some(lacks(is))) narrowed(at, 'encoding', detail);
  if (is === undefined || types(is).some(lacks(was))) widened(at, 'encoding', detail);
};

/** How a value is written, with the defaults of OpenAPI, and which values there are. */
function written(name: string): Rule {
  const serializationOf = ({ in: place, style, explode, allowReserved, allowEmptyValue, content }: Node) => {
    const how = style ?? (place === 'query' || place === 'cookie' || name === 'part' ? 'form' : 'simple');
    const types = Object.keys(node(content)).map(mediaTypeOf);
    return [how, explode ?? how === 'form', allowReserved ?? false, allowEmptyValue ?? false, ...types];
  };
  const schemaOf = ({ schema, content }: Node) => schema ?? node(Object.values(node(content))[0]).schema;
  return (before, after, at) => {
    if (!isDeepStrictEqual(serializationOf(before), serializationOf(after)))
      major(at, `${name} serialization changed`, 'it is written another way');
    compareSchemas(schemaOf(before) ?? {}, schemaOf(after) ?? {}, at);
  };
}

function valueRules(name: string): Rules {
  const value = written(name);
  return {
    required: required(name),
    deprecated: deprecation(name),
    ...row('schema content style explode allowReserved allowEmptyValue', () => value),
  };
}

const parameterRules: Rules = {
  ...valueRules('parameter'),
  // compareParameters
  ...row('name in', () => elsewhere),
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
  ...row('style explode allowReserved', () => written('part')),
};

const bodyRules: Rules = { required: required('body'), content: compareContents };

const linkRules: Rules = row('operationRef operationId parameters requestBody server', (key) => fixed(key, 'link'));

const responseRules: Rules = {
  headers: compareHeaders,
  content: compareContents,
  links: things('links', 'link', (was, is, at) => compareByRules(linkRules, was, is, at)),
  // The conformance check
  'x-unreachable': documentation,
};
