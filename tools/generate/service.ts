// The service as a whole: its servers, its security schemes, and the security of operations.
import type { SecurityScheme } from '@petstore/types';
import { kebab } from 'petctl/names';
import { type Document, defined, list, mapped, type Node, node, reject, text } from './document.ts';
import type { Schemas } from './schemas.ts';

/** The parts of a document that are about the service, not about one operation. */
export interface Service {
  readonly title: string;
  readonly version: string;
  readonly summary: string;
  readonly deployments: Readonly<Record<string, string>>;
  readonly statuses: Readonly<Record<string, number>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  /** The scheme whose credential is the API key. */
  readonly keyScheme?: string;
  /** The default security of operations: alternatives, each a set of schemes that are required together. */
  readonly security: readonly (readonly string[])[];
}

/** The service as the document describes it. */
export function serviceOf(
  document: Document,
  securitySchemes: Readonly<Record<string, SecurityScheme>>,
  security: Service['security'],
): Service {
  const { title, version, summary, description } = node(document.info);
  const [firstLine = ''] = (text(description) ?? '').trim().split('\n');
  const codes = node(node(node(document.components).schemas).ErrorCode);
  return defined<Service>({
    title: String(title ?? ''),
    version: String(version ?? ''),
    summary: text(summary) ?? firstLine,
    statuses: node(codes['x-statuses']) as Record<string, number>,
    deployments: deploymentsOf(document),
    securitySchemes,
    keyScheme: keyScheme(document, securitySchemes),
    security,
  });
}

/** The security schemes of the service by name. A scheme that clients do not support has the type `other`. */
export function schemesOf(document: Document, schemas: Schemas): Record<string, SecurityScheme> {
  return mapped(node(node(document.components).securitySchemes), (value, name) =>
    schemeOf(schemas.target(value, `components.securitySchemes.${name}`)),
  );
}

function schemeOf({ type, scheme, in: location, name }: Record<string, unknown>): SecurityScheme {
  if (type === 'apiKey' && (location === 'header' || location === 'query' || location === 'cookie'))
    return { type: 'apiKey', in: location, name: String(name) };
  if (type === 'oauth2' || type === 'openIdConnect') return { type: 'bearer' };
  if (type === 'mutualTLS') return { type };
  const word = text(scheme)?.toLowerCase();
  return { type: type === 'http' && (word === 'bearer' || word === 'basic') ? word : 'other' };
}

/** The accepted combinations of schemes, combinations with a credential first. Empty if no credential is needed. */
export function securityOf(rules: unknown, at: string, schemes: Readonly<Record<string, SecurityScheme>>): string[][] {
  const alternatives = list(rules).map((one) => Object.keys(node(one)));
  for (const name of alternatives.flat())
    if (!Object.hasOwn(schemes, name))
      reject(at, `the security scheme '${name}' is undefined`, 'define it in components.securitySchemes');
  const usable = alternatives.filter((names) => names.every((name) => schemes[name]?.type !== 'other'));
  if (alternatives.length > 0 && usable.length === 0)
    reject(
      at,
      `clients do not support the security schemes '${alternatives.flat().join(', ')}'`,
      'use http bearer or basic, apiKey, oauth2 or openIdConnect',
    );
  // A certificate belongs to the connection, so requests send the other credentials only.
  const sent = usable.map((names) => names.filter((name) => schemes[name]?.type !== 'mutualTLS'));
  const sorted = sent.sort((left, right) => Number(left.length === 0) - Number(right.length === 0));
  return sorted.every((names) => names.length === 0) ? [] : sorted;
}

/** The scheme of the API key: the document's default scheme, else the first scheme whose credential is one string. */
function keyScheme(document: Document, schemes: Readonly<Record<string, SecurityScheme>>): string | undefined {
  const takesText = (name: string) => /^(bearer|apiKey)$/.test(schemes[name]?.type ?? '');
  const [standard = {}] = list(document.security).map(node);
  return [...Object.keys(standard), ...Object.keys(schemes)].find(takesText);
}

/** The URLs of the servers, by `x-deployment`, else by description, else by number. */
export function deploymentsOf(document: Document): Record<string, string> {
  const found: Record<string, string> = {};
  const servers = list(document.servers).map(node);
  for (const [i, server] of (servers.length > 0 ? servers : [{ url: '/' }]).entries()) {
    const { description, 'x-deployment': explicit } = server as Node;
    const words = kebab(text(description) ?? '');
    const name = text(explicit) ?? (words !== '' && words.length <= 24 ? words : `server${i + 1}`);
    if (Object.hasOwn(found, name))
      reject(`servers.${i}`, `two servers have the name '${name}'`, 'name each server in x-deployment');
    found[name] = urlOf(node(server), `servers.${i}`);
  }
  return found;
}

/** The URL of the operation's first server, else of its path item's first server; undefined for the server of the service. */
export function serverOf(document: Document, item: Node, declared: Node, at: string): string | undefined {
  const [server] = [declared.servers, item.servers].map(list).find((servers) => servers.length > 0) ?? [];
  if (server === undefined) return undefined;
  const [own, standard] = [urlOf(node(server), `${at}.servers.0`), urlOf(node(list(document.servers)[0]))];
  if (!URL.canParse(own) && URL.canParse(standard))
    reject(`${at}.servers.0`, `the server URL '${own}' is relative to this document`, 'write an absolute URL');
  return own === standard ? undefined : own;
}

/** The URL of a server, with the default of each variable. */
function urlOf({ url = '/', variables }: Node, at = 'servers.0'): string {
  return String(url).replace(/\{([^}]+)\}/g, (_, key: string) => {
    const value = node(node(variables)[key]).default;
    return value === undefined
      ? reject(`${at}.variables`, `the variable '${key}' has no default`, 'declare a default')
      : String(value);
  });
}
