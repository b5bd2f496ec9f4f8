import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import {
  compareByRules,
  compareMaps,
  documentation,
  each,
  fixed,
  type Location,
  mapOf,
  named,
  type Rule,
  type Rules,
} from './rules.ts';

type Alternative = Operation['security'][number];

/** Credentials that were accepted by an operation must still be accepted; additional scopes are allowed. */
export function compareSecurity(before: Operation['security'], after: Operation['security'], at: Location): void {
  const orNone = (security: Operation['security']): Operation['security'] => (security.length === 0 ? [{}] : security);
  const [was, is] = [orNone(before), orNone(after)];
  const opensWith = (accepted: Alternative) => (required: Alternative) =>
    Object.entries(required).every(
      ([scheme, scopes]) => accepted[scheme] && scopes.every((one) => accepted[scheme]?.includes(one)),
    );
  const removed = was.filter((one) => !is.some(opensWith(one)));
  if (removed.some((one) => Object.keys(one).length === 0)) at.major('security added', `${textOf(is)} is required now`);
  else if (removed.length > 0) at.major('security scheme removed', `${textOf(removed)} is no longer accepted`);
  else if (is.some((one) => !was.some(opensWith(one))))
    at.minor('security relaxed', `${textOf(was)} became ${textOf(is)}`);
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
    mapOf(node(before.components).securitySchemes, at.scope.before),
    mapOf(node(after.components).securitySchemes, at.scope.after),
    { both: (name, was, is) => compareByRules(schemeRules, was, is, at.inside(`security scheme ${name}`)) },
  );

/** The rules of an OAuth flow. */
const flowRules: Rules = {
  ...each('authorizationUrl tokenUrl', (key) => fixed(key, 'security scheme')),
  refreshUrl: (before, after, at) =>
    before.refreshUrl === undefined
      ? at.minor('refresh of tokens added', 'refreshUrl is new')
      : fixed('refreshUrl', 'security scheme')(before, after, at),
  scopes: named('scopes', 'scope', () => {}),
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
    at.major('security scheme changed', 'credentials are sent another way');
};

const schemeRules: Rules = {
  ...each('type in name scheme openIdConnectUrl', () => compareSending),
  flows: named('flows', 'flow', (was, is, at) => compareByRules(flowRules, was, is, at)),
  // Documentation: it says nothing about how the token is sent.
  bearerFormat: documentation,
};
