import type { SecurityScheme } from '@petstore/types';
import { type Document, list, node, text } from './node.ts';
import type { Schemas } from './schemas.ts';
import { stop } from './stops.ts';

/** The security schemes of the service by name. One that clients do not support is `other`. */
export function schemesOf(document: Document, schemas: Schemas): Record<string, SecurityScheme> {
  const all = Object.entries(node(node(document.components).securitySchemes));
  return Object.fromEntries(
    all.map(([name, value]) => [name, schemeOf(schemas.target(value, `components.securitySchemes.${name}`))]),
  );
}

function schemeOf({ type, scheme, in: place, name }: Record<string, unknown>): SecurityScheme {
  if (type === 'apiKey' && (place === 'header' || place === 'query' || place === 'cookie'))
    return { type: 'apiKey', in: place, name: String(name) };
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'bearer' };
  if (type === 'mutualTLS') return { type };
  const word = text(scheme)?.toLowerCase();
  return { type: type === 'http' && (word === 'bearer' || word === 'basic') ? word : 'other' };
}

/** The accepted combinations, those with a credential first; empty if none is needed. */
export function securityOf(
  rules: unknown,
  where: string,
  schemes: Readonly<Record<string, SecurityScheme>>,
): string[][] {
  const written = list(rules).map((one) => Object.keys(node(one)));
  for (const name of written.flat())
    if (!Object.hasOwn(schemes, name))
      stop(where, `there is no security scheme '${name}'`, 'describe it in components.securitySchemes');
  const usable = written.filter((names) => names.every((name) => schemes[name]?.type !== 'other'));
  if (written.length > 0 && usable.length === 0)
    stop(
      where,
      `'${written.flat().join(', ')}' is no way to authenticate that a client can use by itself`,
      'write http bearer or basic, apiKey, oauth2 or openIdConnect',
    );
  // The transport sends certificates, not the request.
  const sent = usable.map((names) => names.filter((name) => schemes[name]?.type !== 'mutualTLS'));
  const sorted = sent.sort((left, right) => Number(left.length === 0) - Number(right.length === 0));
  return sorted.every((names) => names.length === 0) ? [] : sorted;
}

/** The scheme of the API key: the document's default, else the first with a single text. */
export function keyScheme(document: Document, schemes: Readonly<Record<string, SecurityScheme>>): string | undefined {
  const takesText = (name: string) => /^(bearer|apiKey)$/.test(schemes[name]?.type ?? '');
  const [standard = {}] = list(document.security).map(node);
  return [...Object.keys(standard), ...Object.keys(schemes)].find(takesText);
}
