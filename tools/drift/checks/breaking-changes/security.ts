import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../../openapi/document.ts';
import { type Node, node } from '../../openapi.ts';
import { byRules, compareMaps, each, type Location, mapOf, named, type Rule, type Rules, unequal } from './location.ts';

type Security = Operation['security'];

/** Credentials that an operation accepted have to be accepted still, even if they have more scopes than necessary. */
export function compareSecurity(before: Security, after: Security, at: Location): void {
  const orNone = (security: Security): Security => (security.length === 0 ? [{}] : security);
  const [accepted, acceptedAfter] = [orNone(before), orNone(after)];
  const satisfiedBy = (credentials: Security[number]) => (required: Security[number]) =>
    Object.entries(required).every(
      ([scheme, scopes]) => credentials[scheme] && scopes.every((scope) => credentials[scheme]?.includes(scope)),
    );
  const removed = accepted.filter((credentials) => !acceptedAfter.some(satisfiedBy(credentials)));
  if (removed.some((credentials) => Object.keys(credentials).length === 0))
    at.major('security added', `${textOf(acceptedAfter)} is required now`);
  else if (removed.length > 0) at.major('security scheme removed', `${textOf(removed)} is no longer accepted`);
  else if (acceptedAfter.some((credentials) => !accepted.some(satisfiedBy(credentials))))
    at.minor('security relaxed', `${textOf(accepted)} became ${textOf(acceptedAfter)}`);
}

function textOf(security: Security): string {
  const alternatives = security.map((schemes) =>
    Object.entries(schemes)
      .map(([scheme, scopes]) => [scheme, ...scopes].join(' with '))
      .join(' and '),
  );
  return alternatives.map((text) => text || 'nothing').join(' or ');
}

/** Compares how the credentials of each scheme are sent. `compareSecurity` compares which schemes an operation accepts. */
export const compareSchemes: Rule = (before, after, at) =>
  compareMaps(
    mapOf(node(before.components).securitySchemes, at.scope.before),
    mapOf(node(after.components).securitySchemes, at.scope.after),
    (name) => at.inside(`security scheme ${name}`),
    { both: byRules(schemeRules) },
  );

/** The rules of an OAuth flow. */
const flowRules: Rules = {
  ...each('authorizationUrl tokenUrl', (key) => unequal('major', key, 'security scheme')),
  refreshUrl: (before, after, at) =>
    before.refreshUrl === undefined
      ? at.minor('refresh of tokens added', 'refreshUrl is new')
      : unequal('major', 'refreshUrl', 'security scheme')(before, after, at),
  scopes: named('scopes', 'scope', () => {}),
};

const compareSending: Rule = (before, after, at) => {
  const sending = ({ type, in: location, name, scheme = '', openIdConnectUrl }: Node) => {
    return { type, location, name, scheme: String(scheme).toLowerCase(), openIdConnectUrl };
  };
  if (!isDeepStrictEqual(sending(before), sending(after)))
    at.major('security scheme changed', 'credentials are sent another way');
};

const schemeRules: Rules = {
  ...each('type in name scheme openIdConnectUrl', () => compareSending),
  flows: named('flows', 'flow', byRules(flowRules)),
  bearerFormat: 'documentation',
};
