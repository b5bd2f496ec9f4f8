import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import {
  type At,
  compareByRules,
  compareMaps,
  documentation,
  fixed,
  major,
  mapOf,
  minor,
  type Rule,
  type Rules,
  row,
  things,
} from './rules.ts';

type Alternative = Operation['security'][number];

/** Credentials that opened an operation have to open it still; those with more scopes than needed do. */
export function compareSecurity(before: Operation['security'], after: Operation['security'], at: At): void {
  const [was, is] = [before, after].map((security) => (security.length === 0 ? [{}] : security)) as [
    Alternative[],
    Alternative[],
  ];
  const opensWith = (given: Alternative) => (asked: Alternative) =>
    Object.entries(asked).every(
      ([scheme, scopes]) => given[scheme] && scopes.every((one) => given[scheme]?.includes(one)),
    );
  const gone = was.filter((one) => !is.some(opensWith(one)));
  if (gone.some((one) => Object.keys(one).length === 0)) major(at, 'security added', `${textOf(is)} is required now`);
  else if (gone.length > 0) major(at, 'security scheme removed', `${textOf(gone)} is no longer accepted`);
  else if (is.some((one) => !was.some(opensWith(one))))
    minor(at, 'security relaxed', `${textOf(was)} became ${textOf(is)}`);
}

function textOf(alternatives: readonly Alternative[]): string {
  const schemes = (all: Alternative) =>
    Object.entries(all)
      .map(([scheme, scopes]) => [scheme, ...scopes].join(' with '))
      .join(' and ');
  return alternatives.map((one) => schemes(one) || 'nothing').join(' or ');
}

/** How credentials are sent, by the schemes that are in both specs: operations say which of them they take. */
export const compareSchemes: Rule = (before, after, at) =>
  compareMaps(
    mapOf(node(before.components).securitySchemes, at.before),
    mapOf(node(after.components).securitySchemes, at.after),
    {
      ...{ gone: () => {}, added: () => {} },
      both: (name, was, is) => compareByRules(schemeRules, was, is, { ...at, where: `security scheme ${name}` }),
    },
  );

/** Where a token comes from, and what it may be good for. */
const flowRules: Rules = {
  ...row('authorizationUrl tokenUrl', (key) => fixed(key, 'security scheme')),
  refreshUrl: (before, after, at) =>
    before.refreshUrl === undefined
      ? minor(at, 'refresh of tokens added', 'refreshUrl is new')
      : fixed('refreshUrl', 'security scheme')(before, after, at),
  scopes: things('scopes', 'scope', () => {}),
};

/** How credentials are sent. */
const compareSending: Rule = (before, after, at) => {
  const sending = ({ type, in: place, name, scheme = '', openIdConnectUrl }: Node) => [
    type,
    place,
    name,
    String(scheme).toLowerCase(),
    openIdConnectUrl,
  ];
  if (!isDeepStrictEqual(sending(before), sending(after)))
    major(at, 'security scheme changed', 'credentials are sent another way');
};

const schemeRules: Rules = {
  ...row('type in name scheme openIdConnectUrl', () => compareSending),
  flows: things('flows', 'flow', (was, is, at) => compareByRules(flowRules, was, is, at)),
  // Documentation: it says nothing about how the token is sent.
  bearerFormat: documentation,
};
