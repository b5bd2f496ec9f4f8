import { isDeepStrictEqual } from 'node:util';
import type { Operation } from '../../../openapi/document.ts';
import { list, type Node, node } from '../../openapi.ts';
import {
  type At,
  compareByRules,
  compareMaps,
  documentation,
  fixed,
  inside,
  major,
  mapOf,
  minor,
  type Rule,
  type Rules,
  row,
} from './rules.ts';

/** What opens an operation, each alternative as a text. */
export function compareSecurity(before: Operation['security'], after: Operation['security'], at: At): void {
  const alternatives = (security: Operation['security']) =>
    security.map((all) =>
      Object.entries(all)
        .map(([scheme, scopes]) => [scheme, ...list(scopes).toSorted()].join(' with '))
        .sort()
        .join(' and '),
    );
  const [was, is] = [alternatives(before), alternatives(after)];
  const isOpen = (all: string[]) => all.length === 0 || all.includes('');
  if (isOpen(was) && !isOpen(is)) return major(at, 'security added', `${is.join(' or ')} is required now`);
  const gone = isOpen(is) ? [] : was.filter((one) => !is.includes(one));
  if (gone.length > 0) major(at, 'security scheme removed', `${gone.join(', ')} is no longer accepted`);
  else if (was.toSorted().join() !== is.toSorted().join())
    minor(at, 'security relaxed', `${was.join(' or ')} became ${is.join(' or ') || 'none'}`);
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
  scopes: (before, after, at) =>
    compareMaps(mapOf(before.scopes), mapOf(after.scopes), {
      gone: (scope) => major(at, 'scope removed', `${scope} was removed`),
      added: (scope) => minor(at, 'scope added', `${scope} is new`),
      both: () => {},
    }),
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

export const schemeRules: Rules = {
  ...row('type in name scheme openIdConnectUrl', () => compareSending),
  flows: (before, after, at) =>
    compareMaps(mapOf(before.flows, at.before), mapOf(after.flows, at.after), {
      gone: (name) => major(at, 'flow removed', `${name} was removed`),
      added: (name) => minor(at, 'flow added', `${name} is new`),
      both: (name, was, is) => compareByRules(flowRules, was, is, inside(at, ` ${name}`)),
    }),
  // Documentation: it says nothing about how the token is sent.
  bearerFormat: documentation,
};
